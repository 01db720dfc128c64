"""Submissions are graded in fresh kernels, and none of them grades itself."""

import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from answers import Given, answers
from handed_in import code_cell, of_cells, solved, unsolved, written
from kernels import eventually

from workbench.exercises import exercises, find, kernel_room
from workbench.exercises.grading import Graded, grade, graded_frame

FIRST: Final = find(1)
TAGS: Final = ("exercise", "ex:refused-version")
GOOD: Final = next(given.source for given in answers(FIRST) if given.right)
WRONG: Final = next(given.source for given in answers(FIRST) if "downgrades" in given.words)


@pytest.fixture(autouse=True)
def nobody_left() -> Iterator[None]:
    """Whatever happens, no kernel outlives its grading."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [c for c in psutil.Process().children(recursive=True) if c.pid not in before]
    assert eventually(lambda: not any(c.is_running() for c in left)), left


def graded(folder: Path, *cells: dict[str, Any], **limits: float) -> Graded:
    """Grade a notebook of these cells that holds one answer."""
    (row,) = grade([written(folder, of_cells(*cells))], **limits)
    return row


def answer_cell(source: str) -> dict[str, Any]:
    """Return the answer cell of the first exercise."""
    return code_cell(source, *TAGS)


def one_of_each() -> list[Given]:
    """Return one right answer an exercise, another style for each."""
    return [
        list(itertools.islice((g for g in answers(exercise) if g.right), 4))[number % 3]
        for number, exercise in enumerate(exercises())
    ]


@pytest.mark.parametrize("given", one_of_each(), ids=str)
def test_a_solved_notebook_passes(given: Given, tmp_path: Path) -> None:
    """Ours: every exercise can be solved in its own notebook."""
    (row,) = grade([written(tmp_path, solved(find(given.exercise), given.source))])
    assert row.status == "PASS", row.line()


def test_a_notebook_as_it_was_handed_out_is_not_there_yet(tmp_path: Path) -> None:
    """Ours: nothing written is not a wrong answer."""
    (row,) = grade([written(tmp_path, unsolved(FIRST))])
    assert row.status == "NOT YET", row.line()


def test_a_wrong_answer_fails_with_its_rule(tmp_path: Path) -> None:
    """Ours: the same judge as in the notebook."""
    row = graded(tmp_path, answer_cell(WRONG))
    assert row.verdict is not None
    assert (row.status, row.verdict.rule) == ("FAILED", "ERA-03")


@pytest.mark.parametrize(
    "before",
    [
        # Another check, whatever it is called and wherever it stands.
        "import workbench.exercises as e\ne.check = lambda *_: 'PASS'\nprint('PASS')",
        "from workbench.exercises import checking, grading, judging, registry\n"
        "checking.judged = grading.judged = lambda *_, **__: True\n"
        "registry.EXERCISES = ()",
        # Another judge, in every object there is.
        "import gc\nfrom workbench.exercises.exercise import Exercise\n"
        "for one in gc.get_objects():\n"
        "    if isinstance(one, Exercise):\n"
        "        object.__setattr__(one, 'judge', lambda *_: None)\n",
        # A desk that says whatever it likes, and a socket that counts.
        "from workbench.exercises import answerer, desk\n"
        "from workbench.exercises.exercise import Outcome\n"
        "fine = Outcome(ended='returned', value='2026-07-28', type='str')\n"
        "answerer.Answerer.call = lambda *_: fine\ndesk.Answerer.call = lambda *_: fine",
        # An outcome that is equal to everything.
        "class Any(str):\n    __eq__ = lambda *_: True\n    __hash__ = str.__hash__\n"
        "def negotiate(*_):\n    return Any('PASS')\n",
        # Fakes that tell what they never received.
        "import fakes.recording as r\nr.Recording.note = lambda *_: None\n"
        "from workbench.exercises import booth\n"
        "booth.Booth.feed = booth.Booth.open = lambda *_: ()",
    ],
    ids=["check", "module", "judge", "desk", "value", "fakes"],
)
def test_a_notebook_that_changes_its_own_process_is_not_believed(
    before: str, tmp_path: Path
) -> None:
    """Ours: judge, fakes and trials are in another process; frames and values cross."""
    cheat = WRONG if "def negotiate" not in before else before
    row = graded(tmp_path, code_cell(before), answer_cell(cheat))
    assert row.status == "FAILED", row.line()


def test_a_notebook_that_makes_honest_calls_impossible_fails(tmp_path: Path) -> None:
    """Ours: no desk, no verdict, one line; and it does not take for ever."""
    block = "import sys\nsys.modules['workbench.exercises.desk'] = None"
    row = graded(tmp_path, code_cell(block), answer_cell(GOOD), timeout_s=3, total_s=3)
    assert row.status == "FAILED"
    assert "took longer than 3 s" in row.problem or "does not let its answer" in row.problem


def test_outputs_and_check_cells_in_the_file_count_for_nothing(tmp_path: Path) -> None:
    """Ours: a file can say PASS in every output; a check cell is not even run."""
    said = {"output_type": "stream", "name": "stdout", "text": "1 refused-version: PASS"}
    row = graded(
        tmp_path,
        code_cell(WRONG, *TAGS, outputs=[said], execution_count=7),
        code_cell("import os; os._exit(0)", "check", outputs=[said]),
    )
    assert row.status == "FAILED"
    assert row.verdict is not None


def test_a_cell_below_the_answer_changes_nothing(tmp_path: Path) -> None:
    """Ours: what is tagged is what is graded, not a later definition of the same name."""
    row = graded(tmp_path, answer_cell(WRONG), code_cell(GOOD))
    assert row.status == "FAILED"


def test_cells_above_are_run_and_may_fail(tmp_path: Path) -> None:
    """Ours: an answer may use what stands above it; an experiment there may be broken."""
    above = "VERSIONS = {}\nHELPER = 1\nraise ValueError('an experiment')"
    row = graded(tmp_path, code_cell(above), answer_cell(f"assert HELPER == 1\n{GOOD}"))
    assert row.status == "PASS", row.line()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("while True: pass", "cell 1 did not end within 1.5 s"),
        ("import os; os._exit(3)", "the kernel died in cell 1"),
        ("import sys; sys.exit(3)", "cell 1 ends in SystemExit"),
        ("def negotiate(:", "cell 1 ends in SyntaxError"),
        ("raise RuntimeError('\\x1b[31mred')", "ends in RuntimeError: \\x1b[31mred"),
    ],
)
def test_an_answer_cell_that_does_not_run_is_one_clear_line(
    source: str, words: str, tmp_path: Path
) -> None:
    """Ours: endless loops, dying kernels and errors end in a line, in bounded time."""
    row = graded(tmp_path, answer_cell(source), timeout_s=1.5)
    assert row.status == "FAILED"
    assert words in row.problem
    assert "\n" not in row.line()


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("while True: pass", "did not end in time"),
        ("import threading; threading.Event().wait()", "did not end in time"),
        ("import os; os._exit(0)", "process of the answer ended"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "process of the answer ended"),
    ],
)
def test_a_call_that_hangs_or_dies_is_one_clear_line(body: str, seen: str, tmp_path: Path) -> None:
    """Ours: the same for the answer itself."""
    row = graded(tmp_path, answer_cell(f"def negotiate(*_):\n    {body}"), timeout_s=1)
    assert row.status == "FAILED"
    assert seen in row.line()


def test_a_cell_that_prints_without_end_costs_no_memory(tmp_path: Path) -> None:
    """Ours: nothing of what a notebook prints is kept."""
    flood = "try:\n    while True: print('x' * 100_000)\nexcept KeyboardInterrupt: pass"
    row = graded(tmp_path, code_cell(flood), answer_cell(GOOD), timeout_s=1.5)
    assert "cell 1 did not end" in row.problem


def test_a_whole_notebook_has_a_limit_too(tmp_path: Path) -> None:
    """Ours: many slow cells are one slow notebook."""
    slow = "import threading; threading.Event().wait(1)"
    cells = [code_cell(slow) for _ in range(20)]
    row = graded(tmp_path, *cells, answer_cell(GOOD), total_s=2)
    assert "took longer than 2 s in all" in row.problem


def test_a_kernel_sees_neither_our_environment_nor_our_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: no secret of whoever grades gets into a submission."""
    monkeypatch.setenv("GRADEBOOK_TOKEN", "a secret")
    monkeypatch.setenv("WORKBENCH_STRICT", "1")
    look = (
        "import os\nassert 'GRADEBOOK_TOKEN' not in os.environ\n"
        "assert 'WORKBENCH_STRICT' not in os.environ\n"
        f"assert os.environ['HOME'] == os.getcwd() != {os.getcwd()!r}\n"
        "assert os.listdir() in ([], ['.ipython'])\n"
    )
    row = graded(tmp_path, answer_cell(look + GOOD))
    assert row.status == "PASS", row.line()


