"""The lock beside a configuration, and the guard that goes by it."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from workbench.core.config.config import PeerConfig, WorkbenchConfig
from workbench.core.errors import ConfigError
from workbench.core.pins.pins import Lock
from workbench.pinning import Guard, accept_command, guard_of, lock_path, read_lock, write_lock
from workbench.transports.fingerprint import Fingerprint
from workbench.transports.pinned import PinnedEndpoint
from workbench.transports.recipes import UnreachableEndpoint, endpoint_for

CONFIG = PeerConfig(name="p", command=sys.executable)


class InMemory:
    """An endpoint that starts nothing."""

    kind = "memory"
    identity = "fake"


def lock_of(*configs: PeerConfig) -> Lock:
    return Lock({config.name: Fingerprint(config, {}).take() for config in configs})


def fault(call: object, *args: object, **options: object) -> str:
    with pytest.raises(ConfigError) as caught:
        call(*args, **options)  # type: ignore[operator]
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("config", "lock"),
    [
        ("/a/mcp.json", "/a/mcp.lock.json"),
        ("/a/demo.mcp.json", "/a/demo.mcp.lock.json"),
        ("/a/.mcp.json", "/a/.mcp.lock.json"),
        ("/a/config", "/a/config.lock.json"),
    ],
)
def test_a_lock_is_beside_its_configuration(config: str, lock: str) -> None:
    """Design section 5; ours: two configurations in one folder do not share a lock."""
    assert lock_path(config) == lock


def test_a_path_from_home_or_from_here_becomes_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: as for the configuration itself."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert lock_path("~/mcp.json") == lock_path("mcp.json") == str(tmp_path / "mcp.lock.json")


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    """Ours: and nothing else is left in the folder."""
    path, lock = tmp_path / "mcp.lock.json", lock_of(CONFIG)
    assert read_lock(path) is None
    write_lock(path, Lock({}))
    write_lock(path, lock)
    assert read_lock(path) == lock
    assert [one.name for one in tmp_path.iterdir()] == ["mcp.lock.json"]


def test_a_folder_that_is_gone_leaves_no_half_lock(tmp_path: Path) -> None:
    """Ours: one clear line that names the file."""
    line = fault(write_lock, tmp_path / "gone" / "mcp.lock.json", Lock({}))
    assert "[PIN-06]" in line and "mcp.lock.json" in line
    (tmp_path / "folder.lock.json").mkdir()
    fault(write_lock, tmp_path / "folder.lock.json", Lock({}))
    assert [one.name for one in tmp_path.iterdir()] == ["folder.lock.json"]


def test_a_file_that_is_far_too_long_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design section 7.9: everything is bounded."""
    monkeypatch.setattr("workbench.pinning.MOST_BYTES", 10)
    path = tmp_path / "mcp.lock.json"
    path.write_text(" " * 11, encoding="utf-8")
    assert "longer than 10 bytes" in fault(read_lock, path)


def test_a_lock_is_demanded_of_a_file_only_when_asked_for(tmp_path: Path) -> None:
    """Design section 5: without a lock the configuration itself is the allowlist."""
    config = WorkbenchConfig(peers=(CONFIG,), source=str(tmp_path / "mcp.json"))
    assert guard_of(config, locked=False) is None
    assert "[PIN-04]" in fault(guard_of, config, locked=True)
    assert "[PIN-04]" in fault(guard_of, replace(config, source=""), locked=True)
    write_lock(tmp_path / "mcp.lock.json", lock_of(CONFIG))
    found = guard_of(config, locked=True)
    assert found is not None and found.lock == lock_of(CONFIG)
    assert "[PIN-05]" in _damaged(config, tmp_path)


def _damaged(config: WorkbenchConfig, folder: Path) -> str:
    (folder / "mcp.lock.json").write_text("{}", encoding="utf-8")
    return fault(guard_of, config, locked=False)


def test_the_guard_wraps_a_command_and_passes_what_starts_nothing() -> None:
    """Design section 5."""
    web = PeerConfig(name="web", url="http://127.0.0.1:9/")
    guard = Guard(lock_of(CONFIG, web), "mcp.json", environ={})
    command, address = endpoint_for(CONFIG, {}), endpoint_for(web, {})
    assert isinstance(guard.endpoint(CONFIG, command), PinnedEndpoint)
    assert guard.endpoint(web, address) is address
    fake = InMemory()
    assert guard.endpoint(PeerConfig(name="fake"), fake) is fake  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "config",
    [
        replace(CONFIG, args=("-v",)),
        replace(CONFIG, name="q"),
        PeerConfig(name="p", url="http://127.0.0.1:9/"),
    ],
)
def test_the_guard_replaces_what_differs_by_its_reason(config: PeerConfig) -> None:
    """Design section 5: refused with a readable difference, when loaded."""
    guard = Guard(lock_of(CONFIG), "mcp.json", environ={})
    assert isinstance(guard.endpoint(config, endpoint_for(config, {})), UnreachableEndpoint)


def test_a_pinned_peer_that_is_gone_is_a_warning() -> None:
    """Ours: nothing can be started by mistake, but somebody should know."""
    guard = Guard(lock_of(CONFIG), "mcp.json")
    assert guard.warnings(["p"]) == ()
    (line,) = guard.warnings(["q"])
    assert "peer p" in line and line.endswith(accept_command("mcp.json"))
