"""Row C09 of the fault matrix: answers whose bytes are odd, on every way to a peer.

Each variant of the fakes is either understood, or refused alone. Either way the reader
survives, so the next call of the same peer works, and so does the honest peer beside it.
The variants stand in the test ids: `pytest -k C09-BOM`.
"""

from pathlib import Path
from typing import Any, Final

import pytest
from places import WAYS, Place, Way, tell

from fakes import FAULTS, Fake, fault, modern
from workbench.core.errors import OutcomeUnknown, PeerAway, TookTooLong

VARIANTS: Final = tuple(name for name in FAULTS if name.startswith("C09-"))
PLAIN: Final = 'search: {"q":"x"}'
UNDERSTOOD: Final = {
    "C09-1-byte-chunks": PLAIN,
    "C09-5-MB-line": PLAIN,
    "C09-64-MiB": PLAIN,
    "C09-BOM": PLAIN,
    "C09-CRLF": PLAIN,
    "C09-line-separators": "one\u2028two\u2029three\u0085four",
    "C09-no-line-end": PLAIN,
}
"""What the call must give, character by character."""
REFUSED: Final = {
    "C09-NaN": "not JSON",
    "C09-bad-utf-8": "not valid UTF-8",
    "C09-batch": "a batch array",
    "C09-deep": "nested too deeply",
}
"""What must be said about the bytes."""
NOT_OVER_HTTP: Final = {
    "C09-no-line-end": "a body has no line ends to miss, and a server that exits before it has "
    "sent one is row C04",
}
"""Variants that mean nothing where no lines are read, with the reason."""
LATE_S: Final = 0.4
"""Deadline of calls that end by it; nothing asserts how long it took."""
LONG_S: Final = 15.0


def pairs() -> list[tuple[str, Way]]:
    """Return every variant with every way on which it means something."""
    return [
        (name, way)
        for name in VARIANTS
        for way in WAYS
        if not (way == "http" and name in NOT_OVER_HTTP)
    ]


async def understood(place: Place, name: str) -> None:
    """The answer is taken as if nothing were odd about it; what is no frame is noted."""
    result = await place.client.call("search", {"q": "x"}, timeout_s=LONG_S)
    assert (result.is_error, result.text) == (False, UNDERSTOOD[name])
    strays = [entry.what for entry in place.client.journal.entries("peer", "stray")]
    if name == "C09-64-MiB":
        (told,) = strays
        assert "67108864 bytes, the cap is 16777216" in told, "bounded memory"
    else:
        assert strays == []


async def refused(place: Place, name: str) -> None:
    """The bytes are never an answer: the call ends otherwise, and says what came."""
    # An HTTP exchange that ends without its answer needs no deadline to be over.
    ends = (TookTooLong, OutcomeUnknown) if place.way == "http" else TookTooLong
    with pytest.raises(ends) as caught:
        await place.client.call("search", {"q": "x"}, timeout_s=LATE_S)
    strays = " ".join(entry.what for entry in place.client.journal.entries("peer", "stray"))
    assert REFUSED[name] in strays
    if isinstance(caught.value, TookTooLong):
        assert REFUSED[name] in caught.value.failure.detail
    assert caught.value.failure.rule in ("CALL-03", "HTTP-05")


async def check(place: Place, name: str) -> None:
    """Compare one variant with the matrix."""
    await place.listed()
    await (understood if name in UNDERSTOOD else refused)(place, name)
    if name == "C09-no-line-end":
        with pytest.raises((PeerAway, OutcomeUnknown)):
            await place.client.call("search", timeout_s=LATE_S)
        return
    assert (await place.client.call("search", {"q": "x"}, timeout_s=LONG_S)).text == PLAIN
    assert place.row().status == "ready"
    assert place.methods().count("tools/call") == 2, "nothing is repeated"


@pytest.mark.parametrize(("name", "way"), pairs())
def test_odd_bytes_are_understood_or_refused_alone(name: str, way: Way, tmp_path: Path) -> None:
    """Fault matrix C09; the honest peer beside it works all the same."""

    async def story(place: Place) -> None:
        await check(place, name)
        assert place.row("good").status == "ready"
        assert (await place.client.call("fine", timeout_s=LONG_S)).text.startswith("fine")

    fakes: dict[str, Fake] = {"peer": fault(name), "good": modern("good", tools=["fine"])}
    settings = dict.fromkeys(fakes, {"discovery_timeout_ms": 10_000})
    tell(story, way, fakes, tmp_path, settings, recover=False)


def test_every_variant_has_one_verdict() -> None:
    """Fault matrix C09: none is missing, and none has two."""
    assert set(UNDERSTOOD) | set(REFUSED) == set(VARIANTS)
    assert not set(UNDERSTOOD) & set(REFUSED)


def test_what_is_left_out_over_http_exists_and_has_a_reason() -> None:
    """Ours: an exception that names nothing would hide a gap."""
    assert set(NOT_OVER_HTTP) < set(VARIANTS)
    assert all(len(reason.split()) > 5 for reason in NOT_OVER_HTTP.values())
    left_out = {(name, way) for name in VARIANTS for way in WAYS} - set(pairs())
    assert left_out == {(name, "http") for name in NOT_OVER_HTTP}


@pytest.mark.parametrize("name", sorted({*REFUSED, "C09-64-MiB", "C09-line-separators"}))
def test_the_check_itself_can_fail(name: str, tmp_path: Path) -> None:
    """Ours: a peer without any fault passes for none that must be noticed."""

    async def story(place: Place) -> None:
        await check(place, name)

    anything: Any = (AssertionError, pytest.fail.Exception, ValueError)
    with pytest.raises(anything):
        tell(story, "memory", {"peer": modern(tools=["search"])}, tmp_path)
