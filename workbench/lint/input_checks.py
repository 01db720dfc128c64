"""Checks of rounds of input: rules LINT-10 and LINT-11.

Takes:  a `Life`
Gives:  (frame, what was seen) for each frame that breaks a rule
Never:  takes two questions for one: a round belongs to the request with its method and params
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.text.visible import visible
from workbench.core.wire.keys import (
    CAPABILITIES_KEY,
    ELICIT,
    INPUT_REQUIRED,
    LIST_ROOTS,
    PROMPTS_GET,
    RESOURCES_READ,
    SAMPLE,
    TOOLS_CALL,
)
from workbench.lint.envelope_checks import Seen
from workbench.lint.record import Asked, Life
from workbench.lint.result_checks import modern_results

CONTINUED: Final = frozenset({TOOLS_CALL, PROMPTS_GET, RESOURCES_READ})
"""Methods whose requests may be asked back."""
NEEDS: Final[Mapping[str, str]] = {SAMPLE: "sampling", ELICIT: "elicitation", LIST_ROOTS: "roots"}
"""Kind of input -> the client capability it needs."""
_ROUND: Final = ("inputResponses", "requestState", "_meta")


def check_questions(life: Life) -> Seen:
    """LINT-10: what asks for input asks for something that can be given."""
    for asked, frame, result in modern_results(life):
        if result.get("resultType") == INPUT_REQUIRED:
            for what in _question_faults(asked, result):
                yield frame, what


def check_continuations(life: Life) -> Seen:
    """LINT-11: what brings input continues the request that was asked back."""
    open_rounds: list[Asked] = []
    for asked in life.of("client"):
        params = asked.request.params
        if "inputResponses" in params or "requestState" in params:
            earlier = next((one for one in reversed(open_rounds) if _same(one, asked)), None)
            if earlier is None:
                if life.whole:
                    yield asked.frame, "it brings input nobody has asked for"
            else:
                open_rounds.remove(earlier)
                for what in _continuation_faults(earlier.result, params):
                    yield asked.frame, what
        if isinstance(asked.result, dict) and asked.result.get("resultType") == INPUT_REQUIRED:
            open_rounds.append(asked)


def _question_faults(asked: Asked, result: Mapping[str, Any]) -> Iterator[str]:
    method = asked.request.method
    if method not in CONTINUED:
        yield f"{visible(method, 60)} cannot be asked back"
    requests, state = result.get("inputRequests"), result.get("requestState")
    if requests is None and state is None:
        yield "there is neither an input request nor a requestState"
    declared = asked.frame.meta.get(CAPABILITIES_KEY)
    for key, request in requests.items() if isinstance(requests, dict) else ():
        kind = request.get("method") if isinstance(request, dict) else None
        needed = NEEDS.get(kind) if isinstance(kind, str) else None
        if needed is None:
            yield f"{visible(key, 40)} is of the unknown kind {visible(str(kind), 60)}"
        elif not isinstance(declared, dict) or needed not in declared:
            yield f"{visible(key, 40)} needs {needed}, which the request did not declare"


def _continuation_faults(result: Mapping[str, Any], params: Mapping[str, Any]) -> Iterator[str]:
    given, wanted = params.get("requestState"), result.get("requestState")
    if given != wanted or ("requestState" in params) != ("requestState" in result):
        yield "requestState is not what the server gave"
    responses, requests = params.get("inputResponses"), result.get("inputRequests")
    asked = set(requests) if isinstance(requests, dict) else set()
    brought = set(responses) if isinstance(responses, dict) else set()
    for key in sorted(brought - asked):
        yield f"{visible(key, 40)} was not asked for"
    for key in sorted(asked - brought):
        yield f"{visible(key, 40)} is not answered"


def _same(earlier: Asked, later: Asked) -> bool:
    return earlier.request.method == later.request.method and _question(earlier) == _question(later)


def _question(asked: Asked) -> dict[str, Any]:
    return {name: one for name, one in asked.request.params.items() if name not in _ROUND}
