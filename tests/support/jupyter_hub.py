"""A JupyterHub of our own on 127.0.0.1: the documented one, with another door and spawner.

Takes:  an empty folder, and who may come in
Gives:  `Hub`: where it is, what it has started, and what is left when it has ended
Never:  makes accounts on the machine: its users are names, with homes below the folder
"""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any, Final

import psutil
from lab import UP_S
from node_packages import PLACE, npm_package

from workbench.comparison.environments import Workshop

DOCUMENTED: Final = (
    Path(__file__).resolve().parents[2] / "docs" / "shared_server" / "jupyterhub_config.py"
)
PROXY: Final = "configurable-http-proxy"
PROXY_VERSION: Final = "5.3.0"
DOWN_S: Final = 30.0

# What a test on a machine without accounts and systemd has to have otherwise.
_OTHERWISE: Final = """
load_subconfig({documented!r})
c.JupyterHub.bind_url = "http://127.0.0.1:{ports[0]}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{ports[1]}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{ports[2]}"
c.ConfigurableHTTPProxy.command = {proxy!r}
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = {password!r}
c.Authenticator.allowed_users = {users!r}
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r}
c.Spawner.environment = {{"TMPDIR": {temporary!r}, "JUPYTER_CONFIG_PATH": {settings!r}}}
c.Spawner.args = [*c.Spawner.args, "--LabApp.expose_app_in_browser=True"]
c.Spawner.http_timeout = 60  # what is broken is to be known soon
c.JupyterHub.services[0]["api_token"] = {culler_token!r}
"""


class Hub:
    """A hub that runs.

    Args:
        folder: of everything it and its users write.
        ports: of the door, of the hub and of the proxy's own interface.
        users: who may come in.
    """

    def __init__(self, folder: Path, ports: Sequence[int], users: Sequence[str]) -> None:
        self.folder, self.users = folder, tuple(users)
        self.address = f"http://127.0.0.1:{ports[0]}"
        self.password, self.culler_token = secrets.token_hex(16), secrets.token_hex(16)
        self.homes, self.temporary = folder / "homes", folder / "tmp"
        for place in (self.homes, self.temporary):
            place.mkdir()
        self._config = folder / "config.py"
        self._config.write_text(self._otherwise(ports), encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None

    def home(self, user: str) -> Path:
        """Return where a user is at home."""
        return self.homes / user

    def said(self) -> str:
        """Return the last words of the hub, its proxy and the servers of its users."""
        path = self.folder / "hub.log"
        return path.read_text(encoding="utf-8", errors="replace")[-6000:]

    def living(self) -> list[psutil.Process]:
        """Return every process of this hub: what works in its folder, and what that has started.

        The folder is what a process without a parent can be told by.
        """
        mark = str(self.folder)
        found = {process for process in psutil.process_iter() if mark in _traces(process)}
        for process in tuple(found):
            found.update(_of(process, "children", recursive=True) or ())
        return sorted(found, key=lambda process: process.pid)

    def servers(self) -> list[str]:
        """Return the users who have a server now, as the idle culler sees them."""
        asked = urllib.request.Request(
            f"{self.address}/hub/api/users", headers={"Authorization": f"token {self.culler_token}"}
        )
        with _direct().open(asked, timeout=UP_S) as answer:
            return sorted(user["name"] for user in json.load(answer) if user["servers"])

    @contextmanager
    def culler(self, *options: str) -> Iterator[None]:
        """Run the documented idle culler a second time, with other options and the same rights."""
        command = [sys.executable, "-m", "jupyterhub_idle_culler", *options]
        told = {
            "JUPYTERHUB_API_URL": f"{self.address}/hub/api",
            "JUPYTERHUB_API_TOKEN": self.culler_token,
        }
        quiet = subprocess.DEVNULL
        environ = {**_environment(self.temporary), **told}
        culler = subprocess.Popen(command, env=environ, stdin=quiet, stdout=quiet, stderr=quiet)
        try:
            yield
        finally:
            culler.kill()
            culler.wait(DOWN_S)

    def start(self) -> None:
        """Start the hub with its proxy, and wait until it answers."""
        with (self.folder / "hub.log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "jupyterhub", "-f", str(self._config)],
                cwd=self.folder,
                env=_environment(self.temporary),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait_until_up(self._process)

    def end(self) -> list[str]:
        """End the hub and everything with it.

        Returns:
            The command lines of what was left and had to be killed.
        """
        started = self.living()
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        _, slow = psutil.wait_procs(started, timeout=DOWN_S)
        left = sorted({*slow, *self.living()}, key=lambda process: process.pid)
        said = [" ".join(_of(process, "cmdline") or ["?"]) for process in left]
        for process in left:
            process.kill()
        psutil.wait_procs(left, timeout=DOWN_S)
        if self._process is not None:
            self._process.wait(DOWN_S)
        return said

    def _otherwise(self, ports: Sequence[int]) -> str:
        node, modules = npm_package(Workshop(PLACE), "hub_proxy", f"{PROXY}@{PROXY_VERSION}")
        return _OTHERWISE.format(
            documented=str(DOCUMENTED),
            settings=str(DOCUMENTED.parent),
            ports=ports,
            proxy=[str(node), str(modules / PROXY / "bin" / PROXY)],
            password=self.password,
            users=set(self.users),
            homes=str(self.homes / "{username}"),
            temporary=str(self.temporary),
            culler_token=self.culler_token,
        )

    def _wait_until_up(self, process: "subprocess.Popen[bytes]") -> None:
        ends_at, never = time.monotonic() + UP_S, Event()
        while time.monotonic() < ends_at and process.poll() is None:
            try:
                _direct().open(f"{self.address}/hub/health", timeout=2).close()
            except OSError:
                never.wait(0.1)
            else:
                return
        raise AssertionError(f"JupyterHub did not start:\n{self.said()}")


@contextmanager
def hub(users: Sequence[str]) -> Iterator[Hub]:
    """Start a hub for some users, and leave nothing of it behind."""
    # Not the folder of the test: sockets of kernels have short paths, there are 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="hub-"))
    started = Hub(folder, _free_ports(3), users)
    try:
        started.start()
        yield started
    finally:
        started.end()
        shutil.rmtree(folder)


def _environment(temporary: Path) -> dict[str, str]:
    left_out = ("PYTEST_CURRENT_TEST", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "TMPDIR": str(temporary)}


def _free_ports(count: int) -> list[int]:
    asked = [socket.socket() for _ in range(count)]
    try:
        for one in asked:  # all open at once, so that no two are the same
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in asked]
    finally:
        for one in asked:
            one.close()


def _direct() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _traces(process: psutil.Process) -> str:
    """Return where a process is and what it was told, in one text."""
    told = _of(process, "environ") or {}
    return " ".join([*(_of(process, "cmdline") or ()), *told.values()])


def _of(process: psutil.Process, what: str, **options: Any) -> Any:
    """Ask a process; None from one that has ended or is somebody else's."""
    try:
        ended = process.status() == psutil.STATUS_ZOMBIE
        return None if ended else getattr(process, what)(**options)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return None
