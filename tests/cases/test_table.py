"""The table of field cases: no id is missing, and every test it names is there and is run."""

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

import pytest
from msgspec import Struct

TESTS: Final = Path(__file__).resolve().parents[1]
TABLE: Final = TESTS / "cases" / "CASES.md"
IDS: Final[tuple[str, ...]] = tuple(
    """
E01 E02 E03 E04 E05 E06 E09 E12 E14 E15 E17 E19 E20
S01 S03 S04 S06 S07 S08 S11 S12 S13 S16 S17 S18 S19 S20 S21 S23 S26 S27
R01 R03 R05 R06
N01 N02 N03 N04 N06 N07 N11 N12 N13 N14 N15 N16
C01 C02 C03 C05 C06 C07 C09 C12
H01 H04 H05 H06 H08 H10 H12 H13
M01 M03 M04 M05
L01 L02 L04
J01 J02 J03 J04 J06 J07 J08 J09 J10 J11 J12 J14 J15 J17 J19
X01
""".split()
)
"""The cases that were collected; the numbers in between were never given out."""
VERDICTS: Final = re.compile(r"passes(; .{20,})?|(cannot arise|fixed): .{20,}")


class Row(Struct, frozen=True):
    """One case of the table."""

    id: str
    case: str
    tests: tuple[str, ...]
    """As `file::function`, seen from `tests/`."""
    verdict: str


def rows(text: str) -> list[Row]:
    """Read the rows of the table."""
    cells = (
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in text.splitlines()
        if re.match(r"\| [A-Z]\d\d \|", line)
    )
    return [
        Row(id, case, tuple(re.findall(r"`([^`]+)`", tests)), verdict)
        for id, case, tests, verdict in cells
    ]


def told_in(files: Collection[str]) -> dict[str, str]:
    """Return each test function of these files with its docstring."""
    found = {}
    for file in files:
        path = TESTS / file
        tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
        for part in tree.body:
            if isinstance(part, ast.FunctionDef) and part.name.startswith("test_"):
                found[f"{file}::{part.name}"] = ast.get_docstring(part) or ""
    return found


def collected(files: Collection[str]) -> set[str]:
    """Return the test functions of these files that pytest would run."""
    argv = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    argv += [str(TESTS / file) for file in sorted(files)]
    ran = subprocess.run(
        argv, cwd=TESTS.parent, capture_output=True, encoding="utf-8", timeout=300, check=True
    )
    lines = (line.partition("[")[0] for line in ran.stdout.splitlines() if "::" in line)
    return {line.removeprefix("tests/") for line in lines}


def gaps(
    table: list[Row], told: Mapping[str, str], run: Collection[str], ids: Collection[str] = IDS
) -> list[str]:
    """Return everything that is wrong with the table.

    Args:
        table: its rows.
        told: the test functions there are, with their docstrings.
        run: those that pytest collects.
        ids: every case there has to be.
    """
    known = [row.id for row in table]
    missing = [f"{id} has no row" for id in ids if id not in known]
    missing += [f"{id} has more than one row" for id in sorted(set(known)) if known.count(id) > 1]
    missing += [f"{id} is no case" for id in known if id not in ids]
    for row in table:
        if not row.tests:
            missing.append(f"{row.id} names no test")
        if not VERDICTS.fullmatch(row.verdict) or len(row.case.split()) < 5:
            missing.append(f"{row.id} has no case in words, or no verdict")
        for test in row.tests:
            if test not in told or test not in run:
                missing.append(f"{row.id}: {test} is not there, or is not run")
            elif not re.search(rf"(?<![A-Za-z0-9]){row.id}(?![0-9])", f"{test} {told[test]}"):
                missing.append(f"{row.id}: {test} does not say that it is this case")
    return missing


FOUND: Final = rows(TABLE.read_text(encoding="utf-8"))
FILES: Final = {test.partition("::")[0] for row in FOUND for test in row.tests}


def test_every_case_has_a_row_whose_tests_are_run() -> None:
    """Field cases: the table is whole."""
    assert gaps(FOUND, told_in(FILES), collected(FILES)) == []


def test_every_test_here_that_bears_an_id_is_in_the_table() -> None:
    """Ours: nobody plays a case that the table does not know."""
    here = {path.relative_to(TESTS).as_posix() for path in TABLE.parent.glob("test_*_cases.py")}
    named = {test for row in FOUND for test in row.tests}
    assert set(told_in(here)) - named == set()


ROW: Final = Row("E01", "five words are enough here", ("a.py::test_E01_x",), "passes")


@pytest.mark.parametrize(
    ("table", "told", "run", "says"),
    [
        ([], {}, (), "E01 has no row"),
        ([ROW, ROW], {}, (), "E01 has more than one row"),
        ([Row("E99", *ROW.tests, (), "passes")], {}, (), "E99 is no case"),
        ([Row("E01", ROW.case, (), "passes")], {}, (), "E01 names no test"),
        ([Row("E01", ROW.case, ROW.tests, "maybe")], {}, (), "no verdict"),
        ([Row("E01", ROW.case, ROW.tests, "cannot arise")], {}, (), "no verdict"),
        ([ROW], {}, ("a.py::test_E01_x",), "is not there, or is not run"),
        ([ROW], {"a.py::test_E01_x": ""}, (), "is not there, or is not run"),
        ([Row("E01", ROW.case, ("a.py::test_E012",), "passes")], {"a.py::test_E012": "E0 E011"},
         ("a.py::test_E012",), "does not say that it is this case"),
    ],
)  # fmt: skip
def test_a_gap_is_noticed(
    table: list[Row], told: dict[str, str], run: tuple[str, ...], says: str
) -> None:
    """Ours: a check that cannot fail proves nothing."""
    assert any(says in gap for gap in gaps(table, told, run, ("E01",)))


def test_a_sound_table_has_no_gaps() -> None:
    """Ours: and the check does not complain about everything."""
    told = {"a.py::test_E01_x": ""}
    assert gaps([ROW], told, tuple(told), ("E01",)) == []
