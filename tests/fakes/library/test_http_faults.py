import http.client
import json
from typing import Any

import pytest
from visitor import Answer, Visitor
from visitor import modern as build

from fakes import FAULTS, fault, modern, variants
from fakes.library.http_faults import ELSEWHERE, elsewhere
from workbench.core.wire.envelope import legacy_request
from workbench.core.wire.versions import LATEST_LEGACY

HELLO = {
    "protocolVersion": LATEST_LEGACY,
    "capabilities": {},
    "clientInfo": {"name": "check", "version": "1"},
}
NAMES = [name for name in FAULTS if name[0] == "H"]
PROBES: dict[str, tuple[int, int | None, str | None]] = {
    # name: status, JSON-RPC error code, media type of the answer to the probe
    "H01-json": (200, None, "application/json"),
    "H02-sse": (200, None, "text/event-stream"),
    "H03-header-mismatch": (400, -32020, "application/json"),
    "H03-header-mismatch-once": (400, -32020, "application/json"),
    "H04-capability": (400, -32021, "application/json"),
    "H04-impossible-capability": (400, -32021, "application/json"),
    "H05-disjoint-versions": (400, -32022, "application/json"),
    "H05-legacy-versions": (400, -32022, "application/json"),
    "H05-mutual-version": (400, -32022, "application/json"),
    "H05-no-data": (400, -32022, "application/json"),
    "H06-400-empty": (400, None, None),
    "H07-404-empty": (404, None, None),
    "H08-404-unknown-method": (404, -32601, "application/json"),
    "H09-200-unknown-method": (200, -32601, "application/json"),
    "H10-405": (405, None, None),
    "H11-400-broken-json": (400, None, "application/json"),
    "H11-400-html": (400, None, "text/html; charset=utf-8"),
    "H11-400-odd-error": (400, None, "application/json"),
    "H11-400-odd-json": (400, None, "application/json"),
    "H11-400-text": (400, None, "text/plain"),
    "H12-401": (401, None, None),
    "H12-401-bare": (401, None, None),
    "H12-401-probe-only": (401, None, None),
    "H12-403": (403, None, None),
    "H13-500": (500, None, None),
    "H13-500-json-rpc": (500, -32603, "application/json"),
    "H13-502-html": (502, None, "text/html; charset=utf-8"),
    "H13-503": (503, None, None),
    "H13-503-once": (503, None, None),
    "H14-200-empty": (200, None, "application/json"),
    "H14-202-empty": (202, None, None),
    "H15-200-html": (200, None, "text/html; charset=utf-8"),
    "H15-html-type": (200, None, "text/html; charset=utf-8"),
    "H16-late": (200, None, "application/json"),
    "H17-after-progress": (200, None, "text/event-stream"),
    "H17-another-id": (200, None, "text/event-stream"),
    "H17-clean-mid-event": (200, None, "text/event-stream"),
    "H17-empty-stream": (200, None, "text/event-stream"),
    "H18-loop": (307, None, None),
    "H18-no-location": (307, None, None),
    "H18-other-origin": (307, None, None),
    "H18-same-origin-301": (301, None, None),
    "H18-same-origin-302": (302, None, None),
    "H18-same-origin-303": (303, None, None),
    "H18-same-origin-307": (307, None, None),
    "H18-same-origin-308": (308, None, None),
}
NEVER_WHOLE = (
    "H16-half-a-body",
    "H16-head-only",
    "H16-quiet-stream",
    "H16-silence",
    "H17-mid-event",
    "H17-reset",
)


def code_of(answer: Answer) -> int | None:
    try:
        code = json.loads(answer.body)["error"]["code"]
    except (ValueError, KeyError, TypeError):
        return None
    return code if isinstance(code, int) else None


def test_every_row_has_a_fake_and_every_fake_is_checked_here() -> None:
    """Ours: H01-H18."""
    assert {name[:3] for name in NAMES} == {f"H{number:02}" for number in range(1, 19)}
    assert set(NAMES) == set(PROBES) | set(NEVER_WHOLE)
    assert variants("H06") == ["H06-400-empty"]


