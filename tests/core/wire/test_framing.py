"""Lines are found however the bytes are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.wire.framing import LineFramer, Oversized

PIECES = st.lists(
    st.sampled_from(
        [b"\n", b"\r\n", b"\r", b"a", b"bc", b'{"k":1}', "é\u2028\x85".encode(), b"x" * 9]
    )
)


def whole(stream: bytes, cap: int) -> list[bytes | Oversized]:
    framer = LineFramer(cap)
    return framer.feed(stream) + framer.end()


@given(PIECES, st.lists(st.integers(0, 12)), st.integers(1, 20))
def test_any_chunking_gives_the_same_frames(pieces: list[bytes], cuts: list[int], cap: int) -> None:
    """Case S03, S04, S08: the cut between two reads has no meaning."""
    stream = b"".join(pieces)
    framer, frames, rest = LineFramer(cap), [], stream
    for length in cuts:
        frames += framer.feed(rest[:length])
        rest = rest[length:]
    for index in range(len(rest)):
        frames += framer.feed(rest[index : index + 1])
    assert frames + framer.end() == whole(stream, cap)


@given(PIECES, st.integers(1, 20))
def test_the_frames_are_the_lines_and_the_cap_decides_alone_which_are_kept(
    pieces: list[bytes], cap: int
) -> None:
    """Spec: messages are delimited by newlines; ours: the cap counts content only."""
    stream = b"".join(pieces)
    lines = stream.split(b"\n")
    if not lines[-1]:
        lines.pop()
    content = [line[:-1] if line.endswith(b"\r") else line for line in lines]
    expected = [line if len(line) <= cap else Oversized(len(line), line) for line in content]
    assert whole(stream, cap) == expected


@pytest.mark.parametrize("text", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_unicode_line_separators_are_content(text: str) -> None:
    """Case S06: only the newline byte ends a frame."""
    frame = f'{{"text":"a{text}b"}}'.encode()
    assert whole(frame + b"\n", 100) == [frame]


def test_carriage_return_of_a_line_end_is_dropped_and_only_that_one() -> None:
    """Case S08: CRLF everywhere, also when it is cut in the middle."""
    framer = LineFramer()
    assert framer.feed(b"a\r\r\nb\rc\r") == [b"a\r"]
    assert framer.feed(b"\nd\r\n") == [b"b\rc", b"d"]


def test_blank_lines_are_frames() -> None:
    """Case S08: whoever reads decides what a blank line means (P13 needs to see it)."""
    assert whole(b"\n\r\n\n", 10) == [b"", b"", b""]


def test_last_frame_needs_no_line_end() -> None:
    """Case S08: the remainder at the end is a frame, once."""
    framer = LineFramer()
    assert framer.feed(b"a\nb") == [b"a"]
    assert framer.end() == [b"b"]
    assert framer.end() == []


def test_frame_of_exactly_the_cap_passes_and_one_byte_more_does_not() -> None:
    """Case S03: cap+1, with both line ends."""
    assert whole(b"x" * 8 + b"\r\n" + b"y" * 9 + b"\r\nz\n", 8) == [
        b"x" * 8,
        Oversized(9, b"y" * 9),
        b"z",
    ]


def test_endless_line_is_counted_and_not_kept() -> None:
    """Case S04: the next line is read as if nothing had happened."""
    framer = LineFramer(1000)
    for _ in range(10_000):
        assert framer.feed(b"x" * 100) == []
        assert len(framer._held) <= 1001
    assert framer.feed(b"\nnext\n") == [Oversized(1_000_000, b"x" * 200), b"next"]


def test_cap_must_be_positive() -> None:
    """Ours: a cap of nothing would refuse every peer."""
    with pytest.raises(ValueError, match="must be positive"):
        LineFramer(0)
