"""What each era puts around a method and its parameters.

Takes:  an id, a method, parameters, and for a modern request the version and the client's
        present capabilities
Gives:  a new message body (dict), ready for the codec
Never:  changes the caller's parameters, and never reuses metadata of an earlier request

Spec: 2026-07-28 basic/index "`_meta`"; seed lesson, "Construir todas as solicitações
modernas a partir do zero".
"""

from collections.abc import Mapping
from typing import Any

from workbench.core.wire.keys import (
    CAPABILITIES_KEY,
    CLIENT_INFO,
    CLIENT_INFO_KEY,
    JSONRPC,
    VERSION_KEY,
)
from workbench.core.wire.message import RequestId


def request_meta(
    version: str,
    capabilities: Mapping[str, Any] | None = None,
    client_info: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Build the three metadata entries every modern request carries.

    Args:
        version: the revision this very request is written in.
        capabilities: what the client can do right now; None means nothing optional.
        client_info: identity to declare; None means this harness.
    """
    return {
        VERSION_KEY: version,
        CAPABILITIES_KEY: dict(capabilities or {}),
        CLIENT_INFO_KEY: dict(client_info or CLIENT_INFO),
    }


def modern_request(
    request_id: RequestId,
    method: str,
    params: Mapping[str, Any] | None,
    version: str,
    capabilities: Mapping[str, Any] | None = None,
    client_info: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Build one modern request with fresh `params._meta`.

    Other `_meta` entries of `params` (a progress token, a trace context) are kept; the
    three protocol entries always come from the arguments.
    """
    given = params or {}
    meta = request_meta(version, capabilities, client_info)
    if given.get("_meta"):
        meta = {**given["_meta"], **meta}
    stamped = {**given, "_meta": meta}
    return {"jsonrpc": JSONRPC, "id": request_id, "method": method, "params": stamped}


def legacy_request(
    request_id: RequestId, method: str, params: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Build one legacy request: no protocol metadata, and no `params` when there are none."""
    body: dict[str, Any] = {"jsonrpc": JSONRPC, "id": request_id, "method": method}
    if params:
        body["params"] = dict(params)
    return body


def notification(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Build a notification, the same in both eras."""
    body: dict[str, Any] = {"jsonrpc": JSONRPC, "method": method}
    if params:
        body["params"] = dict(params)
    return body


def result_reply(request_id: RequestId, result: Any) -> dict[str, Any]:
    """Build a success answer (fakes, and legacy server-to-client requests)."""
    return {"jsonrpc": JSONRPC, "id": request_id, "result": result}


def error_reply(
    request_id: RequestId | None, code: int, message: str, data: Any = None
) -> dict[str, Any]:
    """Build an error answer; `data` is left out when None."""
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": JSONRPC, "id": request_id, "error": error}
