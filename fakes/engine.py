"""The interpreter of a script: one event in, outputs with a time out; pure.

Takes:  a `State` (it holds the whole program), one event, the present time in seconds
Gives:  the next state and the outputs, each with the absolute time `at` it is due
Never:  waits, reads a clock or writes; hosts do, and an output due later never holds up
        one that is due now

A host that serves several clients at once numbers where a message comes from (`origin`);
outputs carry the number of the message they belong to. On one pipe all are 0.

Order: the first rule whose condition fits and whose turn it is replaces the normal
behaviour; every rule counts every message that fits it, whoever acts.
"""

from collections import deque
from typing import Any, Final

import msgspec
from msgspec import Struct

from fakes.eras.answers import answer
from fakes.eras.session import Scene, Session
from fakes.events import FakeEvent, Gone, Heard, InputEnded, Started, StreamOpened, Told
from fakes.http_steps import As, Deliver, HangUp, Status
from fakes.line import Line, answer_line, notification_line, raw_line, request_line
from fakes.match import Moment
from fakes.outputs import Do, End, Forget, Output, Over, Write, WriteStderr
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

_UNEDITED: Final = Default()


class Held(Struct, frozen=True):
    """Steps that wait for the client's answer to a request of ours."""

    id: RequestId
    steps: tuple[Step, ...]
    message: Request | Notification | None
    scene: Scene


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
    secret: bytes = b""
    """Protects what the server hands out and wants back unchanged."""


