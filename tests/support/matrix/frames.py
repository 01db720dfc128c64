"""Row C09: answers whose bytes are odd.

Each variant of the fakes is either understood, or refused alone. Either way the reader
survives, so the next call of the same peer works.
"""

from functools import partial
from typing import Final

import pytest
from msgspec.structs import replace
from places import Place

from fakes import FAULTS, fault, modern
from matrix.scene import LATE_S, LONG_S, Cast, Scene, scene, with_a_good_one
from matrix.untouched import good_is_untouched
from workbench.core.errors import OutcomeUnknown, PeerAway, ProtocolViolation, TookTooLong

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
FOOLED: Final = frozenset({*REFUSED, "C09-64-MiB", "C09-line-separators"})
"""Variants that must be noticed."""


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
    if name == "C09-deep":  # its id can be read, so the call is over at once
        with pytest.raises(ProtocolViolation, match=REFUSED[name]) as broken:
            await place.client.call("search", {"q": "x"}, timeout_s=LONG_S)
        assert broken.value.failure.rule == "CALL-02"
        return
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


async def _told(name: str, place: Place) -> None:
    await check(place, name)
    await good_is_untouched(place)


def _cast(name: str) -> Cast:
    return replace(with_a_good_one(fault(name)), options={"recover": False})


def _honest() -> Cast:
    return Cast(fakes={"peer": modern(tools=["search"])})


def scenes() -> list[Scene]:
    """Return a scene for each variant of the fakes; each has one verdict."""
    assert set(UNDERSTOOD) | set(REFUSED) == set(VARIANTS)
    assert not set(UNDERSTOOD) & set(REFUSED)
    return [
        scene(
            name,
            partial(_told, name),
            partial(_cast, name),
            _honest if name in FOOLED else None,
            {"http": NOT_OVER_HTTP[name]} if name in NOT_OVER_HTTP else None,
        )
        for name in VARIANTS
    ]
