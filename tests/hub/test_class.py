"""A class on a shared server: three students, one JupyterHub, the first lesson at once.

The configuration is the documented one. Only the door (a password in place of accounts) and
the spawner (a process in place of a service of systemd) are other, for want of accounts.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier
from typing import Any, Final

import psutil
import pytest
from jupyter_hub import Hub, hub
from kernels import eventually
from lab import chromium
from opened import PICTURES, STEP_MS, Opened
from playwright.sync_api import Browser
from seats import Seat, collisions, exposed, seen, sit_down
from student import CELLS_S, OPENED, Student

from workbench.lessons import FIRST, shipped

IN_THE_BROWSER: Final = "alice"
BY_HAND: Final = ("bob", "carol")
USERS: Final = (IN_THE_BROWSER, *BY_HAND)
TOGETHER_S: Final = 120.0

pytestmark = [pytest.mark.interop, pytest.mark.browser]

_NOTEBOOK: Final = "window.jupyterapp.shell.currentWidget.context.model.toJSON()"


def sources(notebook: dict[str, Any]) -> list[str]:
    """Return the code of a notebook, cell by cell."""
    return [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]


class Class:
    """What came of a lesson.

    Args:
        running: the hub.
        students: by their names, all logged in.
        seats: one of each, taken while all of them had everything open.
        failures: what went wrong in the lesson, by the name of the student.
    """

    def __init__(
        self,
        running: Hub,
        students: dict[str, Student],
        seats: Sequence[Seat],
        failures: dict[str, list[str]],
    ) -> None:
        self.hub, self.students = running, students
        self.seats, self.failures = tuple(seats), failures


def study_by_hand(student: Student, together: Barrier) -> list[str]:
    """Log in, and run the first lesson once everybody has it open; return what failed."""
    try:
        assert student.log_in() == OPENED
        cells = student.cells()
        code = sources(student.read(FIRST)["content"])
        together.wait(TOGETHER_S)
        ran = cells.run_all(code)
    except BaseException:
        together.abort()  # nobody waits for one who does not come
        raise
    assert len(ran) > 10
    return [one.error or "not finished" for one in ran if one.error or not one.finished]


def study_in_the_browser(browser: Browser, running: Hub, name: str, together: Barrier) -> list[str]:
    """Do the same with a mouse and a keyboard; a picture shows what a student sees first."""
    page = browser.new_context(viewport={"width": 1180, "height": 900}).new_page()
    try:
        page.goto(f"{running.address}/hub/login", wait_until="domcontentloaded")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(running.password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"**/user/{name}/lab**", timeout=STEP_MS)
        opened = Opened(page)
        opened.picture(PICTURES / "hub_after_login.png")
        together.wait(TOGETHER_S)
    except BaseException as problem:
        together.abort()
        problem.add_note(f"at {page.url}\n{running.said()}")
        raise
    opened.run_all()
    opened.settle()
    opened.command("docmanager:save")
    cells = [c for c in page.evaluate(_NOTEBOOK)["cells"] if c["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in cells if cell["source"].strip())
    outputs = [output for cell in cells for output in cell["outputs"]]
    failed = [str(one["evalue"]) for one in outputs if one["output_type"] == "error"]
    asked = page.get_by_text("official Jupyter news").all_inner_texts()
    return failed + opened.complaints + asked


@pytest.fixture(scope="module")
def class_() -> Iterator[Class]:
    """Three students who have run the first lesson at the same time and sit before it."""
    with hub(USERS) as running, ThreadPoolExecutor(len(BY_HAND)) as pool, ExitStack() as stack:
        students = {name: Student(running, name) for name in USERS}
        for student in students.values():
            stack.callback(student.close)
        together = Barrier(len(USERS))
        begun = {name: pool.submit(study_by_hand, students[name], together) for name in BY_HAND}
        with chromium() as browser:
            failures = {
                IN_THE_BROWSER: study_in_the_browser(browser, running, IN_THE_BROWSER, together)
            }
        failures |= {name: one.result(CELLS_S) for name, one in begun.items()}
        students[IN_THE_BROWSER].log_in()  # a second door to the same server
        kernels = [student.cells() for student in students.values()]
        for cells in kernels:
            sit_down(cells)
        yield Class(running, students, [seen(cells) for cells in kernels], failures)


def test_all_run_the_first_lesson_at_once_without_an_error(class_: Class) -> None:
    """Ours: a class begins together, on one machine."""
    assert class_.failures == {name: [] for name in USERS}


def test_nobody_has_anything_of_anybody_else(class_: Class) -> None:
    """Ours: folders, sockets, processes, ports, and the peers of a lesson."""
    assert [seat.user for seat in class_.seats] == list(USERS)
    assert collisions(class_.seats) == []
    for seat in class_.seats:
        assert Path(seat.folder) == class_.hub.home(seat.user) / "mcp-lessons"
        assert seat.heard == (seat.user,), "a peer has heard its own client, and nobody else"
        assert len(seat.peers) == 1 and seat.kernel in seat.processes
        assert len(seat.ports) >= 2


def test_nobody_can_read_what_another_has_written(class_: Class) -> None:
    """Ours: modes, for here all are one account; what they protect needs accounts."""
    for name in USERS:
        home = class_.hub.home(name)
        assert len(list(home.iterdir())) >= 3
        assert exposed(home) == []


def test_kernels_have_sockets_in_place_of_ports(class_: Class) -> None:
    """Ours: whoever can connect to the port of a kernel hears what it prints."""
    for seat in class_.seats:
        found = [path.name for path in Path(seat.sockets).iterdir() if path.is_socket()]
        assert len(found) == 5, found


def test_nobody_gets_into_anothers_server(class_: Class) -> None:
    """Ours: the page, the files and the kernels; one's own are there."""
    for path in ("lab", "api/contents", "api/kernels"):
        for name, student in class_.students.items():
            asked = {other: student.status(f"/user/{other}/{path}") for other in USERS}
            assert asked == {other: 200 if other == name else 403 for other in USERS}, path


