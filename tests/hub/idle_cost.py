"""What a class at rest costs its server: `make hub-cost`.

Starts the hub of the tests, lets users log in at once, and weighs: the hub with its proxy, a
server of one user, a kernel after the first lesson, and the processor time of all that while
nobody does anything. PSS counts a page that several processes share once; RSS counts it for
each. Nothing here is asserted.
"""

import argparse
import os
import platform
import statistics
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import psutil
from jupyter_hub import Hub, hub
from rich.console import Console
from rich.table import Table
from seats import seen, sit_down
from student import FIRST, Student

MB = 1_000_000


class Weight:
    """How much memory processes hold, in bytes.

    Args:
        processes: all of one kind, of one user or of the hub.
    """

    def __init__(self, processes: Iterable[psutil.Process]) -> None:
        told = [process.memory_full_info() for process in processes]
        self.pss, self.rss = sum(one.pss for one in told), sum(one.rss for one in told)


def processor_s(processes: Iterable[psutil.Process]) -> float:
    """Return the processor time that processes have used so far."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def at_rest(processes: Sequence[psutil.Process], seconds: float) -> float:
    """Return the share of one processor, in percent, that processes use while nothing is done."""
    before, began = processor_s(processes), time.monotonic()
    Event().wait(seconds)
    return 100 * (processor_s(processes) - before) / (time.monotonic() - began)


def logged_in(running: Hub, students: Sequence[Student]) -> tuple[list[float], float]:
    """Let all log in at once; return how long each waited, and the processor time of it."""

    def wait(student: Student) -> float:
        began = time.monotonic()
        student.log_in()
        return time.monotonic() - began

    with ThreadPoolExecutor(len(students)) as pool:
        waited = list(pool.map(wait, students))
    return waited, processor_s(running.living())


def run_the_lesson(student: Student) -> psutil.Process:
    """Run the first lesson; return its kernel, which stays open."""
    cells = student.cells()
    notebook = student.read(FIRST)["content"]["cells"]
    cells.run_all([cell["source"] for cell in notebook if cell["cell_type"] == "code"])
    sit_down(cells)
    return psutil.Process(seen(cells).kernel)


def folder_size(folder: Path) -> int:
    """Return how many bytes a folder takes on the disk."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def servers_of(running: Hub) -> list[psutil.Process]:
    """Return the servers of the users."""
    return [p for p in running.living() if "workbench.hub_server" in p.cmdline()]


def measured(users: int, seconds: float) -> Table:
    """Measure, and return the figures as a table."""
    names = [f"student{number:02}" for number in range(1, users + 1)]
    table = Table(
        title=f"{users} users, {os.cpu_count()} processors, Python {platform.python_version()}"
    )
    for column in ("what", "PSS MB", "RSS MB", "processor"):
        table.add_column(column, justify="left" if column == "what" else "right")

    def row(what: str, weights: Sequence[Weight], processor: str = "") -> None:
        pss = statistics.median(one.pss for one in weights) / MB
        rss = statistics.median(one.rss for one in weights) / MB
        table.add_row(what, f"{pss:.0f}", f"{rss:.0f}", processor)

    with hub(names) as running, ExitStack() as stack:
        own = running.living()
        before = processor_s(own)
        students = [Student(running, name) for name in names]
        for student in students:
            stack.callback(student.close)
        waited, after = logged_in(running, students)
        resting = f"{at_rest(own, seconds):.1f} % of one"
        row("hub, proxy and culler together", [Weight(own)], resting)
        servers = servers_of(running)
        cost = f"{at_rest(servers, seconds) / users:.2f} % of one"
        row("one user's server, no notebook run", [Weight([one]) for one in servers], cost)
        kernels = [run_the_lesson(student) for student in students]
        cost = f"{at_rest(kernels, seconds) / users:.2f} % of one"
        row("one kernel, first lesson and two peers", [Weight([one]) for one in kernels], cost)
        row("the server beside that kernel", [Weight([one]) for one in servers])
        size = folder_size(running.home(names[0])) / MB
    table.caption = (
        f"all log in at once: the first waits {min(waited):.1f} s, the last {max(waited):.1f} s, "
        f"{(after - before) / users:.1f} s of processor time each; "
        f"a home takes {size:.1f} MB of disk; at rest for {seconds:g} s"
    )
    return table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--users", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long to watch a rest")
    given = parser.parse_args()
    Console(width=100).print(measured(given.users, given.seconds))


if __name__ == "__main__":
    main()
