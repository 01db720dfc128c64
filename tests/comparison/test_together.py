"""Several peers at once, shown: counts in the cells, descriptions and words below."""

from workbench.comparison.gatherings import SITUATIONS, Gathered
from workbench.comparison.known import GROUPS
from workbench.comparison.together import Together

ALL = Gathered(reaches={"a_one": "a: one", "c_three": "c: three"})
PART = Gathered(reaches={"one": "a: one"}, missing={"c": "MCPError"}, same_in_reverse=False)
LOST = Gathered(reaches={"one": "a: one"})
NOTHING = Gathered(ended="refused", why="ValueError")


def value(*seen: Gathered) -> Together:
    return Together(seen={"M04-one-dead": dict(zip(GROUPS, seen, strict=True))})


def test_a_cell_counts_the_tools_and_says_what_is_odd() -> None:
    """Ours: no verdict without a number."""
    ((about, *cells),) = value(ALL, PART, LOST, NOTHING).cells()
    assert about == "M04-one-dead: one of three peers ends at once"
    assert cells == [
        "2 of 2 tools",
        "1 of 2 tools (says so, order)",
        "1 of 2 tools (no error)",
        "0 of 2 tools (all or nothing)",
    ]
    hang = value(Gathered(ended="hang"), ALL, ALL, Gathered(ended="crash"))
    assert hang.cells()[0][1:] == ("hang", "2 of 2 tools", "2 of 2 tools", "crash")


def test_words_that_occur_are_explained_and_no_others() -> None:
    """Ours: a legend as long as it needs to be."""
    assert [word for word, *_ in value(ALL, ALL, ALL, ALL).legend()] == []
    words = [word for word, *_ in value(ALL, PART, LOST, NOTHING).legend()]
    assert words == ["says so", "no error", "all or nothing", "order"]


def test_rows_say_where_each_name_leads() -> None:
    """Ours: a menu is a promise; the call shows whether it is kept."""
    first, second, *_ = value(ALL, PART, LOST, NOTHING).to_rows()
    assert first["names"] == "a_one → a: one; c_three → c: three"
    assert (second["missing"], second["same_in_reverse"]) == ("c: MCPError", False)


def test_every_situation_can_be_shown() -> None:
    """Ours: an unknown name would break the page."""
    seen = {one.name: dict.fromkeys(GROUPS, ALL) for one in SITUATIONS}
    text = Together(seen=seen).to_text()
    assert all(one.name in text and one.about in text for one in SITUATIONS)
    assert Together().to_text() == ""
