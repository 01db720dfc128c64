"""What a user of a hub has, seen from inside the kernel and from outside; and what is not theirs.

Takes:  a connection to a kernel of each user
Gives:  a `Seat` each; `collisions` between them; `exposed`, what others may read
Never:  starts or ends anything but the two peers of each seat
"""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import psutil
from msgspec import Struct
from student import Cells

_OTHERS: Final = 0o077

_SIT_DOWN: Final = """
import json, os, tempfile
from contextlib import ExitStack
from fakes import modern
from jupyter_core.paths import jupyter_runtime_dir
from workbench import PeerConfig
from workbench.notebook import MultiServerClient

seat_user = os.environ["JUPYTERHUB_USER"]
seat_open = ExitStack()
seat_web = modern(f"web of {seat_user}", tools=["search"])
seat_pipe = modern(f"pipe of {seat_user}", tools=["create"])
seat_url = seat_open.enter_context(seat_web.over_http())
seat_argv = seat_open.enter_context(seat_pipe.over_stdio())
seat_client = seat_open.enter_context(MultiServerClient())
seat_program = PeerConfig(name="pipe", command=seat_argv[0], args=tuple(seat_argv[1:]))
seat_client.add_server("web", PeerConfig(name="web", url=seat_url))
seat_client.add_server("pipe", seat_program)
seat_client.connect_all()
seat_client.discover_tools()
seat_client.merge()
seat_client.call("search", {"q": seat_user})
seat_client.call("create", {"q": seat_user})
"""
_TELL: Final = """
print(json.dumps({
    "user": seat_user,
    "home": os.environ["HOME"],
    "folder": os.getcwd(),
    "sockets": jupyter_runtime_dir(),
    "temporary": tempfile.gettempdir(),
    "server": os.getppid(),
    "kernel": os.getpid(),
    "url": seat_url,
    "heard": sorted({
        frame["params"]["arguments"]["q"]
        for frame in seat_web.received if frame.get("method") == "tools/call"
    }),
}))
"""


class Seat(Struct, frozen=True, kw_only=True):
    """What one user has while a lesson is open."""

    user: str
    home: str
    folder: str
    """Where the notebook stands."""
    sockets: str
    """Where the kernel's sockets and connection file are."""
    temporary: str
    server: int
    """Process ids, this one and the next."""
    kernel: int
    url: str
    """Of the peer over HTTP, which runs in the kernel."""
    heard: tuple[str, ...]
    """Whose calls that peer has heard."""
    processes: frozenset[int] = frozenset()
    """The server's and those of everything it has started."""
    peers: frozenset[int] = frozenset()
    """Those of peers over pipes."""
    ports: frozenset[int] = frozenset()
    """All that these processes listen on."""


def sit_down(cells: Cells) -> None:
    """Start two peers in the kernel of a user, and call both."""
    (ran,) = cells.run_all([_SIT_DOWN])
    assert ran.finished and not ran.error, ran.error or ran.printed


def seen(cells: Cells) -> Seat:
    """Look at the seat of a user who sat down."""
    (ran,) = cells.run_all([_TELL])
    assert ran.finished and not ran.error, ran.error or ran.printed
    told: dict[str, Any] = json.loads(ran.printed.strip().splitlines()[-1])
    server = psutil.Process(told["server"])
    processes = [server, *server.children(recursive=True)]
    listening = [
        connection.laddr.port
        for process in processes
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    ]
    return Seat(
        **{**told, "heard": tuple(told["heard"])},
        processes=frozenset(process.pid for process in processes),
        peers=frozenset(p.pid for p in processes if "fakes" in p.cmdline()),
        ports=frozenset(listening),
    )


_OWN: Final[dict[str, Callable[[Seat], object]]] = {
    "home": lambda seat: seat.home,
    "folder": lambda seat: seat.folder,
    "sockets": lambda seat: seat.sockets,
    "server": lambda seat: seat.server,
    "kernel": lambda seat: seat.kernel,
    "url": lambda seat: seat.url,
}
"""What no two users have the same of."""


def collisions(seats: Sequence[Seat]) -> list[str]:
    """Return what users have in common and should not, a line each."""
    return [found for one, other in combinations(seats, 2) for found in _between(one, other)]


def _between(one: Seat, other: Seat) -> Iterator[str]:
    pair = f"{one.user} and {other.user}"
    for what, of in _OWN.items():
        if of(one) == of(other):
            yield f"{pair}: the same {what}, {of(one)}"
    for inner, outer in ((one, other), (other, one)):
        if Path(inner.folder).is_relative_to(outer.home):
            yield f"{pair}: {inner.user} works in the home of {outer.user}"
        if outer.user in inner.heard:
            yield f"{pair}: a peer of {inner.user} heard {outer.user}"
    if both := one.processes & other.processes:
        yield f"{pair}: the same processes, {sorted(both)}"
    if both := one.ports & other.ports:
        yield f"{pair}: the same ports, {sorted(both)}"


def exposed(folder: Path) -> list[str]:
    """Return what directly or deeper in a folder somebody else may read, write or enter.

    What stands in a folder that nobody else may enter is not exposed, whatever its own mode.
    """
    found: list[str] = []
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not path.stat().st_mode & _OTHERS:
            continue
        found.append(path.name)
        if path.is_dir():
            found += [f"{path.name}/{name}" for name in exposed(path)]
    return found
