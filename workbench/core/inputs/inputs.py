"""What a peer may ask back while it works on a call, read strictly.

Takes:  an entry of `inputRequests` (or a legacy server's request), and what was declared
Gives:  `Sampling`, `Elicitation` or `RootsWanted`, or the `Failure` that ends the call
Never:  answers anything, and never passes on a kind of request that was not declared

Spec: basic/patterns/mrtr, client/sampling, client/elicitation, client/roots. A question is
refused before anybody is bothered with it: a server that asks for what was not declared
breaks the protocol, and so does one whose form is no flat form.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct

from workbench.core.errors import Failure, Kind
from workbench.core.inputs.forms import form_fault
from workbench.core.rulebook.rules import RULES
from workbench.core.text.visible import visible
from workbench.core.wire.keys import ELICIT, LIST_ROOTS, SAMPLE

MOST_REQUESTS: Final = 100
"""Input requests of one round; a server that needs more asks again."""
MAX_TOKENS: Final = 400
"""Highest `maxTokens` of a sampling request; more is lowered to it (seed card, defaults)."""


class InputPolicy(Struct, frozen=True, kw_only=True):
    """How far a peer may go in asking back."""

    max_rounds: int = 10
    """Times one call may ask for input."""
    max_tokens: int = MAX_TOKENS
    """What a sampling request's `maxTokens` is lowered to."""
    sampling_calls: int = 10
    """Sampling requests one call may make, over all its rounds. A legacy peer names no call;
    there it is what it may ask between two calls of ours."""
    sampling_with_tools: bool = False
    """Whether the sampling handler can use tools; declares `sampling.tools`."""
    approve_sampling: Any = None
    """Asked before each sampling request, with the `Sampling`; True lets it pass. May be a
    coroutine function. None means that the handler decides by itself."""
    answer_timeout_s: float = 900.0
    """How long a handler, that is a person, may take for one answer, in seconds."""


class Sampling(Struct, frozen=True, kw_only=True):
    """A request to let a language model generate; the texts are the peer's, untrusted."""

    peer: str
    key: str
    params: dict[str, Any]
    """As asked, with `maxTokens` already lowered to the policy's limit; read-only."""
    requested_tokens: int
    """`maxTokens` as the peer asked for it."""

    @property
    def max_tokens(self) -> int:
        """Most tokens to generate; a handler must respect it."""
        tokens = self.params["maxTokens"]
        assert isinstance(tokens, int)
        return tokens

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation, oldest first."""
        messages = self.params["messages"]
        assert isinstance(messages, list)
        return messages

    @property
    def system_prompt(self) -> str:
        """The wished system prompt, or ""; it may be ignored."""
        prompt = self.params.get("systemPrompt")
        return prompt if isinstance(prompt, str) else ""

    @property
    def text(self) -> str:
        """The text blocks of the last message, joined by line ends."""
        content = self.messages[-1]["content"] if self.messages else []
        blocks = content if isinstance(content, list) else [content]
        texts = (block.get("text") for block in blocks if isinstance(block, dict))
        return "\n".join(text for text in texts if isinstance(text, str))

    @property
    def hints(self) -> tuple[str, ...]:
        """Names, or parts of names, of wished models, the most wished first; advice only."""
        wished = self._preferences.get("hints")
        names = (one.get("name") for one in wished or () if isinstance(one, dict))
        return tuple(name for name in names if isinstance(name, str) and name)

    def priority(self, what: Literal["cost", "speed", "intelligence"]) -> float | None:
        """Return how much something matters, 0 to 1; None when the peer did not say.

        The three are independent of each other and of the hints.
        """
        value = self._preferences.get(f"{what}Priority")
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value) if 0 <= value <= 1 else None

    @property
    def _preferences(self) -> dict[str, Any]:
        preferences = self.params.get("modelPreferences")
        return preferences if isinstance(preferences, dict) else {}


class Elicitation(Struct, frozen=True, kw_only=True):
    """A question to the user; say which peer asks. The texts are the peer's, untrusted."""

    peer: str
    key: str
    message: str
    mode: Literal["form", "url"] = "form"
    schema: dict[str, Any] = {}
    """Form mode: the flat object schema of the answer."""
    url: str = ""
    """URL mode: show all of it, and `host`, before anybody consents; never fetch it."""

    @property
    def host(self) -> str:
        """The host of `url`, as safe text; look-alike letters show as their ASCII form."""
        host = urlsplit(self.url).hostname or ""
        try:
            return visible(host.encode("idna").decode("ascii"), 260)
        except UnicodeError:
            return visible(host.encode("unicode_escape").decode("ascii"), 260)


class RootsWanted(Struct, frozen=True, kw_only=True):
    """A request for the directories the user works in."""

    peer: str
    key: str


Wanted: TypeAlias = Sampling | Elicitation | RootsWanted


