"""A comparison can be cut, counted and shown, and hostile text stays text."""

import json
from html.parser import HTMLParser

import pytest

import workbench  # noqa: F401 - plugs the views in
from workbench.comparison.gatherings import Gathered
from workbench.comparison.seen import Seen
from workbench.comparison.together import Together
from workbench.comparison.values import Comparison, Row
from workbench.views.display import frame_of, html_of

ONCE = ("server/discover", "initialize")


def value(text: str = "fine") -> Comparison:
    rows = (
        Row(
            name="P02-error-32601",
            about=text,
            seen={
                "workbench": Seen(verdict="refused", why="ERA-10", sent=("server/discover",)),
                "mcp": Seen(verdict="legacy", version=text, why=text, sent=(*ONCE, text)),
            },
        ),
        Row(
            name="P01-valid",
            seen={"workbench": Seen(verdict="modern"), "mcp": Seen(verdict="modern")},
        ),
    )
    several = Gathered(reaches={text: "a: one"}, missing={text: text}, why=text)
    together = Together(
        seen={"M04-one-dead": {"workbench": several, "mcp": several}},
        clients=("workbench", "mcp"),
    )
    return Comparison(
        rows=rows,
        clients=("workbench", "mcp"),
        versions={"mcp": "2.3.0"},
        measured_on="2026-12-01",
        together=together,
    )


def test_verdicts_stand_side_by_side_with_the_specification() -> None:
    """Ours: a client that follows the specification bears no mark."""
    one = value()
    assert one.headings() == ("Fault", "workbench", "mcp Client", "Specification")
    assert one.cells()[0] == ("P02-error-32601", "refused (stricter)", "legacy", "legacy")
    assert "measured on 2026-12-01 with mcp 2.3.0" in one.to_text()
    assert "stricter: stricter" in one.to_text()


def test_a_part_keeps_what_it_is_asked_for() -> None:
    """Ours: by the start of a name, and by client; several peers go along."""
    one = value().only(["P02"], ["mcp"])
    assert [row.name for row in one.rows] == ["P02-error-32601"]
    assert (one.clients, one.together.seen, one.together.clients) == (("mcp",), {}, ("mcp",))
    assert list(value().only(["M"]).together.seen) == ["M04-one-dead"]
    assert value().only() == value()


def test_rows_in_which_all_agree_can_be_left_out() -> None:
    """Ours: what differs is what a reader looks for."""
    assert [row.name for row in value().differing().rows] == ["P02-error-32601"]


def test_categories_are_counted_for_each_client() -> None:
    """Ours: the counts stand beside their meaning."""
    counted = value().counted()
    assert counted["workbench"]["stricter"] == 1
    assert counted["mcp"]["as-specified"] == 2
    assert value().categories() == ("as-specified", "stricter")


def test_json_holds_everything_a_program_needs() -> None:
    """Ours: versions and date belong to a verdict."""
    told = json.loads(value().to_json())
    assert (told["versions"], told["measured_on"]) == ({"mcp": "2.3.0"}, "2026-12-01")
    assert [one["initialize"] for one in told["faults"]] == [0, 1, 0, 0]
    assert told["situations"][0]["reached"] == 1


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)


@pytest.mark.parametrize(
    "text",
    ["<img src=x onerror=alert(1)>", "\x1b[31mred\x07", "a|b`c\nd", "gnp.\u202egpj"],
)
def test_what_a_client_or_a_peer_wrote_stays_text(text: str) -> None:
    """Ours: design 7.10; in HTML, Markdown, text, JSON and frames."""
    one = value(text)
    tags = _Tags()
    tags.feed(html_of(one) or "")
    assert tags.seen == {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    frame = frame_of(one).to_string() + frame_of(one.together).to_string()
    shown = one.to_text() + one.to_markdown() + one.to_json() + frame + (html_of(one) or "")
    assert not set("\x1b\x07\u202e") & set(shown)
    assert "<img" not in one.to_markdown() + (html_of(one) or "")


def test_nothing_measured_is_still_shown() -> None:
    """Ours: an empty table is no error."""
    empty = Comparison()
    assert empty.to_text().startswith("0 faults")
    assert (html_of(empty) or "").count("<tr>") == 1
    assert empty.to_markdown().startswith("0 faults")
