"""The panel of the front door: a catalogue in, a panel out."""

import importlib
import re
from pathlib import Path
from typing import Final

import pytest

from fakes import library
from workbench.classroom.panel import InstructorPanel
from workbench.notebook import InstructorPanel as exported

ROOT: Final = Path(__file__).resolve().parents[2]
CODE: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_front_door_has_it_and_it_shows_in_a_cell() -> None:
    """Design 10: the last value of a cell is a widget, with its text twin beside it."""
    assert exported is InstructorPanel
    panel = InstructorPanel(library)
    bundle = panel._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["text/plain"] == str(panel)
    assert "application/vnd.jupyter.widget-view+json" in data
    panel.close()


def test_a_seed_draws_the_same_surprises_and_none_draws_others() -> None:
    """Ours: an instructor can rehearse."""

    def drawn(seed: int | None) -> list[str]:
        panel = InstructorPanel(library, seed=seed)
        plans = [panel.form.drawn(panel._chance) for _ in range(12)]
        panel.close()
        return [plan.cast for plan in plans]

    assert drawn(1) == drawn(1)
    assert drawn(None) != drawn(None)


def test_the_catalogue_in_the_documentation_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Docs, teach with it: a module with three functions, in the panel and in an export."""
    page = (ROOT / "docs" / "teach_with_it.md").read_text(encoding="utf-8")
    (code,) = [one for one in CODE.findall(page) if "def casts()" in one]
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    panel = InstructorPanel(importlib.import_module("mine"))
    panel.play.click()
    assert panel.shown is not None
    assert (panel.shown.verdict, panel.shown.ended) == (
        "ready, modern",
        "there was nothing to call",
    )
    exported_text = panel.save_notebook(tmp_path / "shy.ipynb").read_text(encoding="utf-8")
    assert "import mine as library" in exported_text
    panel.close()
