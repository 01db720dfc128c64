"""Frames have the types a reader expects, also when empty."""

from typing import Any

import pandas
import pytest

from workbench.core.journal.journal import Journal
from workbench.core.menu.menu import Menu
from workbench.core.menu.menu_change import MenuChange, NameChange
from workbench.core.outcome import Outcomes
from workbench.core.pins.drift_watch import Drifts
from workbench.core.report import PeerReport, StartupReport, ToolName
from workbench.core.results.cache_content import CacheContent
from workbench.core.wire.versions import Era
from workbench.views import frames
from workbench.views.frames import (
    COLLISION_TYPES,
    JOURNAL_TYPES,
    REPORT_TYPES,
    collisions_frame,
    journal_frame,
    peer_frame,
    report_frame,
)

REPORT = StartupReport(
    peers=(
        PeerReport(
            peer="notes",
            transport="stdio",
            status="ready",
            era=Era.MODERN,
            version="2026-07-28",
            tools=(ToolName("create", "create"), ToolName("notes/search", "search")),
            ready_ms=12.5,
        ),
        PeerReport(peer="gone", transport="http", status="unavailable", reason="silence"),
    )
)


def types(frame: pandas.DataFrame) -> dict[Any, str]:
    return {name: str(kind) for name, kind in frame.dtypes.items()}


def test_a_report_frame_has_a_row_a_peer_and_nullable_types() -> None:
    """Ours: design 4, `.to_frame()`; absent is NA, not text."""
    frame = report_frame(REPORT)
    assert types(frame) == REPORT_TYPES
    assert list(frame["peer"]) == ["gone", "notes"]
    assert list(frame["tools"]) == ["", "create, notes/search"]
    assert list(frame["tool_count"]) == [0, 2]
    assert frame["ready_ms"].isna().tolist() == [True, False]
    assert frame["era"].isna().tolist() == [True, False]
    assert frame["era"].iloc[1] == "modern"
    assert len(peer_frame(REPORT.peers[0])) == 1


def test_a_journal_frame_has_a_row_an_entry() -> None:
    """Ours: the journal is a table too."""
    journal = Journal()
    journal.sent(0.5, "p", b'{"jsonrpc":"2.0","id":"1","method":"tools/list"}')
    journal.decided(0.75, "p", "listing", "keep", "LIST-01")
    frame = journal_frame(journal)
    assert types(frame) == JOURNAL_TYPES
    assert list(frame["number"]) == [1, 2]
    assert frame["id"].iloc[0] == '"1"'
    assert frame["size"].isna().tolist() == [False, True]
    assert len(journal_frame(journal, "nobody")) == 0


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (report_frame(StartupReport()), REPORT_TYPES),
        (journal_frame(Journal()), JOURNAL_TYPES),
        (collisions_frame(()), COLLISION_TYPES),
    ],
)
def test_an_empty_frame_has_the_same_columns_and_types(
    frame: pandas.DataFrame, expected: dict[str, str]
) -> None:
    """Ours: a cell that filters an empty frame must not fail."""
    assert types(frame) == expected
    assert len(frame) == 0


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (frames.outcomes_frame(Outcomes()), frames.OUTCOME_TYPES),
        (frames.cache_frame(CacheContent()), frames.CACHE_TYPES),
        (frames.drifts_frame(Drifts()), frames.DRIFT_TYPES),
        (frames.menu_frame(Menu()), frames.MENU_TYPES),
        (frames.change_frame(MenuChange()), frames.CHANGE_TYPES),
    ],
)
def test_what_a_client_keeps_has_nullable_types_when_it_is_empty_too(
    frame: pandas.DataFrame, expected: dict[str, str]
) -> None:
    """Ours: text, category, number or truth; never "object", and never a plain bool."""
    assert types(frame) == expected and len(frame) == 0
    assert set(expected.values()) <= {"string", "category", "Int64", "Float64", "boolean"}


def test_a_change_of_owner_is_a_row_with_both_peers() -> None:
    """Fault matrix M08; absent is NA."""
    change = MenuChange(
        (
            NameChange(what="owner", name="search\x1b", peer="b", before="a"),
            NameChange(what="added", name="x", peer="b"),
        )
    )
    frame = frames.change_frame(change)
    assert list(frame["name"]) == [r"search\x1b", "x"]
    assert frame["before"].isna().tolist() == [False, True]
