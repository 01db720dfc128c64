"""The lint rules the project leans on are switched on, proved on a bad sample."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]


def codes(source: str, name: str) -> set[str]:
    """Return the rule codes ruff reports for `source` when it is the file `name`."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=json"]
        + ["--stdin-filename", name, "-"],
        cwd=ROOT,
        input=source,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return {found["code"] for found in json.loads(done.stdout)}


UNDOCUMENTED: Final = (
    "class Thing:\n    def method(self):\n        pass\n\ndef function():\n    pass\n"
)
BANNED: Final = {
    "asyncio.create_task": "import asyncio\nasyncio.create_task(x)\n",
    "asyncio.sleep": "import asyncio\nasyncio.sleep(1)\n",
    "time.sleep": "import time\ntime.sleep(1)\n",
    "unittest.mock": "from unittest.mock import Mock\n",
}


@pytest.mark.parametrize("name", ["workbench/core/sample.py", "fakes/sample.py"])
def test_everything_public_must_have_a_docstring(name: str) -> None:
    """Ours: a learner reads the file without its author."""
    assert codes(UNDOCUMENTED, name) >= {"D100", "D101", "D102", "D103"}


@pytest.mark.parametrize("source", BANNED.values(), ids=BANNED.keys())
@pytest.mark.parametrize("name", ["workbench/views/sample.py", "tests/views/test_sample.py"])
def test_a_banned_call_is_reported(source: str, name: str) -> None:
    """Ours: waiting is for a condition, tasks have an owner, and fakes are not mocks."""
    assert "TID251" in codes(source, name)


def test_printing_and_tangled_functions_are_reported() -> None:
    """Ours: output goes through a view; complexity stays at ten."""
    branches = "".join(f"    if x == {number}:\n        y = {number}\n" for number in range(11))
    source = f"def f(x):\n{branches}    print(y)\n"
    assert codes(source, "workbench/core/sample.py") >= {"T201", "C901"}


def test_a_clean_module_passes() -> None:
    """Ours: the sample above fails for what it does, not for where it is."""
    assert codes('"""A module."""\n', "workbench/core/sample.py") == set()
