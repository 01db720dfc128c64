"""The layer contracts notice what they are there for: each violation, injected into a copy."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]


def broken_contracts(place: Path) -> list[str]:
    """Return the names of the contracts that do not hold for the tree at `place`."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=place,
        env={"COLUMNS": "500", "PYTHONIOENCODING": "utf-8", "PATH": ""},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert "Contracts: " in done.stdout, done.stdout + done.stderr
    broken = re.findall(r"^(.+) BROKEN(?: \(.*\))?$", done.stdout, re.MULTILINE)
    assert bool(broken) == bool(done.returncode)
    return broken


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Copy the two packages and the contracts somewhere they may be damaged."""
    for package in ("workbench", "fakes"):
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def test_the_layers_hold() -> None:
    """Ours: design, top level; imports point down only."""
    assert broken_contracts(ROOT) == []


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("workbench/core/text/visible.py", "import workbench.drivers.clock", "workbench: "),
        ("workbench/transports/base.py", "import workbench.views.html", "workbench: "),
        ("workbench/core/text/visible.py", "import workbench.core.rulebook.rules", "core: "),
        ("workbench/core/wire/keys.py", "import workbench.core.wire.codec", "wire: "),
        ("workbench/core/negotiate/table.py", "import workbench.core.negotiate.evidence", "nego"),
        ("workbench/views/html.py", "import fakes", "workbench never knows"),
        ("workbench/views/html.py", "import fakes.library", "workbench never knows"),
        ("fakes/match.py", "import fakes.hosts", "fakes: "),
        ("fakes/match.py", "import workbench.core.errors", "fakes share"),
        ("fakes/match.py", "import workbench.core.journal.jsonl", "fakes share"),
        ("workbench/lint/record.py", "import workbench.drivers.clock", "workbench: "),
        ("workbench/lint/record.py", "import workbench.lint.checks", "lint: "),
        ("workbench/comparison/seen.py", "import workbench.comparison.kept", "comparison: "),
        ("workbench/comparison/seen.py", "import fakes", "workbench never knows"),
        ("fakes/hosts/memory.py", "import workbench.transports.stdio", "fakes share"),
    ],
)
def test_an_import_that_points_up_is_found(
    module: str, line: str, contract: str, copied: Path
) -> None:
    """Ours: a check must be able to fail."""
    with (copied / module).open("a", encoding="utf-8") as text:
        text.write(f"\n{line}\n")
    assert any(name.startswith(contract) for name in broken_contracts(copied))


@pytest.mark.parametrize(
    ("package", "contract"),
    [("workbench", "workbench: "), ("workbench/core", "core: "), ("fakes", "fakes: ")],
)
def test_a_module_without_a_place_is_found(package: str, contract: str, copied: Path) -> None:
    """Ours: the lists are exhaustive, so nobody adds a file without thinking of its layer."""
    (copied / package / "newcomer.py").write_text('"""New."""\n', encoding="utf-8")
    assert any(name.startswith(contract) for name in broken_contracts(copied))
