"""Everything that can be seen while an era is negotiated, as a closed list.

Takes:  nothing
Gives:  `Sign`, one half of every row of the policy table
"""

from enum import StrEnum


class Sign(StrEnum):
    """Everything that can be seen while an era is negotiated."""

    OPENED = "transport opened"
    LIFE = "first byte"
    DISCOVERED = "valid DiscoverResult"
    NO_MUTUAL_VERSION = "DiscoverResult without a mutual version"
    LEGACY_ONLY = "DiscoverResult naming legacy revisions only"
    VERSION_OFFER = "-32022 with a mutual version"
    VERSION_DEAD_END = "-32022 without a usable version"
    HEADER_MISMATCH = "-32020"
    HEADER_AGAIN = "-32020 after a correction"
    CAPABILITY_NEEDED = "-32021 for a capability we can declare"
    CAPABILITY_DEAD_END = "-32021 for a capability we cannot declare"
    UNRECOGNIZED_ERROR = "unrecognized error"
    MALFORMED_RESULT = "result that is no DiscoverResult"
    NO_RESULT_TYPE = "DiscoverResult without resultType"
    BROKEN_ENVELOPE = "broken envelope"
    SILENCE = "silence"
    EMPTY_LINES = "empty lines only"
    NOT_JSON = "text that is not a message"
    WRONG_ID = "answer with another id"
    HTTP_STATUS = "HTTP error without a JSON-RPC error"
    NO_ANSWER = "HTTP exchange without an answer"
    AUTH_NEEDED = "authorization needed"
    SERVER_TROUBLE = "server trouble"
    REDIRECTED = "redirect not followed"
    UNREACHABLE = "not reachable"
    OLD_TRANSPORT = "HTTP+SSE transport"
    CLOSED = "transport closed"
    START_FAILED = "could not start"
    HANDSHAKE_VALID = "valid InitializeResult"
    HANDSHAKE_MALFORMED = "malformed InitializeResult"
    HANDSHAKE_REVISION = "InitializeResult with an unsupported revision"
    HANDSHAKE_ERROR = "error to initialize"
    STRAY = "stray frame"


AMBIGUOUS = frozenset(
    {
        Sign.UNRECOGNIZED_ERROR,
        Sign.MALFORMED_RESULT,
        Sign.NO_RESULT_TYPE,
        Sign.BROKEN_ENVELOPE,
        Sign.SILENCE,
        Sign.EMPTY_LINES,
        Sign.NOT_JSON,
        Sign.WRONG_ID,
        Sign.HTTP_STATUS,
        Sign.NO_ANSWER,
    }
)
"""Signs that prove no era while the transport is still open."""

NO_EVIDENCE = frozenset({Sign.AUTH_NEEDED, Sign.SERVER_TROUBLE, Sign.REDIRECTED, Sign.UNREACHABLE})
"""Signs that are about the way to the peer and say nothing of its era, not even doubt."""

LATE_AMBIGUOUS = AMBIGUOUS | {Sign.LEGACY_ONLY}
"""Answers to the probe that change nothing once a handshake is in flight."""

NOISE_ORDER: dict[Sign | None, int] = {
    None: 0,
    Sign.EMPTY_LINES: 1,
    Sign.NOT_JSON: 2,
    Sign.WRONG_ID: 3,
}
"""Which of several noises a deadline is named after: the most telling one."""
