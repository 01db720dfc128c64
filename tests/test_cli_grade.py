"""`mcp-workbench grade`: a line an answer, JSON for a gradebook, an exit status that counts."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from answers import answers
from handed_in import NOTEBOOKS, code_cell, of_cells, solved, written

from workbench.cli import main
from workbench.cli_grade import TIMEOUT_S, TOTAL_S, status_of
from workbench.exercises import find
from workbench.exercises.grading import TIMEOUT_S as GRADING_TIMEOUT_S
from workbench.exercises.grading import TOTAL_S as GRADING_TOTAL_S
from workbench.exercises.grading import Graded

UNSOLVED: Final = str(NOTEBOOKS / "01_refused_version.ipynb")


def test_a_good_and_an_empty_notebook(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Design, command line: one line an answer; status 1 when some is not passed."""
    given = next(one for one in answers(find(1)) if one.right)
    good = str(written(tmp_path, solved(find(1), given.source)))
    assert main(["grade", good]) == 0
    assert capsys.readouterr().out == f"{good}: 1 refused-version: PASS (8 of 8 trials)\n"
    assert main(["grade", "--json", "--seed", "3", UNSOLVED]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["notebook"], row["status"], row["mistake"]) == (UNSOLVED, "NOT YET", "not-started")


@pytest.mark.parametrize("content", ["", "{}", '{"cells": []}', "\x1b[31m"])
def test_a_file_that_is_none_is_one_line_and_status_2(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Design, command line: bad input is status 2, and says what to do."""
    path = tmp_path / "x.ipynb"
    path.write_text(content, encoding="utf-8")
    assert main(["grade", str(path), str(tmp_path / "none.ipynb")]) == 2
    said = capsys.readouterr().out
    assert said.count("\n") == said.count("UNUSABLE") == 2
    assert "\x1b" not in said


@pytest.mark.parametrize("option", ["--timeout", "--total"])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
def test_a_time_limit_has_to_be_one(
    option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ours: a limit that is none would let a loop run for ever."""
    assert main(["grade", option, value, UNSOLVED]) == 2
    assert "no positive time" in capsys.readouterr().err


def test_a_name_of_a_file_is_shown_safely(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ours: students choose file names."""
    path = written(tmp_path, of_cells(code_cell("x")), "a\x1b[31m\nb.ipynb")
    assert main(["grade", str(path)]) == 2
    assert capsys.readouterr().out.count("\n") == 1


def test_the_status_is_that_of_the_worst() -> None:
    """Ours: what could not be used weighs more than what was wrong."""
    bad, failed = Graded(notebook="a", problem="x"), Graded(notebook="b", exercise=find(1))
    assert status_of([failed, bad]) == 2
    assert status_of([failed]) == 1
    assert status_of([]) == 0


def test_the_limits_of_the_command_are_those_of_the_grader() -> None:
    """Ours: stated twice, so that --help loads no kernel client."""
    assert (TIMEOUT_S, TOTAL_S) == (GRADING_TIMEOUT_S, GRADING_TOTAL_S)


def test_the_command_line_loads_no_fake_before_grading() -> None:
    """Ours: every other command starts without what only grading needs."""
    program = (
        "import sys, workbench.cli\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('fakes', 'nbclient', 'pandas')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
