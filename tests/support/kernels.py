"""A real notebook kernel, driven the way a notebook does it; every wait has a bound."""

import os
import queue
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psutil
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

START_S: Final = 60.0
CELL_S: Final = 30.0
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


class Ran:
    """What one cell has done, or the proof that it has not."""

    def __init__(self) -> None:
        self.finished = False
        self.printed = ""
        """stdout and stderr, in order of arrival."""
        self.shown: list[dict[str, Any]] = []
        """One bundle of representations for each value shown."""
        self.error = ""
        """Type and text of what the cell raised; "" when it raised nothing."""

    def take(self, kind: str, content: dict[str, Any]) -> None:
        """Take one message of the kernel about this cell."""
        if kind == "stream":
            self.printed += content["text"]
        elif kind in ("execute_result", "display_data"):
            self.shown.append(content["data"])
        elif kind == "error":
            self.error = _COLOUR.sub("", f"{content['ename']}: {content['evalue']}")
        elif kind == "status" and content["execution_state"] == "idle":
            self.finished = True


class Kernel:
    """One kernel and the connection to it.

    Args:
        manager: of a started kernel.
    """

    def __init__(self, manager: KernelManager) -> None:
        self._manager = manager
        self._client = self._connected()
        self._cells: dict[str, Ran] = {}

    @property
    def pid(self) -> int:
        """Process id of the kernel."""
        pid = self._manager.provisioner.pid
        assert isinstance(pid, int)
        return pid

    def begin(self, code: str, *, stop_on_error: bool = True) -> Ran:
        """Queue a cell and return at once; `wait` fills in what it did."""
        ran = Ran()
        self._cells[self._client.execute(code, stop_on_error=stop_on_error)] = ran
        return ran

    def wait(self, ran: Ran, seconds: float = CELL_S) -> Ran:
        """Take messages until the cell has finished; after the bound it stays unfinished."""
        ends_at = time.monotonic() + seconds
        while not ran.finished and (left := ends_at - time.monotonic()) > 0:
            try:
                message = self._client.get_iopub_msg(timeout=left)
            except queue.Empty:
                break
            cell = self._cells.get(message["parent_header"].get("msg_id", ""))
            if cell is not None:
                cell.take(message["msg_type"], message["content"])
        return ran

    def run(self, code: str) -> Ran:
        """Run one cell to its end."""
        ran = self.wait(self.begin(code))
        assert ran.finished, f"the cell did not end:\n{code}\n{ran.printed}"
        return ran

    def run_all(self, cells: Sequence[str], seconds: float = CELL_S) -> list[Ran]:
        """Queue all cells at once, as Run All does, and wait for all of them."""
        begun = [self.begin(code, stop_on_error=False) for code in cells]
        ends_at = time.monotonic() + seconds
        return [self.wait(ran, ends_at - time.monotonic()) for ran in begun]

    def interrupt(self) -> None:
        """Press the stop button."""
        self._manager.interrupt_kernel()

    def restart(self) -> None:
        """Restart, politely, and connect again."""
        self._client.stop_channels()
        self._manager.restart_kernel()
        self._client = self._connected()

    def kill(self) -> None:
        """End the kernel's own process by SIGKILL, and nothing else."""
        process = psutil.Process(self.pid)
        process.kill()

    def close(self) -> None:
        """Shut down politely; harmless when that has been done."""
        self._client.stop_channels()
        if self._manager.has_kernel:
            self._manager.shutdown_kernel()

    def _connected(self) -> BlockingKernelClient:
        client: BlockingKernelClient = self._manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=START_S)
        return client


@contextmanager
def kernel(folder: Path) -> Iterator[Kernel]:
    """Start a kernel that reads nobody's start-up files, and end it.

    Args:
        folder: for the files of this kernel.
    """
    environment = {**os.environ, "IPYTHONDIR": str(folder / "ipython")}
    # With this set ipykernel leaves out what it does with streams in a real notebook.
    environment.pop("PYTEST_CURRENT_TEST", None)
    manager = KernelManager(
        kernel_name="python3", connection_file=str(folder / "kernel.json"), shutdown_wait_time=5.0
    )
    manager.start_kernel(env=environment, extra_arguments=["--IPKernelApp.log_level=ERROR"])
    try:
        running = Kernel(manager)
    except BaseException:
        manager.shutdown_kernel(now=True)
        raise
    try:
        yield running
    finally:
        running.close()


def eventually(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Look again and again until the condition holds; say whether it did in time."""
    ends_at = time.monotonic() + seconds
    pause = queue.SimpleQueue[None]()
    while not condition():
        if time.monotonic() > ends_at:
            return False
        try:
            pause.get(timeout=0.02)
        except queue.Empty:
            continue
    return True
