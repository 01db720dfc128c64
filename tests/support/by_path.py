"""Programs that belong to no package, loaded from where they stand."""

import importlib.util
from pathlib import Path
from typing import Any


def module_at(path: Path) -> Any:
    """Run a file as a module of its own, which nobody else can import, and return it."""
    spec = importlib.util.spec_from_file_location(f"{path.stem}_by_path", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
