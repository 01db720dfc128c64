"""Importing is cheap: the heavy libraries wait until something needs them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]

HEAVY: Final = frozenset(
    {"IPython", "aiohttp", "ipywidgets", "jsonschema", "mcp", "mcp_types", "pandas", "rich"}
)


def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules a fresh interpreter holds after `statement`."""
    program = f"{statement}\nimport json, sys\njson.dump(sorted(sys.modules), sys.stdout)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


@pytest.mark.parametrize(
    "statement",
    [
        "import workbench",
        "from workbench import MultiServerClient",
        "from workbench import AsyncMultiServerClient, PeerConfig, load_config",
        "import fakes",
        "from fakes import modern, legacy, on, reply",
    ],
)
def test_a_front_door_opens_without_the_heavy_libraries(statement: str) -> None:
    """Ours: design, dependencies; a strict client must not cost a second to import."""
    assert loaded_by(statement) & HEAVY == set()


def test_the_whole_core_loads_neither_a_loop_nor_a_heavy_library() -> None:
    """Ours: the core is pure, so what it loads is pure."""
    core = ROOT / "workbench" / "core"
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted(core.rglob("*.py"))
        if path.name != "__init__.py"
    ]
    assert len(modules) > 20
    loaded = loaded_by("\n".join(f"import {module}" for module in modules))
    assert loaded & (HEAVY | {"asyncio", "subprocess", "threading"} - _always()) == set()


def test_a_heavy_import_is_seen() -> None:
    """Ours: a check must be able to fail."""
    assert "rich" in loaded_by("import rich")


def _always() -> set[str]:
    # What the interpreter itself holds, for instance because of a path file of an install.
    return loaded_by("pass")
