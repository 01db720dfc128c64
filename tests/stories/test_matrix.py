"""Rows C01 to C13 and M01 to M09 of the fault matrix, each on every way to a peer.

The table is `tests/support/matrix`, its rows stand in the test ids: `pytest -k C07` tells
one row, `-k "M03 and stdio"` one on one way. Each bad peer has an honest one beside it,
which must be untouched. Row C14, about processes alone, has a file of its own.
"""

from pathlib import Path
from typing import Any, Final

import pytest
from matrix.scene import Scene
from matrix.table import SCENES, VERDICTS, gaps
from msgspec.structs import replace
from places import WAYS, Way

from fakes import FAULTS

TOLD: Final = [(one, way) for one in SCENES for way in WAYS if way not in one.not_on]
FOOLED: Final = [one for one in SCENES if one.fool is not None]


@pytest.mark.parametrize(("one", "way"), TOLD, ids=[f"{one.id}-{way}" for one, way in TOLD])
def test_the_matrix(one: Scene, way: Way, tmp_path: Path) -> None:
    """Fault matrix, "After connecting" and "Several peers"."""
    try:
        one.play(way, tmp_path)
    except BaseException as seen:
        seen.add_note(f"{one.row} over {way}: {VERDICTS[one.row]}")
        raise


def test_no_row_is_missing_on_any_way() -> None:
    """Fault matrix: every row on memory, stdio and HTTP, or a reason."""
    assert gaps(VERDICTS, SCENES, FAULTS) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (lambda: [one for one in SCENES if one.row != "C07"], "C07 is not told over memory"),
        (
            lambda: [
                replace(one, not_on={"http": "no"}) if one.id == "M04" else one for one in SCENES
            ],
            "M04 is not told over http",
        ),
        (
            lambda: [
                replace(one, not_on={"http": "no"}) if one.id == "M04" else one for one in SCENES
            ],
            "M04 gives no reason not to be told over http",
        ),
        (lambda: [one for one in SCENES if one.id != "C09-BOM"], "nobody plays C09-BOM"),
        (lambda: [*SCENES, SCENES[0]], f"{SCENES[0].id} is told twice"),
        (lambda: [*SCENES, replace(SCENES[0], id="C99-x")], "C99-x belongs to no row"),
    ],
)
def test_a_gap_is_noticed(changed: Any, told: str) -> None:
    """Ours: a table that cannot be incomplete proves nothing."""
    assert told in gaps(VERDICTS, changed(), FAULTS)


def test_a_row_without_a_verdict_is_noticed() -> None:
    """Ours."""
    less = {row: words for row, words in VERDICTS.items() if row != "C13"}
    assert gaps(less, SCENES, FAULTS) == ["C13 has no verdict"]


@pytest.mark.parametrize("one", FOOLED, ids=[one.id for one in FOOLED])
def test_the_scene_itself_can_fail(one: Scene, tmp_path: Path) -> None:
    """Ours: peers that do not do what the row is about pass for none of it."""
    assert one.fool is not None
    anything: Any = (AssertionError, TimeoutError, ValueError, pytest.fail.Exception)
    with pytest.raises(anything):
        one.fool(tmp_path)
