"""The servers a client meets when nothing is wrong, and the quiet one.

Takes:  a name, tools, and the fields of `Server` as keywords
Gives:  a `Fake`
"""

from collections.abc import Iterable
from typing import Any

from fakes.fake import Fake
from fakes.program import Program
from fakes.script import on
from fakes.server import Refusal, Server
from fakes.steps import silence
from workbench.core.wire.keys import DISCOVER
from workbench.core.wire.versions import LEGACY_REVISIONS, MODERN_REVISIONS

Tools = Iterable[str | dict[str, Any]]


def modern(
    name: str = "modern",
    tools: Tools = ("search", "create"),
    *,
    versions: Iterable[str] = MODERN_REVISIONS,
    **server: Any,
) -> Fake:
    """Return a server of the 2026-07-28 era.

    Args:
        name: the name it gives itself.
        tools: names (an honest schema and an echo come with each) or whole definitions.
        versions: the revisions it announces.
        server: other fields of `fakes.server.Server`, such as `page_size`.
    """
    settings = Server(era="modern", tools=tuple(tools), versions=tuple(versions), **server)
    return _fake(name, settings, "speaks 2026-07-28 and does everything right")


def legacy(
    name: str = "legacy",
    tools: Tools = ("search", "create"),
    *,
    refusal: Refusal = "method-not-found",
    versions: Iterable[str] = LEGACY_REVISIONS,
    **server: Any,
) -> Fake:
    """Return a server of the handshake era.

    Args:
        name: the name it gives itself.
        tools: names (an honest schema and an echo come with each) or whole definitions.
        refusal: what it does with a modern probe.
        versions: the revisions it knows, oldest first.
        server: other fields of `fakes.server.Server`.
    """
    settings = Server(
        era="legacy", tools=tuple(tools), refusal=refusal, revisions=tuple(versions), **server
    )
    return _fake(name, settings, f"speaks the handshake era; takes a probe with: {refusal}")


def dual_era(
    name: str = "dual_era",
    tools: Tools = ("search", "create"),
    *,
    versions: Iterable[str] = MODERN_REVISIONS,
    revisions: Iterable[str] = LEGACY_REVISIONS,
    **server: Any,
) -> Fake:
    """Return a server of both eras; the first telling request decides for the link.

    Args:
        name: the name it gives itself.
        tools: names (an honest schema and an echo come with each) or whole definitions.
        versions: its modern revisions.
        revisions: its legacy revisions, oldest first.
        server: other fields of `fakes.server.Server`.
    """
    settings = Server(
        era="dual",
        tools=tuple(tools),
        versions=tuple(versions),
        revisions=tuple(revisions),
        **server,
    )
    return _fake(name, settings, "speaks both eras, settles on the one it is asked in")


def silent(name: str = "silent", tools: Tools = ("search", "create"), **server: Any) -> Fake:
    """Return a legacy server that never answers the probe but does answer `initialize`."""
    quiet = legacy(name, tools, refusal="silent", **server)
    return quiet.script(on(DISCOVER).then(silence())).described(
        "never answers the probe; answers initialize"
    )


def paging(name: str = "paging", **server: Any) -> Fake:
    """Return a modern server with seven tools, three a page."""
    settings: dict[str, Any] = {"page_size": 3, **server}
    tools = [f"tool-{number}" for number in range(1, 8)]
    return modern(name, tools, **settings).described("seven tools, three a page")


def colliding(name: str = "colliding", **server: Any) -> Fake:
    """Return a modern server whose tool names clash with other fakes' and with prefixes."""
    tools = ["search", "create", "modern/search", "notes/search"]
    return modern(name, tools, **server).described("tool names that others have, or will get")


def _fake(name: str, server: Server, about: str) -> Fake:
    return Fake(Program(name=name, server=server, about=about))
