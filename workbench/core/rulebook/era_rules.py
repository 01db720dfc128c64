"""The rules of the era verdict: families ERA (the probe) and LEG (the legacy handshake).

Takes:  nothing
Gives:  `ERA_RULES`, in the order a reader meets them
"""

from typing import Final

from workbench.core.rulebook.rule import Rule

_DISCOVER = "spec: server/discover"
_VERSIONING = "spec: basic/versioning"
_STDIO = "spec: basic/transports/stdio, backward compatibility"
_HTTP = "spec: basic/transports/streamable-http, backward compatibility"
_LESSON = "seed lesson: the stdio compatibility probe"
_LEGACY = "spec 2025-11-25: basic/lifecycle; seed lesson: legacy is a compatibility branch"
_ALLOW = (
    "If you trust this peer to be a legacy server, set allow_legacy to true for it; "
    "otherwise ask its author for a server that answers server/discover."
)


def _era(id: str, sentence: str, source: str, fake: str = "", hint: str = "") -> Rule:
    return Rule(
        id=id,
        sentence=sentence,
        source=source,
        where="core.negotiate.table",
        fake=fake,
        hint=hint,
    )


ERA_RULES: Final[tuple[Rule, ...]] = (
    _era(
        "ERA-00",
        "The first message to every peer is server/discover.",
        f"{_STDIO}; seed card: stdio era probe",
        "P01",
    ),
    _era(
        "ERA-01",
        "A valid DiscoverResult with a mutual version selects the modern era at the highest "
        "such version.",
        _DISCOVER,
        "P01",
    ),
    _era(
        "ERA-02",
        "-32022 proves a modern peer: retry once per mutual version with a new id, never "
        "initialize.",
        _VERSIONING,
        "P07",
    ),
    _era(
        "ERA-03",
        "-32022 without a modern version we also speak ends the negotiation; a recognized "
        "modern error never leads to initialize.",
        f"{_VERSIONING}; {_LESSON}",
        "P08",
        "Update this client or the server so that both speak one modern version.",
    ),
    _era(
        "ERA-04",
        "-32020 proves a modern peer: correct the request once, with a new id.",
        f"{_VERSIONING}; {_LESSON}",
        "P03",
    ),
    _era(
        "ERA-05",
        "A second -32020 means the request cannot be corrected; a recognized modern error "
        "never leads to initialize.",
        _LESSON,
        "P04",
        "Report the header complaint to the server's author; retrying will not help.",
    ),
    _era(
        "ERA-06",
        "-32021 proves a modern peer: declare the capability if this client has it, with a new id.",
        f"{_VERSIONING}; {_LESSON}",
        "P05",
    ),
    _era(
        "ERA-07",
        "-32021 for a capability this client does not have ends the negotiation; a "
        "recognized modern error never leads to initialize.",
        _LESSON,
        "P06",
        "Give the client a handler for the required capability, or do without this peer.",
    ),
    _era(
        "ERA-08",
        "A DiscoverResult proves a modern peer; without a mutual version there is nothing "
        "to speak.",
        _DISCOVER,
        "P18",
        "Update this client or the server so that both speak one modern version.",
    ),
    _era(
        "ERA-09",
        "A peer that names only legacy revisions is spoken to only with allow_legacy.",
        _LESSON,
        "P19",
        _ALLOW,
    ),
    _era(
        "ERA-10",
        "An error code outside -32020, -32021 and -32022 proves no era, -32601 included.",
        f"{_LESSON}; stricter than {_STDIO}",
        "P02",
        _ALLOW,
    ),
    _era(
        "ERA-11",
        "Silence proves no era: a slow modern server looks the same as a legacy one.",
        f"{_LESSON}; stricter than {_STDIO}",
        "P11",
        "If the server only starts slowly, raise discovery_timeout_ms. " + _ALLOW,
    ),
    _era(
        "ERA-12",
        "A connection that closes before the answer proves no era.",
        _LESSON,
        "P12",
        "Read the exit status and stderr above: a wrong path, a missing key or a missing "
        "module is the usual reason. " + _ALLOW,
    ),
    _era("ERA-13", "Empty lines are no answer.", _LESSON, "P13", _ALLOW),
    _era(
        "ERA-14",
        "Text that is not a JSON-RPC message is no answer; it belongs on stderr.",
        f"{_LESSON}; {_STDIO}",
        "P14",
        "Make the server write its log lines to stderr. " + _ALLOW,
    ),
    _era(
        "ERA-15",
        "An answer counts only under the id that was asked: same type, same value.",
        "spec: basic/index, responses",
        "P15",
        _ALLOW,
    ),
    _era(
        "ERA-16",
        "A success that is no DiscoverResult proves no era.",
        _LESSON,
        "P16",
        _ALLOW,
    ),
    _era(
        "ERA-17",
        "A modern success must carry resultType; without it nothing is proved.",
        "seed skill: hard rejects; stricter than the specification, which lets clients "
        "assume “complete”",
        "P17",
        "Ask the server's author to add resultType, or set accept_missing_result_type for "
        "this peer.",
    ),
    _era(
        "ERA-18",
        "A frame with a broken envelope proves no era even when its id matches.",
        "spec: basic/index, responses",
        "P16-envelope",
        _ALLOW,
    ),
    _era(
        "ERA-20",
        "After a recognized modern error an ambiguous signal ends the negotiation; it never "
        "leads to initialize.",
        _LESSON,
        "P04-then-unknown-method",
        "Try again later, or report the answer to the server's author.",
    ),
    _era(
        "ERA-21",
        "The start-up grace of a process ends with its first byte.",
        "ours: slow starters are not misjudged",
        "P22",
    ),
    _era(
        "ERA-22",
        "A frame that answers nothing we asked is recorded and never moves the verdict.",
        "spec: basic/index, responses; ours",
        "P21",
    ),
    _era(
        "ERA-23",
        "An HTTP error status without a recognized JSON-RPC error proves no era, 404 and 405 "
        "included.",
        f"{_HTTP}; {_LESSON}",
        "H06",
        "Check that the address is that of the MCP endpoint. " + _ALLOW,
    ),
    _era(
        "ERA-24",
        "An HTTP exchange that ends without an answer proves no era.",
        f"{_HTTP}; {_LESSON}",
        "H14",
        "Check that the address is that of the MCP endpoint. " + _ALLOW,
    ),
    _era(
        "LEG-00",
        "Legacy is selected only by a correlated, structurally valid InitializeResult in a "
        "configured revision; then notifications/initialized is sent once.",
        _LEGACY,
        "L01",
    ),
    _era(
        "LEG-01",
        "After an ambiguous answer an allowlisted peer gets one initialize, bounded by "
        "legacy_probe_timeout_ms.",
        _LESSON,
        "P02",
    ),
    _era(
        "LEG-02",
        "A peer that closed on the probe gets its one initialize on a fresh transport.",
        f"{_LESSON}; ours: no broken pipe is reused",
        "P12",
    ),
    _era(
        "LEG-03",
        "No answer to initialize within its deadline leaves the peer unavailable.",
        _LEGACY,
        "L02",
        "Check that the server runs by itself, or raise legacy_probe_timeout_ms.",
    ),
    _era(
        "LEG-04",
        "An InitializeResult under another id selects nothing.",
        _LEGACY,
        "L03",
        "Report the wrong id to the server's author.",
    ),
    _era(
        "LEG-05",
        "An error answer to initialize leaves the peer unavailable; initialize is not repeated.",
        _LEGACY,
        "L04",
        "Read the error above; the server refused the handshake itself.",
    ),
    _era(
        "LEG-06",
        'A handshake answer needs jsonrpc "2.0" and exactly one of result and error.',
        _LEGACY,
        "L05",
        "Report the broken answer to the server's author.",
    ),
    _era(
        "LEG-07",
        "An InitializeResult needs object capabilities and a serverInfo with a non-empty name "
        "and version.",
        _LEGACY,
        "L07",
        "Report the missing field to the server's author.",
    ),
    _era(
        "LEG-08",
        "A revision outside the configured legacy revisions is refused, the modern one included.",
        _LEGACY,
        "L10",
        "Add the revision to legacy_revisions if this client implements it; otherwise update "
        "the server.",
    ),
    _era(
        "LEG-09",
        "A connection that closes before the handshake answer leaves the peer unavailable.",
        _LEGACY,
        "L13",
        "Read the exit status and stderr above.",
    ),
    _era(
        "LEG-10",
        "An initialize that HTTP refuses, or leaves without an answer, leaves the peer "
        "unavailable.",
        "spec 2025-11-25: basic/transports",
        "",
        "Check that the address is that of the MCP endpoint.",
    ),
    _era(
        "LEG-11",
        "The HTTP+SSE transport of revision 2024-11-05 is recognized and not spoken.",
        "spec: basic/transports/streamable-http, backward compatibility; ours",
        "",
        "Use the server's Streamable HTTP address, often ending in /mcp, or update the server.",
    ),
)
