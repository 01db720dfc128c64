"""A server of revision 2026-07-28, at its best.

Takes:  the server, its session, one request or notification
Gives:  the next session and the steps of an honest answer
Never:  remembers anything of a request, apart from open listen streams

Spec: 2026-07-28 basic/index "`_meta`", server/discover, basic/versioning,
basic/patterns/subscriptions.
"""

from typing import Any

from fakes.eras.session import Scene, Session, Stream
from fakes.eras.tools import call, page
from fakes.server import Server
from fakes.steps import REQUEST_ID, Effect, Error, Notify, Reply, Step
from workbench.core.wire.keys import (
    CANCELLED,
    CAPABILITIES_KEY,
    COMPLETE,
    DISCOVER,
    INITIALIZE,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    SERVER_INFO_KEY,
    SUBSCRIPTION_ID_KEY,
    TOOLS_CALL,
    TOOLS_LIST,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
)
from workbench.core.wire.message import Notification, Request, same_id

LISTEN = "subscriptions/listen"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


def answer_modern(
    server: Server, session: Session, message: Request | Notification, scene: Scene
) -> tuple[Session, tuple[Step, ...]]:
    """Return what a modern server does with `message`."""
    if isinstance(message, Notification):
        return noted(session, message, scene), ()
    refusal = _refusal(server, message)
    if refusal is not None:
        return session, (refusal,)
    if message.method == LISTEN:
        return _listen(server, session, message, scene)
    steps = _served(server, message, scene)
    return session, tuple(
        Reply(result=_complete(server, session, step.result)) if isinstance(step, Reply) else step
        for step in steps
    )


def _served(server: Server, request: Request, scene: Scene) -> tuple[Step, ...]:
    """Return the steps of an answer, without what every modern result has."""
    if request.method == DISCOVER:
        return (Reply(result=_discovery(server)),)
    if server.kind == "everything":
        # Its fifty kilobytes of examples are nothing a plain fake should load.
        from fakes.eras.everything.answers import serve_modern

        served = serve_modern(server, request, scene)
        if served is not None:
            return served
    if request.method == TOOLS_LIST:
        listed = page(server, request.params)
        if isinstance(listed, Error):
            return (listed,)
        hints = {"ttlMs": server.list_ttl_ms, "cacheScope": server.list_scope}
        return (Reply(result={**listed, **hints}),)
    if request.method == TOOLS_CALL:
        called = call(server, request.params)
        if isinstance(called, Error):
            return (called,)
        return (Effect(str(request.params["name"])), Reply(result=called))
    return (Error(code=METHOD_NOT_FOUND, message=f"Method not found: {request.method}"),)


def _refusal(server: Server, request: Request) -> Error | None:
    meta = request.params.get("_meta")
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    declared = meta.get(CAPABILITIES_KEY) if isinstance(meta, dict) else None
    if request.method == INITIALIZE and version is None:
        return _unsupported(server, request.params.get("protocolVersion"))
    if not isinstance(version, str):
        return Error(code=INVALID_PARAMS, message=f"params._meta lacks {VERSION_KEY}")
    if not isinstance(declared, dict):
        return Error(code=INVALID_PARAMS, message=f"params._meta lacks {CAPABILITIES_KEY}")
    return None if version in server.versions else _unsupported(server, version)


def _unsupported(server: Server, requested: Any) -> Error:
    data = {"supported": list(server.versions), "requested": str(requested)}
    return Error(code=UNSUPPORTED_VERSION, message="Unsupported protocol version", data=data)


def _discovery(server: Server) -> dict[str, Any]:
    result: dict[str, Any] = {
        "supportedVersions": [*server.versions, *_also(server)],
        "capabilities": server.capabilities(),
        "ttlMs": server.discover_ttl_ms,
        "cacheScope": server.discover_scope,
    }
    if server.instructions:
        result["instructions"] = server.instructions
    return result


def _also(server: Server) -> list[str]:
    return list(server.revisions) if server.era == "dual" else []


def _complete(server: Server, session: Session, result: dict[str, Any]) -> dict[str, Any]:
    info = {"name": session.name, "version": server.version}
    return {"resultType": COMPLETE, **result, "_meta": {SERVER_INFO_KEY: info}}


def _listen(
    server: Server, session: Session, request: Request, scene: Scene
) -> tuple[Session, tuple[Step, ...]]:
    asked = request.params.get("notifications")
    if not isinstance(asked, dict):
        return session, (Error(code=INVALID_PARAMS, message="params.notifications is missing"),)
    agreed = {kind: True for kind in server.news() if asked.get(kind) is True}
    acknowledged = Notify(
        ACKNOWLEDGED, {"notifications": agreed, "_meta": {SUBSCRIPTION_ID_KEY: REQUEST_ID}}
    )
    streams = (*session.streams, Stream(request.id, agreed, scene.origin))
    return session.with_(streams=streams), (acknowledged,)


def noted(session: Session, message: Notification, scene: Scene) -> Session:
    """Return the session after a notification: a cancelled listen stream is forgotten."""
    if message.method != CANCELLED:
        return session
    cancelled = message.params.get("requestId")
    kept = tuple(
        one
        for one in session.streams
        if one.origin != scene.origin or not same_id(one.id, cancelled)
    )
    return session.with_(streams=kept)
