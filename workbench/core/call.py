"""One answer to one request, judged.

Takes:  the era a peer settled on, and the message that answered a request
Gives:  the result's value, or a `Failure`
Never:  lets a modern success without a known `resultType` through

Spec: schema `Result` and `CallToolResult`; seed skill, hard rejects. The specification
lets a client assume "complete" where a modern `resultType` is absent; this harness does
not (our stricter policy), except for a peer configured with `accept_missing_result_type`.
"""

from typing import Any, Final, final

from workbench.core.errors import Failure, Kind
from workbench.core.rulebook.rules import RULES
from workbench.core.text.veiled import Veiled
from workbench.core.text.visible import visible
from workbench.core.wire.keys import COMPLETE, INPUT_REQUIRED, MISSING_CAPABILITY
from workbench.core.wire.message import ErrorReply, Malformed, Result
from workbench.core.wire.versions import Era

Answer = Result | ErrorReply | Malformed
_LEGACY: Final = Era.LEGACY


@final
class ToolResult(Veiled, frozen=True, eq=False):
    """What a tool answered. `is_error` is the tool's own word: the protocol worked.

    The parts are the peer's, untrusted; escape them wherever they are shown.
    """

    peer: str
    tool: str
    """Local name of the tool."""
    raw: dict[str, Any]
    """The whole result object as received; treat as read-only."""

    @property
    def content(self) -> list[dict[str, Any]]:
        """The content blocks, in order."""
        blocks = self.raw["content"]
        assert isinstance(blocks, list)  # checked when the answer was read
        return blocks

    @property
    def text(self) -> str:
        """All text blocks, joined by line ends."""
        texts = (b.get("text") for b in self.content if b.get("type") == "text")
        return "\n".join(text for text in texts if isinstance(text, str))

    @property
    def structured(self) -> Any:
        """The structured result, or None when there is none."""
        return self.raw.get("structuredContent")

    @property
    def is_error(self) -> bool:
        """Whether the tool reports that it failed."""
        return self.raw.get("isError") is True


def complete_value(answer: Answer | Failure) -> dict[str, Any] | None:
    """Return the result object of an answer that says it is complete; None for any other.

    Most answers are that, in either era, and nothing else has to be asked about them. None
    is no verdict: `success_value` gives it.
    """
    if type(answer) is Result:
        value = answer.result
        if type(value) is dict and value.get("resultType") == COMPLETE:
            return value
    return None


def success_value(
    answer: Answer, era: Era, *, peer: str, stage: str, accept_missing_result_type: bool = False
) -> dict[str, Any] | Failure:
    """Return the result object of an answer, or why there is none.

    Args:
        answer: the message that carried the request's id.
        era: a legacy peer owes no `resultType`.
        peer: name of the peer, for the failure.
        stage: pipeline stage, for the failure.
        accept_missing_result_type: the named per-peer deviation.
    """
    if type(answer) is Malformed:
        detail = f"the answer has {answer.detail}: {answer.sample}"
        return _failure(Kind.PROTOCOL_VIOLATION, "CALL-02", peer, stage, detail)
    if type(answer) is ErrorReply:
        return Failure(
            kind=Kind.REFUSED,
            peer=peer,
            stage=stage,
            rule="CALL-04",
            detail=f"the peer answered with error {answer.code} “{visible(answer.message, 300)}”",
            hint=_missing(answer),
            code=answer.code,
            data=answer.data,
        )
    value = answer.result
    if not isinstance(value, dict):
        detail = "the result is not an object"
        return _failure(Kind.PROTOCOL_VIOLATION, "CALL-02", peer, stage, detail)
    if era is _LEGACY:
        return value
    kind = value.get("resultType")
    if kind == COMPLETE or ("resultType" not in value and accept_missing_result_type):
        return value
    return _not_complete(value, peer, stage)


def tool_result(value: dict[str, Any], *, peer: str, tool: str) -> ToolResult | Failure:
    """Check the shape of a `tools/call` result."""
    content = value.get("content")
    if not _are_blocks(content):
        fault = "$.content is missing" if "content" not in value else "$.content is no block list"
    elif "isError" in value and not isinstance(value["isError"], bool):
        fault = "$.isError is not a boolean"
    else:
        return ToolResult(peer, tool, value)
    return _failure(Kind.PROTOCOL_VIOLATION, "CALL-02", peer, "call", f"the result: {fault}")


def _are_blocks(content: Any) -> bool:
    if not isinstance(content, list):
        return False
    for block in content:  # a loop: a generator would cost more than all the rest
        if not isinstance(block, dict):
            return False
    return True


def _missing(answer: ErrorReply) -> str:
    """Say which capabilities a call needs, where the peer said so; field case M04."""
    wanted = answer.data.get("requiredCapabilities") if isinstance(answer.data, dict) else None
    if answer.code != MISSING_CAPABILITY or not isinstance(wanted, dict):
        return ""
    names = ", ".join(visible(name, 40) for name in sorted(wanted)[:10])
    return f"It needs {names or 'a capability'}: give the client a handler for it."


def _not_complete(value: dict[str, Any], peer: str, stage: str) -> Failure:
    kind = value.get("resultType")
    if kind == INPUT_REQUIRED:
        wanted = value.get("inputRequests")
        names = ", ".join(sorted(wanted)) if isinstance(wanted, dict) and wanted else "nothing"
        detail = f"the peer asks for input ({visible(names, 120)}) that nothing here can give"
        return _failure(Kind.PROTOCOL_VIOLATION, "CALL-05", peer, stage, detail)
    shown = f"resultType “{visible(str(kind), 40)}”" if "resultType" in value else "no resultType"
    rule = "LIST-01" if stage == "listing" else "CALL-01"
    detail = f"a modern success with {shown}"
    return _failure(Kind.PROTOCOL_VIOLATION, rule, peer, stage, detail)


def _failure(kind: Kind, rule: str, peer: str, stage: str, detail: str) -> Failure:
    hint = RULES[rule].hint
    return Failure(kind=kind, peer=peer, stage=stage, rule=rule, detail=detail, hint=hint)
