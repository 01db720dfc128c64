"""What `pin` writes, what it refuses to accept by itself, and a lock that cannot be used.

Design section 5; seed skill items 1 and 4.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from locked import ROOT, Place
from survivors import survivors

from workbench import MultiServerClient
from workbench.core.errors import ToolChanged
from workbench.pinning import lock_path, read_lock

CANARY = "hunter2-canary-value"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A folder of its own, from which nothing runs any more afterwards."""
    made = Place(tmp_path)
    made.write()
    yield made
    assert survivors(str(tmp_path)) == []


def test_two_runs_write_the_same_bytes(place: Place) -> None:
    """Design section 5: a lock is compared and committed."""
    place.write(notes=place.peer(), second=place.peer("--tools", "a,b"))
    place.pin()
    first = place.lock.read_bytes()
    place.pin()
    assert place.lock.read_bytes() == first
    place.lock.unlink()
    place.pin()
    assert place.lock.read_bytes() == first


def test_a_changed_tool_is_reported(place: Place) -> None:
    """Fault matrix C13: drift is reported before the next call."""
    tools = place.folder / "tools.json"
    place.script.write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from fakes.__main__ import main\n"
        f"sys.exit(main(['modern', '--tools', open({str(tools)!r}).read(), '--stdio']))\n",
        encoding="utf-8",
    )
    tools.write_text("read,search", encoding="utf-8")
    place.pin()
    tools.write_text("search,write", encoding="utf-8")
    with MultiServerClient.from_config(place.config) as client:
        client.connect_all()
        client.discover_tools()
        client.merge()
        row = client.report().peers[0]
    assert row.status == "ready"
    assert row.deviations == (
        "the tool read was removed since the peer was pinned",
        "the tool write was added since the peer was pinned",
    )
    assert "Deviation: the tool read was removed" in row.remarks()
    assert "accepted: the tool read: removed" in place.pin()


def test_a_tool_that_is_not_as_pinned_is_not_called(place: Place) -> None:
    """Fault matrix C13, policy "pin": with a lock it is the default, and a merge is no word."""
    tools = place.folder / "tools.json"
    place.script.write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from fakes.__main__ import main\n"
        f"sys.exit(main(['modern', '--tools', open({str(tools)!r}).read(), '--stdio']))\n",
        encoding="utf-8",
    )
    tools.write_text("search", encoding="utf-8")
    place.pin()
    tools.write_text("search,write", encoding="utf-8")
    with MultiServerClient.from_config(place.config) as client:
        client.connect_all()
        client.discover_tools()
        client.merge()
        assert client.call("search").is_error is False
        with pytest.raises(ToolChanged, match=r"write was added.*pin the configuration again"):
            client.call("write")
        client.accept("write")
        assert client.call("write").is_error is False
    with MultiServerClient.from_config(place.config, drift_policy="report") as client:
        assert client.call("write").is_error is False
        assert client.drift[0].drift.since == "pinned"


