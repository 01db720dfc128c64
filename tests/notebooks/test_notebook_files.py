"""The notebooks as files: lessons carry stable outputs, short cells, and one set of imports."""

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from workbench import RULES

ROOT: Final = Path(__file__).resolve().parents[2]
LESSONS: Final = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXERCISES: Final = sorted((ROOT / "notebooks" / "exercises").glob("*.ipynb"))

MAY_IMPORT: Final = ("fakes", "workbench", "workbench.notebook")
"""What a lesson imports besides the standard library."""
EXERCISES_MAY_IMPORT: Final = (*MAY_IMPORT, "workbench.exercises")
LONGEST_FUNCTION: Final = 8
LONGEST_CELL: Final = 15
"""Lines of code; one idea a cell."""
CELL_METADATA: Final = frozenset({"tags"})

CHANGING: Final = {
    "an address in memory": re.compile(r"\b0x[0-9a-fA-F]{4,}"),
    "a port": re.compile(r"\b(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0):\d+"),
    "a temporary file": re.compile(r"/tmp/|/var/folders/|\bAppData\b"),
    "a place on somebody's disk": re.compile(r"(?:/home/|/root/|/Users/)\w+|site-packages"),
    "a process id": re.compile(r"\bpid\W{0,3}\d+", re.IGNORECASE),
    "a duration": re.compile(r"\b\d+\.\d+ ?(?:s|ms|seconds)\b|[+]\d+\.\d{3}s"),
    "a date with a time": re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d"),
    "a random id": re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"),
    "a styled table": re.compile(r"#T_[0-9a-f]{5}|id=\\?[\"']T_"),
    "what a browser added": re.compile(r"image/svg\+xml"),
}
_HAND_CLOCK: Final = re.compile(
    r'Clock: \d+\.\d{3} s; [^"\\\\]*|clock: \d+\.\d\d s\b|(?:wait|circuit open) for \d+\.\d s\b'
)
"""The clock of a stepper, and the pauses it decides on: it moves by hand, and a lesson's pauses
have no chance in them, so their seconds are the same in every run."""
_FAMILIES: Final = "|".join(sorted({rule.family for rule in RULES.values()}))
_RULE_ID: Final = re.compile(rf"\b(?:{_FAMILIES})-\d\d\b")


def read(path: Path) -> dict[str, Any]:
    """Return a notebook as it is in its file."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(notebook, dict)
    return notebook


def faults(
    notebook: dict[str, Any], *, lesson: bool, may: tuple[str, ...] = MAY_IMPORT
) -> list[str]:
    """Return "cell: what is wrong" for everything a notebook here must not be.

    Args:
        notebook: the file's JSON.
        lesson: with outputs, else without any.
        may: packages it may import besides the standard library.
    """
    found = [f"notebook: {fault}" for fault in _whole(notebook)]
    for cell in notebook["cells"]:
        said = [f"metadata {key}" for key in cell["metadata"] if key not in CELL_METADATA]
        if cell["cell_type"] == "code":
            said += [*_code(_text(cell["source"]), may), *_outputs(cell, lesson)]
        found += [f"{cell.get('id', '?')}: {fault}" for fault in said]
    return found


def _whole(notebook: dict[str, Any]) -> Iterator[str]:
    ids = Counter(cell.get("id", "") for cell in notebook["cells"])
    yield from (
        f"the id {name!r} is used {times} times" for name, times in ids.items() if times > 1
    )
    yield from (
        f"no readable id but {name!r}" for name in ids if not re.fullmatch("[a-z0-9-]+", name)
    )
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        yield "another kernel than python3"
    if set(notebook["metadata"].get("language_info", {})) - {"name"}:
        yield "the version of somebody's Python"


def _code(source: str, may: tuple[str, ...]) -> Iterator[str]:
    lines = [line for line in source.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) > LONGEST_CELL:
        yield f"{len(lines)} lines in one cell"
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
    for node in ast.walk(compile(source, "<cell>", "exec", flags)):
        if isinstance(node, ast.Import):
            yield from (f"imports {a.name}" for a in node.names if not _allowed(a.name, may))
        elif isinstance(node, ast.ImportFrom) and not _allowed(node.module or ".", may):
            yield f"imports {node.module}"
        elif isinstance(node, ast.ClassDef):
            yield f"defines the class {node.name}"
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield f"defines {node.name} on {length} lines"


def _allowed(module: str, may: tuple[str, ...]) -> bool:
    return module in may or module.partition(".")[0] in sys.stdlib_module_names


def _outputs(cell: dict[str, Any], lesson: bool) -> Iterator[str]:
    outputs, count = cell["outputs"], cell["execution_count"]
    if not lesson:
        if outputs or count is not None:
            yield "an exercise with outputs"
        return
    if count is None:
        yield "never run, so never compared"
    if any(output["output_type"] == "error" for output in outputs):
        yield "it ends in an error"
    if any(output.get("name") == "stderr" for output in outputs):
        yield "something on stderr"
    shown = _HAND_CLOCK.sub("", json.dumps(outputs, ensure_ascii=False))
    for what, pattern in CHANGING.items():
        if match := pattern.search(shown):
            yield f"{what}: {match.group()}"


def _text(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def test_there_is_a_first_lesson() -> None:
    """Ours: `make lab` opens it."""
    assert LESSONS[0].name == "00_start_here.ipynb"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_fit_to_be_compared(path: Path) -> None:
    """Ours: design, notebooks: committed outputs hold nothing that changes by itself."""
    assert faults(read(path), lesson=True) == []


def test_exercises_are_committed_unsolved() -> None:
    """Ours: design, notebooks: exercises carry no outputs."""
    found = {p.name: faults(read(p), lesson=False, may=EXERCISES_MAY_IMPORT) for p in EXERCISES}
    assert not any(found.values()), found


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_counts_its_cells_from_one_and_shows_something(path: Path) -> None:
    """Ours: outputs come from one run, from top to bottom."""
    cells = [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert sum(bool(cell["outputs"]) for cell in cells) >= len(cells) // 2


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_rule_a_lesson_names_exists(path: Path) -> None:
    """Ours: a learner looks it up, so it must be there."""
    named = set(_RULE_ID.findall(path.read_text(encoding="utf-8")))
    assert named - set(RULES) == set()


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_diagram_has_a_text_twin(path: Path) -> None:
    """Ours: design, notebooks: most places that show a notebook do not draw Mermaid."""
    for cell in read(path)["cells"]:
        for output in cell.get("outputs", []):
            if "text/vnd.mermaid" in output.get("data", {}):
                assert set(output["data"]) == {"text/vnd.mermaid", "text/plain"}


# -- the checks can fail


def sample(source: str = "1", *outputs: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a notebook of one code cell."""
    cell = {
        "cell_type": "code",
        "id": "one",
        "metadata": {},
        "execution_count": 1,
        "source": source,
        "outputs": list(outputs),
    }
    return {
        "cells": [{**cell, **changes}],
        "metadata": {"kernelspec": {"name": "python3"}, "language_info": {"name": "python"}},
    }


