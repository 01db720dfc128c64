"""What is built can be installed by a stranger: wheel, fresh environments, lessons, command.

Two environments: the oldest Python that is supported with the oldest version of everything
that `pyproject.toml` allows, and the newest Python here with the newest versions.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from lab import jupyter_lab

ROOT: Final = Path(__file__).resolve().parents[2]
PROJECT: Final[dict[str, Any]] = tomllib.loads(
    (ROOT / "pyproject.toml").read_text(encoding="utf-8")
)["project"]
OLDEST: Final = (3, 11)
INSTALL_S: Final = 600
RUN_S: Final = 120

pytestmark = pytest.mark.interop


def pythons() -> dict[tuple[int, int], str]:
    """Return an interpreter for each version that is here and supported."""
    found = {sys.version_info[:2]: sys.executable}
    for minor in range(OLDEST[1], OLDEST[1] + 10):
        path = shutil.which(f"python3.{minor}")
        asked = "import sys; print(*sys.version_info[:2])"
        # A shim of a version manager is there and does not run.
        if path and _run([path, "-c", asked], check=False).stdout.split() == ["3", str(minor)]:
            found.setdefault((3, minor), path)
    return found


def lowest(requirements: list[str]) -> list[str]:
    """Return requirements that allow nothing but the oldest version of each."""
    return [re.sub(r"^([\w.\[\]-]+)\s*>=\s*([\w.]+).*$", r"\1==\2", one) for one in requirements]


def _run(command: list[str], *, check: bool = True, **options: Any) -> Any:
    options.setdefault("timeout", RUN_S)
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", **options)
    if check:
        assert done.returncode == 0, f"{command[:4]}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
    return done


class Installed:
    """An environment that holds the wheel and nothing of this checkout.

    Args:
        place: of the environment.
    """

    def __init__(self, place: Path) -> None:
        self.bin = place / "bin"
        self.outside = place.parent
        path = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        self.environ = {"PATH": path, "PYTHONPATH": "", "PYTHONSAFEPATH": "1"}

    def run(self, *command: str, check: bool = True) -> Any:
        """Run one of its programs outside the checkout."""
        environ = {**os.environ, **self.environ}
        environ.pop("PYTEST_CURRENT_TEST", None)
        program = [str(self.bin / command[0]), *command[1:]]
        return _run(program, check=check, cwd=self.outside, env=environ)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution, and the wheel out of that; return their folder."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    _run(build, timeout=INSTALL_S)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Installed]:
    """Return what installs the wheel for a Python, with some requirements besides."""

    def install(python: str, besides: list[str]) -> Installed:
        place = tmp_path_factory.mktemp("fresh") / "env"
        _run([python, "-m", "venv", str(place)])
        (wheel,) = built.glob("*.whl")
        pip = [str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        # Most of what is installed is never imported here: it need not be compiled.
        quickly = [*pip, "install", "--quiet", "--no-compile", str(wheel), *besides]
        _run(quickly, timeout=INSTALL_S)
        _run([*pip, "check"])
        return Installed(place)

    return install


def works(env: Installed, folder: Path) -> None:
    """Try what a stranger would: the report of the demo, and the lab with its first lesson."""
    place = env.run("python", "-c", "import workbench; print(workbench.__file__)").stdout.strip()
    assert Path(place).is_relative_to(env.bin.parent), "the checkout stands in the way"
    (folder / "lab").mkdir(parents=True)
    program = [str(env.bin / "mcp-workbench"), "lab", "--folder", str(folder / "lab" / "root")]
    with jupyter_lab(folder / "lab", program, env.environ) as lab:
        first = f"{lab.address}/api/contents/00_start_here.ipynb?content=0"
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(first, timeout=10) as answer:
            assert json.load(answer)["type"] == "notebook"
    lessons = folder / "lab" / "root"
    report = env.run(
        "mcp-workbench", "report", str(lessons / "demo.mcp.json"), "--json", check=False
    )
    rows = {row["peer"]: row["era"] for row in json.loads(report.stdout)["peers"]}
    assert rows == {"archive": "legacy", "files": "modern", "museum": None, "notes": "modern"}
    env.run("jupyter", "execute", str(lessons / "00_start_here.ipynb"), "--timeout=60")


def test_what_is_built_holds_the_lessons_and_the_data_of_the_packages(built: Path) -> None:
    """Ours: a wheel that lacks a data file works for whoever built it, and for nobody else."""
    (wheel,) = built.glob("*.whl")
    (source,) = built.glob("*.tar.gz")
    assert source.stat().st_size > wheel.stat().st_size > 0
    names = set(zipfile.ZipFile(wheel).namelist())
    tracked = _run(["git", "ls-files", "workbench", "fakes", "notebooks"], cwd=ROOT).stdout
    expected = {
        f"workbench/{name}" if name.startswith("notebooks/") else name
        for name in tracked.splitlines()
    }
    assert expected - names == set()


def test_the_oldest_python_with_the_oldest_of_everything(
    installed: Callable[..., Installed], tmp_path: Path
) -> None:
    """Ours: a lower bound that nobody tried is a guess."""
    here = pythons()
    assert OLDEST in here, f"Python {OLDEST} is not on this machine: {sorted(here)}"
    works(installed(here[OLDEST], lowest(PROJECT["dependencies"])), tmp_path)


def test_the_newest_python_with_the_newest_of_everything(
    installed: Callable[..., Installed], tmp_path: Path
) -> None:
    """Ours: what a stranger gets who installs it today."""
    here = pythons()
    works(installed(here[max(here)], []), tmp_path)


def test_lowest_leaves_no_room() -> None:
    """Ours: the check of the lower bounds is about the lower bounds."""
    assert lowest(["pandas>=3.0", "jupyterlab>=4.6,<5"]) == ["pandas==3.0", "jupyterlab==4.6"]
    assert all("==" in one for one in lowest(PROJECT["dependencies"]))
