"""A server that was recorded, and says again what it said.

Takes:  the server with its tape, its session, one request or notification
Gives:  the next session and the recorded steps
Never:  makes an answer up: what was not recorded gets an error that says so

An unknown method is answered with -32601, a known one with other params with -32602.
"""

import msgspec

from fakes.eras.modern import ACKNOWLEDGED, LISTEN, noted
from fakes.eras.session import Scene, Session, Stream
from fakes.server import Server
from fakes.steps import Error, Notify, Reply, Step
from fakes.tape import Take, Tape, key_of
from workbench.core.text.visible import visible
from workbench.core.wire.keys import (
    INITIALIZE,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    PROGRESS,
    VERSION_KEY,
)
from workbench.core.wire.message import Notification, Request

_SHOWN = 200


def answer_recorded(
    server: Server, session: Session, message: Request | Notification, scene: Scene
) -> tuple[Session, tuple[Step, ...]]:
    """Return what the recorded server did with `message`."""
    tape = server.tape or Tape()
    key = key_of(message.method, message.params)
    before = session.heard.get(key, 0)
    session = session.with_(heard={**session.heard, key: before + 1})
    take = tape.find(message.method, message.params, scene.lifetime, before)
    if isinstance(message, Notification):
        return noted(session, message, scene), take.steps if take else ()
    session = _in_era(session, message)
    if take is None:
        return session, (_unknown(tape, message),)
    if message.method == LISTEN:
        session = _listening(session, message, take, scene)
    meta = message.params.get("_meta")
    wants_progress = isinstance(meta, dict) and "progressToken" in meta
    steps = take.steps if wants_progress else tuple(filter(_is_no_progress, take.steps))
    return session, steps


def _in_era(session: Session, request: Request) -> Session:
    meta = request.params.get("_meta")
    if isinstance(meta, dict) and VERSION_KEY in meta:
        return session.with_(era="modern")
    return session.with_(era="legacy") if request.method == INITIALIZE else session


def _listening(session: Session, request: Request, take: Take, scene: Scene) -> Session:
    agreed = next(
        (
            step.params.get("notifications")
            for step in take.steps
            if isinstance(step, Notify) and step.method == ACKNOWLEDGED
        ),
        None,
    )
    if not isinstance(agreed, dict) or any(isinstance(step, Reply | Error) for step in take.steps):
        return session
    return session.with_(streams=(*session.streams, Stream(request.id, agreed, scene.origin)))


def _is_no_progress(step: Step) -> bool:
    return not (isinstance(step, Notify) and step.method == PROGRESS)


def _unknown(tape: Tape, request: Request) -> Error:
    asked = {name: value for name, value in request.params.items() if name != "_meta"}
    shown = visible(f"{request.method} {msgspec.json.encode(asked).decode()}", _SHOWN)
    if not tape.knows(request.method):
        return Error(code=METHOD_NOT_FOUND, message=f"Not in the recording: {shown}")
    return Error(code=INVALID_PARAMS, message=f"Not in the recording with these params: {shown}")
