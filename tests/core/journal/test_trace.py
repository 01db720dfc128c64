"""Entries as lines to read and rows to tabulate."""

from workbench.core.journal.journal import Journal
from workbench.core.journal.trace import line_of, rows, trace


def filled() -> Journal:
    journal = Journal()
    journal.sent(10.0, "p", b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}')
    journal.received(
        10.25, "p", b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"\\u001b[31mno"}}'
    )
    journal.decided(10.5, "p", "negotiate", "probing → unavailable", rule="ERA-10")
    return journal


def test_each_entry_is_one_line_with_its_time_and_rule() -> None:
    """Design section 6: `mcp-workbench trace`."""
    first, second, third = trace(filled().entries()).splitlines()
    assert "+0.000s" in first and "-> p" in first and "server/discover" in first
    assert "+0.250s" in second and "-32601" in second
    assert "+0.500s" in third and "[ERA-10]" in third


def test_nothing_a_terminal_would_act_on_is_printed() -> None:
    """Design section 7.10."""
    assert "\x1b" not in trace(filled().entries(), frames=True)


def test_the_bytes_are_shown_on_demand_only() -> None:
    """Design section 6."""
    entries = filled().entries()
    assert '"jsonrpc"' not in trace(entries)
    assert '"jsonrpc"' in trace(entries, frames=True)


def test_an_empty_record_and_a_cut_one_say_so() -> None:
    """Ours: a reader is never left with a blank screen."""
    assert trace(()) == "(nothing happened yet)"
    assert trace(filled().entries(), dropped=7).startswith("(7 older")


def test_rows_are_flat_and_lines_stand_alone() -> None:
    """Ours: a frame is made of rows."""
    entries = filled().entries()
    table = rows(entries)
    assert len(table) == 3
    assert len({frozenset(row) for row in table}) == 1, "every row has the same columns"
    assert all("\n" not in line_of(entry) for entry in entries)
