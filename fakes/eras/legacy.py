"""A server of the handshake era, at its best.

Takes:  the server, its session, one request or notification
Gives:  the next session and the steps of an honest answer
Never:  serves a request before `notifications/initialized`, apart from `ping`

What it does with a request that comes too early, such as a modern probe, is its
`refusal`: real servers do ten different things. Spec: 2025-11-25 basic/lifecycle.
"""

from typing import Final

from fakes.eras.session import Scene, Session
from fakes.eras.tools import call, page
from fakes.server import Server
from fakes.steps import Effect, Error, Exit, Reply, Silence, Stderr, Step
from workbench.core.wire.keys import (
    INITIALIZE,
    INITIALIZED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    TOOLS_CALL,
    TOOLS_LIST,
)
from workbench.core.wire.message import Notification, Request

REFUSALS: Final[dict[str, tuple[Step, ...]]] = {
    "method-not-found": (Error(code=METHOD_NOT_FOUND, message="Method not found"),),
    "invalid-params": (Error(code=INVALID_PARAMS, message="Invalid request parameters"),),
    "invalid-request": (Error(code=INVALID_REQUEST, message="Invalid Request"),),
    "internal-error": (Error(code=INTERNAL_ERROR, message="Internal error"),),
    "server-error": (Error(code=-32000, message="Server error"),),
    "not-initialized": (Error(code=NOT_INITIALIZED, message="Server not initialized"),),
    "zero": (Error(code=0, message="Unknown method"),),
    "one": (Error(code=1, message="Unknown method"),),
    "silent": (Silence(),),
    "exit": (Stderr("expected initialize as the first message"), Exit(1)),
}
"""Refusal name -> what is done with a request before `initialize`."""


def answer_legacy(
    server: Server, session: Session, message: Request | Notification, scene: Scene
) -> tuple[Session, tuple[Step, ...]]:
    """Return what a legacy server does with `message`."""
    if isinstance(message, Notification):
        if message.method == INITIALIZED and session.stage == "greeted":
            return session.with_(stage="ready"), ()
        return session, ()
    if message.method == INITIALIZE:
        return _initialize(server, session, message)
    if message.method == "ping":
        return session, (Reply(result={}),)
    if session.stage == "new":
        return session, REFUSALS[server.refusal]
    if session.stage == "greeted":
        early = Error(code=INVALID_REQUEST, message="notifications/initialized has not come yet")
        return session, (early,)
    return session, _served(server, message, scene)


def _initialize(
    server: Server, session: Session, request: Request
) -> tuple[Session, tuple[Step, ...]]:
    if session.stage != "new":
        return session, (Error(code=INVALID_REQUEST, message="Already initialized"),)
    asked = request.params.get("protocolVersion")
    if not isinstance(asked, str):
        return session, (Error(code=INVALID_PARAMS, message="protocolVersion is missing"),)
    result = {
        "protocolVersion": asked if asked in server.revisions else server.revisions[-1],
        "capabilities": server.capabilities("legacy"),
        "serverInfo": {"name": session.name, "version": server.version},
    }
    if server.instructions:
        result["instructions"] = server.instructions
    return session.with_(stage="greeted"), (Reply(result=result),)


def _served(server: Server, request: Request, scene: Scene) -> tuple[Step, ...]:
    if server.kind == "everything":
        from fakes.eras.everything.answers import serve_legacy

        served = serve_legacy(server, request, scene)
        if served is not None:
            return served
    if request.method == TOOLS_LIST:
        listed = page(server, request.params)
        return (listed if isinstance(listed, Error) else Reply(result=listed),)
    if request.method == TOOLS_CALL:
        called = call(server, request.params)
        if isinstance(called, Error):
            return (called,)
        return (Effect(str(request.params["name"])), Reply(result=called))
    return (Error(code=METHOD_NOT_FOUND, message=f"Method not found: {request.method}"),)