def read_inputs(
    requests: Mapping[str, Any], *, peer: str, declared: Mapping[str, Any], policy: InputPolicy
) -> tuple[Wanted, ...] | Failure:
    """Read all requests of one round, in the peer's order; the first fault ends the call.

    Args:
        requests: the `inputRequests` object.
        peer: who asks.
        declared: the client capabilities the call declared.
        policy: lowers `maxTokens`.
    """
    if len(requests) > MOST_REQUESTS:
        return _violation(peer, f"{len(requests)} input requests in one round")
    read: list[Wanted] = []
    for key, request in requests.items():
        wanted = read_input(request, key=key, peer=peer, declared=declared, policy=policy)
        if isinstance(wanted, Failure):
            return wanted
        read.append(wanted)
    return tuple(read)


def read_input(
    request: Any, *, key: str, peer: str, declared: Mapping[str, Any], policy: InputPolicy
) -> Wanted | Failure:
    """Read one request; see `read_inputs`."""
    where = f"input request “{visible(key, 60)}”"
    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
        return _violation(peer, f"{where} is no request object")
    method, params = request["method"], request.get("params", {})
    if method not in (ELICIT, SAMPLE, LIST_ROOTS):
        return _violation(peer, f"{where} is of the unknown kind “{visible(method, 60)}”")
    if not isinstance(params, dict):
        return _violation(peer, f"{where}: $.params is not an object")
    missing = _undeclared(method, params, declared)
    if missing:
        return _failure(
            "CALL-05", peer, f"{where} ({method}) needs {missing}, which was not declared"
        )
    if method == LIST_ROOTS:
        return RootsWanted(peer=peer, key=key)
    if method == SAMPLE:
        fault = _sampling_fault(params)
        if fault:
            return _violation(peer, f"{where} ({method}): {fault}")
        tokens = params["maxTokens"]
        lowered = {**params, "maxTokens": min(tokens, policy.max_tokens)}
        return Sampling(peer=peer, key=key, params=lowered, requested_tokens=tokens)
    return _elicitation(params, key, peer, f"{where} ({method})")


def _undeclared(method: str, params: dict[str, Any], declared: Mapping[str, Any]) -> str:
    if method == LIST_ROOTS:
        return "" if "roots" in declared else "roots"
    if method == SAMPLE:
        if "sampling" not in declared:
            return "sampling"
        with_tools = "tools" in params or "toolChoice" in params
        return "sampling.tools" if with_tools and "tools" not in declared["sampling"] else ""
    if "elicitation" not in declared:
        return "elicitation"
    modes = declared["elicitation"] or {"form": {}}  # an empty object means forms alone
    mode = params.get("mode", "form")
    return "" if mode in modes or mode not in ("form", "url") else f"elicitation.{mode}"


def _sampling_fault(params: dict[str, Any]) -> str:
    messages, tokens = params.get("messages"), params.get("maxTokens")
    if not isinstance(messages, list):
        return "$.params.messages is missing or not an array"
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            return f"$.params.messages[{index}] has no valid role"
        if not is_content(message.get("content")):
            return f"$.params.messages[{index}].content is no content block"
    if type(tokens) is not int or tokens < 1:
        return "$.params.maxTokens is missing or not a positive integer"
    return ""


def is_content(content: Any) -> bool:
    """Say whether a value is one content block, or an array of them."""
    blocks = content if isinstance(content, list) else [content]
    return all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in blocks)


def _elicitation(params: dict[str, Any], key: str, peer: str, where: str) -> Wanted | Failure:
    mode, message = params.get("mode", "form"), params.get("message")
    if mode not in ("form", "url"):
        return _violation(peer, f"{where}: $.params.mode “{visible(str(mode), 40)}” is unknown")
    if not isinstance(message, str):
        return _violation(peer, f"{where}: $.params.message is missing or not a string")
    if mode == "url":
        fault = _url_fault(params.get("url"))
        if fault:
            return _violation(peer, f"{where}: $.params.url {fault}")
        return Elicitation(peer=peer, key=key, message=message, mode="url", url=params["url"])
    fault = form_fault(params.get("requestedSchema"))
    if fault:
        return _violation(peer, f"{where}: $.params.requestedSchema{fault}")
    schema = params["requestedSchema"]
    return Elicitation(peer=peer, key=key, message=message, schema=schema)


def _url_fault(url: Any) -> str:
    if not isinstance(url, str):
        return "is missing or not a string"
    try:
        parts = urlsplit(url)
        # Reading the port checks it, too.
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or url != visible(url) or " " in url:
        return f"“{visible(url, 80)}” is no web address"
    return ""


def _violation(peer: str, detail: str) -> Failure:
    return _failure("INPUT-04", peer, detail)


def _failure(rule: str, peer: str, detail: str) -> Failure:
    return Failure(
        kind=Kind.PROTOCOL_VIOLATION,
        peer=peer,
        stage="call",
        rule=rule,
        detail=f"the peer asks for input it may not ask for: {detail}",
        hint=RULES[rule].hint,
    )
