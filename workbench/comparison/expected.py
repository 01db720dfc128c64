"""What the specification says a client of both eras does with each faulty peer.

Takes:  the name of a fault
Gives:  the verdicts it allows, the reason in a sentence, and the section it is from
Never:  holds what this harness does: its own policy is stricter, and stands elsewhere

The rule of fallback: a DiscoverResult or a recognized modern error identifies a modern
server, which never gets an `initialize`; any other error, and no answer in time, a legacy
one. Where the specification says nothing, every verdict is allowed.
"""

from typing import Final

from msgspec import Struct

_STDIO: Final = "basic/transports/stdio, backward compatibility"
_HTTP: Final = "basic/transports/streamable-http, backward compatibility"
_BOTH: Final = "basic/transports/stdio and streamable-http, backward compatibility"
_VERSIONING: Final = "basic/versioning, backward compatibility"
_RESULT: Final = "schema, Result"
_LIFECYCLE: Final = "2025-11-25 basic/lifecycle, initialization"
_JSON_RPC: Final = "JSON-RPC 2.0, response object"


class Expected(Struct, frozen=True, kw_only=True):
    """What the specification says of one kind of peer."""

    allows: tuple[str, ...]
    """Verdicts it gives, or leaves open, for a client that speaks both eras."""
    says: str
    """The reason, in our words."""
    source: str
    modern: bool = False
    """The first answer identifies a modern server: an initialize after it is a downgrade."""
    malformed: tuple[str, ...] = ()
    """Verdicts only a client can reach that takes a malformed answer for good."""

    def verdicts(self) -> str:
        """Return the allowed verdicts for a table."""
        return " or ".join(self.allows) + (", no initialize" if self.modern else "")


def _modern(*allows: str, says: str, source: str = _STDIO) -> Expected:
    return Expected(allows=allows, says=says, source=source, modern=True)


def _legacy(says: str, source: str = _STDIO, malformed: tuple[str, ...] = ()) -> Expected:
    return Expected(allows=("legacy",), says=says, source=source, malformed=malformed)


def _no_session(says: str, source: str = _LIFECYCLE) -> Expected:
    return Expected(allows=("refused",), says=says, source=source, malformed=("legacy",))


def _open(says: str, source: str, *allows: str) -> Expected:
    return Expected(allows=allows or ("modern", "legacy", "refused"), says=says, source=source)


_RECOGNIZED: Final = "A recognized modern error identifies a modern server: correct or give up."
_NO_MUTUAL: Final = "The server is modern and shares no version: give up, do not fall back."
_ANY_ERROR: Final = "Any other error identifies a legacy server, whatever its code."
_NO_ANSWER: Final = "No answer in a reasonable time identifies a legacy server."
_ANYTHING_ELSE: Final = "Anything but a DiscoverResult or a recognized error means legacy."
_NO_RULE: Final = "The specification has no rule for this."
_ODD_RESULT: Final = "Not a valid InitializeResult: there is no session."
_NO_VALID_ANSWER: Final = "No valid answer to the handshake: there is no session."

