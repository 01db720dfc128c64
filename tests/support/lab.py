"""A JupyterLab of our own, and a browser: isolated, offline, and gone afterwards."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final

import nbformat
from nbformat import NotebookNode

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome")
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync")  # fmt: skip
UP_S: Final = 60.0
DOWN_S: Final = 10.0

_NEWS: Final = '{"fetchNews": "false", "checkForUpdates": false}'


class Lab:
    """Where a running JupyterLab is, and which folder it serves.

    Args:
        address: without a final slash.
        root: the folder; notebooks are copied there, so the originals stay clean.
    """

    def __init__(self, address: str, root: Path) -> None:
        self.address, self.root = address, root
        self._written = 0

    def at(self, path: str) -> str:
        """Return the address of a notebook, alone in its page."""
        return f"{self.address}/doc/tree/{path}"

    def write(self, *cells: NotebookNode) -> str:
        """Write a notebook into a new folder, and return its path below the root.

        No two share a path, so none is given the kernel or the files of the one before. A
        notebook without a kernel in its metadata would make JupyterLab ask for one.
        """
        self._written += 1
        path = self.root / f"own_{self._written}" / "notebook.ipynb"
        path.parent.mkdir()
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        nbformat.write(nbformat.v4.new_notebook(cells=list(cells), metadata=kernel), path)
        return path.relative_to(self.root).as_posix()


@contextmanager
def jupyter_lab(
    folder: Path,
    program: Sequence[str] = (sys.executable, "-m", "jupyterlab"),
    environ: Mapping[str, str] | None = None,
) -> Iterator[Lab]:
    """Start JupyterLab with nobody's settings, and end it with its kernels.

    Args:
        folder: an empty folder for everything it reads and writes.
        program: what starts it; takes JupyterLab's options after its own.
        environ: variables that are other than here.
    """
    root, settings = folder / "root", folder / "settings"
    root.mkdir()
    quiet = settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True)
    quiet.write_text(_NEWS, encoding="utf-8")
    port = _free_port()
    options = [f"--ServerApp.root_dir={root}", "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=",
        "--ServerApp.terminals_enabled=False", "--expose-app-in-browser", "--no-browser",
        "--allow-root"]  # fmt: skip
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*program, *options],
            env={**_environment(folder, settings), **(environ or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_until_up(server, address, folder / "server.log")
        yield Lab(address, root)
    finally:
        _end(server)


def code_cells(source: str) -> list[NotebookNode]:
    """Return the code cells of a script whose cells are parted by lines "# %%"."""
    return [nbformat.v4.new_code_cell(code.strip()) for code in source.split("# %%")]


@contextmanager
def chromium() -> Iterator["Browser"]:
    """Start the system's Chromium; closed before any other test may need an event loop."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert found, "Chromium is not installed; on Debian: apt-get install chromium"
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=found, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def _environment(folder: Path, settings: Path) -> dict[str, str]:
    left_out = ("PYTEST_CURRENT_TEST", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {
        **kept,
        "HOME": str(folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
    }


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port = asked.getsockname()[1]
        assert isinstance(port, int)
        return port


def _wait_until_up(server: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    ends_at, never = time.monotonic() + UP_S, Event()
    while time.monotonic() < ends_at and server.poll() is None:
        try:
            direct.open(f"{address}/api", timeout=2).close()
        except OSError:
            never.wait(0.1)
        else:
            return
    said = log.read_text(encoding="utf-8", errors="replace")
    raise AssertionError(f"JupyterLab did not start:\n{said[-2000:]}")


def _end(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()  # it ends its kernels before itself
    try:
        server.wait(DOWN_S)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait(DOWN_S)