def shown(text: str) -> dict[str, Any]:
    """Return the output of a cell that printed a text."""
    return {"output_type": "stream", "name": "stdout", "text": text}


@pytest.mark.parametrize(
    "text",
    [
        "<Thing at 0x7f3a5c>",
        "serving on http://127.0.0.1:45123/mcp",
        "wrote /tmp/x/y.json",
        "/root/project/file.py",
        "pid 4711",
        "pid=4711",
        "ready after 0.34 s",
        "Clock: 0.000 s; no deadline\nready after 0.34 s",
        "  +0.020s <- museum",
        "at 2026-07-28T12:00:01",
        "123e4567-e89b-12d3-a456-426614174000",
        '<style>#T_3fa85 th {}</style><table id="T_3fa85">',
    ],
)
def test_an_output_that_changes_by_itself_is_found(text: str) -> None:
    """Ours: a check must be able to fail."""
    assert len(faults(sample("1", shown(text)), lesson=True)) == 1


@pytest.mark.parametrize(
    ("notebook", "fault"),
    [
        (sample("import pandas"), "one: imports pandas"),
        (
            sample("from workbench.core.text.visible import visible"),
            "one: imports workbench.core.text.visible",
        ),
        (sample("from . import x"), "one: imports None"),
        (sample("class A: pass"), "one: defines the class A"),
        (sample("def f():\n" + "    x = 1\n" * 8), "one: defines f on 9 lines"),
        (sample("x = 1\n" * 16), "one: 16 lines in one cell"),
        (sample(execution_count=None), "one: never run, so never compared"),
        (sample("1", {"output_type": "error"}), "one: it ends in an error"),
        (sample("1", {**shown("x"), "name": "stderr"}), "one: something on stderr"),
        (sample(metadata={"execution": {}}), "one: metadata execution"),
        (sample(id="9F b"), "notebook: no readable id but '9F b'"),
        (
            sample("1", {"output_type": "display_data", "data": {"image/svg+xml": "<svg/>"}}),
            "one: what a browser added: image/svg+xml",
        ),
        ({**sample(), "metadata": {}}, "notebook: another kernel than python3"),
        ({**sample(), "cells": sample()["cells"] * 2}, "notebook: the id 'one' is used 2 times"),
    ],
)
def test_a_bad_notebook_is_found(notebook: dict[str, Any], fault: str) -> None:
    """Ours: a check must be able to fail."""
    assert faults(notebook, lesson=True) == [fault]


def test_a_solved_exercise_is_found() -> None:
    """Ours: a check must be able to fail."""
    assert faults(sample("1", shown("42")), lesson=False) == ["one: an exercise with outputs"]


@pytest.mark.parametrize(
    "notebook",
    [
        sample("import sys\nfrom fakes import modern\nfrom workbench.notebook import RULES"),
        sample("await client.connect_all()", shown("legacy 2025-11-25, said nothing in 1000 ms")),
        sample(metadata={"tags": ["nbval-ignore-output"]}),
        sample("panel", shown("Clock: 0.000 s; the deadline is at 1.000 s, 1.000 s from now\n")),
    ],
)
def test_an_ordinary_notebook_passes(notebook: dict[str, Any]) -> None:
    """Ours: the checks say nothing about what is allowed."""
    assert faults(notebook, lesson=True) == []
