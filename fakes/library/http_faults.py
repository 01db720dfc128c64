"""Peers by their first answer to `server/discover` over Streamable HTTP.

Takes:  the client's discovery timeout in seconds, which the late one overruns
Gives:  name -> `Fake` of rows H01 to H18; their descriptions say that they need HTTP,
        unless the same script means something on every transport

The peers that would serve a handshake after an ambiguous answer are legacy servers
underneath, so a client that draws the wrong conclusion gets far enough for a test to see
it. What is no era verdict at all (authorization, server trouble, redirects) stands in
front of a server that would serve both.
"""

from typing import Any, Final

import msgspec

from fakes.fake import Fake
from fakes.http_steps import (
    HTML_TYPE,
    JSON_TYPE,
    SSE_TYPE,
    as_sse,
    challenge,
    cut,
    deliver,
    empty,
    hang_up,
    html,
    redirect,
    stall,
    status,
)
from fakes.library.honest import dual_era, legacy, modern
from fakes.library.probe_faults import DISCOVERY
from fakes.script import on
from fakes.steps import Step, answer_default, delay, error, notify, reply, silence
from workbench.core.wire.keys import (
    DISCOVER,
    HEADER_MISMATCH,
    INITIALIZE,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    UNSUPPORTED_VERSION,
)
from workbench.core.wire.versions import LATEST_MODERN, LEGACY_REVISIONS

ELSEWHERE: Final = "http://127.0.0.1:1/mcp"
"""Another origin, where nobody listens."""
FUTURE: Final = ("2098-01-01", "2099-01-01")
_NOTE: Final = " (HTTP only)"


def http_faults(discovery_timeout_s: float) -> dict[str, Fake]:
    """Return the fakes of rows H01 to H18."""
    fakes = {
        **_modern(),
        **_ambiguous(),
        **_silences(discovery_timeout_s * 1.5),
        **_no_verdicts(),
        **_redirects(),
    }
    return {name: _marked(one) for name, one in fakes.items()}


def _marked(fake: Fake) -> Fake:
    return fake.described(fake.program.about + _NOTE) if fake.program.http_only else fake


def _modern() -> dict[str, Fake]:
    probe = on(DISCOVER)
    mismatch = error(HEADER_MISMATCH, "Header mismatch")
    disjoint = {"supported": list(FUTURE), "requested": LATEST_MODERN}
    old = {"supported": list(LEGACY_REVISIONS), "requested": LATEST_MODERN}
    mutual = {"supported": [LATEST_MODERN, *FUTURE], "requested": LATEST_MODERN}
    possible: dict[str, Any] = {"elicitation": {}}
    impossible: dict[str, Any] = {"extensions": {"com.example/telepathy": {}}}
    return {
        "H01-json": modern().described("valid, 200 JSON"),
        "H02-sse": modern().script(on("*").then(as_sse(), answer_default())).described(
            "valid, 200 event stream, as is every answer"
        ),
        "H03-header-mismatch-once": modern().script(probe.nth(1).then(mismatch)).described(
            "400 -32020 once, then valid"
        ),
        "H03-header-mismatch": modern().script(probe.then(mismatch)).described(
            "400 -32020 for ever"
        ),
        "H04-capability": modern().script(
            probe.where_capability_missing("elicitation").then(_needs(possible))
        ).described("400 -32021 until elicitation is declared"),
        "H04-impossible-capability": modern().script(probe.then(_needs(impossible))).described(
            "400 -32021 with a capability no client has"
        ),
        "H05-mutual-version": modern().script(
            probe.nth(1).then(_unsupported(mutual))
        ).described("400 -32022 once, listing the refused revision too, then valid"),
        "H05-disjoint-versions": modern().script(probe.then(_unsupported(disjoint))).described(
            "400 -32022 listing future revisions"
        ),
        "H05-legacy-versions": modern().script(probe.then(_unsupported(old))).described(
            "400 -32022 listing legacy revisions only"
        ),
        "H05-no-data": modern().script(probe.then(_unsupported(None))).described(
            "400 -32022 without data"
        ),
    }  # fmt: skip


def _needs(capabilities: dict[str, Any]) -> Step:
    data = {"requiredCapabilities": capabilities}
    return error(MISSING_CAPABILITY, "Missing required client capability", data)


