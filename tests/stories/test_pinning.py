"""A locked configuration starts what was pinned and nothing else, on real processes.

Design section 5; seed skill, "Refuse to spawn a command outside a pinned allowlist". The
servers here write into a witness file when they start, so that a refusal can be told from a
server that only failed.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from locked import Place
from survivors import survivors

from workbench import AsyncMultiServerClient, MultiServerClient, load_config
from workbench.core.errors import PeerAway
from workbench.core.report import PeerReport

CANARY = "hunter2-canary-value"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A folder of its own, from which nothing runs any more afterwards."""
    made = Place(tmp_path)
    made.write()
    yield made
    assert survivors(str(tmp_path)) == []


def test_what_is_as_pinned_is_started(place: Place) -> None:
    """Ours: the checks below must be able to fail; the witness works."""
    said = place.pin()
    assert "notes" in said and "tools: 1" in said
    row = place.row()
    assert (row.status, row.deviations, place.starts) == ("ready", (), 1)
    done = place.run("report", str(place.config), "--locked")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_link_that_leads_elsewhere_is_refused(place: Place) -> None:
    """Design section 5: the resolved executable is pinned, so a swapped link is noticed."""
    program, other = place.program("program"), place.program("other")
    link = place.folder / "link"
    link.symlink_to(program)
    place.write(notes={"command": str(link)})
    place.pin()
    assert place.row().status == "ready"
    place.witness.unlink()
    link.unlink()
    link.symlink_to(other)
    reason = place.refused()
    assert f'executable was "{program}", is "{other}"' in reason


def test_a_program_of_the_same_name_earlier_on_the_path_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design section 5: which file a bare name means is a part of the pin."""
    folders = [place.folder / "early", place.folder / "late"]
    monkeypatch.setenv("PATH", os.pathsep.join([*map(str, folders), os.environ["PATH"]]))
    place.program("late/server")
    place.write(notes={"command": "server"})
    place.pin()
    assert place.row().status == "ready"
    place.witness.unlink()
    place.program("early/server")
    reason = place.refused()
    assert f'command was "{folders[1]}/server", is "{folders[0]}/server"' in reason


def test_an_interpreter_that_is_shadowed_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a launcher that begins with "#!/usr/bin/env node" runs whatever node is first."""
    folders = [place.folder / "early", place.folder / "late"]
    monkeypatch.setenv("PATH", os.pathsep.join([*map(str, folders), os.environ["PATH"]]))
    place.program("late/runner")
    launcher = place.program("launcher", "#!/usr/bin/env runner\n")
    place.write(notes={"command": str(launcher)})
    place.pin()
    assert place.row().status == "ready"
    place.witness.unlink()
    place.program("early/runner")
    reason = place.refused()
    assert f'interpreter was "{folders[1]}/runner", is "{folders[0]}/runner"' in reason


def test_a_changed_script_is_refused(place: Place) -> None:
    """Design section 5: the script's digest, where an argument names a file."""
    place.pin()
    place.server("server.py", extra="# changed")
    reason = place.refused()
    assert f'args[0] "{place.script}": sha256 was ' in reason
    assert reason.startswith("differs from the lock: ")


def changed(**settings: Any) -> Callable[[Place], None]:
    """Return a change of the one peer's settings."""
    return lambda place: place.write(notes=place.peer(**settings))


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda place: place.write(notes=place.peer("-v")), "args was ["),
        (changed(env={"ADDED": "1"}), "env names changed: +ADDED"),
        (changed(env_allowlist=["SSH_AUTH_SOCK"]), "env_allowlist names changed: +SSH_AUTH_SOCK"),
        (changed(cwd="/"), 'cwd was not set, is "/"'),
        (changed(allow_legacy=True), "allow_legacy was false, is true"),
        (
            lambda place: place.write(notes={"url": "http://127.0.0.1:9/mcp"}),
            'transport was "stdio", is "http"',
        ),
    ],
)
def test_a_changed_setting_is_refused_in_words(
    place: Place, change: Callable[[Place], None], difference: str
) -> None:
    """Design section 5: refused with a readable difference."""
    place.pin()
    change(place)
    assert difference in place.refused()


