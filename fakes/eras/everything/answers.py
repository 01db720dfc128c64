"""Which part of "everything" answers which method, in each era.

Takes:  one request that has passed the checks of its era
Gives:  the steps of an honest answer; None leaves it to what every server does
"""

from typing import Any, Final

import msgspec

from fakes.eras.everything.documents import (
    Bare,
    Era,
    complete,
    get_prompt,
    prompts,
    read_resource,
    resources,
    templates,
)
from fakes.eras.everything.tools import call_tool, exists
from fakes.eras.session import Scene
from fakes.eras.tools import page
from fakes.server import Server
from fakes.steps import Error, Reply, Step
from workbench.core.wire.keys import INPUT_REQUIRED, TOOLS_CALL, TOOLS_LIST
from workbench.core.wire.message import Request

_EMPTY_ANSWERS: Final = frozenset(
    {"logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
)
"""Legacy methods that only have to be taken note of."""
_CACHEABLE: Final = frozenset(
    {TOOLS_LIST, "prompts/list", "resources/list", "resources/templates/list", "resources/read"}
)
"""Methods whose modern results carry a lifetime and a scope."""


def serve_modern(server: Server, request: Request, scene: Scene) -> tuple[Step, ...] | None:
    """Return what a modern server does; its results still lack what all of them have."""
    if request.method == TOOLS_CALL:
        return call_tool(request, "modern", scene)
    bare = _bare(server, request, "modern", scene)
    if bare is None or isinstance(bare, Error):
        return None if bare is None else (bare,)
    asks = bare.get("resultType") == INPUT_REQUIRED
    if request.method in _CACHEABLE and not asks:
        bare = {**bare, "ttlMs": server.list_ttl_ms, "cacheScope": server.list_scope}
    return (Reply(result=bare),)


def serve_legacy(server: Server, request: Request, scene: Scene) -> tuple[Step, ...] | None:
    """Return what a legacy server does in a session that is ready."""
    if request.method in _EMPTY_ANSWERS:
        return (Reply(result={}),)
    if request.method == TOOLS_CALL:
        return call_tool(request, "legacy", scene)
    bare = _bare(server, request, "legacy", scene)
    if bare is None:
        return None
    return (bare,) if isinstance(bare, Error) else (Reply(result=bare),)


def _bare(server: Server, request: Request, era: Era, scene: Scene) -> Bare | None:
    match request.method:
        case "tools/list":
            return page(_of_era(server, era), request.params)
        case "prompts/list":
            return prompts(era)
        case "prompts/get":
            return get_prompt(request, era, scene)
        case "resources/list":
            return resources(era)
        case "resources/templates/list":
            return templates()
        case "resources/read":
            return read_resource(request, era)
        case "completion/complete":
            return complete(request)
    return None


def _of_era(server: Server, era: Era) -> Server:
    def has(tool: str | dict[str, Any]) -> bool:
        return exists(str(tool if isinstance(tool, str) else tool.get("name")), era)

    return msgspec.structs.replace(server, tools=tuple(filter(has, server.tools)))
