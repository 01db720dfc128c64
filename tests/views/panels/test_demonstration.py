"""What a demonstration says of itself: verdict, rule, text, and a clue that tells no more."""

from typing import Any

import pytest

from fakes import library
from workbench.classroom.stage import Stage
from workbench.views.panels.ballot import CALL, OWNER, VERDICT, ballot, truth_of
from workbench.views.panels.demonstration import Act, Demonstration, Plan
from workbench.views.panels.demonstration_html import (
    startup_html,
    story_html,
    verdict_html,
    votes_html,
)

HOSTILE = "<img src=x onerror=window.pwned=1>"


def shown(name: str, **choices: Any) -> Demonstration:
    return Stage(library).perform(Plan(cast=name, **choices), lambda _: None)


def test_verdict_and_rule_are_those_of_the_subject() -> None:
    """Fault matrix M04: the dead one is what it is about."""
    several = shown("M04-dead-and-slow")
    assert (several.subject, several.verdict, several.rule) == ("files", "unavailable", "ERA-12")
    legacy = shown("L01-valid", allow_legacy=True)
    assert (legacy.verdict, legacy.rule) == ("ready, legacy", "LEG-00")


def test_each_question_has_its_truth() -> None:
    """Ours: what the class is held against."""
    same = shown("M01-same-name")
    assert truth_of(VERDICT, same) == ("ready, modern", "ERA-01")
    assert truth_of(CALL, same) == ("result", None)
    assert truth_of(OWNER, same) == ("files", "MERGE-01")
    assert truth_of(CALL, shown("C04-dies-before")) == ("outcome unknown", "RETRY-01")
    assert truth_of(OWNER, shown("P11-silence")) == ("nobody", None)


@pytest.mark.parametrize(
    ("name", "clue", "call_clue"),
    [
        ("P02-error-32601", "It answered: {", "Nothing was called."),
        ("P11-silence", "No message came back", "Nothing was called."),
        ("P14-not-json", "It answered: ", "Nothing was called."),
        ("C04-dies-before", "It answered: {", "No message came back before the connection ended."),
        ("C02-null-result-type", "It answered: {", '"resultType":null'),
    ],
)
def test_a_clue_is_the_first_answer_and_nothing_more(name: str, clue: str, call_clue: str) -> None:
    """Ours: evidence, before anybody has judged it."""
    demonstration = shown(name)
    assert clue in demonstration.clue()
    assert call_clue in demonstration.clue(of_call=True)
    told = demonstration.clue() + demonstration.clue(of_call=True)
    assert name not in told and str(demonstration.rule) not in told
    assert demonstration.verdict not in told


def test_the_text_has_everything() -> None:
    """Ours: nothing depends on the browser."""
    text = "\n".join(shown("P09-legacy-versions").lines())
    for part in (
        "P09-legacy-versions: -32022",
        "Verdict on peer: unavailable [ERA-03: ",
        "connect peer: unavailable.",
        "1 peer: 0 ready",
        "server/discover (id 1)",
    ):
        assert part in text


def test_the_page_has_everything_and_escapes_it() -> None:
    """Design 7.10; the rule is told in full."""
    evil = shown("P02-error-32601")
    acts = (Act(stage="call", who=HOSTILE, what=HOSTILE, rule="ERA-10"),)
    evil = Demonstration(
        plan=Plan(cast=HOSTILE), about=HOSTILE, subject="peer", report=evil.report, acts=acts,
        journal=evil.journal, ended="result", called=HOSTILE, answered_by=HOSTILE,
    )  # fmt: skip
    votes = ballot(VERDICT).counted("unavailable", 2).for_rule("ERA-10").for_rule("ERA-11")
    html = "".join(
        (verdict_html(evil), story_html(evil), startup_html(evil),
         votes_html(votes, "unavailable", "ERA-10"))
    )  # fmt: skip
    assert "<img" not in html and html.count("&lt;img") >= 5
    assert "An error code outside -32020" in html and "What to do: " in html
    assert "2 of 2 said so (100 %)" in html and "(this one)" in html


def test_the_terms_say_what_is_not_usual() -> None:
    """Ours: a class sees the terms while the situation is hidden."""
    assert "drift" not in Plan(cast="x").terms()
    odd = Plan(
        cast="x", transport="stdio", beside=("modern",), accept_missing_result_type=True,
        drift_policy="pin", asked_back="the user agrees", repeat=True,
    )  # fmt: skip
    for part in ("over stdio", "pin", "the user agrees", "may be repeated", "beside it: modern"):
        assert part in odd.terms()
    assert "x" not in odd.settings.values()
