"""What a recorded frame is held against: family LINT, by either side of a conversation.

Takes:  nothing
Gives:  `LINT_RULES`, in the order a reader meets them, and `ADVICE`, the ids of those that
        the specification only recommends
Never:  repeats what a refusal of this client says; these are about anybody's record
"""

from typing import Final

from workbench.core.rulebook.rule import Rule, rule

_BASE: Final = "spec: basic/index"
_LEGACY: Final = "spec 2025-11-25: basic/lifecycle"
_HTTP: Final = "spec: basic/transports/streamable-http"
_STREAMS: Final = "spec: basic/patterns/subscriptions"

ADVICE: Final = frozenset({"LINT-06", "LINT-26", "LINT-28"})
"""Rules that say "should"."""

LINT_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "LINT-01",
        "A frame is one JSON-RPC 2.0 message in UTF-8: no blank line, no other text, no batch, "
        "no byte order mark.",
        f"{_BASE}, messages; spec: basic/transports/stdio",
        "lint.envelope_checks",
        "P14-not-json",
        "Write logs to stderr, and one whole message a line to stdout.",
    ),
    rule(
        "LINT-02",
        "An answer repeats the id of a request that is open: same type, same value.",
        f"{_BASE}, responses",
        "lint.envelope_checks",
        "C03-id-string",
        "Copy the id from the request, as it stands there.",
    ),
    rule(
        "LINT-03",
        "A request is answered once.",
        f"{_BASE}, responses",
        "lint.envelope_checks",
        "C03-twice",
    ),
    rule(
        "LINT-04",
        "A request has an id that its sender has not used before on this transport.",
        f"{_BASE}, requests",
        "lint.envelope_checks",
    ),
    rule(
        "LINT-05",
        "A modern request carries its version and the client's capabilities in _meta.",
        f"{_BASE}, _meta; spec: schema RequestMetaObject",
        "lint.request_checks",
        "",
        "Stamp them on every request, just before it is serialized.",
    ),
    rule(
        "LINT-06",
        "A modern request should name the client in _meta.",
        "spec: schema RequestMetaObject",
        "lint.request_checks",
    ),
    rule(
        "LINT-07",
        "Over HTTP the headers of a modern request repeat what its body says, and Accept lists "
        "both forms of an answer.",
        f"{_HTTP}, request metadata and sending messages",
        "lint.request_checks",
    ),
    rule(
        "LINT-08",
        "A modern result says by resultType whether it is complete or asks for input.",
        "spec: schema Result; seed skill: hard rejects",
        "lint.result_checks",
        "C02-no-result-type",
        "Add resultType to every result.",
    ),
    rule(
        "LINT-09",
        "A modern discovery, listing or resource says how long and where it may be kept: "
        "ttlMs, a whole number from 0, and cacheScope, public or private.",
        "spec: schema CacheableResult",
        "lint.result_checks",
        "",
        "Add ttlMs and cacheScope; 0 and private promise nothing.",
    ),
    rule(
        "LINT-10",
        "A result that asks for input asks for something, of a kind the protocol knows and the "
        "client has declared, and only where a request may be continued.",
        "spec: basic/patterns/mrtr",
        "lint.input_checks",
        "C10-nothing",
    ),
    rule(
        "LINT-11",
        "A request that brings input repeats the one that was asked back, with its exact "
        "requestState, and answers what was asked and nothing else.",
        "spec: basic/patterns/mrtr",
        "lint.input_checks",
    ),
    rule(
        "LINT-12",
        "A modern server sends no requests.",
        "seed lesson: no server-initiated requests; spec: basic/index",
        "lint.request_checks",
        "C11-modern-ping",
    ),
    rule(
        "LINT-13",
        "A legacy server asks a client only for what that client declared.",
        f"{_LEGACY}, capability negotiation",
        "lint.handshake_checks",
        "C11-legacy-sampling",
    ),
    rule(
        "LINT-14",
        "A subscription is acknowledged before anything else is said in it, under its own id, "
        "and brings only what was agreed to.",
        f"{_STREAMS}, acknowledgment and receiving notifications",
        "lint.stream_checks",
        "C12-wrong-id",
    ),
    rule(
        "LINT-15",
        "Progress carries the token of an open request, rises, and ends with the answer.",
        "spec: basic/patterns/progress",
        "lint.stream_checks",
        "H17-after-progress",
    ),
    rule(
        "LINT-16",
        "A modern server sends log messages only while a request that asked for them is open.",
        "spec: schema RequestMetaObject, logLevel",
        "lint.stream_checks",
    ),
    rule(
        "LINT-17",
        "A cancellation names a request its sender has sent; a modern server ends only "
        "subscriptions this way, and nobody cancels initialize.",
        "spec: schema CancelledNotification; spec 2025-11-25: basic/utilities/cancellation",
        "lint.stream_checks",
    ),
    rule(
        "LINT-18",
        "Nothing more is said about a request once its cancellation has been read.",
        "spec: basic/patterns/cancellation",
        "lint.stream_checks",
    ),
    rule(
        "LINT-19",
        "-32022 says which version was asked for and which are supported, and the first is not "
        "among the second.",
        "spec: schema UnsupportedProtocolVersionError",
        "lint.error_checks",
        "P10-no-data",
    ),
    rule(
        "LINT-20",
        "-32021 names the required capabilities, and not all of them were declared.",
        "spec: schema MissingRequiredClientCapabilityError",
        "lint.error_checks",
    ),
    rule(
        "LINT-21",
        "-32020 is about HTTP headers that differ from the body; where they fit, or where there "
        "are none, it is wrong.",
        "spec: schema HeaderMismatchError",
        "lint.error_checks",
        "P04-header-mismatch",
    ),
    rule(
        "LINT-22",
        "A version that a server does not support is refused with -32022, not answered.",
        "spec: basic/versioning",
        "lint.error_checks",
        "P18-future-versions",
    ),
    rule(
        "LINT-23",
        "One transport sees one initialize, and it is the first legacy request.",
        f"{_LEGACY}, initialization",
        "lint.handshake_checks",
    ),
    rule(
        "LINT-24",
        "A client sends notifications/initialized once, after a successful answer to initialize "
        "and before every other request but ping.",
        f"{_LEGACY}, initialization",
        "lint.handshake_checks",
    ),
    rule(
        "LINT-25",
        "The answer to initialize names a revision that has a handshake, and a server with a "
        "name and a version.",
        f"{_LEGACY}, version negotiation; seed skill: legacy compatibility probe",
        "lint.handshake_checks",
        "L10-unknown-revision",
    ),
    rule(
        "LINT-26",
        "The names of one server's tools should be unique.",
        "spec: server/tools, tool names",
        "lint.listing_checks",
        "C05-duplicate-name",
    ),
    rule(
        "LINT-27",
        "A tool is declared with a JSON Schema of an object, and its x-mcp-header names can be "
        "headers.",
        f"spec: server/tools, data types; {_HTTP}, schema extension",
        "lint.listing_checks",
        "C06-schema-keyword",
    ),
    rule(
        "LINT-28",
        "A cursor should lead on: a walk through pages never comes back to one.",
        "spec: server/utilities/pagination; ours: a walk has an end",
        "lint.listing_checks",
        "C07-repeating-cursor",
    ),
    rule(
        "LINT-29",
        "Over HTTP a success status to a request brings application/json or an event stream "
        "with the answer in it.",
        f"{_HTTP}, sending messages",
        "lint.http_checks",
        "H14-202-empty",
    ),
    rule(
        "LINT-30",
        "A body that is said to be JSON is JSON, and one that is said to be JSON-RPC is a message.",
        f"{_HTTP}, sending messages; RFC 9110 section 8.3",
        "lint.http_checks",
        "H11-400-broken-json",
    ),
    rule(
        "LINT-31",
        "401 comes with a WWW-Authenticate header.",
        "spec: basic/authorization; RFC 9110 section 15.5.2",
        "lint.http_checks",
        "H12-401-bare",
    ),
    rule(
        "LINT-32",
        "A message has the members and types that the official models of its revision give it.",
        "spec: schema of the revision, as the package mcp-types holds it",
        "lint.models",
        "P16-versions-string",
    ),
    rule(
        "LINT-33",
        "Over HTTP the errors -32020, -32021 and -32022 come with status 400.",
        "spec: schema HeaderMismatchError, MissingRequiredClientCapabilityError and "
        "UnsupportedProtocolVersionError",
        "lint.http_checks",
    ),
    rule(
        "LINT-34",
        "After a handshake over HTTP every message names the agreed revision in "
        "MCP-Protocol-Version.",
        "spec 2025-11-25: basic/transports, protocol version header",
        "lint.handshake_checks",
    ),
)
