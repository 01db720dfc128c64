"""A server of both eras that shows every feature once.

Takes:  a name, and the fields of `Server` as keywords
Gives:  a `Fake` that passes the official conformance suite over HTTP
"""

from typing import Any

from fakes.fake import Fake
from fakes.program import Program
from fakes.server import Server


def everything(name: str = "everything", **server: Any) -> Fake:
    """Return the server that has everything; each tool says what it shows.

    Args:
        name: the name it gives itself.
        server: other fields of `fakes.server.Server`, such as `era`.
    """
    from fakes.eras.everything.tools import definitions

    settings: dict[str, Any] = {"era": "dual", "list_changed": True, **server}
    about = "every feature of both eras once: prompts, resources, rounds of input, streams"
    return Fake(
        Program(
            name=name,
            server=Server(kind="everything", tools=definitions(), **settings),
            about=about,
        )
    )
