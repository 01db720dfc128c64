"""Peers by their first answer to `server/discover`: one fake per way to answer.

Takes:  the client's discovery timeout in seconds, which the late ones overrun
Gives:  name -> `Fake`; a name is the row's id and what the peer does

The peers that would serve a handshake after an ambiguous answer are legacy servers
underneath, those whose answer proves the modern era are modern servers underneath; so a
client that draws the wrong conclusion gets far enough for a test to see it.
"""

from typing import Any, Final

from fakes.fake import Fake
from fakes.library.honest import legacy, modern
from fakes.script import on, on_start
from fakes.steps import (
    Step,
    answer_default,
    close,
    delay,
    error,
    exit_,
    lines,
    raw,
    reply,
    silence,
    stderr,
)
from workbench.core.wire.keys import (
    DISCOVER,
    HEADER_MISMATCH,
    INITIALIZE,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    SERVER_INFO_KEY,
    UNSUPPORTED_VERSION,
)
from workbench.core.wire.versions import LATEST_MODERN, LEGACY_REVISIONS

DISCOVERY: Final[dict[str, Any]] = {
    "resultType": "complete",
    "supportedVersions": [LATEST_MODERN],
    "capabilities": {"tools": {}},
    "ttlMs": 3_600_000,
    "cacheScope": "public",
    "_meta": {SERVER_INFO_KEY: {"name": "pretender", "version": "1.0.0"}},
}
"""A DiscoverResult with nothing wrong."""

FUTURE: Final = ("2098-01-01", "2099-01-01")
"""Revisions nobody speaks."""

_UNKNOWN: Final = error(METHOD_NOT_FOUND, "Method not found")
_BOTH: Final = {"error": {"code": INTERNAL_ERROR, "message": "Internal error"}}

_LATE: Final = 1.5
"""How late the late ones are, in discovery timeouts."""

_REFUSALS: Final = {
    "-32601": "method-not-found",
    "-32602": "invalid-params",
    "-32600": "invalid-request",
    "-32603": "internal-error",
    "-32000": "server-error",
    "-32002": "not-initialized",
    "0": "zero",
    "1": "one",
}


def probe_faults(discovery_timeout_s: float) -> dict[str, Fake]:
    """Return the fakes of rows P01 to P22."""
    return {
        **_errors(),
        **_versions(),
        **_endings_and_noise(),
        **_wrong_answers(),
        **_late(discovery_timeout_s * _LATE),
    }


def _errors() -> dict[str, Fake]:
    mismatch = error(HEADER_MISMATCH, "Header mismatch")
    fakes = {"P01-valid": modern().described("valid DiscoverResult")}
    for code, refusal in _REFUSALS.items():
        fakes[f"P02-error{'' if code.startswith('-') else '-'}{code}"] = legacy(
            refusal=refusal,  # type: ignore[arg-type]  # the keys are Refusal's
        ).described(f"error {code}; serves initialize")
    return fakes | {
        "P03-header-mismatch-once": modern()
        .script(on(DISCOVER).nth(1).then(mismatch))
        .described("-32020 once, then valid"),
        "P04-header-mismatch": modern()
        .script(on(DISCOVER).then(mismatch))
        .described("-32020 for ever"),
        "P04-then-unknown-method": modern()
        .script(on(DISCOVER).nth(1).then(mismatch), on(DISCOVER).then(_UNKNOWN))
        .described("-32020 once, then -32601"),
        "P05-capability": modern()
        .script(on(DISCOVER).where_capability_missing("elicitation").then(_needs("elicitation")))
        .described("-32021 until elicitation is declared"),
        "P06-impossible-capability": modern()
        .script(on(DISCOVER).then(_needs("extensions", {"com.example/telepathy": {}})))
        .described("-32021 with a capability no client has"),
    }


def _needs(capability: str, settings: dict[str, Any] | None = None) -> Step:
    data = {"requiredCapabilities": {capability: settings or {}}}
    return error(MISSING_CAPABILITY, "Missing required client capability", data)