def _unsupported(data: Any) -> Step:
    return error(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def _ambiguous() -> dict[str, Fake]:
    unknown = error(METHOD_NOT_FOUND, "Method not found")
    bodies = {
        "text": ("a sentence", "No valid session", "text/plain"),
        "odd-json": ("JSON of another kind", '{"error": "nope"}', JSON_TYPE),
        "odd-error": (
            "an error whose code is a string",
            '{"jsonrpc":"2.0","id":<<id>>,"error":{"code":"-32022","message":"no"}}',
            JSON_TYPE,
        ),
        "html": ("a page", "<html><body>Bad Request</body></html>", HTML_TYPE),
        "broken-json": ("cut off JSON", '{"jsonrpc":"2.0","id":<<id>>,"err', JSON_TYPE),
    }
    fakes = {
        "H06-400-empty": _pretender("400 without a body", empty(400)),
        "H07-404-empty": _pretender("404 without a body", empty(404)),
        "H08-404-unknown-method": _pretender("404 -32601", deliver(status=404), unknown),
        "H09-200-unknown-method": _pretender("200 -32601", deliver(status=200), unknown),
        "H10-405": _pretender("405", status(405, headers={"Allow": "GET"})),
        "H14-202-empty": _pretender("202 without a body", empty(202)),
        "H14-200-empty": _pretender("200 without a body", status(200, "", None, JSON_TYPE)),
        "H15-200-html": _pretender("200 and a page", html(200, "<html>Sign in</html>")),
        "H15-html-type": _pretender(
            "a valid answer, said to be text/html",
            deliver(status=200, content_type=HTML_TYPE),
            reply(DISCOVERY),
        ),
    }
    for word, (about, body, media) in bodies.items():
        fakes[f"H11-400-{word}"] = _pretender(f"400 and {about}", status(400, body, None, media))
    return fakes


def _silences(late_s: float) -> dict[str, Fake]:
    progress = notify("notifications/progress", {"progressToken": 1, "progress": 1})
    foreign = 'event: message\ndata: {"jsonrpc":"2.0","id":"another","result":{}}\n\n'
    return {
        "H16-silence": _pretender("no response at all", silence()),
        "H16-late": modern().script(on(DISCOVER).then(delay(late_s), answer_default())).described(
            f"valid after {late_s:g} s"
        ),
        "H16-head-only": _pretender(
            "the head of a response, no body", deliver(status=200), stall(), reply(DISCOVERY)
        ),
        "H16-half-a-body": _pretender(
            "40 bytes of a body, then nothing", deliver(status=200), stall(40), reply(DISCOVERY)
        ),
        "H16-quiet-stream": _pretender("an event stream without events", as_sse(), silence()),
        "H17-empty-stream": _pretender("an event stream that ends at once", as_sse(), hang_up()),
        "H17-after-progress": _pretender(
            "an event stream that ends after a notification", as_sse(), progress, hang_up()
        ),
        "H17-mid-event": _pretender(
            "an event stream that is cut inside the answer", as_sse(), cut(60), reply(DISCOVERY)
        ),
        "H17-clean-mid-event": _pretender(
            "an event stream that ends well inside the answer",
            as_sse(),
            cut(60, how="end"),
            reply(DISCOVERY),
        ),
        "H17-reset": _pretender(
            "an event stream that is reset", as_sse(), progress, hang_up("reset")
        ),
        "H17-another-id": _pretender(
            "an event stream with another id's answer", status(200, foreign, None, SSE_TYPE)
        ),
    }  # fmt: skip


def _no_verdicts() -> dict[str, Fake]:
    limited = 'Bearer error="insufficient_scope", scope="tools"'
    answers: dict[str, tuple[str, Step]] = {
        "H12-401": ("401 with a challenge", challenge()),
        "H12-401-bare": ("401 without a challenge", empty(401)),
        "H12-403": ("403 with a challenge", challenge(403, limited)),
        "H13-500": ("500 without a body", empty(500)),
        "H13-500-json-rpc": (
            "500 and a JSON-RPC error",
            status(500, _error_body(), None, JSON_TYPE),
        ),
        "H13-502-html": ("502 and a page", html(502)),
        "H13-503": ("503 with Retry-After", status(503, headers={"Retry-After": "1"})),
    }
    fakes = {
        name: dual_era().script(on("*").then(step)).described(f"everything: {about}")
        for name, (about, step) in answers.items()
    }
    fakes["H12-401-probe-only"] = (
        dual_era()
        .script(on(DISCOVER).then(challenge()))
        .described("401 with a challenge for the probe alone; would serve initialize")
    )
    fakes["H13-503-once"] = (
        modern()
        .script(on("*").nth(1).then(status(503, headers={"Retry-After": "1"})))
        .described("503 once, then valid")
    )
    return fakes


def _error_body() -> str:
    return '{"jsonrpc":"2.0","id":<<id>>,"error":{"code":-32603,"message":"Internal error"}}'


def _redirects() -> dict[str, Fake]:
    moved = "/mcp?moved"
    fakes = {
        f"H18-same-origin-{code}": modern()
        .script(on("*").nth(1).then(redirect(moved, code)))
        .described(f"{code} to the same origin once, then valid")
        for code in (301, 302, 303, 307, 308)
    }
    return fakes | {
        "H18-loop": dual_era()
        .script(on("*").then(redirect(moved)))
        .described("307 to the same origin for ever"),
        "H18-other-origin": dual_era()
        .script(on("*").then(redirect(ELSEWHERE)))
        .described("307 to another origin"),
        "H18-no-location": dual_era()
        .script(on("*").then(empty(307)))
        .described("307 without a Location"),
    }


def elsewhere(fake: Fake, url: str) -> Fake:
    """Return a fake that redirects to `url` where `fake` redirects to another origin."""
    rules = tuple(
        msgspec.structs.replace(rule, then=(redirect(url),))
        if redirect(ELSEWHERE) in rule.then
        else rule
        for rule in fake.program.rules
    )
    return Fake(msgspec.structs.replace(fake.program, rules=rules))


def _pretender(about: str, *steps: Step) -> Fake:
    """Return a legacy server that does `steps` with a probe."""
    script = on(DISCOVER).then(*steps)
    return legacy().script(script).described(f"{about}; serves {INITIALIZE}")
