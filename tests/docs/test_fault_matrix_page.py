"""The page of all faults is what the client makes of them today."""

from pathlib import Path
from typing import Any, Final

import pytest
from by_path import module_at

from fakes import FAULTS, library
from workbench import RULES

ROOT: Final = Path(__file__).resolve().parents[2]
WRITER: Final = ROOT / "docs" / "write_fault_matrix.py"


@pytest.fixture(scope="module")
def writer() -> Any:
    """Load the program that writes the page."""
    return module_at(WRITER)


@pytest.fixture(scope="module")
def played(writer: Any) -> str:
    """Play everything, once."""
    page: str = writer.page()
    return page


def rows(page: str) -> dict[str, list[str]]:
    """Return the cells of each row by its first one."""
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]
    return {row[0]: row[1:] for row in cells if row[0] not in ("Fault", "---")}


def differences(committed: str, now: str) -> list[str]:
    """Return every line that is on one page alone, marked with - and +."""
    old, new = committed.splitlines(), now.splitlines()
    gone = [f"- {line}" for line in old if line not in new]
    return gone + [f"+ {line}" for line in new if line not in old]


def test_the_page_is_up_to_date(writer: Any, played: str) -> None:
    """Ours: run `python docs/write_fault_matrix.py` after a change, and read the difference."""
    assert differences(writer.PAGE.read_text(encoding="utf-8"), played) == []


def test_every_fault_has_its_row(played: str) -> None:
    """Fault matrix: P, L, H, C and M, with each variant that is ready-made."""
    told = {name.partition(",")[0] for name in rows(played)}
    wanted = set(FAULTS) | {name for name, _ in library.casts() if name[0] == "M"}
    assert told == wanted and len(told) > 150


def test_every_rule_that_is_named_exists(played: str) -> None:
    """Ours: a reader looks it up."""
    named = {word.strip(",") for row in rows(played).values() for word in " ".join(row).split()}
    ids = {word for word in named if word[:1].isupper() and word[-3:-2] == "-" and "-" in word}
    assert len(ids & set(RULES)) > 40
    assert {word for word in ids if word.partition("-")[0].isalpha()} <= set(RULES)


def test_no_modern_proof_is_followed_by_an_initialize(played: str) -> None:
    """Fault matrix: refused without permission means zero `initialize`, in every row."""
    era = {name: row for name, row in rows(played).items() if name[0] in "PLH"}
    assert [name for name, row in era.items() if "initialize" in row[1]] == []


def test_a_page_that_is_out_of_date_is_found(writer: Any, played: str) -> None:
    """Ours: a check must be able to fail."""
    assert differences(played.replace("ERA-11", "ERA-12"), played) != []
    assert differences(played + "| P99-x | y |\n", played) == ["- | P99-x | y |"]
    assert rows("| Fault | x |\n| --- | --- |\n| P01-a | b | c |\n") == {"P01-a": ["b", "c"]}
