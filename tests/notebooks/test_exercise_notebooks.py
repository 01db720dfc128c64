"""Exercise notebooks under nbval: solved, unsolved, and with a product that is broken.

The output of each check is put into the notebook first and compared strictly.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from answers import answers, made
from handed_in import NOTEBOOKS, expecting, solved, unsolved, written
from kernels import kernel

from workbench.exercises import check, exercises, find
from workbench.exercises.exercise import Exercise
from workbench.exercises.registry import notebook_name

ROOT: Final = Path(__file__).resolve().parents[2]
EXERCISES: Final = list(exercises())
SECONDS: Final = 240
STAMP: Final = "    meta = request_meta(version, capabilities, client_info)\n"
BROKEN: Final = "    meta = {}\n"
"""A line of the product, and what one test puts in its place."""


def nbval(folder: Path, *, strict: bool, before: Path | None = None) -> tuple[int, str]:
    """Run every notebook of a folder under strict nbval; return failures and what was said.

    Args:
        folder: of the notebooks.
        strict: whether a check that is not passed raises.
        before: a folder whose packages win over the installed ones.
    """
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment["WORKBENCH_STRICT"] = "1" if strict else "0"
    if before is not None:
        environment["PYTHONPATH"] = str(before)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder)]
        + ["-c", os.devnull, "--nbval", "--nbval-current-env", "--nbval-cell-timeout=60"]
        + [str(folder)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode in (0, 1), said
    failed = re.search(r"(\d+) failed", said)
    assert bool(failed) == bool(done.returncode), said
    return (int(failed[1]) if failed else 0), said


def right_answer(exercise: Exercise) -> str:
    """Return the first right answer's text."""
    return next(given.source for given in answers(exercise) if given.right)


def write_solved(folder: Path, chosen: Sequence[Exercise]) -> None:
    """Write solved notebooks with the verdict their checks have to give."""
    for exercise in chosen:
        given = next(one for one in answers(exercise) if one.right)
        verdict = check(exercise.name, made(given, exercise.answer))
        notebook = expecting(solved(exercise, given.source), verdict)
        written(folder, notebook, notebook_name(exercise))


def test_every_exercise_has_a_notebook_and_every_notebook_an_exercise() -> None:
    """Ours: the list, the files and the tags tell the same story."""
    files = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
    assert files == [notebook_name(exercise) for exercise in EXERCISES]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_a_notebook_has_the_cells_of_an_exercise(exercise: Exercise) -> None:
    """Ours: imports, an answer to write, a check that shows its verdict, a hint."""
    cells = [cell for cell in unsolved(exercise)["cells"] if cell["cell_type"] == "code"]
    by_tag = {tag: cell for cell in cells for tag in cell["metadata"].get("tags", [])}
    assert set(by_tag) == {"exercise", f"ex:{exercise.name}", "check", "hint"}
    starter = "".join(by_tag["exercise"]["source"])
    assert f"def {exercise.answer}(" in starter or f"class {exercise.answer}" in starter
    assert "NotImplementedError" in starter
    checks = "".join(by_tag["check"]["source"])
    assert checks == f"verdict = check({exercise.number}, {exercise.answer})\nverdict"


def test_solved_exercises_pass_strictly(tmp_path: Path) -> None:
    """Ours: design, notebooks: solutions are put in, outputs are compared."""
    write_solved(tmp_path, EXERCISES)
    failed, said = nbval(tmp_path, strict=True)
    assert failed == 0, said
    assert f"{cells(tmp_path)} passed" in said, said


def test_unsolved_exercises_run_and_say_not_yet(tmp_path: Path) -> None:
    """Ours: design, notebooks: a student's first Run All ends without an error."""
    for exercise in EXERCISES:
        verdict = check(exercise.name, None)
        assert verdict.status == "NOT YET"
        starter = check(exercise.name, started(exercise))
        assert starter.status == "NOT YET"
        notebook = expecting(unsolved(exercise), starter)
        written(tmp_path, notebook, notebook_name(exercise))
    failed, said = nbval(tmp_path, strict=False)
    assert failed == 0, said
    assert f"{cells(tmp_path)} passed" in said, said


def test_a_failed_check_shows_a_verdict_and_then_what_crossed_the_wire(tmp_path: Path) -> None:
    """Ours: a student should see what happened; both have a text twin."""
    wrong = next(given for given in answers(find(1)) if "downgrades" in given.words)
    with kernel(tmp_path) as cells:
        assert cells.run(wrong.source).error == ""
        ran = cells.run("from workbench.exercises import check\ncheck(1, negotiate)")
    verdict, diagram = ran.shown
    assert set(verdict) == {"text/html", "text/plain"}
    assert set(diagram) == {"text/vnd.mermaid", "text/plain"}
    assert "initialize was sent" in verdict["text/plain"]
    assert "|- initialize (id 2) " in diagram["text/plain"]


def test_unsolved_exercises_fail_strictly(tmp_path: Path) -> None:
    """Ours: a check must be able to fail; one exercise stands for all."""
    shutil.copy(NOTEBOOKS / notebook_name(find(1)), tmp_path)
    failed, said = nbval(tmp_path, strict=True)
    assert failed > 0
    assert "NotPassed" in said


def test_a_broken_product_is_noticed(tmp_path: Path) -> None:
    """Ours: a check must be able to fail: requests without metadata, in a copy."""
    broken, folder = tmp_path / "broken", tmp_path / "solved"
    for package in ("workbench", "fakes"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, broken / package, ignore=ignored)
    envelope = broken / "workbench" / "core" / "wire" / "envelope.py"
    text = envelope.read_text(encoding="utf-8")
    assert text.count(STAMP) == 1
    envelope.write_text(text.replace(STAMP, BROKEN), encoding="utf-8")
    folder.mkdir()
    write_solved(folder, [find(1)])
    failed, said = nbval(folder, strict=True, before=broken)
    assert failed > 0
    assert "WIRE-01" in said


def started(exercise: Exercise) -> object:
    """Return what the starter of an exercise's answer cell defines."""
    namespace: dict[str, object] = {}
    for cell in unsolved(exercise)["cells"]:
        if "exercise" in cell["metadata"].get("tags", []):
            exec("".join(cell["source"]), namespace)
    return namespace[exercise.answer]


def cells(folder: Path) -> int:
    """Count the code cells of all notebooks in a folder: nbval makes a test of each."""
    import json

    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.ipynb")]
    return sum(cell["cell_type"] == "code" for text in texts for cell in json.loads(text)["cells"])
