"""The interpreter of a script: one event in, outputs with a time out; pure.

Takes:  a `State` (it holds the whole program), one event, the present time in seconds
Gives:  the next state and the outputs, each with the absolute time `at` it is due
Never:  waits, reads a clock or writes; hosts do, and an output due later never holds up
        one that is due now

Order: the first rule whose condition fits and whose turn it is replaces the normal
behaviour; every rule counts every message that fits it, whoever acts.
"""

from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from fakes.eras.answers import answer
from fakes.eras.session import Session
from fakes.lines import Line, answer_line, notification_line, raw_line, request_line
from fakes.match import Moment
from fakes.program import Program
from fakes.steps import (
    Answer,
    Ask,
    Close,
    Default,
    Delay,
    Effect,
    Error,
    Exit,
    Grandchild,
    Notify,
    Raw,
    Reply,
    Silence,
    Stderr,
    Step,
    Stubborn,
)
from workbench.core.wire.codec import decode
from workbench.core.wire.envelope import error_reply
from workbench.core.wire.keys import CANCELLED, INVALID_REQUEST, PARSE_ERROR
from workbench.core.wire.message import (
    Fault,
    Malformed,
    Notification,
    Request,
    RequestId,
    same_id,
)


class Started(Struct, frozen=True):
    """The fake has started; `lifetime` counts its processes or links from 1."""

    lifetime: int = 1


class Heard(Struct, frozen=True):
    """One frame from the client, without its line end."""

    frame: bytes


class Told(Struct, frozen=True):
    """The test wants these steps done now."""

    steps: tuple[Step, ...]


class InputEnded(Struct, frozen=True):
    """The client will send nothing more."""


FakeEvent: TypeAlias = Started | Heard | Told | InputEnded


class Write(Struct, frozen=True, kw_only=True):
    """Write to the client."""

    at: float
    line: Line
    drop_with: RequestId | None = None
    """Not written any more once this request has been cancelled."""


class WriteStderr(Struct, frozen=True, kw_only=True):
    """Write diagnostics."""

    at: float
    line: Line


class Do(Struct, frozen=True, kw_only=True):
    """An effect, or something only a process can do."""

    at: float
    step: Effect | Stubborn | Grandchild
    drop_with: RequestId | None = None


class End(Struct, frozen=True, kw_only=True):
    """End the output, and the process too unless it `stays`."""

    at: float
    status: int = 0
    stays: bool = False


class Forget(Struct, frozen=True, kw_only=True):
    """Drop everything pending that was to be dropped with this request."""

    at: float
    request_id: RequestId


Output: TypeAlias = Write | WriteStderr | Do | End | Forget


class Held(Struct, frozen=True):
    """Steps that wait for the client's answer to a request of ours."""

    id: RequestId
    steps: tuple[Step, ...]
    message: Request | Notification | None


class State(Struct, frozen=True, kw_only=True):
    """Everything a fake knows in one lifetime."""

    program: Program
    session: Session
    counts: tuple[int, ...]
    """How often each rule's condition has fitted."""
    lifetime: int = 1
    held: tuple[Held, ...] = ()
    used: frozenset[int] = frozenset()
    """Indexes of the rules that have acted."""


def begin(program: Program) -> State:
    """Return the state before anything has happened."""
    return State(
        program=program,
        session=Session(name=program.name),
        counts=(0,) * len(program.rules),
    )


def react(state: State, event: FakeEvent, now: float) -> tuple[State, tuple[Output, ...]]:
    """Return the next state, and what to do when.

    Args:
        state: what `begin` or the last `react` returned.
        event: what happened.
        now: seconds of the host's clock; outputs carry times of the same clock.
    """
    match event:
        case Heard(frame):
            return _heard(state, frame, now)
        case Told(steps):
            return _perform(state, steps, None, now)
        case Started(lifetime):
            state = msgspec.structs.replace(state, lifetime=lifetime)
            state, scripted = _moment(state, "start")
            return _perform(state, scripted or (), None, now)
        case InputEnded():
            state, scripted = _moment(state, "input end")
            return _perform(state, scripted or (Exit(0),), None, now)


def _heard(state: State, frame: bytes, now: float) -> tuple[State, tuple[Output, ...]]:
    message = decode(frame)
    if isinstance(message, Request | Notification):
        return _asked(state, message, now)
    if not isinstance(message, Malformed):
        return _answered(state, message.id, now)
    if message.fault is Fault.BLANK:
        return state, ()
    unreadable = (Fault.NOT_JSON, Fault.NOT_UTF8, Fault.TOO_DEEP, Fault.TOO_LONG)
    code, text = (
        (PARSE_ERROR, "Parse error") if message.fault in unreadable else
        (INVALID_REQUEST, "Invalid Request")
    )  # fmt: skip
    return state, (Write(at=now, line=Line(_json(error_reply(message.id, code, text)))),)


