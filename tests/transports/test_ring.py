"""The newest bytes stay, the memory is bounded, the text is safe."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.transports.ring import ByteRing


@given(st.lists(st.binary(max_size=40)), st.integers(1, 16))
def test_newest_bytes_are_kept_however_they_are_cut(chunks: list[bytes], cap: int) -> None:
    """Case S11: bounded by bytes, since progress bars have no line ends."""
    ring = ByteRing(cap)
    for chunk in chunks:
        ring.feed(chunk)
        assert len(ring._held) <= 2 * cap
    assert ring.newest() == b"".join(chunks)[-cap:]


def test_tail_is_the_last_lines_and_safe_to_show() -> None:
    """Design 7.10: what a peer writes is data, not terminal commands."""
    ring = ByteRing()
    ring.feed(b"first\n\nred \x1b[31mtext\rprogress 10%\rprogress 99%\nbad \xff byte\n")
    assert ring.tail(4).splitlines() == [
        "red \\x1b[31mtext",
        "progress 10%",
        "progress 99%",
        "bad \\xff byte",
    ]


def test_ring_must_hold_something() -> None:
    """Ours: a ring of nothing would hide why a peer died."""
    with pytest.raises(ValueError, match="must hold"):
        ByteRing(0)
