"""What the command line prints of a comparison fits the width and explains its words."""

import io

import pytest

from workbench.comparison import kept
from workbench.comparison.visits import Visit, Visits
from workbench.views.comparison_terminal import print_comparison


@pytest.mark.parametrize("width", [60, 100, 200])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    """Ours: long names fold."""
    out = io.StringIO()
    print_comparison(kept(), out, width)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert any("Several peers at once" in line for line in lines)


def test_the_last_column_is_folded_and_not_cut() -> None:
    """Ours: a word that is missing on the right is a lie."""
    out = io.StringIO()
    print_comparison(kept().only(["M"]), out, 100)
    cells = [cell for row in kept().together.cells() for cell in row]
    wanted = sum(cell.endswith("nothing)") for cell in cells)
    assert wanted > 0 and out.getvalue().count("nothing)") == wanted


def test_a_part_without_faults_prints_no_empty_table() -> None:
    """Ours: who asks for several peers sees them alone."""
    out = io.StringIO()
    print_comparison(kept().only(["M04"]), out)
    assert "faults" not in out.getvalue() and "M04-one-dead" in out.getvalue()


def test_visits_are_a_table_and_hostile_names_are_text() -> None:
    """Ours: design 7.10."""
    out = io.StringIO()
    seen = {"\x1b[31m[bold]": {"mcp": Visit(verdict="hang", why="")}}
    print_comparison(Visits(seen=seen, clients=("mcp",)), out)
    assert "\x1b" not in out.getvalue() and "[bold]" in out.getvalue()