def _asked(
    state: State, message: Request | Notification, now: float
) -> tuple[State, tuple[Output, ...]]:
    fits = [
        rule.on.concerns(message.method, message.params, state.lifetime)
        for rule in state.program.rules
    ]
    state, scripted = _turn(state, fits)
    state, outputs = _perform(state, scripted or (Default(),), message, now)
    if message.method == CANCELLED and isinstance(message, Notification):
        cancelled = message.params.get("requestId")
        if isinstance(cancelled, int | str):
            return state, (Forget(at=now, request_id=cancelled), *outputs)
    return state, outputs


def _answered(
    state: State, answer_id: RequestId | None, now: float
) -> tuple[State, tuple[Output, ...]]:
    for held in state.held:
        if same_id(held.id, answer_id):
            rest = tuple(other for other in state.held if other is not held)
            state = msgspec.structs.replace(state, held=rest)
            return _perform(state, held.steps, held.message, now)
    return state, ()


def _moment(state: State, moment: Moment) -> tuple[State, tuple[Step, ...] | None]:
    fits = [rule.on.concerns_moment(moment, state.lifetime) for rule in state.program.rules]
    return _turn(state, fits)


def _turn(state: State, fits: list[bool]) -> tuple[State, tuple[Step, ...] | None]:
    """Count this moment for every rule it fits; return the steps of the one that acts."""
    counts = tuple(count + fit for count, fit in zip(state.counts, fits, strict=True))
    state = msgspec.structs.replace(state, counts=counts)
    for index, rule in enumerate(state.program.rules):
        if fits[index] and rule.on.is_turn(counts[index]):
            return msgspec.structs.replace(state, used=state.used | {index}), rule.then
    return state, None


class _Run:
    """The outputs of one list of steps, as they are collected."""

    def __init__(self, message: Request | Notification | None, now: float) -> None:
        self.message = message
        self.at = now
        self.drop_with: RequestId | None = None
        self.outputs: list[Output] = []

    def write(self, line: Line) -> None:
        self.outputs.append(Write(at=self.at, line=line, drop_with=self.drop_with))


def _perform(
    state: State, steps: tuple[Step, ...], message: Request | Notification | None, now: float
) -> tuple[State, tuple[Output, ...]]:
    run = _Run(message, now)
    for index, step in enumerate(steps):
        if isinstance(step, Default):
            state = _default(state, step, run)
            continue
        _one(state, step, run)
        if isinstance(step, Ask) and step.wait:
            held = Held(step.id, steps[index + 1 :], message)
            state = msgspec.structs.replace(state, held=(*state.held, held))
            break
    return state, tuple(run.outputs)


def _default(state: State, edits: Default, run: _Run) -> State:
    message = run.message
    if message is None:
        return state
    session, steps = answer(state.program.server, state.session, message)
    state = msgspec.structs.replace(state, session=session)
    for step in steps:
        _one(state, _edited(step, edits) if isinstance(step, Answer) else step, run)
    return state


def _edited(honest: Reply | Error | Default, edits: Default) -> Answer:
    result: Any = None
    if isinstance(honest, Reply):
        result = honest.result
        if isinstance(result, dict):
            result = {**result, **edits.patch}
            result = {key: value for key, value in result.items() if key not in edits.without}
    common = {name: getattr(edits, name) for name in Answer.__struct_fields__}
    if isinstance(honest, Error):
        return msgspec.structs.replace(honest, **common)
    return Reply(result=result, **common)


def _one(state: State, step: Step | Answer, run: _Run) -> None:
    match step:
        case Delay():
            run.at += step.seconds
            if step.cancellable and isinstance(run.message, Request):
                run.drop_with = run.message.id
        case Silence():
            pass
        case Reply() | Error():
            if isinstance(run.message, Request):
                run.write(answer_line(step, run.message))
        case Raw():
            run.write(raw_line(step, run.message))
        case Notify():
            _notify(state, step, run)
        case Ask():
            run.write(request_line(step, run.message))
        case _:
            _act(step, run)


def _act(step: Step | Answer, run: _Run) -> None:
    match step:
        case Stderr():
            text = step.text + "\n" if step.newline else step.text
            line = Line(text.encode(), times=step.times)
            run.outputs.append(WriteStderr(at=run.at, line=line))
        case Effect() | Stubborn() | Grandchild():
            run.outputs.append(Do(at=run.at, step=step, drop_with=run.drop_with))
        case Close():
            run.outputs.append(End(at=run.at, stays=step.stays))
        case Exit():
            run.outputs.append(End(at=run.at, status=step.status))


def _notify(state: State, step: Notify, run: _Run) -> None:
    if not step.listeners or state.session.era == "legacy":
        run.write(notification_line(step, run.message))
        return
    for stream in state.session.streams:
        if step.method != "notifications/tools/list_changed" or stream.wanted:
            run.write(notification_line(step, run.message, stream.id))


def _json(body: dict[str, Any]) -> bytes:
    return msgspec.json.encode(body) + b"\n"
