"""Row C10: peers that ask back; somebody says yes, somebody says no, or nobody is there."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace
from places import Place, Way

from fakes import FAULTS, fault, modern
from fakes.library.call_faults import STATE
from matrix.scene import LONG_S, Cast, Scene, perform, scene, with_a_good_one
from matrix.untouched import good_is_untouched
from workbench import Handlers, accept, decline, fake_model
from workbench.core.errors import WorkbenchError

Who = Literal["yes", "no", "nobody"]
VARIANTS: Final = tuple(name for name in FAULTS if name.startswith("C10-"))
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


async def _told(name: str, who: Who, place: Place) -> None:
    await check(place, name, who)
    assert place.row().status == "ready", "a refusal costs the call, not the peer"
    await good_is_untouched(place)


def _cast(name: str, who: Who) -> Cast:
    return replace(with_a_good_one(fault(name)), options={"handlers": handlers(who)})


def _nobody_asks() -> Cast:
    return Cast(fakes={"peer": modern()}, options={"handlers": handlers("yes")})


class _Somebody:
    """Decides nothing before two questions are here and another call is done."""

    def __init__(self) -> None:
        self.both, self.served = asyncio.Barrier(2), asyncio.Event()

    async def answer(self, asked: Any) -> Any:
        await self.both.wait()
        await self.served.wait()
        return accept({"sure": True})


def _nobody_waits() -> Scene:
    """Return the scene of the reader, which is never blocked: neither this peer's nor another's."""

    def play(way: Way, folder: Path) -> None:
        somebody = _Somebody()

        async def story(place: Place) -> None:
            await place.listed()
            call: Callable[..., Any] = place.client.call
            # Neither is decided before the questions of both calls have been read.
            first, second = (asyncio.ensure_future(call(name)) for name in ("search", "create"))
            assert (await call("fine", timeout_s=LONG_S)).text.startswith("fine")
            somebody.served.set()
            assert {(await first).is_error, (await second).is_error} == {False}
            assert [one.rounds for one in place.client.outcomes] == [0, 1, 1]

        cast = with_a_good_one(fault("C10-confirm"))
        answers = Handlers(elicitation=somebody.answer)
        perform(story, replace(cast, options={"handlers": answers}), way, folder)

    return Scene(id="C10-nobody-waits", play=play)


def scenes() -> list[Scene]:
    """Return three scenes for each variant of the fakes, and one of patience."""
    assert set(ALIKE) | set(BY_ANSWER) == set(VARIANTS)
    assert not set(ALIKE) & set(BY_ANSWER)
    assert all(set(answers) == set(get_args(Who)) for answers in BY_ANSWER.values())
    return [
        *(
            scene(
                f"{name}-{who}",
                partial(_told, name, who),
                partial(_cast, name, who),
                _nobody_asks if who == "yes" else None,
            )
            for name in VARIANTS
            for who in get_args(Who)
        ),
        _nobody_waits(),
    ]
