"""Who answers what a peer asks back, and what may be declared because of it.

Takes:  functions of the application
Gives:  `Handlers`, and the client capabilities that follow from them
Never:  declares what nobody handles: a server that was told "elicitation" and then always
        hears "declined" has been lied to

Spec: client/sampling, client/elicitation and client/roots, "Capabilities"; field case M04.
"""

from typing import Any

from msgspec import Struct

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.inputs.inputs import Elicitation, InputPolicy, RootsWanted, Sampling, Wanted


class Handlers(Struct, frozen=True, kw_only=True):
    """The application's answers to what a peer may ask back. Each may be None.

    A handler is a function or a coroutine function. A plain function runs on a thread of
    its own, so it may wait for a person; a coroutine function runs on the client's loop.
    One question of a call is asked at a time.
    """

    sampling: Any = None
    """Takes a `Sampling`; returns a text, a `CreateMessageResult` as a dict, or None for no."""
    elicitation: Any = None
    """Takes an `Elicitation` in form mode; returns the fields as a dict, `accept(…)`,
    `decline()` or `cancel()`; True accepts the defaults, False declines, None cancels."""
    url_elicitation: Any = None
    """Takes an `Elicitation` in URL mode, shows `.url` and `.host` in full, asks for consent,
    and opens the address itself; returns True, False or None, or the like."""
    roots: Any = None
    """A list of paths (or `{"uri": …, "name": …}`), or a function of a `RootsWanted` that
    returns one; None from it declines."""
    policy: InputPolicy = InputPolicy()

    def __post_init__(self) -> None:
        """Check the limits.

        Raises:
            ConfigError: if a limit is not positive, or no handler can be called.
        """
        for name in ("max_rounds", "max_tokens", "sampling_calls", "answer_timeout_s"):
            if getattr(self.policy, name) <= 0:
                raise _wrong(f"InputPolicy.{name} must be positive")
        for name in ("sampling", "elicitation", "url_elicitation"):
            handler = getattr(self, name)
            if handler is not None and not callable(handler):
                raise _wrong(f"Handlers.{name} is a {type(handler).__name__}, not a function")

    def capabilities(self) -> dict[str, Any]:
        """Return what may be declared: exactly what has a handler."""
        declared: dict[str, Any] = {}
        if self.elicitation is not None or self.url_elicitation is not None:
            # An empty object means forms, and is what the oldest servers understand.
            modes: dict[str, Any] = {} if self.elicitation is None else {"form": {}}
            urls = self.url_elicitation is not None
            declared["elicitation"] = {**modes, "url": {}} if urls else {}
        if self.roots is not None:
            declared["roots"] = {}
        if self.sampling is not None:
            declared["sampling"] = {"tools": {}} if self.policy.sampling_with_tools else {}
        return declared

    def handler(self, wanted: Wanted) -> Any:
        """Return who answers a request: a function, a list of roots, or None."""
        match wanted:
            case Sampling():
                return self.sampling
            case Elicitation():
                return self.elicitation if wanted.mode == "form" else self.url_elicitation
            case RootsWanted():
                return self.roots


NO_HANDLERS = Handlers()
"""Nothing is answered and nothing is declared."""


def _wrong(detail: str) -> ConfigError:
    hint = "See workbench.core.inputs.handlers."
    return ConfigError(Failure(kind=Kind.CONFIG, stage="config", detail=detail, hint=hint))
