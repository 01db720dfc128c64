"""What a fake has to say or do, and when: the output of `engine.react`.

`at` is absolute, in seconds of the clock that was given to `react`.
"""

from typing import TypeAlias

from msgspec import Struct

from fakes.http_steps import As, Deliver, HangUp, Status
from fakes.line import Line
from fakes.steps import Effect, Grandchild, Stubborn
from workbench.core.wire.message import RequestId


class Write(Struct, frozen=True, kw_only=True):
    """Write to the client."""

    at: float
    line: Line
    drop_with: RequestId | None = None
    """Not written any more once this request has been cancelled."""
    origin: int = 0
    aside: bool = False
    """Belongs to no request, so it is news for the client's own stream if it has one."""


class WriteStderr(Struct, frozen=True, kw_only=True):
    """Write diagnostics."""

    at: float
    line: Line


class Do(Struct, frozen=True, kw_only=True):
    """An effect, or something only a process or only an HTTP host can do."""

    at: float
    step: Effect | Stubborn | Grandchild | As | Deliver | HangUp | Status
    drop_with: RequestId | None = None
    origin: int = 0


class End(Struct, frozen=True, kw_only=True):
    """End the output, and the process too unless it `stays`."""

    at: float
    status: int = 0
    stays: bool = False


class Forget(Struct, frozen=True, kw_only=True):
    """Drop everything pending that was to be dropped with this request."""

    at: float
    request_id: RequestId


class Over(Struct, frozen=True, kw_only=True):
    """Everything there was to say to one request has been said."""

    at: float
    origin: int = 0


Output: TypeAlias = Write | WriteStderr | Do | End | Forget | Over
