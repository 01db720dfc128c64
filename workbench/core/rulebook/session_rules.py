"""The rules of a ready peer: families WIRE, LIST, CACHE, CALL, RETRY and PEER.

Takes:  nothing
Gives:  `SESSION_RULES`, in the order a reader meets them
"""

from typing import Final

from workbench.core.rulebook.rule import Rule, rule

_CACHEABLE: Final = "spec: schema CacheableResult"

SESSION_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "WIRE-01",
        "Every modern request carries fresh _meta with version, capabilities and client identity.",
        "spec: basic/index, _meta; seed skill: hard rejects",
        "core.wire.envelope",
    ),
    rule(
        "WIRE-02",
        "A modern server sends no requests; one that arrives is recorded and not answered.",
        "seed lesson: no server-initiated requests",
        "drivers.link",
        "C11-modern-ping",
    ),
    rule(
        "WIRE-03",
        "A legacy server's ping is answered; its other requests get -32601.",
        "spec 2025-11-25: basic/utilities/ping",
        "drivers.link",
        "C11-legacy-ping",
    ),
    rule(
        "LIST-01",
        "A modern listing without resultType is rejected whole; the peer offers no tools.",
        "seed skill: hard rejects",
        "core.menu.listing",
        "C01-no-result-type",
        "Ask the server's author to add resultType, or set accept_missing_result_type.",
    ),
    rule(
        "LIST-02",
        "A listing that breaks its schema is rejected whole.",
        "spec: server/tools, listing",
        "core.menu.listing",
        "",
        "Report the fault to the server's author.",
    ),
    rule(
        "LIST-03",
        "A tool with an invalid declaration is dropped alone; the others stay.",
        "spec: server/tools; ours: quarantine the smallest unit",
        "core.menu.listing",
        "C06-no-schema",
    ),
    rule(
        "LIST-04",
        "A name declared twice by one peer is refused; the other tools stay.",
        "seed skill: never a silent overwrite",
        "core.menu.listing",
        "C05-duplicate-name",
    ),
    rule(
        "LIST-05",
        "A cursor seen before in this walk, or too many pages, cuts the walk; the partial "
        "list is flagged and not cached.",
        "spec: server/utilities/pagination; ours: every loop is bounded",
        "core.menu.listing",
        "C07-repeating-cursor",
        "Report the repeating cursor to the server's author.",
    ),
    rule(
        "LIST-06",
        "An error answer or a passed deadline leaves the peer without a list.",
        "spec: server/tools",
        "core.menu.listing",
    ),
    rule(
        "CACHE-01",
        "Only the word “public” makes a list public; an absent or unknown scope is private.",
        f"{_CACHEABLE}; design: unknown scope is private",
        "core.results.cache",
    ),
    rule(
        "CACHE-02",
        "A private list never leaves its authorization context.",
        "seed skill: hard rejects",
        "core.results.cache",
    ),
    rule(
        "CACHE-03",
        "A list lives for ttlMs after it was received; an absent, negative or meaningless "
        "hint is 0, and 0 is stale at once.",
        _CACHEABLE,
        "core.results.cache",
        "modern",
    ),
    rule(
        "CACHE-04",
        "A list from before an invalidation, or older than the stored one, is not stored.",
        "seed skill: tool cache; ours: never a stale list",
        "core.results.cache",
        "C08-change-during-fetch",
    ),
    rule(
        "CACHE-05",
        "A partial list is not stored.",
        "spec: server/utilities/pagination; ours",
        "core.results.cache",
        "C07-repeating-cursor",
    ),
    rule(
        "CACHE-06",
        "When the clock steps back every age is unknown, so everything is stale.",
        "ours: field case of a wall clock set back",
        "core.results.cache",
    ),
    rule(
        "CACHE-07",
        "A list or a resource past its end stands in for one that failed only when the operator "
        "says so, for so long, and it says that it does; so does the report.",
        "ours: a stale list is a choice, never a surprise",
        "core.results.cache",
    ),
    rule(
        "CACHE-08",
        "Each page of a list is an answer of its own, with its own lifetime and scope; when "
        "the list has changed under its pages, all of them are read anew.",
        "spec: server/utilities/caching, pagination",
        "core.results.pages",
    ),
    rule(
        "CALL-01",
        "A modern answer without resultType, or with an unknown one, is a protocol violation.",
        "seed skill: hard rejects",
        "core.call",
        "C02-no-result-type",
        "Ask the server's author to send resultType “complete”.",
    ),
    rule(
        "CALL-02",
        "A result that breaks its schema is a protocol violation.",
        "spec: server/tools, CallToolResult",
        "core.call",
    ),
    rule(
        "CALL-03",
        "A call ends by its deadline; the peer is told with notifications/cancelled, over HTTP "
        "by closing the stream.",
        "spec: basic/utilities/cancellation",
        "drivers.owner",
        "C03-id-other",
        "Raise timeout_s for slow tools.",
    ),
    rule(
        "CALL-04",
        "An error answer ends the call with the peer's code and message.",
        "spec: basic/index, responses",
        "core.call",
    ),
    rule(
        "CALL-05",
        "A request for input this client has not declared, because it has no handler for it, "
        "ends the call.",
        "spec: basic/patterns/mrtr",
        "core.inputs.inputs",
        "C10-confirm",
        "Give the client a handler for it: handlers=Handlers(…).",
    ),
    rule(
        "CALL-06",
        "Arguments that break the tool's input schema are refused here; nothing is sent.",
        "spec: server/tools, data types; ours: a wrong call costs no round trip",
        "drivers.schemas",
        "modern",
        "Correct the argument the message names; the tool's input_schema says what fits.",
    ),
    rule(
        "CALL-07",
        "A structured result that breaks the tool's output schema is a protocol violation; a "
        "tool error is shown as it is and owes no structure.",
        "spec: server/tools, output schema",
        "drivers.schemas",
        "",
        "The tool has run. Report the result to the server's author.",
    ),
    rule(
        "CALL-08",
        "A schema of an unknown dialect, with a reference outside itself, or too large is not "
        "used and nothing is fetched: arguments are refused, results are shown unchecked.",
        "spec: basic/index, $ref resolution and schema dialect",
        "drivers.schemas",
        "",
        "Ask the server's author for a self-contained schema of dialect 2020-12.",
    ),
    rule(
        "CALL-09",
        "Progress that carries the call's own token moves its deadline, up to a hard limit; "
        "foreign and late progress moves nothing.",
        "spec: basic/patterns/progress and cancellation, timeouts",
        "drivers.patience",
    ),
    rule(
        "RETRY-01",
        "A call whose transport broke after it was sent has an unknown outcome and is not "
        "repeated without an idempotency key or the user's word.",
        "seed skill: refusal rules",
        "core.recovery.recover",
        "C04-dies-after",
        "Find out whether it took effect; repeat it with idempotency_key=… if repeating is safe.",
    ),
    rule(
        "RETRY-02",
        "A read the protocol defines as safe may be repeated after the peer is back, and so may "
        "any request that never left this client; each with a new id.",
        "seed skill: recovery; seed lesson: routing",
        "core.recovery.recover",
    ),
    rule(
        "RETRY-03",
        "A call whose outcome is unknown is repeated once when its tool is declared read-only or "
        "idempotent by a peer with trust_annotations; the annotations of any other peer decide "
        "nothing.",
        "design: configuration; spec: server/tools, tool annotations",
        "core.recovery.recover",
        "",
        "Set trust_annotations for a peer only if its annotations are true.",
    ),
    rule(
        "PEER-01",
        "A peer whose transport broke stays away until it is connected again: a new "
        "transport, a new verdict.",
        "seed skill: era lives as long as the transport",
        "drivers.owner",
        "C04-dies-before",
        "Call connect_all() to connect it again.",
    ),
)
