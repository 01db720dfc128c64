"""Row C10 of the fault matrix: peers that ask back, on every way to a peer, whoever answers.

Each variant of the fakes meets somebody who says yes, somebody who says no, and nobody. The
variants stand in the test ids: `pytest -k C10-for-ever`.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from msgspec import Struct
from places import WAYS, Place, Way, tell

from fakes import FAULTS, Fake, fault, modern
from fakes.library.call_faults import STATE
from workbench import Handlers, accept, decline, fake_model
from workbench.core.errors import WorkbenchError

Who = Literal["yes", "no", "nobody"]
VARIANTS: Final = tuple(name for name in FAULTS if name.startswith("C10-"))
LONG_S: Final = 15.0
YES: Final = {"action": "accept", "content": {"sure": True}}
NO: Final = {"action": "decline"}


async def _no_text(asked: Any) -> None:
    return None


def handlers(who: Who) -> Handlers | None:
    """Return who answers what the peers ask back."""
    if who == "nobody":
        return None
    if who == "no":
        return Handlers(elicitation=lambda asked: decline(), sampling=_no_text)
    return Handlers(elicitation=lambda asked: accept({"sure": True}), sampling=fake_model("yes"))


class Expected(Struct, frozen=True):
    """What must come of one variant."""

    ended: str
    rule: str | None
    sent: int
    """Requests the peer gets."""


DONE: Final = Expected("result", None, 2)
UNDECLARED: Final = Expected("protocol error", "CALL-05", 1)
"""The peer asks for what nobody said could be given."""
CAPPED: Final = Expected("refused", "INPUT-03", 11)
ALIKE: Final = {
    "C10-state-only": DONE,
    "C10-unknown-kind": Expected("protocol error", "INPUT-04", 1),
    "C10-nothing": Expected("protocol error", "INPUT-01", 1),
}
"""Where it makes no difference who is there to answer."""
BY_ANSWER: Final[dict[str, dict[Who, Expected]]] = {
    "C10-confirm": {"yes": DONE, "no": DONE, "nobody": UNDECLARED},
    "C10-for-ever": {"yes": CAPPED, "no": CAPPED, "nobody": UNDECLARED},
    "C10-sampling": {
        "yes": DONE,
        "no": Expected("cancelled", "INPUT-07", 1),
        "nobody": UNDECLARED,
    },
}
STATES: Final = {"C10-confirm": STATE, "C10-for-ever": STATE, "C10-state-only": STATE}
"""What must be echoed, to the byte; the others give no state, and none is invented."""


def expected(name: str, who: Who) -> Expected:
    """Return what the matrix demands of one variant."""
    return ALIKE.get(name) or BY_ANSWER[name][who]


async def check(place: Place, name: str, who: Who) -> None:
    """Compare one variant with the matrix."""
    want = expected(name, who)
    await place.listed()
    try:
        result = await place.client.call("search", {"q": "x"}, timeout_s=LONG_S)
        assert result.text == 'search: {"q":"x"}'
    except WorkbenchError as raised:
        assert raised.failure.rule == want.rule, raised.failure.detail
    outcome = place.client.outcomes[-1]
    assert (str(outcome.ended), outcome.rule, outcome.sent) == (want.ended, want.rule, want.sent)
    first, *repeats = calls(place)
    assert len(repeats) == want.sent - 1
    assert len({body["id"] for body in (first, *repeats)}) == want.sent, "a new id each"
    assert not {"requestState", "inputResponses"} & set(first["params"])
    for body in repeats:
        check_repeat(body["params"], first["params"], name, who)


def calls(place: Place) -> list[dict[str, Any]]:
    """Return the calls the peer got, oldest first."""
    return [body for body in place.received() if body.get("method") == "tools/call"]


def check_repeat(params: dict[str, Any], first: dict[str, Any], name: str, who: Who) -> None:
    """Compare a repeated call with the first, and with what was asked."""
    for key in ("name", "arguments"):
        assert params[key] == first[key]
    assert params.get("requestState") == STATES.get(name)
    answers = params.get("inputResponses")
    if name == "C10-state-only":
        assert answers is None
    elif name == "C10-sampling":
        assert answers["text"]["content"] == {"type": "text", "text": "yes"}
    else:
        assert answers == {"sure": YES if who == "yes" else NO}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("who", ["yes", "no", "nobody"])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_peer_that_asks_back(name: str, who: Who, way: Way, tmp_path: Path) -> None:
    """Fault matrix C10; rules INPUT-01 to INPUT-07; the honest peer works all the same."""

    async def story(place: Place) -> None:
        await check(place, name, who)
        assert place.row().status == "ready", "a refusal costs the call, not the peer"
        assert (await place.client.call("fine", timeout_s=LONG_S)).text.startswith("fine")

    fakes: dict[str, Fake] = {"peer": fault(name), "good": modern("good", tools=["fine"])}
    settings = dict.fromkeys(fakes, {"discovery_timeout_ms": 10_000})
    tell(story, way, fakes, tmp_path, settings, handlers=handlers(who))


@pytest.mark.parametrize("way", WAYS)
def test_C10_confirm_is_read_and_others_answered_while_somebody_decides(
    way: Way, tmp_path: Path
) -> None:
    """Fault matrix C10: the reader is never blocked, neither this peer's nor another's."""
    both, served = asyncio.Barrier(2), asyncio.Event()

    async def story(place: Place) -> None:
        await place.listed()
        call: Callable[..., Any] = place.client.call
        # Neither is decided before the questions of both calls have been read.
        first, second = asyncio.ensure_future(call("search")), asyncio.ensure_future(call("create"))
        assert (await call("fine", timeout_s=LONG_S)).text.startswith("fine")
        served.set()
        assert {(await first).is_error, (await second).is_error} == {False}
        assert [one.rounds for one in place.client.outcomes] == [0, 1, 1]

    async def together(asked: Any) -> Any:
        await both.wait()
        await served.wait()
        return accept({"sure": True})

    fakes: dict[str, Fake] = {"peer": fault("C10-confirm"), "good": modern("good", tools=["fine"])}
    settings = dict.fromkeys(fakes, {"discovery_timeout_ms": 10_000})
    tell(story, way, fakes, tmp_path, settings, handlers=Handlers(elicitation=together))


def test_every_variant_has_one_verdict() -> None:
    """Fault matrix C10: none is missing, and none has two."""
    assert set(ALIKE) | set(BY_ANSWER) == set(VARIANTS)
    assert not set(ALIKE) & set(BY_ANSWER)
    assert all(set(answers) == {"yes", "no", "nobody"} for answers in BY_ANSWER.values())


@pytest.mark.parametrize("name", VARIANTS)
def test_the_check_itself_can_fail(name: str, tmp_path: Path) -> None:
    """Ours: a peer that asks nothing back passes for none of them."""

    async def story(place: Place) -> None:
        await check(place, name, "yes")

    with pytest.raises(AssertionError):
        tell(story, "memory", {"peer": modern()}, tmp_path, handlers=handlers("yes"))
