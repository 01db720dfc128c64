"""What can be wrong with a fake, in a tree of its own.

The root is not `WorkbenchError`, so that code under test cannot swallow a broken script
together with the failures it is meant to handle.
"""

from typing import Any


class FakeError(Exception):
    """Root of everything the fakes raise on purpose."""


class ScriptError(FakeError, ValueError):
    """Raised when a script is wrong, as early as it can be known; names the place.

    It is also a `ValueError`, so that a script read from JSON reports its path.
    """


class UnexpectedRequest(FakeError):
    """Raised by `check()` when the client sent something no server has to understand."""


class RpcError(Exception):
    """What a handler of `serve` raises to answer with an error of its choice.

    Args:
        code: the JSON-RPC error code.
        message: one sentence; it is sent to the client.
        data: any JSON value, or None to send none.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data = data
