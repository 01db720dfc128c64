"""A JupyterLab of our own and a page in it: isolated, offline, and gone afterwards."""

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
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome")
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync")  # fmt: skip
UP_S: Final = 60.0
STEP_MS: Final = 60_000
DOWN_S: Final = 10.0

_NEWS: Final = '{"fetchNews": "false", "checkForUpdates": false}'
# The indicator in the toolbar says "idle" before there is a connection, and a command given
# then never ends; the session itself knows better.
_CONNECTED: Final = """async () => {
  const session = window.jupyterapp?.shell?.currentWidget?.context?.sessionContext;
  if (!session) return false;
  await session.ready;
  const kernel = session.session?.kernel;
  return kernel?.connectionStatus === 'connected' && kernel?.status === 'idle';
}"""
# A command can hang, and evaluate() has no time limit of its own.
_COMMAND: Final = """([name, args, ms]) => Promise.race([
  window.jupyterapp.commands.execute(name, args).then(() => 'done'),
  new Promise(late => setTimeout(() => late('too late'), ms)),
])"""


class Lab:
    """Where a running JupyterLab is, and which folder it serves.

    Args:
        address: without a final slash.
        root: the folder; notebooks are copied there, so the originals stay clean.
    """

    def __init__(self, address: str, root: Path) -> None:
        self.address, self.root = address, root


class Opened:
    """One notebook open in a page, with a kernel that is ready.

    Args:
        page: of a fresh browser context.
        address: of the notebook.
    """

    def __init__(self, page: "Page", address: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        """Errors of the browser's console, and exceptions of the page."""
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(address, wait_until="domcontentloaded")
        page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=STEP_MS)
        page.wait_for_function(_CONNECTED, timeout=STEP_MS)

    def command(self, name: str, **arguments: Any) -> None:
        """Execute one of JupyterLab's commands, and wait for its end."""
        ended = self.page.evaluate(_COMMAND, [name, arguments, STEP_MS])
        assert ended == "done", f"{name}: {ended}"

    def run_all(self) -> None:
        """Forget the outputs in the file, then run every cell to its end."""
        self.command("notebook:clear-all-cell-outputs")
        assert self.page.locator(".jp-OutputArea-output").count() == 0
        self.command("notebook:run-all-cells")

    def end_kernel(self) -> None:
        """Shut the notebook's kernel down, so that the next one starts with nothing."""
        self.page.evaluate("window.jupyterapp.serviceManager.sessions.shutdownAll()")

    def picture(self, path: Path, first: str = "", beyond: str = "") -> None:
        """Save what the page shows.

        Args:
            path: of the PNG.
            first: heading to begin with; "" takes the whole page.
            beyond: heading to end before.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        clip = None
        if first and beyond:
            top, bottom = self._place(first), self._place(beyond)
            clip = {**top, "height": bottom["y"] - top["y"]}
        self.page.screenshot(path=str(path), clip=clip)  # type: ignore[arg-type]

    def _place(self, heading: str) -> dict[str, float]:
        cell = self.page.locator(".jp-Cell", has=self.page.get_by_role("heading", name=heading))
        box = cell.bounding_box()
        assert box is not None, f"no heading {heading!r} in the page"
        return dict(box)

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)


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
