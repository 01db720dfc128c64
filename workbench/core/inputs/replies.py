"""What a handler gives, made into what the protocol wants, or found wrong.

Takes:  the value a handler returned, and the request it was given
Gives:  the result object for the peer, `Declined`, or `Unfit` with the reason
Never:  guesses: a value of another type is the handler's mistake and is not sent

Spec: schema `CreateMessageResult`, `ElicitResult`, `ListRootsResult`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias
from urllib.parse import quote, urlsplit

from msgspec import Struct

from workbench.core.inputs.forms import with_defaults
from workbench.core.inputs.inputs import Elicitation, RootsWanted, Sampling, Wanted, is_content
from workbench.core.text.visible import visible


class Elicited(Struct, frozen=True):
    """What the user did with a question."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any] = {}
    """The fields of the form; nothing for a URL."""


class Declined(Struct, frozen=True):
    """The user said no to something that knows no such answer: the call ends."""


class Unfit(Struct, frozen=True):
    """What was given cannot be sent."""

    reason: str


Reply: TypeAlias = dict[str, Any] | Declined | Unfit


def accept(content: Mapping[str, Any] | None = None) -> Elicited:
    """Return the user's yes, with the fields of a form; defaults fill what is left out."""
    return Elicited("accept", dict(content or {}))


def decline() -> Elicited:
    """Return the user's explicit no."""
    return Elicited("decline")


def cancel() -> Elicited:
    """Return that the user dismissed the question without an answer."""
    return Elicited("cancel")


def reply_for(wanted: Wanted, given: Any) -> Reply:
    """Return what to send for a request when its handler has returned `given`."""
    match wanted:
        case Sampling():
            return _sampled(given)
        case Elicitation():
            return _elicited(wanted, given)
        case RootsWanted():
            return _roots(given)


def _sampled(given: Any) -> Reply:
    if given is None:
        return Declined()
    if isinstance(given, str):
        content = {"type": "text", "text": given}
        return {
            "role": "assistant", "content": content, "model": "unnamed", "stopReason": "endTurn"
        }  # fmt: skip
    if not isinstance(given, dict):
        return Unfit(f"a sampling handler returns a text, a result or None, not {_kind(given)}")
    if given.get("role") not in ("user", "assistant"):
        return Unfit('the sampling result has no role "assistant" or "user"')
    if "content" not in given or not is_content(given["content"]):
        return Unfit("the sampling result's content is no content block, and no array of them")
    if not isinstance(given.get("model"), str):
        return Unfit("the sampling result does not name its model")
    return dict(given)


def _elicited(wanted: Elicitation, given: Any) -> Reply:
    answer = _as_elicited(given)
    if answer is None:
        kinds = "a dict, accept(…), decline(), cancel(), True, False or None"
        return Unfit(f"an elicitation handler returns {kinds}, not {_kind(given)}")
    if answer.action not in ("accept", "decline", "cancel"):
        return Unfit(f"“{visible(str(answer.action), 40)}” is no action")
    if answer.action != "accept" or wanted.mode == "url":
        return {"action": answer.action}
    return {"action": "accept", "content": with_defaults(wanted.schema, answer.content)}


def _as_elicited(given: Any) -> Elicited | None:
    if isinstance(given, Elicited):
        return given
    if given is None:
        return cancel()
    if isinstance(given, bool):
        return accept() if given else decline()
    return accept(given) if isinstance(given, dict) else None


def _roots(given: Any) -> Reply:
    if given is None:
        return Declined()
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        return Unfit(f"roots are a list of paths, not {_kind(given)}")
    roots = []
    for one in given:
        root = dict(one) if isinstance(one, Mapping) else {"uri": _file_uri(str(one))}
        if urlsplit(str(root.get("uri"))).scheme != "file":
            return Unfit(f"the root “{visible(str(root.get('uri')), 80)}” is no file:// address")
        roots.append(root)
    return {"roots": roots}


def _file_uri(path: str) -> str:
    if "://" in path:
        return path
    slashed = path.replace("\\", "/")
    # A drive letter needs the slash in front that a POSIX path brings along.
    return "file://" + quote(slashed if slashed.startswith("/") else f"/{slashed}", safe="/:")


def _kind(value: Any) -> str:
    return type(value).__name__