def begin(program: Program, secret: bytes = b"") -> State:
    """Return the state before anything has happened.

    Args:
        program: what to play.
        secret: chance, drawn by the host, for what must not be forged.
    """
    return State(
        secret=secret,
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
    scene = Scene(now=now, secret=state.secret, lifetime=state.lifetime)
    match event:
        case Heard(frame, origin, principal):
            scene = msgspec.structs.replace(scene, origin=origin, principal=principal)
            return _heard(state, frame, scene)
        case Told(steps):
            return _perform(state, steps, None, scene)
        case Gone(origin):
            return _gone(state, origin), ()
        case StreamOpened(origin):
            state, scripted = _moment(state, "get")
            scene = msgspec.structs.replace(scene, origin=origin)
            return _perform(state, scripted or (), None, scene)
        case Started(lifetime):
            state = msgspec.structs.replace(state, lifetime=lifetime)
            state, scripted = _moment(state, "start")
            tape = state.program.server.tape
            unasked = scripted or (tape.life(lifetime).start if tape is not None else ())
            return _perform(state, unasked, None, scene)
        case InputEnded():
            state, scripted = _moment(state, "input end")
            return _perform(state, scripted or (Exit(0),), None, scene)


def _heard(state: State, frame: bytes, scene: Scene) -> tuple[State, tuple[Output, ...]]:
    message = decode(frame)
    if isinstance(message, Request | Notification):
        return _asked(state, message, scene)
    if not isinstance(message, Malformed):
        return _answered(state, message.id, scene.now)
    if message.fault is Fault.BLANK:
        return state, ()
    unreadable = (Fault.NOT_JSON, Fault.NOT_UTF8, Fault.TOO_DEEP, Fault.TOO_LONG)
    code, text = (
        (PARSE_ERROR, "Parse error") if message.fault in unreadable else
        (INVALID_REQUEST, "Invalid Request")
    )  # fmt: skip
    refusal = Line(_json(error_reply(message.id, code, text)))
    at, origin = scene.now, scene.origin
    return state, (Write(at=at, line=refusal, origin=origin), Over(at=at, origin=origin))


def _gone(state: State, origin: int) -> State:
    kept = tuple(stream for stream in state.session.streams if stream.origin != origin)
    return msgspec.structs.replace(
        state,
        session=state.session.with_(streams=kept),
        held=tuple(one for one in state.held if one.scene.origin != origin),
    )


def _asked(
    state: State, message: Request | Notification, scene: Scene
) -> tuple[State, tuple[Output, ...]]:
    fits = [
        rule.on.concerns(message.method, message.params, state.lifetime)
        for rule in state.program.rules
    ]
    state, scripted = _turn(state, fits)
    state, outputs = _perform(state, scripted or (Default(),), message, scene)
    if message.method == CANCELLED and isinstance(message, Notification):
        cancelled = message.params.get("requestId")
        if isinstance(cancelled, int | str):
            return state, (Forget(at=scene.now, request_id=cancelled), *outputs)
    return state, outputs


def _answered(
    state: State, answer_id: RequestId | None, now: float
) -> tuple[State, tuple[Output, ...]]:
    for held in state.held:
        if same_id(held.id, answer_id):
            rest = tuple(other for other in state.held if other is not held)
            state = msgspec.structs.replace(state, held=rest)
            scene = msgspec.structs.replace(held.scene, now=now)
            return _perform(state, held.steps, held.message, scene)
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

    def __init__(self, message: Request | Notification | None, scene: Scene) -> None:
        self.message = message
        self.at = scene.now
        self.origin = scene.origin
        self.answered = False
        self.drop_with: RequestId | None = None
        self.outputs: list[Output] = []

    def write(self, line: Line, *, origin: int | None = None, aside: bool = False) -> None:
        origin = self.origin if origin is None else origin
        write = Write(at=self.at, line=line, drop_with=self.drop_with, origin=origin, aside=aside)
        self.outputs.append(write)


def _perform(
    state: State, steps: tuple[Step, ...], message: Request | Notification | None, scene: Scene
) -> tuple[State, tuple[Output, ...]]:
    run, todo = _Run(message, scene), deque(steps)
    while todo:
        step = todo.popleft()
        if isinstance(step, Default):
            state, honest = _honest(state, step, message, scene)
            todo.extendleft(reversed(honest))
            continue
        _one(state, step, run)
        if isinstance(step, Ask) and step.wait:
            held = Held(step.id, tuple(todo), message, scene)
            state = msgspec.structs.replace(state, held=(*state.held, held))
            return state, tuple(run.outputs)
    if run.answered and isinstance(message, Request):
        run.outputs.append(Over(at=run.at, origin=scene.origin))
    return state, tuple(run.outputs)


def _honest(
    state: State, edits: Default, message: Request | Notification | None, scene: Scene
) -> tuple[State, tuple[Step, ...]]:
    """Return what the server does by itself, with the edits."""
    if message is None:
        return state, ()
    session, steps = answer(state.program.server, state.session, message, scene)
    edited = (_edited(step, edits) if isinstance(step, Reply | Error) else step for step in steps)
    return msgspec.structs.replace(state, session=session), tuple(edited)


def _edited(honest: Reply | Error, edits: Default) -> Reply | Error:
    result: Any = None
    if isinstance(honest, Reply):
        result = honest.result
        if isinstance(result, dict):
            result = {**result, **edits.patch}
            result = {key: value for key, value in result.items() if key not in edits.without}
    # What an answer from a recording already has stays, unless the edit says something else.
    common = {
        name: value
        for name in Answer.__struct_fields__
        if (value := getattr(edits, name)) != getattr(_UNEDITED, name)
    }
    if isinstance(honest, Error):
        return msgspec.structs.replace(honest, **common)
    return msgspec.structs.replace(honest, result=result, **common)


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
                run.answered = True
                run.write(answer_line(step, run.message))
        case Raw():
            run.answered = True
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
        case Effect() | Stubborn() | Grandchild() | As() | Deliver() | HangUp() | Status():
            do = Do(at=run.at, step=step, drop_with=run.drop_with, origin=run.origin)
            run.outputs.append(do)
        case Close():
            run.outputs.append(End(at=run.at, stays=step.stays))
        case Exit():
            run.outputs.append(End(at=run.at, status=step.status))


def _notify(state: State, step: Notify, run: _Run) -> None:
    if not step.listeners or state.session.era == "legacy":
        run.write(notification_line(step, run.message), aside=step.listeners)
        return
    for stream in state.session.streams:
        if stream.wants(step.method):
            line = notification_line(step, run.message, stream.id)
            run.write(line, origin=stream.origin)


def _json(body: dict[str, Any]) -> bytes:
    return msgspec.json.encode(body) + b"\n"
