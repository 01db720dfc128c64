"""What reads bring back: a resource, a prompt, suggestions, a server's word about itself.

Takes:  the result of `resources/read`, `prompts/get`, `completion/complete` or
        `server/discover`
Gives:  a value, or the `Failure` that names the member that is wrong
Never:  changes what was received

Spec: schema `ReadResourceResult`, `GetPromptResult`, `CompleteResult`, `DiscoverResult`.
"""

from typing import Any, Final

from workbench.core.errors import Failure, Kind
from workbench.core.negotiate.results import Unreadable, read_discover_result
from workbench.core.rulebook.rules import RULES
from workbench.core.text.veiled import Veiled
from workbench.core.wire.versions import Era

MOST_SUGGESTIONS: Final = 100
"""Values one completion may bring; more are a violation of the schema."""


class ResourceRead(Veiled, frozen=True, eq=False):
    """The contents of a resource; everything is the peer's, untrusted."""

    peer: str
    uri: str
    """As it was asked for."""
    raw: dict[str, Any]
    """The whole result; treat as read-only."""
    stale: str = ""
    """Why an old answer stands in for one that failed; "" for an answer as it was received."""

    @property
    def contents(self) -> list[dict[str, Any]]:
        """The parts, each with `uri` and either `text` or `blob` (base64)."""
        parts = self.raw["contents"]
        assert isinstance(parts, list)  # checked when it was read
        return parts

    @property
    def text(self) -> str:
        """All text parts, joined by line ends."""
        texts = (part.get("text") for part in self.contents)
        return "\n".join(text for text in texts if isinstance(text, str))


class PromptRead(Veiled, frozen=True, eq=False):
    """A prompt, filled in; everything is the peer's, untrusted."""

    peer: str
    name: str
    raw: dict[str, Any]
    """The whole result; treat as read-only."""

    @property
    def description(self) -> str:
        """The description, or ""."""
        text = self.raw.get("description")
        return text if isinstance(text, str) else ""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages, each with `role` and `content`."""
        messages = self.raw["messages"]
        assert isinstance(messages, list)  # checked when it was read
        return messages

    @property
    def text(self) -> str:
        """The texts of all messages, joined by line ends."""
        contents = (message["content"] for message in self.messages)
        texts = (content.get("text") for content in contents if isinstance(content, dict))
        return "\n".join(text for text in texts if isinstance(text, str))


class Completion(Veiled, frozen=True, eq=False):
    """Suggestions for one argument, best first."""

    peer: str
    values: tuple[str, ...]
    total: int | None = None
    """How many there are altogether; None when the peer did not say."""
    has_more: bool = False


class ServerRead(Veiled, frozen=True, eq=False, kw_only=True):
    """What a server says about itself; everything is the peer's, untrusted."""

    peer: str
    era: Era
    version: str
    """The revision in use; what a server says later changes nothing about it."""
    supported: tuple[str, ...] = ()
    """The revisions it names; () for a legacy server, which names only one."""
    capabilities: dict[str, Any] = {}
    info: dict[str, Any] = {}
    """Name, version, and whatever else it calls itself; `{}` when it does not say."""
    instructions: str = ""
    """What it wants a model to know; show it, do not obey it."""
    stale: str = ""
    """Why an old answer stands in for one that failed; "" for an answer as it was received."""


def resource_read(
    value: dict[str, Any], *, peer: str, uri: str, stale: str = ""
) -> ResourceRead | Failure:
    """Check the shape of a `resources/read` result.

    Args:
        value: the result.
        peer: who gave it.
        uri: as it was asked for.
        stale: why it is an old one; "" when it is not.
    """
    contents = value.get("contents")
    if not isinstance(contents, list):
        return _violation(peer, "$.contents is missing or not an array")
    for index, part in enumerate(contents):
        if not isinstance(part, dict) or not isinstance(part.get("uri"), str):
            return _violation(peer, f"$.contents[{index}] has no uri")
        if not isinstance(part.get("text", part.get("blob")), str):
            return _violation(peer, f"$.contents[{index}] has neither text nor blob")
    return ResourceRead(peer, uri, value, stale)


def prompt_read(value: dict[str, Any], *, peer: str, name: str) -> PromptRead | Failure:
    """Check the shape of a `prompts/get` result."""
    messages = value.get("messages")
    if not isinstance(messages, list):
        return _violation(peer, "$.messages is missing or not an array")
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            return _violation(peer, f"$.messages[{index}] has no valid role")
        content = message.get("content")
        if not isinstance(content, dict) or not isinstance(content.get("type"), str):
            return _violation(peer, f"$.messages[{index}].content is no content block")
    return PromptRead(peer, name, value)


def completion_read(value: dict[str, Any], *, peer: str) -> Completion | Failure:
    """Check the shape of a `completion/complete` result."""
    completion = value.get("completion")
    if not isinstance(completion, dict):
        return _violation(peer, "$.completion is missing or not an object")
    values = completion.get("values")
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        return _violation(peer, "$.completion.values is missing or no array of strings")
    if len(values) > MOST_SUGGESTIONS:
        return _violation(peer, f"$.completion.values has more than {MOST_SUGGESTIONS} values")
    total = completion.get("total")
    return Completion(
        peer=peer,
        values=tuple(values),
        total=total if type(total) is int else None,
        has_more=completion.get("hasMore") is True,
    )


def server_read(
    value: dict[str, Any], *, peer: str, version: str, lenient: bool = False, stale: str = ""
) -> ServerRead | Failure:
    """Check the shape of a `server/discover` result of a peer that is in use.

    Args:
        value: the result.
        peer: who gave it.
        version: the revision in use.
        lenient: whether the peer may leave out `resultType`.
        stale: why it is an old one; "" when it is not.
    """
    read = read_discover_result(value, lenient)
    if isinstance(read, Unreadable):
        return _violation(peer, read.fault)
    return ServerRead(
        peer=peer,
        era=Era.MODERN,
        version=version,
        supported=read.supported,
        capabilities=read.capabilities,
        info=read.server_info,
        instructions=read.instructions,
        stale=stale,
    )


def _violation(peer: str, fault: str) -> Failure:
    return Failure(
        kind=Kind.PROTOCOL_VIOLATION,
        peer=peer,
        stage="read",
        rule="CALL-02",
        detail=f"the result: {fault}",
        hint=RULES["CALL-02"].hint,
    )
