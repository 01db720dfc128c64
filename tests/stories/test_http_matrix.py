"""Every era row of the fault matrix over HTTP, with and without permission.

The row ids stand in the test ids: `pytest -k H12`. What is asserted: the verdict, the rule
that gave it, and everything the server received: bodies, headers, statuses.
"""

import asyncio
from collections import Counter
from typing import Any

import pytest
from msgspec import Struct

from fakes import FAULTS, Fake, fault
from fakes.library.http_faults import elsewhere
from workbench import AsyncMultiServerClient, PeerConfig

NEWER = ("2026-07-28", "2099-01-01")
ROWS = [name for name in FAULTS if name[0] == "H"]
SECRETS = {"Authorization": "Bearer keep-this-here", "X-Api-Key": "and-this-too"}
TIMING = {"discovery_timeout_ms": 700, "legacy_probe_timeout_ms": 5_000}
"""Long enough for a busy machine, short enough for the rows that wait for a deadline."""


class Expected(Struct, frozen=True):
    """What must come of one row under one flag."""

    era: str | None
    rule: str
    discovers: int = 1
    handshakes: int = 0


def _modern(discovers: int = 1, handshakes: int = 0) -> Expected:
    return Expected("modern", "ERA-01", discovers, handshakes)


def _refused(rule: str, discovers: int = 1) -> Expected:
    return Expected(None, rule, discovers)


LEGACY = Expected("legacy", "LEG-00", 1, 1)

BOTH = {
    # The flag makes no difference: modern proof never downgrades, and what is no evidence
    # of an era permits nothing.
    "H01": _modern(),
    "H02": _modern(),
    "H03-header-mismatch-once": _modern(2),
    "H03": _refused("ERA-05", 2),
    "H04-capability": _modern(2),
    "H04": _refused("ERA-07"),
    "H05-mutual-version": _modern(2),
    "H05": _refused("ERA-03"),
    "H12": _refused("HTTP-01"),
    "H13": _refused("HTTP-02"),
    "H18-same-origin-307": _modern(2),
    "H18-same-origin-308": _modern(2),
    "H18-loop": _refused("HTTP-03", 6),
    "H18": _refused("HTTP-03"),
}
STRICT = {
    "H06": "ERA-23",
    "H07": "ERA-23",
    "H08": "ERA-10",
    "H09": "ERA-10",
    "H10": "ERA-23",
    "H11": "ERA-23",
    "H14": "ERA-24",
    "H15": "ERA-24",
    "H16": "ERA-11",
    "H17": "ERA-24",
    "H17-another-id": "ERA-15",
}
LATE = {"H16-late": _modern(2, 1)}


def expected(name: str, allow_legacy: bool) -> Expected:
    """Return what the matrix demands of one variant."""
    for key in (name, name[:3]):
        if key in BOTH:
            return BOTH[key]
    if not allow_legacy:
        return _refused(STRICT.get(name, STRICT[name[:3]]))
    return LATE.get(name, LEGACY)


def connected(fake: Fake, allow_legacy: bool, **settings: Any) -> tuple[Any, str]:
    """Connect to a fake over HTTP; return the report row and the journal's text."""

    async def story(url: str) -> tuple[Any, str]:
        async with AsyncMultiServerClient(can_declare={"elicitation": {}}) as client:
            config = PeerConfig(name="peer", url=url, headers=SECRETS)
            client.add_server("peer", config, allow_legacy=allow_legacy, **TIMING, **settings)
            async with asyncio.timeout(20):
                report = await client.connect_all()
            return report.peers[0], client.journal.to_text(frames=True)

    with fake.over_http() as url:
        return asyncio.run(story(url))


