"""What `pin` is about to do, before anything is started; the whole command is a story."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.cli_pin import plan_of
from workbench.core.errors import ConfigError
from workbench.pinning import write_lock


def config(folder: Path, **peers: dict[str, Any]) -> str:
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": peers}), encoding="utf-8")
    return str(path)


def peer(*args: str, **settings: Any) -> dict[str, Any]:
    return {"command": sys.executable, "args": list(args), **settings}


def refused(*arguments: Any, **options: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        plan_of(*arguments, **options)
    return str(caught.value)


def test_a_plan_holds_every_peer_and_starts_none(tmp_path: Path) -> None:
    """Ours: everything that can be refused is refused before the first process."""
    path = config(tmp_path, b=peer("-c", "raise SystemExit"), a={"url": "http://127.0.0.1:9/"})
    plan = plan_of(path)
    assert (list(plan.lock.peers), plan.before) == (["a", "b"], None)
    assert plan.path == str(tmp_path / "mcp.lock.json")
    assert [one.name for one in tmp_path.iterdir()] == ["mcp.json"]


def test_only_a_changed_target_needs_the_permission_again(tmp_path: Path) -> None:
    """Seed skill item 4: the permission is for that exact peer."""
    path = config(tmp_path, old=peer("-v", allow_legacy=True))
    write_lock(tmp_path / "mcp.lock.json", plan_of(path).lock)
    config(tmp_path, old=peer("-v", allow_legacy=True, env={"A": "1"}), new=peer(allow_legacy=True))
    plan_of(path)
    config(tmp_path, old=peer("-w", allow_legacy=True))
    line = refused(path)
    assert "[PIN-07]" in line and f"mcp-workbench pin {path} --allow-legacy old" in line
    assert plan_of(path, allow_legacy=["old"]).lock.peers["old"].allow_legacy is True
    config(tmp_path, old=peer("-w"))
    assert plan_of(path).lock.peers["old"].allow_legacy is False


def test_data_stays_data_while_its_argument_is_the_same(tmp_path: Path) -> None:
    """Ours: a second pin needs no memory of the first one's options."""
    data = tmp_path / "x.db"
    data.write_text("1", encoding="utf-8")
    path = config(tmp_path, p=peer(str(data)))
    first = plan_of(path, data=["p:0"])
    assert first.lock.peers["p"].files["args[0]"].sha256 is None
    write_lock(first.path, first.lock)
    assert plan_of(path).lock == first.lock
    config(tmp_path, p=peer(str(data), "-v"))
    assert plan_of(path).lock.peers["p"].files["args[0]"].sha256 is not None


@pytest.mark.parametrize("text", ["p", "p:", "p:1", "p:-1", "p:²", "q:0", ":0"])
def test_data_that_is_no_argument_is_refused(tmp_path: Path, text: str) -> None:
    """Ours: a typing error must not pin less than was meant, nor crash."""
    assert f"--data {text}" in refused(config(tmp_path, p=peer("-v")), data=[text])


def test_what_cannot_be_read_is_not_pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a pin without a digest would accept any content."""
    monkeypatch.setattr("workbench.transports.fingerprint.sha256_of", lambda path: None)
    assert "executable" in refused(config(tmp_path, p=peer("-v")))
