"""A notebook somebody handed in, as cells to run and answers to try.

Takes:  a path
Gives:  `Submission`: the code up to each answer, by the tags of its cells
Never:  looks at an output, runs anything, or trusts the file's name, kernel or metadata

An answer is the code cell with the tag `ex:<name>`. Cells tagged `check` or `hint` are left
out: the grader makes a check of its own.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from workbench.core.errors import MisuseError
from workbench.core.text.visible import visible
from workbench.exercises.exercise import Exercise
from workbench.exercises.registry import EXERCISES, find, notebook_name

TAG: Final = "ex:"
LEFT_OUT: Final = frozenset({"check", "hint"})
LARGEST: Final = 20 * 1024 * 1024
"""Bytes of a notebook's file."""


class Unusable(Exception):
    """Raised for a file that cannot be graded; the text is one line and says what to do."""


class Answer(Struct, frozen=True):
    """One answer in a notebook."""

    exercise: Exercise
    cell: int
    """Number of its cell in the notebook, counted from 1."""
    before: tuple[tuple[int, str], ...]
    """Number and code of the cells between the answer before it, or the start, and this."""
    source: str


class Submission(Struct, frozen=True):
    """One notebook."""

    path: str
    answers: tuple[Answer, ...]


def read_submission(path: str | Path) -> Submission:
    """Read a notebook.

    Raises:
        Unusable: if it is no notebook, is not for Python, or its answers cannot be told.
    """
    notebook = _json(Path(path))
    cells = notebook.get("cells")
    if not isinstance(cells, list) or not all(isinstance(one, dict) for one in cells):
        raise Unusable("it is no notebook of format 4: it has no list of cells; save it again")
    language = _language(notebook)
    if language.lower() not in ("", "python", "ipython"):
        raise Unusable(f"it is for {visible(language, 40)}, and answers are written in Python")
    return Submission(str(path), tuple(_answers(cells)))


def _answers(cells: list[dict[str, Any]]) -> list[Answer]:
    found: list[Answer] = []
    before: list[tuple[int, str]] = []
    for number, cell in enumerate(cells, 1):
        if cell.get("cell_type") != "code":
            continue
        source, tags = _source(cell, number), _tags(cell)
        names = [tag.removeprefix(TAG) for tag in tags if tag.startswith(TAG)]
        if names:
            found.append(Answer(_exercise(names, number), number, tuple(before), source))
            before = []
        elif not LEFT_OUT & set(tags):
            before.append((number, source))
    if not found:
        example = f"{TAG}{EXERCISES[0].name}"
        raise Unusable(
            f"it has no answer cell: none is tagged {TAG}<name>, such as {example}; "
            f"start from a fresh copy, such as {notebook_name(EXERCISES[0])}"
        )
    counts = Counter(one.exercise.name for one in found)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        where = [str(one.cell) for one in found if one.exercise.name == twice[0]]
        raise Unusable(
            f"cells {' and '.join(where)} are both tagged {TAG}{twice[0]}; remove one of the tags"
        )
    return found


def _exercise(names: list[str], number: int) -> Exercise:
    if len(names) > 1:
        tags = " and ".join(TAG + visible(name, 60) for name in names)
        raise Unusable(f"cell {number} has the tags {tags}; one answer, one tag")
    try:
        return find(names[0])
    except MisuseError as unknown:
        raise Unusable(f"cell {number}: {unknown}") from None


def _json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST:
            raise Unusable(f"it is larger than {LARGEST // 1024 // 1024} MiB; clear its outputs")
        notebook = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise Unusable(f"it cannot be read: {problem.strerror or problem}") from None
    except (ValueError, RecursionError):
        raise Unusable("it is no notebook: the file is no JSON; save it again") from None
    if not isinstance(notebook, dict):
        raise Unusable("it is no notebook: the JSON is no object; save it again")
    return notebook


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        inner = metadata.get(part) if isinstance(metadata, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get(key), str):
            return str(inner[key])
    return ""


def _tags(cell: dict[str, Any]) -> list[str]:
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []


def _source(cell: dict[str, Any], number: int) -> str:
    source = cell.get("source")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        return "".join(source)
    if isinstance(source, str):
        return source
    raise Unusable(f"cell {number} has no source; save the notebook again")
