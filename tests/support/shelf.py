"""A fake with resources, prompts and suggestions, made of scripted answers."""

from typing import Any

from fakes import Fake, answer_default, modern, on, reply
from fakes.script import Rule

CAPABILITIES = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}


def complete(**members: Any) -> Any:
    """Return a step that answers with a complete result."""
    return reply({"resultType": "complete", **members})


def listed(method: str, member: str, *items: dict[str, Any], ttl_ms: int = 60_000) -> Rule:
    """Return a rule that lists these items on one page."""
    return on(method).then(complete(**{member: list(items)}, ttlMs=ttl_ms, cacheScope="public"))


def shelf(
    name: str = "shelf", *, uris: tuple[str, ...] = ("doc://a",), ttl_ms: int = 60_000
) -> Fake:
    """Return a modern server with the resources `uris`, a template and the prompt `greet`."""
    resources = [{"uri": uri, "name": uri[-1], "mimeType": "text/plain"} for uri in uris]
    greet = {"name": "greet", "title": "Greet", "arguments": [{"name": "who", "required": True}]}
    message = {"role": "user", "content": {"type": "text", "text": f"Hello from {name}"}}
    template = {"uriTemplate": "doc://{id}", "name": "any"}
    return modern(name).script(
        on("server/discover").then(answer_default(patch={"capabilities": CAPABILITIES})),
        listed("resources/list", "resources", *resources),
        listed("resources/templates/list", "resourceTemplates", template),
        listed("prompts/list", "prompts", greet),
        on("resources/read").then(
            complete(
                contents=[{"uri": "doc://a", "text": f"text of {name}"}],
                ttlMs=ttl_ms,
                cacheScope="private",
            )
        ),
        on("prompts/get").then(complete(messages=[message], description="A greeting")),
        on("completion/complete").then(
            complete(completion={"values": ["python", "pytorch"], "total": 10, "hasMore": True})
        ),
    )
