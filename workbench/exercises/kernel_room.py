"""One fresh kernel to run a stranger's cells in, and the way to whoever answers there.

Takes:  cells, one after the other; seconds for one of them and for everything
Gives:  a `Relay` to the desk in the kernel
Never:  gives the kernel a file, a variable of the environment or a stream of ours that it
        does not need; never keeps an output; never outlives its block

The kernel is the leader of a process group of its own, and at the end the whole group is
killed. What has left its group by itself is out of reach; a container reaches it.
"""

import logging
import os
import secrets
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from workbench.core.text.visible import visible
from workbench.drivers.background import BackgroundLoop
from workbench.exercises.relay import Broken, Hello, Relay, ToJudge

if TYPE_CHECKING:
    from nbclient import NotebookClient

HOST: Final = "127.0.0.1"
CONNECT_S: Final = 15.0
KEPT: Final = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT", "VIRTUAL_ENV")
"""Variables of the environment that a kernel is given."""
_TEXT: Final = 200


class Trouble(Exception):
    """Raised when a kernel cannot go on; the text is one safe line."""


class KernelRoom:
    """A context manager; everything in it happens in one kernel.

    Args:
        timeout_s: for one cell.
        total_s: for everything; then the kernel is killed wherever it is.
    """

    def __init__(self, timeout_s: float, total_s: float) -> None:
        self._timeout_s, self._total_s = timeout_s, total_s
        self._loop = BackgroundLoop("grading")
        self._stack = AsyncExitStack()
        self._client: Any = None
        self._group: int | None = None
        self._overtime = threading.Event()
        self._timer = threading.Timer(total_s, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        """Start the kernel.

        Raises:
            Trouble: if it does not start.
        """
        self._folder = TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True)
        try:
            self._loop.run(self._start(Path(self._folder.name)))
        except BaseException as problem:
            self._close()
            if isinstance(problem, Exception):
                raise Trouble(f"no kernel: {_words(problem)}") from None
            raise
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Kill the kernel and whatever is in its group, and remove its folder."""
        self._close()

    def run(self, number: int, source: str, *, may_fail: bool) -> None:
        """Run one cell.

        Args:
            number: of the cell, for the message.
            source: its code.
            may_fail: whether an error in it is none of our business.

        Raises:
            Trouble: if it does not end in time, takes the kernel with it, or fails.
        """
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

        cells: list[Any] = self._client.nb.cells
        cells.append(_cell(source))
        try:
            self._loop.run(self._client.async_execute_cell(cells[-1], len(cells) - 1))
        except CellExecutionError as error:
            if not may_fail:
                said = f"{error.ename}: {error.evalue}" if error.evalue else error.ename
                raise self._trouble(f"cell {number} ends in {visible(said, _TEXT)}") from None
        except CellTimeoutError:
            raise self._trouble(f"cell {number} did not end within {self._timeout_s:g} s") from None
        except DeadKernelError:
            raise self._trouble(f"the kernel died in cell {number}") from None

    @contextmanager
    def connected(self) -> Iterator[Relay]:
        """Have the kernel attend to us while the block lasts.

        Raises:
            Trouble: if it does not, because its process or our package in it is broken.
        """
        token = secrets.token_hex(16)
        with socket.create_server((HOST, 0)) as listener:
            port = listener.getsockname()[1]
            self._loop.run(self._attend(port, token))
            relay = self._greeted(listener, token)
        try:
            yield relay
        finally:
            relay.close()
        if self._overtime.is_set():
            raise self._trouble("")

    def _greeted(self, listener: socket.socket, token: str) -> Relay:
        ends_at = time.monotonic() + CONNECT_S
        while (left := ends_at - time.monotonic()) > 0 and not self._overtime.is_set():
            listener.settimeout(min(left, 0.5))
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                if not self._alive():
                    break
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            relay = Relay(connection, ToJudge)
            try:
                hello = relay.receive(ends_at)
            except Broken:
                hello = None
            if isinstance(hello, Hello) and secrets.compare_digest(hello.token, token):
                return relay
            # Whoever that was, the kernel may still come.
            relay.close()
        raise self._trouble("the kernel does not let its answer be tried")

    def _trouble(self, what: str) -> Trouble:
        if self._overtime.is_set():
            return Trouble(f"the notebook took longer than {self._total_s:g} s in all")
        return Trouble(what)

    async def _start(self, folder: Path) -> None:
        from jupyter_client.kernelspec import KernelSpecManager
        from jupyter_client.manager import AsyncKernelManager

        home = folder / "home"
        home.mkdir()
        # The kernel of this very installation, whatever the notebook or the user's settings say.
        specs = KernelSpecManager(kernel_dirs=[])
        manager = AsyncKernelManager(
            kernel_name="python3",
            kernel_spec_manager=specs,
            connection_file=str(folder / "kernel.json"),
        )
        self._client = _client_type()(
            _notebook(),
            km=manager,
            timeout_func=lambda cell: self._timeout_s,
            shutdown_kernel="immediate",
            store_widget_state=False,
            record_timing=False,
            extra_arguments=["--IPKernelApp.log_level=CRITICAL"],
            log=_silent(),
        )
        await self._stack.enter_async_context(
            self._client.async_setup_kernel(
                cleanup_kc=True,
                cwd=str(home),
                env=environment(os.environ, home),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        self._group = getattr(manager.provisioner, "pgid", None)

    async def _attend(self, port: int, token: str) -> None:
        self._client.kc.execute(
            "__import__('workbench.exercises.desk', fromlist=['attend'])"
            f".attend(globals(), {HOST!r}, {port}, {token!r})",
            silent=True,
            store_history=False,
        )

    def _alive(self) -> bool:
        return bool(self._loop.run(self._client.km.is_alive()))

    def _end(self) -> None:
        self._overtime.set()
        self._kill()

    def _kill(self) -> None:
        # Its own group, never ours: the number is that of the kernel we started.
        if self._group is not None and hasattr(os, "killpg"):
            try:
                os.killpg(self._group, signal.SIGKILL)
            except OSError:
                return

    def _close(self) -> None:
        self._timer.cancel()
        try:
            self._kill()
            self._loop.run(self._stack.aclose())
        finally:
            self._loop.stop()
            self._folder.cleanup()


def environment(ours: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return the environment of a kernel: a home of its own, and nothing it does not need.

    Args:
        ours: the environment of this process.
        home: an empty folder.
    """
    kept = {name: ours[name] for name in KEPT if name in ours}
    return {
        **kept,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "TMPDIR": str(home),
        "IPYTHONDIR": str(home / ".ipython"),
        "JUPYTER_CONFIG_DIR": str(home / ".jupyter"),
        "JUPYTER_DATA_DIR": str(home / ".jupyter" / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / ".jupyter" / "runtime"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
    }


def _client_type() -> "type[NotebookClient]":
    from nbclient import NotebookClient

    class Deaf(NotebookClient):
        """Runs cells and keeps nothing of what they print, however much that is."""

        def output(self, *_: Any, **__: Any) -> None:
            return None

    return Deaf


def _notebook() -> Any:
    from nbformat import v4

    make: Any = v4.new_notebook
    return make()


def _cell(source: str) -> Any:
    from nbformat import v4

    make: Any = v4.new_code_cell
    return make(source)


def _silent() -> logging.Logger:
    logger = logging.getLogger(f"{__name__}.silent")
    logger.disabled = True
    return logger


def _words(problem: Exception) -> str:
    return visible(f"{type(problem).__name__}: {problem}", _TEXT)
