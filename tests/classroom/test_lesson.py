"""The exported notebook: it runs in a fresh kernel, and shows the same each time."""

import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from fakes import library
from workbench.classroom.lesson import notebook_text
from workbench.classroom.stage import Stage
from workbench.core.errors import MisuseError
from workbench.views.panels.demonstration import Demonstration, Plan

LONGEST_CELL = 15


def shown(name: str, **choices: Any) -> Demonstration:
    stage = Stage(library)
    try:
        return stage.perform(Plan(cast=name, **choices), lambda _: None)
    finally:
        stage.close()


def run(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run a notebook in a kernel of its own; return what each code cell has shown, as text."""
    # With this set ipykernel leaves out what it does with streams in a real notebook.
    monkeypatch.delenv("PYTEST_CURRENT_TEST", raising=False)
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    client = NotebookClient(
        notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )  # fmt: skip
    client.execute(env={**os.environ, "IPYTHONDIR": str(folder / "ipython")})
    return [
        "".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_it_runs_in_a_fresh_kernel_and_is_the_same_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: an export that cannot be run again is a picture of one."""
    text = notebook_text(
        shown("C04-dies-after", beside=("modern", "legacy"), drift_policy="pin"), library
    )
    first, second = (run(text, tmp_path, monkeypatch) for _ in range(2))
    assert first == second
    said = "\n".join(first)
    assert "peer: ready, modern [ERA-01]" in said
    assert "OutcomeUnknown" in said and "outcome unknown" in said
    assert "tools/call" in said and "nothing found" in said


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("C10-confirm", {"asked_back": "the user agrees"}),
        ("C12-refused", {}),
        ("M01-same-name", {"merge_policy": "reject"}),
        ("P12-exit-with-stderr", {"transport": "stdio", "allow_legacy": True}),
        ("H10-405", {"transport": "http", "repeat": True, "asked_back": "the user declines"}),
    ],
)
def test_every_choice_is_in_it(
    name: str, choices: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: its own check compares the verdict, the rule and the end of the first call."""
    demonstration = shown(name, **choices)
    said = "\n".join(run(notebook_text(demonstration, library), tmp_path, monkeypatch))
    assert f"{demonstration.subject}: {demonstration.verdict}; my guess: none" in said


def test_its_own_check_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a check must be able to fail."""
    text = notebook_text(shown("P01-valid"), library)
    wrong = text.replace("'ready, modern', 'ERA-01'", "'ready, legacy', 'LEG-00'")
    assert wrong != text
    with pytest.raises(CellExecutionError, match="AssertionError"):
        run(wrong, tmp_path, monkeypatch)


@pytest.mark.parametrize("transport", ["memory", "stdio", "http"])
def test_it_has_the_form_of_a_lesson(transport: Any) -> None:
    """Design 10: short cells, readable ids, a guess before anything is shown, no outputs."""
    everything = {"beside": ("modern", "legacy"), "asked_back": "the user agrees", "repeat": True}
    text = notebook_text(shown("C13-schema", transport=transport, **everything), library)
    cells = json.loads(text)["cells"]
    assert cells[0]["source"].startswith("# What becomes of this peer?")
    sources = ["".join(cell["source"]) for cell in cells]
    predict = next(i for i, source in enumerate(sources) if "Predict first" in source)
    assert sources[predict + 1].startswith("guess = ")
    assert not any("connect_all" in source for source in sources[:predict])
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        assert len(cell["source"].splitlines()) <= LONGEST_CELL
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            compile(cell["source"], "<cell>", "exec")


def test_nothing_a_peer_said_is_in_it() -> None:
    """Design 7.10: the cells ask the peer again."""
    text = notebook_text(shown("C13-description"), library)
    assert "Ignore all previous" not in text


def test_a_catalogue_that_is_no_module_has_to_say_how_it_is_imported() -> None:
    """Ours: nobody else can know."""

    class Mine:
        casts, cast, beside = library.casts, library.cast, library.beside

    demonstration = shown("P01-valid")
    with pytest.raises(MisuseError, match="imported_as="):
        notebook_text(demonstration, Mine())
    assert "from mine import library" in notebook_text(
        demonstration, Mine(), "from mine import library"
    )