EXPECTED: Final[dict[str, Expected]] = {
    # -- the probe over stdio
    "P01": _modern("modern", says="A DiscoverResult identifies a modern server."),
    "P02": _legacy(_ANY_ERROR),
    "P03": _modern("modern", "refused", says=_RECOGNIZED, source=_BOTH),
    "P04": _modern("refused", says=_RECOGNIZED, source=_BOTH),
    "P05": _modern("modern", "refused", says="Declare the capability, or give up.", source=_BOTH),
    "P06": _modern("refused", says=_RECOGNIZED, source=_BOTH),
    "P07": _modern("modern", says="Use one of the versions in the supported list."),
    "P08": _modern("refused", says=_NO_MUTUAL),
    "P09": _modern("refused", says="Do not fall back, though the list names legacy revisions."),
    "P10": _modern("refused", says=_RECOGNIZED),
    "P11": _legacy(_NO_ANSWER),
    "P12": _open("A probe that ends the process is not treated.", _STDIO, "legacy", "refused"),
    "P13": _legacy(_NO_ANSWER),
    "P14": _legacy(_NO_ANSWER, malformed=("modern",)),
    "P15": _legacy("An answer under another id answers nothing.", _JSON_RPC, ("modern",)),
    "P16": _legacy(_ANYTHING_ELSE, _VERSIONING, ("modern",)),
    "P17": _legacy("A server of this revision must include resultType.", _RESULT, ("modern",)),
    "P18": _modern("refused", says=_NO_MUTUAL),
    "P19": _open(
        "A DiscoverResult that names legacy revisions only: either reading fits.",
        _VERSIONING,
        "legacy",
        "refused",
    ),  # fmt: skip
    "P20": _open("What time is reasonable is for the client to say.", _STDIO, "modern", "legacy"),
    "P20-late-and-no-handshake": _open(
        "What time is reasonable is for the client to say.", _STDIO, "modern", "refused"
    ),
    "P21": _open(
        "The server must not write such lines; ignoring them is allowed.",
        "basic/transports/stdio",
        "modern",
    ),  # fmt: skip
    "P22": _modern("modern", says="stderr does not indicate an error."),
    # -- the legacy handshake
    "L01": _legacy("The probe failed, so the handshake of the legacy era is right.", _STDIO),
    "L03": _no_session("An answer under another id answers nothing.", _JSON_RPC),
    "L04": _no_session("The server refuses the handshake."),
    "L05": _no_session("A response has a result or an error, never both.", _JSON_RPC),
    "L06": _no_session("A response has a result or an error.", _JSON_RPC),
    "L07": _no_session(_ODD_RESULT),
    "L08": _no_session(_ODD_RESULT),
    "L09": _no_session(_ODD_RESULT),
    # An empty string is a string: the schema asks for no more.
    "L09-name-empty": _legacy("The schema asks for a string; an empty one is valid.", _LIFECYCLE),
    "L09-version-empty": _legacy(
        "The schema asks for a string; an empty one is valid.", _LIFECYCLE
    ),
    "L10": _no_session("A version the client does not support: disconnect."),
    "L11": _no_session("A version that has no handshake: disconnect."),
    "L12": _no_session("A message says jsonrpc 2.0.", _JSON_RPC),
    "L02": _no_session(_NO_VALID_ANSWER),
    "L13": _no_session(_NO_VALID_ANSWER),
    # -- the probe over Streamable HTTP
    "H01": _modern("modern", says="A DiscoverResult identifies a modern server.", source=_HTTP),
    "H02": _modern("modern", says="A DiscoverResult identifies a modern server.", source=_HTTP),
    "H03": _modern("refused", says=_RECOGNIZED, source=_HTTP),
    "H03-header-mismatch-once": _modern("modern", "refused", says=_RECOGNIZED, source=_HTTP),
    "H04": _modern("refused", says=_RECOGNIZED, source=_HTTP),
    "H04-capability": _modern(
        "modern", "refused", says="Declare the capability, or give up.", source=_HTTP
    ),
    "H05": _modern("refused", says=_NO_MUTUAL, source=_HTTP),
    "H05-mutual-version": _modern(
        "modern", says="Use one of the versions in the supported list.", source=_HTTP
    ),
    "H06": _legacy("A 400 without a recognized modern error means legacy.", _HTTP),
    "H07": _legacy("A 4xx without a recognized modern error means legacy.", _VERSIONING),
    "H08": _open(
        "A modern server says so of an unknown method, but must know this one.",
        _HTTP,
        "legacy",
        "refused",
    ),  # fmt: skip
    "H09": _legacy(_ANYTHING_ELSE, _VERSIONING),
    "H10": _legacy("A 4xx without a recognized modern error means legacy.", _VERSIONING),
    "H11": _legacy("A 400 without a recognized modern error means legacy.", _HTTP),
    "H12": _open(
        "Authorization comes first; it is no sign of an era.", "basic/authorization", "refused"
    ),  # fmt: skip
    "H12-401-probe-only": _open(_NO_RULE, _HTTP, "legacy", "refused"),
    "H13": _open("A server in trouble is no sign of an era.", _HTTP, "legacy", "refused"),
    "H13-503-once": _open("A server in trouble is no sign of an era.", _HTTP),
    "H14": _legacy(_ANYTHING_ELSE, _VERSIONING),
    "H15": _legacy(_ANYTHING_ELSE, _VERSIONING),
    "H15-html-type": _legacy(_ANYTHING_ELSE, _VERSIONING, ("modern",)),
    "H16": _legacy(_ANYTHING_ELSE, _VERSIONING),
    "H16-late": _open(
        "What time is reasonable is for the client to say.", _HTTP, "modern", "legacy", "refused"
    ),  # fmt: skip
    "H17": _legacy(_ANYTHING_ELSE, _VERSIONING, ("modern",)),
    "H18": _open(_NO_RULE, _HTTP),
}
"""Start of a fault's name -> what is expected; the longest start that fits counts."""


def expected_of(fault: str) -> Expected:
    """Return what the specification says of a fault; every verdict fits an unknown one."""
    starts = [start for start in EXPECTED if fault.startswith(start)]
    return EXPECTED[max(starts, key=len)] if starts else _open(_NO_RULE, "-")
