"""Fake servers and a strict client in anybody's tests; loaded by pytest through its entry point.

Takes:  the fixtures `fake_server`, `fake_http` and `mcp_client`, and the marker
        `@pytest.mark.mcp_fault("P11")`
Gives:  a server that misbehaves on cue, whatever client is tested; and, when a test fails,
        what crossed the wire as a diagram of text
Never:  loads more than itself until a fixture is used, touches a test that uses none, or
        leaves a process or a thread behind

How to use it: `docs/pytest_plugin.md`. Source: ours.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from fakes import Fake
    from fakes.recording import Exchange
    from workbench.core.journal.journal import Journal
    from workbench.sync_client import MultiServerClient

MARKER: Final = "mcp_fault"
_PEER: Final = "fake"
_WATCHED: Final = pytest.StashKey[list["Watched"]]()
_NAMED: Final = "mcp_fault_name"
_LONGEST_SECTION: Final = 20_000


class Watched:
    """Something whose traffic is drawn when its test fails."""

    title = ""
    """Whose view it is."""

    def diagram(self) -> str:
        """Return what has crossed so far as lanes of text; "" when nothing has."""
        from workbench.core.journal.sequence import lanes

        journal = self.journal()
        return lanes(journal.entries()) if len(journal) else ""

    def journal(self) -> Journal:
        """Return what has crossed so far as a journal."""
        raise NotImplementedError


class FakeServer(Watched):
    """A fake that any client can spawn; see the fixture `fake_server`."""

    title = "MCP traffic seen by fake_server"

    def __init__(self, fake: Fake, folder: Path, request: pytest.FixtureRequest) -> None:
        self.fake = fake
        """The script, which may also be connected to in memory."""
        self._folder = folder
        self._request = request
        self._frames = folder / "frames.jsonl"
        self._received = folder / "received.jsonl"
        self._effects = folder / "effects"
        self._stack = ExitStack()
        request.addfinalizer(self._stack.close)
        files = {"record": self._received, "effects": self._effects, "frames": self._frames}
        self.command: list[str] = self._stack.enter_context(fake.over_stdio(**files))
        """The command line that runs it: program and arguments."""
        _watch(request, self)

    def __call__(self, fake: Fake | str) -> FakeServer:
        """Return another one: a fake, or the name of a ready-made one."""
        return _server(fake, self._request)

    @property
    def received(self) -> list[Any]:
        """Every message the client has sent, oldest first."""
        return _values(self._received)

    @property
    def methods(self) -> list[str]:
        """The methods of everything the client has sent, in order."""
        return [one["method"] for one in self.received if isinstance(one, dict) and "method" in one]

    @property
    def effects(self) -> list[str]:
        """The names of the tools that were executed."""
        return _lines(self._effects)

    def journal(self) -> Journal:
        """Return every line both ways as a journal; the times are only an order."""
        from workbench.core.journal.journal import Journal

        journal = Journal()
        for number, line in enumerate(_values(self._frames)):
            said = str(line["frame"])
            if line["from"] == "client":
                journal.sent(number, _PEER, said.encode())
            elif line["from"] == "server":
                journal.received(number, _PEER, said.encode())
            else:
                journal.decided(number, _PEER, "transport", f"the process {said}")
        return journal


class FakeHttp(Watched):
    """A fake that any client can reach; see the fixture `fake_http`."""

    title = "MCP traffic seen by fake_http"

    def __init__(self, fake: Fake, request: pytest.FixtureRequest) -> None:
        self.fake = fake
        """The script, with what it has seen."""
        self._request = request
        self._stack = ExitStack()
        request.addfinalizer(self._stack.close)
        self._url = ""
        _watch(request, self)

    def __call__(self, fake: Fake | str) -> FakeHttp:
        """Return another one: a fake, or the name of a ready-made one."""
        return _http(fake, self._request)

    @property
    def url(self) -> str:
        """The address of its endpoint on this machine; it is served from now on."""
        if not self._url:
            self._url = self._stack.enter_context(self.fake.over_http())
        return self._url

    @property
    def received(self) -> list[dict[str, Any]]:
        """Every message the client has sent, oldest first."""
        return self.fake.received

    @property
    def methods(self) -> list[str]:
        """The methods of everything the client has sent, in order."""
        return self.fake.methods()

    @property
    def effects(self) -> list[str]:
        """The names of the tools that were executed."""
        return self.fake.effects

    @property
    def exchanges(self) -> list[Exchange]:
        """Every HTTP request with its headers, status and end, oldest first."""
        return self.fake.exchanges

    def journal(self) -> Journal:
        """Return every request, and how it was answered; the times are only an order."""
        import json

        from workbench.core.journal.journal import Journal

        journal = Journal()
        for number, one in enumerate(self.exchanges):
            if isinstance(one.body, dict):
                journal.sent(number, _PEER, json.dumps(one.body).encode())
            else:
                journal.decided(number, _PEER, "transport", f"{one.method} {one.path}")
            status = "no status" if one.status is None else f"HTTP {one.status}"
            journal.decided(number, _PEER, "transport", f"{status}, {one.ended}")
        return journal


class _Client(Watched):
    title = "MCP traffic of mcp_client"

    def __init__(self, client: MultiServerClient) -> None:
        self._client = client

    def journal(self) -> Journal:
        return self._client.journal


# -- fixtures --------------------------------------------------------------------------


@pytest.fixture
def mcp_fault_name(request: pytest.FixtureRequest) -> str:
    """Return the name of the ready-made fake that the marker asks for; "modern" without one."""
    given: str = getattr(request, "param", "modern")
    return given


@pytest.fixture
def fake_server(request: pytest.FixtureRequest, mcp_fault_name: str) -> FakeServer:
    """Give a fake MCP server that any client can spawn: hand `.command` to yours.

    It is the one the marker `mcp_fault` names, or an honest modern one; call the fixture
    with a `Fake` or with a name for another one.
    """
    return _server(mcp_fault_name, request)


@pytest.fixture
def fake_http(request: pytest.FixtureRequest, mcp_fault_name: str) -> FakeHttp:
    """Give a fake MCP server behind HTTP: hand `.url` to your client.

    It is the one the marker `mcp_fault` names, or an honest modern one; call the fixture
    with a `Fake` or with a name for another one.
    """
    return _http(mcp_fault_name, request)


@pytest.fixture
def mcp_client(request: pytest.FixtureRequest) -> Iterator[MultiServerClient]:
    """Give the strict client of this project, closed when the test is over."""
    from workbench.sync_client import MultiServerClient

    with MultiServerClient() as client:
        _watch(request, _Client(client))
        yield client


def _server(fake: Fake | str, request: pytest.FixtureRequest) -> FakeServer:
    folder: Path = request.getfixturevalue("tmp_path_factory").mktemp("fake", numbered=True)
    return FakeServer(_made(fake), folder, request)


def _http(fake: Fake | str, request: pytest.FixtureRequest) -> FakeHttp:
    return FakeHttp(_made(fake), request)


def _made(fake: Fake | str) -> Fake:
    from fakes.library.index import find

    return find(fake) if isinstance(fake, str) else fake


def _watch(request: pytest.FixtureRequest, watched: Watched) -> None:
    request.node.stash.setdefault(_WATCHED, []).append(watched)


def _values(path: Path) -> list[Any]:
    import json

    return [json.loads(line) for line in _lines(path)]


def _lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    # Only whole lines, and only line feeds end them: a process may be killed while it writes.
    return path.read_text(encoding="utf-8").split("\n")[:-1]


# -- what pytest calls -----------------------------------------------------------------


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, so that `--strict-markers` accepts it."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(name, ...): the fake of fake_server and fake_http misbehaves as row or "
        "variant `name` of the fault matrix says; a row with variants runs the test with each",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a marked test once for each fault that its marker names."""
    marker = metafunc.definition.get_closest_marker(MARKER)
    if marker is None or _NAMED not in metafunc.fixturenames:
        return
    names = [name for given in marker.args for name in _variants(given, metafunc)]
    if not names or marker.kwargs:
        raise pytest.UsageError(f'{metafunc.definition.nodeid}: write {MARKER}("P11")')
    metafunc.parametrize(_NAMED, names, indirect=True, ids=names)


def _variants(given: Any, metafunc: pytest.Metafunc) -> list[str]:
    from fakes import FakeError
    from fakes.library.faults import variants
    from fakes.library.index import find

    found = variants(given) if isinstance(given, str) else []
    if found:
        return found
    try:
        find(str(given))
    except FakeError as problem:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {problem}") from None
    return [str(given)]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Add the diagrams to the report of a test that failed."""
    outcome = yield
    watched = item.stash.get(_WATCHED, None)
    if watched is None:
        return
    report = outcome.get_result()
    for one in watched if report.failed else ():
        drawn = one.diagram()[:_LONGEST_SECTION]
        if drawn:
            report.sections.append((one.title, drawn))