def check(name: str, allow_legacy: bool, row: Any, fake: Fake) -> None:
    """Compare one peer's report row, and what it received, with the matrix."""
    want = expected(name, allow_legacy)
    assert (row.era, row.rule) == (want.era, want.rule), row.reason
    assert (row.status, row.transport) == ("ready" if want.era else "unavailable", "http")
    counted = Counter(fake.methods())
    assert counted.pop("server/discover", 0) == want.discovers
    assert counted.pop("initialize", 0) == want.handshakes
    assert counted.pop("notifications/initialized", 0) == (1 if want.era == "legacy" else 0)
    assert counted == {}, "nothing else may be sent during a negotiation"
    if "H18" not in name:
        ids = [body["id"] for body in fake.received if "id" in body]
        assert len(ids) == len(set(ids)), "every request has a fresh id"
    if want.era is None:
        assert row.hint.endswith("."), "a refusal says what to do"
        assert row.reason.count(". ") >= 1, "a refusal names what was seen and the rule"
    _check_posts(fake, want.era == "legacy")


def _check_posts(fake: Fake, is_legacy: bool) -> None:
    for one in fake.exchanges:
        if one.method != "POST":
            assert is_legacy, "only a legacy session knows GET and DELETE"
            continue
        body = one.body
        meta = body.get("params", {}).get("_meta", {})
        version = meta.get("io.modelcontextprotocol/protocolVersion")
        headers = one.headers
        assert headers["accept"] == "application/json, text/event-stream"
        assert headers["content-type"] == "application/json"
        assert headers["authorization"] == SECRETS["Authorization"]
        assert "last-event-id" not in headers
        if version is not None:
            assert headers["mcp-protocol-version"] == version
            assert headers["mcp-method"] == body["method"]
            assert "mcp-session-id" not in headers
        else:
            assert "mcp-method" not in headers
            assert ("mcp-session-id" in headers) == (body["method"] != "initialize")


@pytest.mark.parametrize("allow_legacy", [False, True], ids=["strict", "legacy-allowed"])
@pytest.mark.parametrize("name", ROWS)
def test_over_http(name: str, allow_legacy: bool) -> None:
    """Fault matrix, era rows over Streamable HTTP, with real sockets."""
    fake = fault(name, discovery_timeout_s=TIMING["discovery_timeout_ms"] / 1000)
    settings = {"modern_revisions": NEWER} if name == "H05-mutual-version" else {}
    row, journal = connected(fake, allow_legacy, **settings)
    check(name, allow_legacy, row, fake)
    for secret in SECRETS.values():
        assert secret not in row.reason and secret not in journal


def test_credentials_never_follow_a_redirect_to_another_origin() -> None:
    """Fault matrix H18; case H12: a second port that records everything gets nothing."""
    other = fault("H01")
    with other.over_http() as target:
        fake = elsewhere(fault("H18-other-origin"), target)
        row, _ = connected(fake, True)
    assert row.rule == "HTTP-03"
    assert other.exchanges == []


def test_trouble_of_the_server_may_be_over_at_the_next_connect() -> None:
    """Fault matrix H13: not an era verdict, may be tried again later."""

    async def story(url: str) -> list[Any]:
        async with AsyncMultiServerClient() as client:
            client.add_server("peer", PeerConfig(name="peer", url=url))
            return [(await client.connect_all()).peers[0].status for _ in range(2)]

    with fault("H13-503-once").over_http() as url:
        assert asyncio.run(story(url)) == ["unavailable", "ready"]


def test_the_matrix_is_complete() -> None:
    """Fault matrix: no era row is missing from the ready-made fakes."""
    assert {name[:3] for name in ROWS} == {f"H{n:02}" for n in range(1, 19)}


@pytest.mark.parametrize("wrong", [_modern(), _refused("ERA-24"), LEGACY])
def test_the_check_itself_can_fail(wrong: Expected, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a check that cannot fail proves nothing."""
    monkeypatch.setitem(STRICT, "H06", wrong.rule)
    fake = fault("H06")
    row, _ = connected(fake, False)
    with pytest.raises(AssertionError):
        check("H06-400-empty", False, row, fake)