def test_what_a_student_changed_is_there_after_a_restart(class_: Class) -> None:
    """Ours: lessons are laid out at each start, over nobody's work."""
    bob = class_.students["bob"]
    notebook = bob.read(FIRST)["content"]
    notebook["cells"][0]["source"] = "What Bob thinks of it"
    bob.save(FIRST, notebook)
    untouched = class_.hub.home("bob") / "mcp-lessons" / "01_one_message.ipynb"
    untouched.unlink()
    bob.stop()
    assert class_.hub.servers() == ["alice", "carol"]
    assert bob.log_in() == OPENED
    assert bob.read(FIRST)["content"]["cells"][0]["source"] == "What Bob thinks of it"
    assert untouched.read_bytes() == (shipped() / untouched.name).read_bytes()


def test_a_server_that_ends_takes_its_kernels_peers_and_sockets_along(class_: Class) -> None:
    """Ours: whatever a student has left open."""
    carol = next(seat for seat in class_.seats if seat.user == "carol")
    assert alive(carol) == carol.processes
    class_.students["carol"].stop()
    assert eventually(lambda: not alive(carol), 30.0)
    assert [path.name for path in Path(carol.sockets).glob("*kernel*")] == []


def alive(seat: Seat) -> frozenset[int]:
    """Return those of the processes of a seat that still run."""
    return frozenset(pid for pid in seat.processes if psutil.pid_exists(pid))


def test_servers_nobody_uses_are_ended(class_: Class) -> None:
    """Ours: the culler runs with the rights the configuration gives it, and they are enough."""
    commands = [" ".join(process.cmdline()) for process in class_.hub.living()]
    assert [c for c in commands if "jupyterhub_idle_culler --timeout=3600" in c]
    assert class_.hub.servers() != []
    with class_.hub.culler("--timeout=1", "--cull-every=1"):
        assert eventually(lambda: class_.hub.servers() == [], 60.0)


def test_nothing_is_left_when_the_hub_has_ended(class_: Class) -> None:
    """Ours: no process, no file of a process, and all the work."""
    assert class_.hub.living() != []
    assert class_.hub.end() == []
    assert class_.hub.living() == []
    assert list(class_.hub.temporary.iterdir()) == []
    for name in USERS:
        assert [p for p in class_.hub.homes.rglob("*") if p.is_socket()] == []
        assert (class_.hub.home(name) / "mcp-lessons" / FIRST).is_file()
