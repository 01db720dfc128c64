"""The pure part is pure: its imports and its calls are held against an allow-list."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]

STDLIB: Final = frozenset(
    {
        "base64",
        "binascii",
        "collections",
        "collections.abc",
        "copy",
        "difflib",
        "enum",
        "functools",
        "hashlib",
        "heapq",
        "html",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "string",
        "textwrap",
        "types",
        "typing",
        "unicodedata",
        "urllib.parse",
    }
)
"""Standard modules that touch no clock, file, process, network, thread or chance."""

BANNED_CALLS: Final = frozenset(
    {"__import__", "breakpoint", "compile", "eval", "exec", "input", "open", "print"}
)

CORE_MAY: Final = ("msgspec", "workbench.core")
FAKES_MAY: Final = (
    "msgspec",
    "fakes",
    "workbench.core.text.visible",
    "workbench.core.version",
    "workbench.core.wire",
)
PURE_FAKES: Final = ("engine", "errors", "match", "script", "steps")


def impurities(source: str, packages: tuple[str, ...]) -> list[str]:
    """Return "line: reason" for everything in `source` that pure code must not contain.

    Args:
        source: the text of one module.
        packages: packages allowed, with all their modules, besides `STDLIB`.
    """
    return [
        f"{getattr(node, 'lineno', 0)}: {reason}"
        for node in ast.walk(ast.parse(source))
        for reason in _reasons(node, packages)
    ]


def _reasons(node: ast.AST, packages: tuple[str, ...]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (
            f"imports {alias.name}" for alias in node.names if not _allowed(alias.name, packages)
        )
    elif isinstance(node, ast.ImportFrom):
        yield from (
            f"imports {module}" for module in _sources(node) if not _allowed(module, packages)
        )
    elif isinstance(node, (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)):
        yield "is asynchronous"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in BANNED_CALLS:
            yield f"calls {node.func.id}()"


def _sources(node: ast.ImportFrom) -> list[str]:
    if node.level:
        return ["." * node.level + (node.module or "")]
    # `from urllib import parse` takes urllib.parse; `from enum import StrEnum` takes enum.
    named = [f"{node.module}.{alias.name}" for alias in node.names]
    return named if all(name in STDLIB for name in named) else [node.module or ""]


def _allowed(module: str, packages: tuple[str, ...]) -> bool:
    return module in STDLIB or any(
        module == package or module.startswith(f"{package}.") for package in packages
    )


def _core() -> list[Path]:
    return sorted((ROOT / "workbench" / "core").rglob("*.py"))


def _pure_fakes() -> list[Path]:
    return [path for name in PURE_FAKES if (path := ROOT / "fakes" / f"{name}.py").is_file()]


def test_the_core_contains_only_pure_code() -> None:
    """Ours: design, one architectural idea; a deny-list would miss the next clock."""
    paths = _core()
    assert len(paths) > 20
    assert {
        str(path.relative_to(ROOT)): found
        for path in paths
        if (found := impurities(path.read_text(encoding="utf-8"), CORE_MAY))
    } == {}


def test_the_deciding_part_of_the_fakes_contains_only_pure_code() -> None:
    """Ours: one script gives one behaviour on every transport, so it may touch none."""
    paths = _pure_fakes()
    assert len(paths) >= 4
    assert {
        str(path.relative_to(ROOT)): found
        for path in paths
        if (found := impurities(path.read_text(encoding="utf-8"), FAKES_MAY))
    } == {}


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        ("import time", "1: imports time"),
        ("import urllib.request", "1: imports urllib.request"),
        ("from urllib import request", "1: imports urllib"),
        ("import os.path as p", "1: imports os.path"),
        ("from . import wire", "1: imports ."),
        ("from workbench.drivers import clock", "1: imports workbench.drivers"),
        ("import workbench.corelike", "1: imports workbench.corelike"),
        ("def f():\n    import random", "2: imports random"),
        ("async def f(): pass", "1: is asynchronous"),
        ("def f(p):\n    return open(p)", "2: calls open()"),
        ("print(1)", "1: calls print()"),
    ],
)
def test_an_injected_violation_is_found(sample: str, reason: str) -> None:
    """Ours: a check must be able to fail."""
    assert impurities(sample, CORE_MAY) == [reason]


@pytest.mark.parametrize(
    "sample",
    [
        "from urllib import parse",
        "from urllib.parse import quote",
        "import collections.abc",
        "from workbench.core.wire.codec import decode",
        "import msgspec.structs",
        "def f(opened):\n    return opened.open",
    ],
)
def test_pure_code_passes(sample: str) -> None:
    """Ours: the check says nothing about what is allowed."""
    assert impurities(sample, CORE_MAY) == []
