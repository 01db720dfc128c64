"""Events are found however the bytes are cut and the lines are ended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.wire.framing import Oversized
from workbench.core.wire.sse import LONGEST_RETRY_MS, SseEvent, SseParser

STREAM = (
    ": hello\n"
    "id: 1\nretry: 1500\ndata:\n\n"
    'event: message\ndata: {"a":\ndata: "grüße 🎉"}\n\n'
    "data:no space\ndata:  two spaces\n\n"
    "event: endpoint\ndata: /messages\nid: 2\n\n"
    "unknown: field\ndata\ndata: after an empty line\n\n"
    ":\n\n"
    "data: never ended"
)
EVENTS = [
    SseEvent('{"a":\n"grüße 🎉"}'.encode()),
    SseEvent(b"no space\n two spaces"),
    SseEvent(b"/messages", "endpoint"),
    SseEvent(b"\nafter an empty line"),
]
PIECES = st.lists(
    st.sampled_from(
        [b"\n", b"\r\n", b"\r", b"data: ", b"data:", b"data", b"id: 7", b"event: x", b": c"]
        + [b"retry: 5", b"abc", b" ", b":", "é\u2028".encode(), b"x" * 9, b"\xef\xbb\xbf", b"\0"]
    ),
    max_size=30,
)


def parsed(stream: bytes, cap: int = 1_000, step: int | None = None) -> SseParser | list:
    parser, events = SseParser(cap), []
    for at in range(0, len(stream), step or max(len(stream), 1)):
        events += parser.feed(stream[at : at + (step or len(stream))])
    return events


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_one_stream_cut_at_each_byte_gives_the_same_events(end: str, bom: bytes) -> None:
    """Case H08: LF, CR, CRLF, several data lines, BOM, emoji."""
    stream = bom + STREAM.replace("\n", end).encode()
    for cut in range(len(stream) + 1):
        parser = SseParser()
        assert parser.feed(stream[:cut]) + parser.feed(stream[cut:]) == EVENTS
        assert (parser.last_event_id, parser.retry_ms) == ("2", 1500)
        assert parser.is_inside, "the last event was not ended"


@given(PIECES, st.lists(st.integers(0, 12)), st.integers(1, 20))
def test_any_chunking_gives_the_same_events(pieces: list[bytes], cuts: list[int], cap: int) -> None:
    """Case H08: the cut between two reads has no meaning, for the cap neither."""
    stream = b"".join(pieces)
    whole = SseParser(cap)
    expected = whole.feed(stream)
    parser, events, rest = SseParser(cap), [], stream
    for length in cuts:
        events += parser.feed(rest[:length])
        rest = rest[length:]
    for index in range(len(rest)):
        events += parser.feed(rest[index : index + 1])
    assert events == expected
    assert (parser.last_event_id, parser.retry_ms, parser.is_inside) == (
        whole.last_event_id,
        whole.retry_ms,
        whole.is_inside,
    )


@given(st.lists(st.binary(max_size=30).map(lambda b: b.translate(None, b"\r\n")), max_size=6))
def test_data_lines_come_back_as_they_were_sent(lines: list[bytes]) -> None:
    """The HTML standard: data lines are joined by line feeds; bytes are not touched."""
    stream = b"".join(b"data: " + line + b"\n" for line in lines) + b"\n"
    data = b"\n".join(lines)
    assert SseParser().feed(stream) == ([SseEvent(data)] if data else [])


@pytest.mark.parametrize("step", [1, 7, 10_000])
@pytest.mark.parametrize(
    "lines", [[b"x" * 11], [b"x" * 5, b"y" * 6], [b"x" * 5_000], [b"x" * 9, b"", b"", b"z"]]
)
def test_an_event_over_the_cap_is_dropped_and_the_next_one_is_read(
    lines: list[bytes], step: int
) -> None:
    """Design 7.9: bounded; one bad event does not take the others down."""
    stream = b"".join(b"data: " + line + b"\r\n" for line in lines) + b"\r\ndata: next\r\n\r\n"
    data = b"\n".join(lines)
    (first, second) = parsed(stream, 10, step)
    assert isinstance(first, Oversized) and first.size == len(data)
    assert first.head == data[:10], "as much as the cap allows"
    assert second == SseEvent(b"next")


def test_an_event_of_exactly_the_cap_is_kept() -> None:
    """Ours: the cap counts data, not the field's name."""
    assert parsed(b"data: " + b"x" * 10 + b"\n\n", 10) == [SseEvent(b"x" * 10)]
    assert parsed(b"data:" + b"x" * 10 + b"\r\n\r\n", 10, 1) == [SseEvent(b"x" * 10)]


def test_an_endless_line_holds_no_more_than_the_cap() -> None:
    """Design 7.9: a stream without a line end cannot fill the memory."""
    parser = SseParser(100)
    for _ in range(1_000):
        assert parser.feed(b"data: " + b"x" * 1_000) == []
    assert len(parser._rest) <= 120


def test_an_endless_comment_is_no_event() -> None:
    """Spec: "clients must ignore such lines"; case: keep-alives."""
    parser = SseParser(10)
    assert parser.feed(b":" + b"x" * 100) + parser.feed(b"x\ndata: a\n\n") == [SseEvent(b"a")]


def test_an_id_without_data_is_remembered_and_one_with_nul_is_not() -> None:
    """Spec 2025-11-25: a priming event has an id and empty data."""
    parser = SseParser()
    assert parser.feed(b"id: a\ndata:\n\nid: b\0\n\nid: c\n") == []
    assert parser.last_event_id == "a", "an id counts when its event is ended"
    assert parser.feed(b"\nid\n\n") == []
    assert parser.last_event_id == ""


def test_a_resumed_stream_keeps_its_id_until_another_comes() -> None:
    """Spec 2025-11-25: `Last-Event-ID` is a cursor in one stream."""
    parser = SseParser(10, "9")
    parser.feed(b"data: x\n\n")
    assert parser.last_event_id == "9"
    parser.feed(b"id: 10\n\n")
    assert parser.last_event_id == "10"


@pytest.mark.parametrize("value", [b"-1", b"1.5", b"soon", b""])
def test_a_pause_that_is_no_number_is_ignored(value: bytes) -> None:
    """The HTML standard: only ASCII digits."""
    parser = SseParser()
    parser.feed(b"retry: " + value + b"\n\n")
    assert parser.retry_ms is None


def test_a_pause_is_bounded() -> None:
    """Design 7.9: a server cannot put us to sleep."""
    parser = SseParser()
    parser.feed(b"retry: " + b"9" * 50 + b"\n")
    assert parser.retry_ms == LONGEST_RETRY_MS


@pytest.mark.parametrize("cap", [0, -1])
def test_a_cap_that_is_not_positive_is_refused(cap: int) -> None:
    """Ours: there is no unbounded mode."""
    with pytest.raises(ValueError, match="positive"):
        SseParser(cap)
