"""The text of a lock: the same for the same lock, and read strictly."""

import json
from typing import Any

import pytest

from workbench.core.errors import ConfigError
from workbench.core.pins.drift import ToolPin, digest_of
from workbench.core.pins.lock_text import VERSION, lock_text, read_lock_text
from workbench.core.pins.pins import FilePin, Hidden, Lock, PeerPin

STDIO = PeerPin(
    kind="stdio",
    allow_legacy=True,
    command="/bin/x",
    args=("-v", Hidden(digest="pbkdf2-sha256:00", shown="‹redacted›")),
    files={"executable": FilePin(path="/bin/x", sha256="00"), "args[0]": FilePin(path="/d")},
    env=("A",),
    env_allowlist=("B",),
    cwd="/tmp",
    tools={"\u202et": ToolPin(sha256="00", parts={"schema": "11"})},
)
HTTP = PeerPin(kind="http", allow_legacy=False, endpoint="https://h/", headers=("A",))
LOCK = Lock({"b": STDIO, "a": HTTP})


def sealed(document: dict[str, Any]) -> str:
    """Return the text of a document whose seal fits."""
    return json.dumps({**document, "seal": f"sha256:{digest_of(document['peers'])}"})


def refused(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read_lock_text(text, "mcp.lock.json", "pin it")
    assert caught.value.failure.rule == "PIN-05"
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_was_written_is_read_back() -> None:
    """Ours: round trip, hidden texts and files pinned by name included."""
    assert read_lock_text(lock_text(LOCK), "mcp.lock.json", "pin it") == LOCK


def test_the_text_is_sorted_and_does_not_depend_on_the_order() -> None:
    """Design section 5: deterministic."""
    text = lock_text(LOCK)
    assert text == lock_text(Lock({"a": HTTP, "b": STDIO}))
    assert text.endswith("}\n") and text.index('"a": {') < text.index('"b": {')
    assert list(json.loads(text)) == ["peers", "seal", "version"]
    assert "\u202e" not in text, "a mark that reorders a terminal is escaped"


def test_an_empty_lock_is_a_lock() -> None:
    """Ours: a configuration without peers can be pinned."""
    assert read_lock_text(lock_text(Lock({})), "", "") == Lock({})


def test_an_edit_by_hand_breaks_the_seal() -> None:
    """Ours: a permission typed into the lock was never accepted."""
    text = lock_text(LOCK).replace('"allow_legacy": false', '"allow_legacy": true')
    assert "the seal does not fit" in refused(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "the key version is missing"),
        ('{"version": true, "peers": {}}', "the key version is missing or no number"),
        ('{"version": 2, "peers": {}}', "version 2, and only version 1 is known"),
        ('{"version": 1, "peers": {}}', "seal"),
        (sealed({"version": VERSION, "peers": {}, "more": 1}), "more"),
        (sealed({"version": VERSION, "peers": {"a": {"kind": "http"}}}), "allow_legacy"),
        (
            sealed({"version": VERSION, "peers": {"a": {"kind": "pipe", "allow_legacy": False}}}),
            "kind",
        ),
        (
            sealed(
                {
                    "version": VERSION,
                    "peers": {"a": {"kind": "http", "allow_legacy": False, "sha": ""}},
                }
            ),
            "sha",
        ),
    ],
)
def test_anything_else_is_one_clear_line(text: str, said: str) -> None:
    """Ours: unknown keys and versions are refused, because they may mean a restriction."""
    line = refused(text)
    assert said in line and line.startswith("mcp.lock.json: the lock was not read")
    assert line.endswith("delete it and pin again: pin it")