@pytest.mark.parametrize("name", PROBES)
def test_the_probe_is_answered_as_the_name_says(name: str) -> None:
    """Ours: status, code and media type of the first answer."""
    with fault(name, discovery_timeout_s=0.02).over_http() as url:
        answer = Visitor(url).ask("server/discover")
    media = answer.headers.get("content-type")
    assert (answer.status, code_of(answer), media) == PROBES[name]


@pytest.mark.parametrize("name", ["H17-mid-event", "H17-reset"])
def test_a_cut_stream_is_cut(name: str) -> None:
    """Case H06: no end of the body."""
    with fault(name).over_http() as url, pytest.raises((http.client.IncompleteRead, OSError)):
        Visitor(url).ask("server/discover")


@pytest.mark.parametrize("name", [name for name in NEVER_WHOLE if name[:3] == "H16"])
def test_a_silent_peer_says_no_more_than_it_should(name: str) -> None:
    """Row H16: nothing, a head, or half a body; then silence until somebody hangs up."""
    said = {"H16-half-a-body": b'{"jsonrpc":"2.0","id":1,"result":{"resul'}
    fake = fault(name)
    with fake.over_http() as url:
        if name == "H16-silence":
            connection = http.client.HTTPConnection("127.0.0.1", Visitor(url).port, timeout=5)
            headers, body = build("server/discover")
            connection.request("POST", "/mcp", body, headers)
            fake.wait_until(lambda seen: len(seen.received) == 1)
            connection.close()
            fake.wait_until(lambda seen: seen.exchanges[0].ended == "client left")
            assert fake.exchanges[0].status is None
            return
        with Visitor(url).ask_open("server/discover") as stream:
            assert stream.response.status == 200
            if name in said:
                assert stream.response.read(len(said[name])) == said[name]


@pytest.mark.parametrize("name", ["H03-header-mismatch-once", "H05-mutual-version", "H13-503-once",
                                  "H18-same-origin-307"])  # fmt: skip
def test_what_happens_once_is_over_afterwards(name: str) -> None:
    """Ours: a corrected or repeated probe finds a good server."""
    with fault(name).over_http() as url:
        assert Visitor(url).ask("server/discover").status != 200
        assert Visitor(url).ask("server/discover").status == 200


AMBIGUOUS = [name for name in NAMES if name[:3] in ("H06", "H07", "H08", "H09", "H10", "H11",
                                                    "H14", "H15", "H16", "H17")]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in AMBIGUOUS if name != "H16-late"])
def test_ambiguous_peers_shake_hands_after_the_probe(name: str) -> None:
    """Ours: with `allow_legacy` these rows end in a good handshake."""
    with fault(name).over_http() as url:
        answer = Visitor(url).post(legacy_request(2, "initialize", HELLO))
        assert answer.status == 200 and "mcp-session-id" in answer.headers


def test_a_modern_peer_serves_no_handshake() -> None:
    """Spec: basic/versioning; -32022 tells that it is modern."""
    for name in [name for name in NAMES if name[:3] in ("H01", "H03", "H04", "H05")]:
        with fault(name).over_http() as url:
            assert Visitor(url).post(legacy_request(2, "initialize", HELLO)).code == -32022


def test_a_redirect_can_point_to_another_server() -> None:
    """Case H12: a second local port that records headers."""
    target: Any = modern()
    with target.over_http() as there:
        fake = elsewhere(fault("H18-other-origin"), there)
        with fake.over_http() as url:
            assert Visitor(url).ask("server/discover").headers["location"] == there
    with fault("H18-other-origin").over_http() as url:
        assert Visitor(url).ask("server/discover").headers["location"] == ELSEWHERE


def test_what_needs_http_says_so() -> None:
    """Ours: `--list` tells what can be played where."""
    for name in NAMES:
        assert fault(name).program.http_only is FAULTS[name].endswith("(HTTP only)")
