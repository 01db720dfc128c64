"""The judge: each category has an input that falls into it, and fairness is a rule of its own."""

import pytest

from workbench.comparison.categories import CATEGORIES
from workbench.comparison.expected import EXPECTED, expected_of
from workbench.comparison.judging import category_of
from workbench.comparison.seen import Seen, Verdict

ONCE = ("server/discover", "initialize")

SAMPLES: list[tuple[str, Verdict, tuple[str, ...], str]] = [
    ("P01-valid", "modern", ("server/discover",), "as-specified"),
    ("P02-error-32601", "legacy", ONCE, "as-specified"),
    ("P02-error-32601", "refused", ("server/discover",), "stricter"),
    ("P08-disjoint-versions", "refused", ("server/discover",), "as-specified"),
    ("P09-legacy-versions", "refused", ONCE, "downgrades"),
    ("P09-legacy-versions", "legacy", ONCE, "downgrades"),
    ("P03-header-mismatch-once", "modern", ONCE, "downgrades"),
    ("P15-id-string", "modern", ("server/discover",), "accepts-malformed"),
    ("L03-id-string", "legacy", ONCE, "accepts-malformed"),
    ("P01-valid", "refused", ("server/discover",), "refuses-valid"),
    ("L02-silence", "hang", ONCE, "hangs"),
    ("P09-legacy-versions", "hang", ONCE, "hangs"),
    ("P01-valid", "crash", (), "crashes"),
    ("P11-silence", "modern", ("server/discover",), "differs"),
    ("H06-400-empty", "legacy", ONCE, "as-specified"),
    ("H12-401", "legacy", ONCE, "differs"),
]


@pytest.mark.parametrize(("fault", "verdict", "sent", "category"), SAMPLES)
def test_an_answer_falls_into_one_category(
    fault: str, verdict: Verdict, sent: tuple[str, ...], category: str
) -> None:
    """Ours: a judge that knows one word for everything is none."""
    assert category_of(expected_of(fault), Seen(verdict=verdict, sent=sent)) == category


def test_every_category_has_a_sample() -> None:
    """Ours: a category that nothing falls into is not tested."""
    assert {category for *_, category in SAMPLES} == set(CATEGORIES)


@pytest.mark.parametrize("code", ["0", "1", "32000", "32601", "32602"])
def test_a_client_that_falls_back_as_the_specification_says_is_not_marked(code: str) -> None:
    """Spec: stdio, backward compatibility: any other error identifies a legacy server."""
    seen = Seen(verdict="legacy", sent=ONCE)
    assert category_of(expected_of(f"P02-error-{code}"), seen) == "as-specified"


def test_what_the_specification_leaves_open_counts_for_nobody() -> None:
    """Ours: an empty server name is a valid string, so taking it is right and refusing stricter."""
    expected = expected_of("L09-name-empty")
    assert category_of(expected, Seen(verdict="legacy", sent=ONCE)) == "as-specified"
    assert category_of(expected, Seen(verdict="refused", sent=ONCE)) == "stricter"
    number = expected_of("L09-name-number")
    assert category_of(number, Seen(verdict="legacy", sent=ONCE)) == "accepts-malformed"


def test_a_fault_nobody_has_thought_of_marks_nobody() -> None:
    """Ours: no rule, no blame."""
    for verdict in ("modern", "legacy", "refused"):
        seen = Seen(verdict=verdict, sent=ONCE)  # type: ignore[arg-type]
        assert category_of(expected_of("X99-new"), seen) == "as-specified"


def test_each_expectation_has_a_reason_and_a_source() -> None:
    """Ours: who is held against a rule may read it."""
    for start, expected in EXPECTED.items():
        assert expected.says.endswith(".") and expected.source, start
        assert not set(expected.malformed) & set(expected.allows), start
        assert set(expected.allows) <= {"modern", "legacy", "refused"}, start
        assert not (expected.modern and "legacy" in expected.allows), start
