"""Run the lessons and write their outputs back: `make notebooks`.

Takes:  paths of notebooks; none means every lesson beside this file
Gives:  the same notebooks with fresh outputs, counts from 1, and no metadata that changes
Never:  writes a notebook in which a cell failed, and never keeps what a browser added

The outputs are the lesson's promise: the notebook tests run each lesson again and compare.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

CELL_TIMEOUT_S = 60
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KEPT_CELL_METADATA = ("tags",)
WIDGET = "application/vnd.jupyter.widget-view+json"
"""A reference to a live widget. Its id is new in each run, and it is dead in a file; the
panel's text twin beside it stays, and is what the notebook tests compare."""


def main(arguments: Sequence[str]) -> int:
    """Rewrite the notebooks named, and return the exit status.

    Args:
        arguments: paths; none means every lesson.
    """
    paths = [Path(name) for name in arguments] or lessons()
    failed = [path for path in paths if not rewritten(path)]
    return 1 if failed else 0


def lessons() -> list[Path]:
    """Return every lesson, in reading order."""
    return sorted(Path(__file__).resolve().parent.glob("*.ipynb"))


def rewritten(path: Path) -> bool:
    """Run one notebook and write it back; False when a cell failed."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.resolve().parent)}},
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )
    try:
        with tempfile.TemporaryDirectory() as folder:
            # Nobody's start-up files decide what a lesson shows.
            client.execute(env={**os.environ, "IPYTHONDIR": folder})
    except CellExecutionError as problem:
        print(f"{path.name}: {problem}", file=sys.stderr)
        return False
    nbformat.write(plain(notebook), path)
    print(f"{path.name}: written")
    return True


def plain(notebook: Any) -> Any:
    """Return the notebook without anything that differs from run to run or place to place."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = {k: v for k, v in cell.metadata.items() if k in KEPT_CELL_METADATA}
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET, None)
    return notebook


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
