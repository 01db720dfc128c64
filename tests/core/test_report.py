"""The startup report is a pure value, complete, ordered and safe to show."""

import json

import pytest
from msgspec import Struct

from workbench.core.menu.menu import Collision
from workbench.core.report import PEER_COLUMNS, PeerReport, StartupReport, ToolName
from workbench.core.text.redact import Redactor
from workbench.core.tool import Dropped
from workbench.core.wire.versions import Era

CANARY = "canary-5f2c/91"


class Clash(Struct, frozen=True):
    name: str
    peers: tuple[str, ...]
    outcome: str
    canonical: tuple[str, ...]
    reason: str


CLASH = Clash("search", ("files", "notes"), "prefixed", ("search", "notes/search"), "MERGE-02")
NOTES = PeerReport(
    peer="notes",
    transport="stdio",
    status="ready",
    era=Era.MODERN,
    version="2026-07-28",
    cache_scope="public",
    tools=(ToolName("create", "create"), ToolName("notes/search", "search")),
    ready_ms=12.6,
    reason="discover result accepted",
    rule="ERA-01",
    dropped=(Dropped(name="bad", reason="no inputSchema", rule="LIST-03"),),
    deviations=("accept_missing_result_type",),
    server="notes 1.0",
)
FILES = PeerReport(
    peer="files",
    transport="http",
    status="unavailable",
    allow_legacy=True,
    reason="nobody answered",
    evidence="timeout after 1000 ms",
    rule="ERA-05",
    hint="Raise discovery_timeout_ms.",
)
REPORT = StartupReport(peers=(NOTES, FILES), collisions=(CLASH,), policy="prefix-on-collision")


def test_peers_are_sorted_whatever_order_they_came_in() -> None:
    """Ours: fault matrix M05, any start-up order gives the same report."""
    assert [row.peer for row in REPORT.peers] == ["files", "notes"]
    assert StartupReport(peers=(FILES, NOTES), collisions=(CLASH,)) == REPORT


def test_json_has_the_keys_of_the_contract_in_order() -> None:
    """Ours: design 6, `report --json`."""
    body = json.loads(REPORT.to_json())
    assert list(body)[:2] == ["peers", "collisions"]
    files, notes = body["peers"]
    assert list(notes)[:12] == [
        "peer",
        "transport",
        "status",
        "era",
        "version",
        "cache_scope",
        "tools",
        "allow_legacy",
        "ready_ms",
        "reason",
        "evidence",
        "rule",
    ]
    assert list(notes)[12:15] == ["hint", "deviations", "dropped"]
    assert notes["tools"][1] == {"canonical": "notes/search", "local": "search"}
    assert (notes["era"], notes["ready_ms"], notes["evidence"]) == ("modern", 12.6, None)
    assert (files["era"], files["version"], files["ready_ms"]) == (None, None, None)
    assert notes["dropped"] == [{"name": "bad", "reason": "no inputSchema", "rule": "LIST-03"}]
    assert body["collisions"][0]["canonical"] == ["search", "notes/search"]
    assert REPORT.to_json().startswith('{\n  "peers"')


def test_markdown_is_a_table_of_every_peer_and_collision() -> None:
    """Seed: skill, peer, era, version, cache scope and canonical tool names."""
    lines = REPORT.to_markdown().splitlines()
    assert lines[0] == "| " + " | ".join(PEER_COLUMNS) + " |"
    assert lines[3].startswith("| notes | stdio | ready | modern | 2026-07-28 | public | create, ")
    assert "notes/search (search) | no | 13 |" in lines[3]
    assert "| yes | - | nobody answered" in lines[2]
    assert "| search | files, notes | prefixed |" in REPORT.to_markdown()
    assert "Collision" not in StartupReport(peers=(NOTES,)).to_markdown()


def test_text_tells_everything_without_any_library() -> None:
    """Ours: text always works."""
    text = REPORT.to_text()
    assert str(REPORT) == text
    for words in (
        "2 peers: 1 ready, 1 unavailable",
        "notes/search (search)",
        "nobody answered [ERA-05] Seen: timeout after 1000 ms. Raise discovery_timeout_ms.",
        "Deviation: accept_missing_result_type.",
        "Left out: bad (no inputSchema) [LIST-03].",
        "collision on search of files, notes: prefixed, as search, notes/search. MERGE-02",
    ):
        assert words in text


def test_a_collision_of_the_merge_stage_shows_its_rule() -> None:
    """Ours: design 9, messages name the rule that applied."""
    clash = Collision(
        name="search",
        peers=("files", "notes"),
        outcome="prefixed",
        canonical=("search", "notes/search"),
        reason="two peers offer it",
        rule="MERGE-01",
    )
    report = StartupReport(collisions=(clash,))
    assert report.collision_cells()[0][-1] == "two peers offer it [MERGE-01]"
    assert json.loads(report.to_json())["collisions"][0]["rule"] == "MERGE-01"
    assert json.loads(REPORT.to_json())["collisions"][0]["rule"] is None


def test_a_report_of_nobody_is_ready_and_says_so() -> None:
    """Ours: nothing is unavailable when nothing was asked for."""
    empty = StartupReport()
    assert empty.all_ready
    assert not REPORT.all_ready
    assert empty.summary().startswith("0 peers")
    assert json.loads(empty.to_json())["peers"] == []


def test_json_printed_to_a_terminal_runs_nothing() -> None:
    """Ours: design 7.10; the value read back is unchanged."""
    name = "\x1b[31m\x9b\u202e\x7f🙂\U000e0001"
    row = PeerReport(peer="p", transport="stdio", status="ready", tools=(ToolName(name, name),))
    text = StartupReport(peers=(row,)).to_json()
    assert not any(char in text for char in "\x1b\x9b\u202e\x7f\U000e0001")
    assert "🙂" in text
    assert json.loads(text)["peers"][0]["tools"][0]["local"] == name


def test_no_output_of_a_redacted_report_holds_a_known_secret(views: None) -> None:
    """Ours: design 5, secrets never reach a report; the canary is in every text field."""
    row = PeerReport(
        peer="p",
        transport=CANARY,
        status="unavailable",
        hint=CANARY,
        server=CANARY,
        tools=(ToolName(CANARY, CANARY),),
        deviations=(CANARY,),
        dropped=(Dropped(name=CANARY, reason=CANARY, rule=CANARY),),
        version=CANARY,
        cache_scope=CANARY,
        reason=CANARY,
        evidence=CANARY,
        rule=CANARY,
    )
    clash = Clash(CANARY, (CANARY,), CANARY, (CANARY,), CANARY)
    leaking = StartupReport(peers=(row,), collisions=(clash,), policy=CANARY)

    def everything(report: StartupReport) -> str:
        shown = report._repr_mimebundle_() | {
            "json": report.to_json(),
            "markdown": report.to_markdown(),
            "frame": repr(report.to_frame().to_dict()),
            "repr": repr(report),
        }
        return repr(shown)

    assert "canary" in everything(leaking)
    assert "canary" not in everything(leaking.redacted(Redactor([CANARY])))


@pytest.mark.parametrize(("ready_ms", "shown"), [(None, "-"), (0.4, "0"), (1234.5, "1234")])
def test_times_are_shown_as_whole_milliseconds(ready_ms: float | None, shown: str) -> None:
    """Ours: a fraction of a millisecond is noise in a table."""
    row = PeerReport(peer="p", transport="memory", status="ready", ready_ms=ready_ms)
    assert row.cells()[PEER_COLUMNS.index("Ready (ms)")] == shown
