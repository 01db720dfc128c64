"""May this be sent again? One decision, made in one place.

Takes:  what was being done when the transport broke, and what the caller said about it
Gives:  `Decision`: repeat it or not, with the rule
Never:  repeats a call on its own word

Spec: basic/transports, "requests in flight"; server/tools, tool annotations are untrusted
unless they come from trusted servers; seed skill, refusal rules and item 8.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.errors import Failure
from workbench.core.rulebook.rules import RULES

SAFE_METHODS: Final = frozenset(
    {
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/get",
        "completion/complete",
    }
)
"""Reads: the protocol defines no side effect for them."""


HARMLESS: Final = ("readOnlyHint", "idempotentHint")
"""Annotations by which a server says that a call may be repeated."""


class Lost(StrEnum):
    """When the transport broke, seen from the request."""

    BEFORE_SENDING = "before it was sent"
    AFTER_SENDING = "after it was sent"


class Decision(Struct, frozen=True):
    """Whether to repeat, and why."""

    repeat: bool
    rule: str
    why: str


def may_repeat(
    method: str,
    lost: Lost,
    *,
    idempotency_key: str | None = None,
    user_agreed: bool = False,
    declared: str = "",
) -> Decision:
    """Decide whether a request lost with its transport may be sent again, with a new id.

    Args:
        method: the protocol method.
        lost: whether the peer can have seen the request.
        idempotency_key: the application's word that repeating is harmless; "" is no key.
        user_agreed: the user was asked and said yes.
        declared: the annotation that calls it harmless, by a peer whose annotations the
            configuration believes; see `declared_safe`. "" for none.
    """
    if method in SAFE_METHODS:
        return Decision(True, "RETRY-02", f"{method} is a read")
    if lost is Lost.BEFORE_SENDING:
        return Decision(True, "RETRY-02", "it never left this client")
    if idempotency_key:
        return Decision(True, "RETRY-01", "the caller gave an idempotency key")
    if declared:
        return Decision(True, "RETRY-03", f"the tool has {declared}, and this peer is believed")
    if user_agreed:
        return Decision(True, "RETRY-01", "the user decided to repeat it")
    return Decision(False, "RETRY-01", "it may have run, and nobody said repeating is safe")


def declared_safe(definition: Mapping[str, Any]) -> str:
    """Return the annotation of a tool that says calling it again does no further harm, or "".

    It is the server's own word. Only `true` counts, and silence says nothing.

    Args:
        definition: of the tool, as its peer declared it.
    """
    annotations = definition.get("annotations")
    told = annotations if isinstance(annotations, Mapping) else {}
    return next((name for name in HARMLESS if told.get(name) is True), "")


def undecided(lost: Failure, name: str) -> Failure:
    """Return the failure of a lost call with what whoever decides has to know.

    Args:
        lost: says that the outcome is unknown.
        name: of the call.
    """
    rule = lost.rule or "RETRY-01"
    return replace(lost, name=name, rule=rule, hint=lost.hint or RULES[rule].hint)
