"""The plugin from inside: cheap to load, precise about its marker, quiet for others."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

import pytest

from fakes import effect, exit_, modern, on
from workbench.pytest_plugin import FakeHttp, FakeServer

HEAVY: Final = ("fakes", "workbench.sync_client", "asyncio", "aiohttp", "pandas", "msgspec")


def pytest_of(folder: Path, test: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(test, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "mcp_workbench"],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


def test_it_is_found_by_its_entry_point() -> None:
    """Ours: installing the distribution is all; `make ready` renews a checkout's metadata."""
    names = {one.value for one in entry_points(group="pytest11")}
    assert "workbench.pytest_plugin" in names


def test_a_project_that_does_not_use_it_loads_next_to_nothing(tmp_path: Path) -> None:
    """Ours: whoever installs the package pays nothing in other test suites."""
    test = f"import sys\n\ndef test_it():\n    assert not {{*{HEAVY!r}}} & set(sys.modules)\n"
    plain = pytest_of(tmp_path, test)
    assert plain.returncode == 0, plain.stdout
    used = test.replace("test_it()", "test_it(fake_server)")
    assert pytest_of(tmp_path, used).returncode == 1


@pytest.mark.parametrize(
    ("marker", "part"),
    [
        ('mcp_fault("P99")', "there is no fake called 'P99'"),
        ("mcp_fault(7)", "there is no fake called '7'"),
        ("mcp_fault()", 'write mcp_fault("P11")'),
        ('mcp_fault(row="P11")', 'write mcp_fault("P11")'),
    ],
)
def test_a_wrong_marker_is_an_error_that_says_so(tmp_path: Path, marker: str, part: str) -> None:
    """Ours: a typing error must not run the test with an honest server."""
    test = f"import pytest\n@pytest.mark.{marker}\ndef test_it(fake_server): pass\n"
    done = pytest_of(tmp_path, test)
    assert done.returncode != 0 and part in done.stdout + done.stderr


def test_a_fault_that_needs_http_is_refused_over_stdio(tmp_path: Path) -> None:
    """Ours: the message names the other fixture's way."""
    test = 'import pytest\n@pytest.mark.mcp_fault("H06")\ndef test_it(fake_server): pass\n'
    assert "works over HTTP only" in pytest_of(tmp_path, test).stdout


@pytest.mark.mcp_fault("P01")
def test_the_marker_chooses_the_fake(fake_server: FakeServer, fake_http: FakeHttp) -> None:
    """Ours: both fixtures are the one that was named."""
    assert fake_server.fake.name.startswith("P01")
    assert fake_http.fake.name == fake_server.fake.name


def test_without_a_marker_it_is_an_honest_server(
    fake_server: FakeServer, fake_http: FakeHttp, mcp_client: Any
) -> None:
    """Ours: the common case needs no words."""
    mcp_client.add_server("notes", fake_server.command)
    mcp_client.call("search", {"q": "tea"})
    assert fake_server.methods == ["server/discover", "tools/list", "tools/call"]
    assert fake_server.effects == ["search"]
    drawn = fake_server.diagram()
    assert "tools/call search (id 3)" in drawn and "the process started" in drawn
    assert fake_http.diagram() == "" and fake_http.received == []
    assert fake_http.url.startswith("http://127.0.0.1:") and fake_http.url == fake_http.url


def test_another_fake_comes_from_calling_the_fixture(
    fake_server: FakeServer, fake_http: FakeHttp, mcp_client: Any
) -> None:
    """Ours: several servers in one test, each with its own record."""
    dying = modern("dying", tools=["pay"]).script(on("tools/call").then(effect("paid"), exit_(3)))
    mcp_client.add_server("dying", fake_server(dying).command)
    mcp_client.add_server("other", fake_server("paging").command)
    assert mcp_client.connect_all().all_ready
    assert fake_server.methods == []
    assert fake_http(dying).fake is dying


def test_a_line_that_holds_odd_separators_or_is_cut_is_read_as_it_was_written(
    fake_server: FakeServer, mcp_client: Any
) -> None:
    """Case C09: U+2028 ends no line, and a process may die in the middle of one."""
    mcp_client.add_server("notes", fake_server.command)
    mcp_client.call("search", {"q": "a\u2028b\x85c"})
    assert fake_server.received[-1]["params"]["arguments"] == {"q": "a\u2028b\x85c"}
    with open(fake_server.command[-1], "ab") as frames:
        frames.write(b'{"from": "cli')
    assert "tools/call search" in fake_server.diagram()