def test_a_lock_holds_no_secret(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design section 5: environment names, never values; nothing else a secret stands in."""
    monkeypatch.setenv("CANARY", CANARY)
    place.write(
        notes=place.peer(f"--token={CANARY}", env={"TOKEN": CANARY}),
        old=place.peer("--key", "${CANARY}"),
        web={
            "url": f"http://user:{CANARY}@127.0.0.1:9/mcp?key={CANARY}#{CANARY}",
            "headers": {"Authorization": f"Bearer {CANARY}"},
        },
    )
    said = place.pin(status=3)
    text = place.lock.read_text(encoding="utf-8")
    assert CANARY not in text + said
    peers = json.loads(text)["peers"]
    assert peers["notes"]["env"] == ["TOKEN"]
    assert peers["notes"]["args"][1]["shown"].startswith("--token=")
    assert peers["old"]["args"][2]["digest"].startswith("pbkdf2-sha256:")
    assert peers["web"]["headers"] == ["Authorization"]
    place.write(notes=place.peer("--token=something-else", env={"TOKEN": CANARY}))
    reason = place.refused()
    assert "args[1] is still" in reason and "with another hidden value" in reason
    assert CANARY not in reason and "something-else" not in reason


def test_a_changed_command_does_not_inherit_the_legacy_permission(place: Place) -> None:
    """Seed skill item 4: only when that exact peer has the permission."""
    place.server("old.py", "legacy")
    old = {"command": sys.executable, "args": [str(place.folder / "old.py")]}
    place.write(archive={**old, "allow_legacy": True})
    assert "legacy allowed" in place.pin()
    before = place.lock.read_bytes()
    place.write(archive={**old, "args": [*old["args"], "-v"], "allow_legacy": True})
    line = place.fails("pin", str(place.config))
    assert "[PIN-07]" in line and "--allow-legacy archive" in line
    assert (place.lock.read_bytes(), place.starts) == (before, 0)
    assert "allow" in place.fails("pin", str(place.config), "--allow-legacy", "nobody")
    said = place.pin("--allow-legacy", "archive")
    assert "archive: accepted: args was" in said
    assert json.loads(place.lock.read_text())["peers"]["archive"]["allow_legacy"] is True
    place.write(archive=old)
    place.pin(status=3)
    assert json.loads(place.lock.read_text())["peers"]["archive"]["allow_legacy"] is False


def test_a_permission_the_configuration_does_not_give_is_not_repeated(place: Place) -> None:
    """Ours: the flag repeats a permission, it gives none."""
    line = place.fails("pin", str(place.config), "--allow-legacy", "notes")
    assert "does not allow it" in line
    assert (place.lock.exists(), place.starts) == (False, 0)


def test_data_that_changes_is_pinned_by_name_only(place: Place) -> None:
    """Ours: a database named by an argument must not lock its own server out."""
    data = place.folder / "notes.db"
    data.write_text("one", encoding="utf-8")
    place.server("server.py", extra=f"open({str(data)!r}, 'a').write('more')")
    place.write(notes=place.peer(str(data)))
    assert "pin again with --data notes:1" in place.pin()
    assert "sha256 was" in place.refused()
    assert "args[1] (by name only)" in place.pin("--data", "notes:1")
    assert place.row().status == "ready"
    assert "args[1] (by name only)" in place.pin(), "kept while the argument is the same"
    assert "has no argument" in place.fails("pin", str(place.config), "--data", "notes:2")
    assert "no peer" in place.fails("pin", str(place.config), "--data", "none:0")


@pytest.mark.parametrize("verb", [("report",), ("trace", "notes"), ("call", "search")])
def test_a_demanded_lock_that_is_missing_is_one_clear_line(
    place: Place, verb: tuple[str, ...]
) -> None:
    """Design section 5: `--locked` demands a lock."""
    line = place.fails(verb[0], str(place.config), *verb[1:], "--locked")
    assert "[PIN-04]" in line and f"mcp-workbench pin {place.config}" in line
    assert place.starts == 0


def edited(old: str, new: str) -> Callable[[Place], None]:
    """Return an edit of the lock by hand."""
    return lambda place: place.lock.write_text(
        place.lock.read_text(encoding="utf-8").replace(old, new), encoding="utf-8"
    )


@pytest.mark.parametrize(
    "damage",
    [
        edited('"allow_legacy": false', '"allow_legacy": true'),
        edited('"version": 1', '"version": 2'),
        edited('"version": 1', '"version": true'),
        edited('"seal"', '"seel"'),
        edited('"kind": "stdio"', '"kind": "pipe"'),
        lambda place: place.lock.write_text("[" * 100_000, encoding="utf-8"),
        lambda place: place.lock.write_bytes(b"\xff{}"),
        lambda place: place.lock.write_text("", encoding="utf-8"),
        lambda place: (place.lock.unlink(), place.lock.mkdir()),
        lambda place: (place.lock.unlink(), place.lock.symlink_to("gone")),
    ],
)
def test_a_lock_that_cannot_be_used_is_one_clear_line(
    place: Place, damage: Callable[[Place], Any]
) -> None:
    """Ours: a damaged lock is never treated as no lock; exit status 2."""
    place.pin()
    damage(place)
    line = place.fails("report", str(place.config))
    assert "[PIN-05]" in line and str(place.lock) in line
    assert "[PIN-05]" in place.fails("pin", str(place.config))
    assert place.starts == 0


def test_a_peer_that_is_not_ready_is_pinned_without_tools(place: Place) -> None:
    """Design section 5: the command is known, what it offers is not."""
    place.server("server.py", "P02-error-32601")
    said = place.pin(status=3)
    assert "notes: pinned without tools: " in said
    lock = read_lock(lock_path(place.config))
    assert lock is not None and lock.tools == {"notes": None}
