import threading

import msgspec

from fakes.recording import Exchange, Recording


def test_bodies_and_everything_else_are_kept_apart() -> None:
    """Ours: a frame that is no object is shown as safe text; a blank one is nothing."""
    recording = Recording()
    for frame in (b'{"a":1}', b"[1]", b"\xff", b" \n"):
        recording.note(frame)
    assert recording.received == [{"a": 1}]
    assert len(recording.unreadable) == 2


def test_an_exchange_is_completed_bit_by_bit_and_never_changed_in_place() -> None:
    """Ours: whoever holds an exchange holds what was known then."""
    recording = Recording()
    first = Exchange(method="POST", path="/mcp", headers={"host": "x"})
    number = recording.opened(first)
    recording.update(number, status=200)
    recording.update(number, ended="answered")
    (now,) = recording.exchanges
    assert (now.status, now.ended) == (200, "answered")
    assert (first.status, first.ended) == (None, "open")
    assert msgspec.structs.replace(first, status=200, ended="answered") == now


def test_whoever_waits_is_woken_by_each_change() -> None:
    """Ours: no polling."""
    recording = Recording()
    recording.changed = threading.Condition()
    with recording.changed:
        writer = threading.Thread(target=lambda: recording.did("paid"))
        writer.start()
        assert recording.changed.wait_for(lambda: recording.effects == ["paid"], 5)
    writer.join(5)
    assert not writer.is_alive()