def test_a_changed_endpoint_is_refused_and_a_changed_key_is_noticed(place: Place) -> None:
    """Design section 5: the endpoint is pinned; its secrets are not written down."""
    url = "http://127.0.0.1:9/mcp?key="
    place.write(notes={"url": url + CANARY})
    place.pin(status=3)
    assert CANARY not in place.lock.read_text()
    assert place.row().rule != "PIN-02"
    place.write(notes={"url": "http://127.0.0.1:8/mcp?key=" + CANARY})
    assert "127.0.0.1:8/mcp" in place.refused()
    place.write(notes={"url": url + "another-value"})
    reason = place.refused()
    assert "with another hidden value" in reason and "another-value" not in reason


def test_a_peer_the_lock_does_not_hold_is_refused(place: Place) -> None:
    """Ours: while there is a lock, it is the whole list."""
    place.write(first=place.peer())
    place.pin()
    place.write(notes=place.peer())
    assert "does not hold this peer" in place.refused("PIN-03")
    with MultiServerClient.from_config(place.config) as client:
        assert any("holds the peer first" in line for line in client.warnings)
    done = place.run("report", str(place.config))
    assert done.stderr.startswith("warning: the lock holds the peer first")


def test_one_changed_peer_leaves_the_others_alone(place: Place) -> None:
    """Case N11: one bad peer never stops the others."""
    place.write(good=place.peer(), notes=place.peer())
    place.pin()
    place.write(good=place.peer(), notes=place.peer("-v"))
    with MultiServerClient.from_config(place.config) as client:
        rows = client.connect_all().peers
    assert [(row.peer, row.status) for row in rows] == [("good", "ready"), ("notes", "unavailable")]
    assert place.starts == 1


def test_a_change_after_loading_is_found_before_the_start(place: Place) -> None:
    """Ours: what was right when the file was read may be wrong when the process starts."""
    place.pin()
    with MultiServerClient.from_config(place.config) as client:
        place.server("server.py", extra="# changed")
        row = client.connect_all().peers[0]
        assert (row.status, row.rule, place.starts) == ("unavailable", "PIN-02", 0)
        place.server("server.py")
        assert client.connect_all().peers[0].status == "ready"


def test_a_change_is_found_before_every_restart(place: Place) -> None:
    """Ours: a process that ended is started again from the same pin, or not at all."""
    place.server("server.py", "C04-dies-after")
    place.pin()

    async def story() -> PeerReport:
        client = AsyncMultiServerClient.from_config(place.config)
        await client.connect_all()
        await client.discover_tools()
        client.merge()
        place.server("server.py", "C04-dies-after", extra="# changed")
        with pytest.raises(PeerAway):
            await client.call("search", idempotency_key="k")
        row = (await client.connect_all()).peers[0]
        await client.aclose()
        return row

    row = asyncio.run(story())
    assert (row.status, row.rule, place.starts) == ("unavailable", "PIN-02", 1)


def test_a_fresh_process_of_the_legacy_probe_is_checked_too(place: Place) -> None:
    """Ours: a peer that ends after the probe is started once more, from the same pin."""
    trigger = place.folder / "trigger"
    change = (
        "import os\n"
        f"if os.path.exists({str(trigger)!r}):\n"
        f"    open({str(place.script)!r}, 'a').write('# changed')"
    )
    place.server("server.py", "P12-close", extra=change)
    place.write(notes=place.peer(allow_legacy=True))
    place.pin()
    assert (place.row().status, place.starts) == ("ready", 2)
    place.witness.unlink()
    trigger.touch()
    row = place.row()
    assert (row.status, row.rule, place.starts) == ("unavailable", "PIN-02", 1)


def test_a_configuration_that_is_loaded_already_uses_the_same_lock(place: Place) -> None:
    """Ours: how a client is built makes no difference."""
    place.pin()
    place.write(notes=place.peer("-v"))
    with MultiServerClient.from_config(load_config(place.config), locked=True) as client:
        assert client.connect_all().peers[0].rule == "PIN-02"
    assert place.starts == 0
