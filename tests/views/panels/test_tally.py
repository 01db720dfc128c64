"""Votes as bars: the text says everything, and a peer's name stays text."""

from workbench.views.panels.ballot import OWNER, VERDICT, ballot
from workbench.views.panels.tally import tally_html

HOSTILE = "<img src=x onerror=alert(1)>"


def test_who_is_in_front_is_said_in_words_and_drawn() -> None:
    """WCAG 2.2, 1.4.1: a bar's length and colour only repeat the text."""
    votes = ballot(VERDICT).counted("ready, modern", 1).counted("unavailable", 3)
    html = tally_html(votes)
    assert "<b>unavailable: 3 of 4 (75 %), in front</b>" in html
    assert "<li>ready, modern: 1 of 4 (25 %)<span" in html
    assert html.count("in front") == 1
    assert [part.partition("%")[0] for part in html.split("width: ")[1:]] == ["25", "0", "75"]
    assert html.count('aria-hidden="true"') == 3


def test_two_with_as_many_votes_are_level() -> None:
    """Ours: the first of two must not look like the winner."""
    votes = ballot(VERDICT).counted("ready, modern", 2).counted("unavailable", 2)
    assert tally_html(votes).count(", level in front</b>") == 2


def test_nothing_is_drawn_before_the_first_vote() -> None:
    """Ours: three empty bars say nothing."""
    assert tally_html(ballot(VERDICT)) == ""


def test_the_name_of_a_peer_stays_text() -> None:
    """Design 7.10."""
    html = tally_html(ballot(OWNER, (HOSTILE,)).counted(HOSTILE, 1))
    assert "&lt;img" in html and "<img" not in html
