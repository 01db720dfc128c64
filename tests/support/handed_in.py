"""Notebooks as students hand them in: an exercise's own, with other code in its cells."""

import json
from pathlib import Path
from typing import Any, Final

from workbench.exercises import Verdict
from workbench.exercises.exercise import Exercise
from workbench.exercises.registry import notebook_name

NOTEBOOKS: Final = Path(__file__).resolve().parents[2] / "notebooks" / "exercises"


def unsolved(exercise: Exercise) -> dict[str, Any]:
    """Return the committed notebook of an exercise."""
    text = (NOTEBOOKS / notebook_name(exercise)).read_text(encoding="utf-8")
    notebook: dict[str, Any] = json.loads(text)
    return notebook


def solved(exercise: Exercise, source: str) -> dict[str, Any]:
    """Return the notebook of an exercise with this answer in it.

    Raises:
        AssertionError: unless the notebook has exactly one answer cell.
    """
    notebook = unsolved(exercise)
    tag = f"ex:{exercise.name}"
    cells = [cell for cell in notebook["cells"] if tag in cell["metadata"].get("tags", [])]
    assert len(cells) == 1, f"{notebook_name(exercise)} has {len(cells)} cells tagged {tag}"
    cells[0]["source"] = source.splitlines(keepends=True)
    return notebook


def code_cell(source: str, *tags: str, **changes: Any) -> dict[str, Any]:
    """Return a code cell."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"cell-{abs(hash((source, tags))) % 10**8}",
        "metadata": {"tags": list(tags)} if tags else {},
        "outputs": [],
        "source": source,
        **changes,
    }


def of_cells(*cells: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """Return a notebook of these cells."""
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def written(folder: Path, notebook: dict[str, Any], name: str = "answer.ipynb") -> Path:
    """Write a notebook into a folder and return its path."""
    path = folder / name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def expecting(notebook: dict[str, Any], verdict: Verdict) -> dict[str, Any]:
    """Return the notebook with the output its check has to have, for nbval to compare."""
    checks = [c for c in notebook["cells"] if "check" in c["metadata"].get("tags", [])]
    assert len(checks) == 1, "an exercise has one check"
    shown = verdict._repr_mimebundle_()
    checks[0]["execution_count"] = 1
    checks[0]["outputs"] = [{"output_type": "display_data", "data": shown, "metadata": {}}]
    return notebook
