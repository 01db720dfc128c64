"""What the specification says of each fault: the longest name counts, every row has one."""

from fakes import FAULTS
from workbench.comparison.expected import EXPECTED, expected_of


def test_every_row_that_is_compared_has_an_expectation_of_its_own() -> None:
    """Ours: a row without one would make every client right."""
    rows = {name[:3] for name in FAULTS if name[0] in "PLH"}
    assert len(rows) > 50
    assert rows - set(EXPECTED) == set()


def test_no_expectation_is_for_a_fault_that_is_gone() -> None:
    """Ours: a table that nobody reads grows stale."""
    assert [start for start in EXPECTED if not any(n.startswith(start) for n in FAULTS)] == []


def test_the_longest_name_counts() -> None:
    """Ours: a variant may differ from its row."""
    assert expected_of("L09-name-empty") is EXPECTED["L09-name-empty"]
    assert expected_of("L09-name-number") is EXPECTED["L09"]
    assert expected_of("Q01").source == "-"


def test_an_allowed_verdict_is_told_in_words() -> None:
    """Ours: the column of the specification stands beside the clients'."""
    assert expected_of("P08").verdicts() == "refused, no initialize"
    assert expected_of("P12").verdicts() == "legacy or refused"
