"""The rules of a call that needs more: family INPUT.

Takes:  nothing
Gives:  `INPUT_RULES`, in the order a round trip meets them
"""

from typing import Final

from workbench.core.rulebook.rule import Rule, rule

_MRTR: Final = "spec: basic/patterns/mrtr"

INPUT_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "INPUT-01",
        "An input_required answer carries inputRequests or requestState; with neither it is "
        "a protocol violation.",
        f"{_MRTR}, server requirements",
        "core.inputs.rounds",
        "C10-nothing",
        "Report the empty input_required answer to the server's author.",
    ),
    rule(
        "INPUT-02",
        "The requestState is an opaque string: it is echoed exactly, from the latest answer only, "
        "and never invented.",
        f"{_MRTR}, client requirements",
        "core.inputs.rounds",
        "C10-state-only",
        "Report the malformed requestState to the server's author.",
    ),
    rule(
        "INPUT-03",
        "A call ends after a bounded number of rounds, 10 unless the policy says otherwise.",
        "ours: every loop is bounded; seed card: cap MRTR rounds",
        "core.inputs.rounds",
        "C10-for-ever",
        "Raise InputPolicy.max_rounds if the peer really needs more rounds.",
    ),
    rule(
        "INPUT-04",
        "An input request of an unknown kind, or one that breaks its schema, ends the call as "
        "a protocol violation; nothing of that round is answered.",
        f"{_MRTR}, server requirements",
        "core.inputs.inputs",
        "C10-unknown-kind",
        "Report the malformed input request to the server's author.",
    ),
    rule(
        "INPUT-05",
        "What a handler gives must fit what was asked; defaults of the form fill what it left "
        "out, and nothing wrong is sent.",
        "spec: client/elicitation, form mode security; seed card: validate each response",
        "drivers.answering",
        "C10-confirm",
        "Correct the handler: the message names the member that does not fit.",
    ),
    rule(
        "INPUT-06",
        "Sampling runs under the policy: approved where an approval is asked for, at most "
        "400 tokens a request, and a bounded number of requests a call.",
        "seed card: maxTokens 400; spec: client/sampling, security considerations",
        "drivers.answering",
        "C10-sampling",
        "Raise the limit in InputPolicy, or let the peer do without.",
    ),
    rule(
        "INPUT-07",
        "Declining or dismissing an elicitation is an answer and is sent; declining a "
        "sampling request ends the call, because nobody waits for that answer.",
        "spec: client/elicitation, response actions; client/sampling, error handling",
        "drivers.answering",
        "C10-sampling",
    ),
    rule(
        "INPUT-08",
        "A URL is opened by nobody here: the handler is shown the whole URL and its host, and "
        "only its consent is sent.",
        "spec: client/elicitation, safe URL handling",
        "core.inputs.inputs",
    ),
    rule(
        "INPUT-09",
        "The peer's deadline stands still while a person decides; the decision has a bound of "
        "its own.",
        "ours: every wait is bounded",
        "drivers.answering",
        "",
        "Raise InputPolicy.answer_timeout_s, or decide faster.",
    ),
)