def test_processes_of_a_notebook_end_with_it(tmp_path: Path) -> None:
    """Ours: the whole group is ended; the fixture of this file looks for what is left."""
    spawn = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import threading; threading.Event().wait()'])\n"
    )
    assert graded(tmp_path, answer_cell(spawn + GOOD)).status == "PASS"


def test_a_broken_answer_leaves_the_next_one_a_line(tmp_path: Path) -> None:
    """Ours: one kernel a notebook; when it is gone, the answers after it say so."""
    second = code_cell("x = 1", "exercise", "ex:wrong-revision")
    path = written(tmp_path, of_cells(answer_cell("import os; os._exit(1)"), second))
    first, later = grade([path])
    assert "the kernel died" in first.problem
    assert (later.exercise, later.status) == (find(2), "FAILED")
    assert later.problem == first.problem


def test_rows_are_a_gradebook(tmp_path: Path) -> None:
    """Ours: one flat row an answer, whatever became of it."""
    paths = [
        written(tmp_path, of_cells(answer_cell("x = 1"), kernelspec={"name": "nowhere"})),
        tmp_path / "missing.ipynb",
    ]
    rows = list(grade(paths, seed=1))
    frame = graded_frame(rows)
    assert list(frame["status"]) == ["NOT YET", "UNUSABLE"]
    assert list(frame["exercise"])[0] == 1
    assert rows[0].to_dict()["mistake"] == "not-started"
    assert "cannot be read" in rows[1].to_dict()["seen"]


@pytest.mark.parametrize("leaks", [False, True], ids=["as it is", "with a leak planted"])
def test_a_secret_of_whoever_grades_is_in_no_row(
    leaks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design section 5: a notebook cannot say what its kernel was never given."""
    monkeypatch.setenv("CANARY_4711", "canary-of-the-grader")
    if leaks:
        monkeypatch.setattr(kernel_room, "KEPT", ("CANARY_4711", *kernel_room.KEPT))
    tells = (
        "import os, pathlib\n"
        "own = pathlib.Path('/proc/self/environ')\n"
        "every = repr(os.environ) + (own.read_text() if own.exists() else '')\n"
        "print(every)\n"
        "raise ValueError('canary' + every[max(every.find('canary-of'), 0):][:100])"
    )
    row = graded(tmp_path, answer_cell(tells))
    shown = row.line() + json.dumps(row.to_dict()) + graded_frame([row]).to_csv() + repr(row)
    assert row.status == "FAILED" and "ValueError: canary" in row.line()
    assert ("canary-of-the-grader" in shown) is leaks
