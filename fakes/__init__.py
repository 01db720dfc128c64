"""Scriptable fake MCP servers: one script, in memory, as a real process, behind HTTP.

::

    from fakes import close, modern, on

    notes = modern("notes", tools=["search"]).script(on("tools/call").nth(2).then(close()))
    client.add_server("notes", notes)            # in memory
    with notes.over_stdio() as command: ...      # a process any MCP client can spawn
    with notes.over_http() as url: ...           # a server any MCP client can reach
"""

from typing import TYPE_CHECKING, Any

from fakes.errors import FakeError, RpcError, ScriptError, UnexpectedRequest
from fakes.fake import Fake
from fakes.http_steps import (
    as_json,
    as_sse,
    challenge,
    cut,
    deliver,
    empty,
    hang_up,
    html,
    redirect,
    stall,
    status,
)
from fakes.library.everything import everything
from fakes.library.honest import dual_era, legacy, modern, silent
from fakes.script import Rule, on, on_get, on_input_end, on_start
from fakes.serve import StdioTransport, serve
from fakes.steps import (
    PROGRESS_TOKEN,
    REQUEST_ID,
    answer_default,
    ask,
    close,
    delay,
    effect,
    error,
    exit_,
    grandchild,
    lines,
    notify,
    raw,
    reply,
    silence,
    stderr,
    stubborn,
)

if TYPE_CHECKING:
    from fakes.library.faults import FAULTS, fault, variants

__all__ = [
    "FAULTS",
    "PROGRESS_TOKEN",
    "REQUEST_ID",
    "Fake",
    "FakeError",
    "RpcError",
    "Rule",
    "ScriptError",
    "StdioTransport",
    "UnexpectedRequest",
    "answer_default",
    "as_json",
    "as_sse",
    "ask",
    "challenge",
    "close",
    "cut",
    "delay",
    "deliver",
    "dual_era",
    "effect",
    "empty",
    "error",
    "everything",
    "exit_",
    "fault",
    "grandchild",
    "hang_up",
    "html",
    "legacy",
    "lines",
    "modern",
    "notify",
    "on",
    "on_get",
    "on_input_end",
    "on_start",
    "raw",
    "redirect",
    "reply",
    "serve",
    "silence",
    "silent",
    "stall",
    "status",
    "stderr",
    "stubborn",
    "variants",
]


def __getattr__(name: str) -> Any:
    # A hundred ready-made fakes are built when one is first asked for, not at every start.
    if name in ("FAULTS", "fault", "variants"):
        from fakes.library import faults

        return getattr(faults, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
