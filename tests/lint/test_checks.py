"""The table of checks runs whole, in the order of the frames, and says nothing twice."""

from told import Told

from workbench.core.rulebook.rules import RULES
from workbench.lint import CHECKS, lint_entries, lint_journal


def test_findings_come_in_the_order_of_the_frames() -> None:
    """Ours: read beside the trace."""
    told = Told()
    told.answer(9, {})
    told.ask(1, "tools/call", {"name": "x"})
    told.answer(1, {"content": []})
    told.hear(b"")
    assert told.found() == [(1, "LINT-02"), (3, "LINT-08"), (4, "LINT-01")]


def test_a_journal_and_its_entries_give_the_same() -> None:
    """Ours: `journal.lint()` is the function, not another one."""
    journal = Told().modern().journal
    assert lint_journal(journal) == lint_entries(journal.entries()) == journal.lint()


def test_every_check_names_its_rule_in_its_first_line() -> None:
    """Ours: a reader of the function knows what it is for."""
    for rule, check in CHECKS.items():
        assert (check.__doc__ or "").startswith(f"{rule}: ") and rule in RULES
        assert RULES[rule].where == check.__module__.removeprefix("workbench.")