def _unsupported(*supported: str) -> Step:
    data = {"supported": list(supported), "requested": LATEST_MODERN}
    return error(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def _versions() -> dict[str, Fake]:
    return {
        "P07-mutual-version": modern(versions=(LATEST_MODERN,)).described(
            f"-32022 with {LATEST_MODERN} to any other revision, then valid"
        ),
        "P08-disjoint-versions": modern(versions=FUTURE).described(
            "-32022 listing future revisions"
        ),
        "P09-legacy-versions": modern()
        .script(on(DISCOVER).then(_unsupported(*LEGACY_REVISIONS)))
        .described("-32022 listing legacy revisions only"),
        "P10-no-data": modern()
        .script(on(DISCOVER).then(error(UNSUPPORTED_VERSION, "Unsupported protocol version")))
        .described("-32022 without data"),
        "P10-same-version": modern()
        .script(on(DISCOVER).then(_unsupported(LATEST_MODERN, LEGACY_REVISIONS[-1])))
        .described("-32022 listing the very revision it refuses"),
        "P18-future-versions": modern()
        .script(on(DISCOVER).then(reply({**DISCOVERY, "supportedVersions": list(FUTURE)})))
        .described("DiscoverResult with future revisions only"),
        "P19-legacy-versions": _pretender(
            reply({**DISCOVERY, "supportedVersions": list(LEGACY_REVISIONS)}),
            about="DiscoverResult with legacy revisions only; serves initialize",
        ),
    }


def _endings_and_noise() -> dict[str, Fake]:
    return {
        "P11-silence": _pretender(silence(), about="silence; serves initialize"),
        "P12-exit-with-stderr": legacy(refusal="exit").described(
            "one line on stderr and exit 1; serves initialize as the first message"
        ),
        "P12-exit": _pretender(exit_(3), about="exit 3 without a word; serves initialize"),
        "P12-close": _pretender(close(), about="closes; serves initialize"),
        "P12-exit-at-start": legacy()
        .script(on_start().in_lifetime(1).then(stderr("cannot start"), exit_(2)))
        .described("its first process exits before any message; the next is a legacy server"),
        "P13-empty-lines": _pretender(
            raw("", times=3), about="empty lines only; serves initialize"
        ),
        "P14-not-json": _pretender(
            lines("Usage: server [OPTIONS]", "error: unexpected input"),
            about="text that is not JSON; serves initialize",
        ),
        "P21-banner": modern()
        .script(
            on_start().then(lines("Server starting \U0001f680", "[1, 2]", '"ready"')),
            on(DISCOVER).then(raw("INFO probed"), answer_default()),
        )
        .described("banner and log lines on stdout, then valid"),
        "P22-noisy-stderr": modern()
        .script(on(DISCOVER).then(stderr("x" * 99, times=2_000), answer_default()))
        .described("200 KB on stderr, then valid"),
    }


def _wrong_answers() -> dict[str, Fake]:
    fakes = {
        f"P15-id-{word}": _pretender(
            reply(DISCOVERY, id=value), about=f"valid result, id {word}; serves initialize"
        )
        for word, value in {"other": "other", "string": "string", "null": None}.items()
    }
    results: dict[str, Any] = {
        "null": None,
        "list": [],
        "empty": {"resultType": "complete"},
        "versions-string": {**DISCOVERY, "supportedVersions": LATEST_MODERN},
        "versions-number": {**DISCOVERY, "supportedVersions": [20260728]},
        "capabilities-list": {**DISCOVERY, "capabilities": []},
    }
    for word, result in results.items():
        fakes[f"P16-{word}"] = _pretender(
            reply(result), about=f"no DiscoverResult ({word}); serves initialize"
        )
    fakes["P16-envelope"] = _pretender(
        reply(DISCOVERY, envelope=_BOTH),
        about="a DiscoverResult beside an error; serves initialize",
    )
    untyped = {name: value for name, value in DISCOVERY.items() if name != "resultType"}
    fakes["P17-no-result-type"] = _pretender(
        reply(untyped), about="DiscoverResult without resultType; serves initialize"
    )
    return fakes


def _late(late_s: float) -> dict[str, Fake]:
    valid_late = on(DISCOVER).then(delay(late_s), answer_default())
    return {
        "P20-late": modern()
        .script(valid_late)
        .described(f"valid after {late_s:g} s; answers initialize with -32022"),
        "P20-late-and-no-handshake": modern()
        .script(valid_late, on(INITIALIZE).then(silence()))
        .described(f"valid after {late_s:g} s; never answers initialize"),
        "P20-late-after-handshake": legacy()
        .script(on(DISCOVER).then(delay(late_s), reply(DISCOVERY)))
        .described(f"valid after {late_s:g} s, but serves initialize at once"),
    }


def _pretender(*steps: Step, about: str) -> Fake:
    """Return a legacy server that does `steps` with a probe."""
    return legacy().script(on(DISCOVER).then(*steps)).described(about)
