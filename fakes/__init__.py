"""Scriptable fake MCP servers: one script, in memory and as a real process.

::

    from fakes import close, modern, on

    notes = modern("notes", tools=["search"]).script(on("tools/call").nth(2).then(close()))
    client.add_server("notes", notes)            # in memory
    with notes.over_stdio() as command: ...      # a process any MCP client can spawn
"""

from typing import TYPE_CHECKING, Any

from fakes.errors import FakeError, RpcError, ScriptError, UnexpectedRequest
from fakes.fake import Fake
from fakes.library.honest import dual_era, legacy, modern, silent
from fakes.script import Rule, on, on_input_end, on_start
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
    "ask",
    "close",
    "delay",
    "dual_era",
    "effect",
    "error",
    "exit_",
    "fault",
    "grandchild",
    "legacy",
    "lines",
    "modern",
    "notify",
    "on",
    "on_input_end",
    "on_start",
    "raw",
    "reply",
    "serve",
    "silence",
    "silent",
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
