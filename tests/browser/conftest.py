"""One JupyterLab and one Chromium for all browser tests of a worker.

Both end with this package: other tests insist that no child process is left, and need an
event loop of their own, which an open Playwright does not leave them.
"""

import shutil
from collections.abc import Iterator

import pytest
from lab import Lab, chromium, jupyter_lab
from opened import ROOT
from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A JupyterLab on copies of the lessons and the exercises."""
    with jupyter_lab(tmp_path_factory.mktemp("lab")) as running:
        shutil.copytree(ROOT / "notebooks", running.root, dirs_exist_ok=True)
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A Chromium."""
    with chromium() as started:
        yield started
