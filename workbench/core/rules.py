"""The rulebook: every rule the harness applies, stated once.

Takes:  nothing
Gives:  `RULES`, id -> `Rule`; reports, traces and refusals quote the ids

A sentence is written for a student who reads a refusal: what was decided and why. The
hint says what to change. Families: ERA and LEG negotiate, WIRE is the envelope, LIST a
listing, CACHE its reuse, MERGE and ROUTE names, CALL an answer, RETRY a repeat, PROC a
process, PIN what may be started.
"""

from typing import Final

from workbench.core.era_rules import ERA_RULES
from workbench.core.rule import Rule


def _rule(id: str, sentence: str, source: str, where: str, fake: str = "", hint: str = "") -> Rule:
    return Rule(id=id, sentence=sentence, source=source, where=where, fake=fake, hint=hint)


_SESSION = (
    _rule(
        "WIRE-01",
        "Every modern request carries fresh _meta with version, capabilities and client identity.",
        "spec: basic/index, _meta; seed skill: hard rejects",
        "core.wire.envelope",
    ),
    _rule(
        "WIRE-02",
        "A modern server sends no requests; one that arrives is recorded and not answered.",
        "seed lesson: no server-initiated requests",
        "drivers.link",
        "C11",
    ),
    _rule(
        "WIRE-03",
        "A legacy server's ping is answered; its other requests get -32601.",
        "spec 2025-11-25: basic/utilities/ping",
        "drivers.link",
        "C11-legacy",
    ),
    _rule(
        "LIST-01",
        "A modern listing without resultType is rejected whole; the peer offers no tools.",
        "seed skill: hard rejects",
        "core.listing",
        "C01",
        "Ask the server's author to add resultType, or set accept_missing_result_type.",
    ),
    _rule(
        "LIST-02",
        "A listing that breaks its schema is rejected whole.",
        "spec: server/tools, listing",
        "core.listing",
        "C06-listing",
        "Report the fault to the server's author.",
    ),
    _rule(
        "LIST-03",
        "A tool with an invalid declaration is dropped alone; the others stay.",
        "spec: server/tools; ours: quarantine the smallest unit",
        "core.listing",
        "C06",
    ),
    _rule(
        "LIST-04",
        "A name declared twice by one peer is refused; the other tools stay.",
        "seed skill: never a silent overwrite",
        "core.listing",
        "C05",
    ),
    _rule(
        "LIST-05",
        "A cursor seen before in this walk, or too many pages, cuts the walk; the partial "
        "list is flagged and not cached.",
        "spec: server/utilities/pagination; ours: every loop is bounded",
        "core.listing",
        "C07-loop",
        "Report the repeating cursor to the server's author.",
    ),
    _rule(
        "LIST-06",
        "An error answer or a passed deadline leaves the peer without a list.",
        "spec: server/tools",
        "core.listing",
    ),
    _rule(
        "CALL-01",
        "A modern answer without resultType, or with an unknown one, is a protocol violation.",
        "seed skill: hard rejects",
        "core.call",
        "C02",
        "Ask the server's author to send resultType “complete”.",
    ),
    _rule(
        "CALL-02",
        "A result that breaks its schema is a protocol violation.",
        "spec: server/tools, CallToolResult",
        "core.call",
    ),
    _rule(
        "CALL-03",
        "A call ends by its deadline; the peer is told with notifications/cancelled.",
        "spec: basic/utilities/cancellation",
        "drivers.owner",
        "C03",
        "Raise timeout_s for slow tools.",
    ),
    _rule(
        "CALL-04",
        "An error answer ends the call with the peer's code and message.",
        "spec: basic/index, responses",
        "core.call",
    ),
    _rule(
        "CALL-05",
        "A request for input this client has no handler for ends the call.",
        "spec: basic/patterns/mrtr",
        "core.call",
        "C10",
        "Use a client that declares the needed capability and handles it.",
    ),
    _rule(
        "RETRY-01",
        "A call whose transport broke after it was sent has an unknown outcome and is not "
        "repeated without an idempotency key or the user's word.",
        "seed skill: refusal rules",
        "core.recover",
        "C04",
        "Find out whether it took effect; repeat it with idempotency_key=… if repeating is safe.",
    ),
    _rule(
        "RETRY-02",
        "A read the protocol defines as safe may be repeated after the peer is back.",
        "seed skill: recovery",
        "core.recover",
    ),
    _rule(
        "PIN-01",
        "A command outside the allowlist is never started.",
        "seed skill: refusal rules",
        "drivers.pool",
        "",
        "Add the command to allowed_commands, or load it from your configuration.",
    ),
    _rule(
        "PROC-01",
        "A command that cannot be started leaves its peer unavailable and the others untouched.",
        "ours: isolation",
        "transports.stdio",
        "",
        "Check the command's path and permissions.",
    ),
    _rule(
        "PEER-01",
        "A peer whose transport broke stays away until it is connected again: a new "
        "transport, a new verdict.",
        "seed skill: era lives as long as the transport",
        "drivers.owner",
        "C04",
        "Call connect_all() to connect it again.",
    ),
)

RULES: Final[dict[str, Rule]] = {rule.id: rule for rule in (*ERA_RULES, *_SESSION)}
"""Every rule by id."""
