"""The comparison in the package: complete, ours as demanded, still true, and its page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from by_path import module_at
from lab_at_hand import laboratory
from msgspec.structs import replace

from fakes import FAULTS
from workbench.comparison.gatherings import SITUATIONS
from workbench.comparison.kept import FILE, joined, kept, text_of
from workbench.comparison.known import CLIENTS, GROUPS
from workbench.comparison.measuring import ROWS, at_fault
from workbench.comparison.seen import Seen
from workbench.comparison.values import Comparison, Row

ROOT: Final = Path(__file__).resolve().parents[2]
NAMES: Final = tuple(name for name in FAULTS if name[0] in ROWS)
OURS: Final = tuple(name for name in NAMES if name[0] in "PL")
SAMPLE: Final = (
    "H06-400-empty",
    "L01-valid",
    "L04-error",
    "P02-error-32601",
    "P09-legacy-versions",
    "P12-exit",
)
"""Rows the other clients decide at once, one for each of their ways to decide."""


@pytest.fixture(scope="module")
def data() -> Comparison:
    """Return the kept comparison."""
    return kept()


@pytest.fixture(scope="module")
def expected() -> Iterator[Any]:
    """Return what the fault matrix demands, from the test that states it."""
    path = ROOT / "tests" / "stories" / "test_fault_matrix.py"
    yield module_at(path).expected


def row(data: Comparison, name: str) -> Row:
    """Return one row."""
    return next(one for one in data.rows if one.name == name)


def test_every_row_was_run_against_every_client(data: Comparison) -> None:
    """Ours: a row that was left out would look like agreement."""
    assert [one.name for one in data.rows] == sorted(NAMES)
    assert data.clients == tuple(CLIENTS)
    assert all(set(one.seen) == set(CLIENTS) for one in data.rows)
    assert set(data.together.seen) == {one.name for one in SITUATIONS}
    assert all(set(by) == set(GROUPS) for by in data.together.seen.values())
    assert set(data.versions) == {"mcp", "fastmcp"} and len(data.measured_on) == 10


@pytest.mark.parametrize("allowed", [False, True], ids=["strict", "legacy-allowed"])
@pytest.mark.parametrize("name", OURS)
def test_our_columns_are_what_the_fault_matrix_demands(
    name: str, allowed: bool, data: Comparison, expected: Any
) -> None:
    """Fault matrix, era rows: the verdict, its rule, and what the peer received."""
    seen = row(data, name).seen["workbench-legacy" if allowed else "workbench"]
    want = expected(name, allowed)
    assert seen.verdict == (want.era or "refused")
    assert seen.initialize == want.handshakes
    assert seen.why == want.rule


@pytest.mark.parametrize("client", ["workbench", "workbench-legacy"])
def test_we_are_strict_and_never_wrong(client: str, data: Comparison) -> None:
    """Ours: the hard rejects, over both transports; a policy may be stricter, and no more."""
    counts = data.counted()[client]
    assert {one for one, times in counts.items() if times} == {"as-specified", "stricter"}
    assert all(one.seen[client].initialize <= 1 for one in data.rows)


def test_we_lose_no_tool_in_silence_and_keep_one_order(data: Comparison) -> None:
    """Ours: several peers; a name that cannot be given is told."""
    kinds = {one["kind"] for one in data.together.only([""], ["workbench"]).to_rows()}
    assert kinds == {"every tool is reached", "leaves a tool out and says so"}
    assert all(by["workbench"].same_in_reverse for by in data.together.seen.values())


def test_the_file_is_written_by_the_product(data: Comparison) -> None:
    """Ours: the table is made from the data, and the data by nobody's hand."""
    assert FILE.read_text(encoding="utf-8") == text_of(data)
    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    assert page.endswith(data.to_markdown())


@pytest.mark.interop
@pytest.mark.parametrize("client", ["mcp", "fastmcp"])
@pytest.mark.parametrize("name", SAMPLE)
def test_the_other_clients_still_decide_as_kept(name: str, client: str, data: Comparison) -> None:
    """Ours: kept data ages; a sample is run anew against the clients that are installed."""
    lab = laboratory()
    now = at_fault(lab, name, client, lab.command(CLIENTS[client]))
    assert now == row(data, name).seen[client], f"kept from {data.versions}"


@pytest.mark.parametrize("name", ["P01-valid", "P09-legacy-versions", "H01-json"])
def test_our_own_columns_are_still_true(name: str, data: Comparison) -> None:
    """Ours: the script of this harness runs, and says what it said."""
    lab, client = laboratory(), "workbench-legacy"
    assert at_fault(lab, name, client, lab.command(CLIENTS[client])) == row(data, name).seen[client]


def test_a_part_that_is_measured_anew_goes_into_the_whole(tmp_path: Path) -> None:
    """Ours: one row costs seconds, all of them minutes."""
    modern, hang = Seen(verdict="modern"), Seen(verdict="hang")
    old = Comparison(
        rows=(
            Row(name="P01-valid", seen={"mcp": modern, "fastmcp": modern}),
            Row(name="P02-error-0", seen={"mcp": modern, "fastmcp": modern}),
        ),
        clients=("mcp", "fastmcp"),
        versions={"mcp": "1", "fastmcp": "1"},
        measured_on="2026-01-01",
    )
    new = replace(
        old,
        rows=(Row(name="P02-error-0", seen={"mcp": hang}),),
        clients=("mcp",),
        versions={"mcp": "2"},
        measured_on="2026-02-02",
    )
    whole = joined(old, new)
    assert row(whole, "P02-error-0").seen == {"mcp": hang, "fastmcp": modern}
    assert row(whole, "P01-valid") == old.rows[0]
    assert (whole.clients, whole.measured_on) == (("mcp", "fastmcp"), "2026-02-02")
    assert whole.versions == {"mcp": "2", "fastmcp": "1"}
    file = tmp_path / "kept.json"
    file.write_text(text_of(whole), encoding="utf-8")
    assert kept(file) == whole
    lone = Row(name="P03-header-mismatch", seen={"mcp": hang})
    assert joined(old, replace(new, rows=(lone,))).clients == ("mcp",)
