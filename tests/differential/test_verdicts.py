"""The stored comparison with other clients: complete, ours as demanded, and still true.

`python tests/differential/compare_clients.py` writes it anew.
"""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

HERE: Final = Path(__file__).resolve().parent
MATRIX: Final = HERE.parent / "stories" / "test_fault_matrix.py"

SAMPLE: Final = (
    "L01-valid",
    "L04-error",
    "P02-error-32601",
    "P09-legacy-versions",
    "P12-exit",
)
"""Rows the official SDK decides at once, one for each of its ways to decide."""


def loaded(path: Path) -> ModuleType:
    """Load a module that is no package's."""
    spec = importlib.util.spec_from_file_location(f"differential_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMPARE: Final = loaded(HERE / "compare_clients.py")
ROWS: Final[tuple[str, ...]] = COMPARE.ROWS


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """Return the stored comparison."""
    stored: dict[str, Any] = json.loads((HERE / "verdicts.json").read_text(encoding="utf-8"))
    return stored


@pytest.fixture(scope="module")
def expected() -> Iterator[Any]:
    """Return what the fault matrix demands, from the test that states it."""
    yield loaded(MATRIX).expected


def test_every_era_row_was_run_against_every_client(data: dict[str, Any]) -> None:
    """Ours: a row that was left out would look like agreement."""
    assert set(data["rows"]) == set(ROWS)
    assert {tuple(verdicts) for verdicts in data["rows"].values()} == {
        tuple(sorted(COMPARE.CLIENTS))
    }
    kinds = {verdict["verdict"] for row in data["rows"].values() for verdict in row.values()}
    assert kinds <= {"modern", "legacy", "refused", "hang", "crash"}


@pytest.mark.parametrize("allowed", [False, True], ids=["strict", "legacy-allowed"])
@pytest.mark.parametrize("row", ROWS)
def test_our_columns_are_what_the_fault_matrix_demands(
    row: str, allowed: bool, data: dict[str, Any], expected: Any
) -> None:
    """Fault matrix, era rows: the verdict, its rule, and what the peer received."""
    stored = data["rows"][row][COMPARE.ALLOWED if allowed else COMPARE.STRICT]
    want = expected(row, allowed)
    assert stored["verdict"] == (want.era or "refused")
    assert stored["initialize"] == want.handshakes
    assert stored["why"] == want.rule


def test_we_never_send_initialize_after_modern_proof_nor_twice(data: dict[str, Any]) -> None:
    """Seed skill, hard rejects: in no row, under no flag."""
    for row, verdicts in data["rows"].items():
        notes = COMPARE.notes_on(row, verdicts)
        assert [note for note in notes if note.startswith("workbench")] == []


def test_the_page_shows_the_stored_data(data: dict[str, Any]) -> None:
    """Ours: the table is made from the data, by nobody's hand."""
    page = (HERE / "verdicts.md").read_text(encoding="utf-8")
    assert page == COMPARE.to_markdown(data)
    assert list(data["rows"]) == sorted(data["rows"])


@pytest.mark.parametrize("row", SAMPLE)
def test_the_official_client_still_decides_as_stored(row: str, data: dict[str, Any]) -> None:
    """Ours: stored data ages; a sample is run anew against the SDK that is installed."""
    now = COMPARE.compare(row, COMPARE.SDK)
    assert now == data["rows"][row][COMPARE.SDK], f"stored with mcp {data['versions']['mcp']}"


@pytest.mark.parametrize("row", ["P01-valid", "P09-legacy-versions"])
def test_our_own_columns_are_still_true(row: str, data: dict[str, Any]) -> None:
    """Ours: the driver of this harness runs, and says what it said."""
    assert COMPARE.compare(row, COMPARE.ALLOWED) == data["rows"][row][COMPARE.ALLOWED]


def test_a_client_that_hangs_is_ended_and_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: the hard limit is one; the process and the fake are gone afterwards."""
    wait = ["python3", "-c", "import signal; signal.pause()"]
    monkeypatch.setattr(COMPARE, "driver", lambda client: wait)
    verdict = COMPARE.compare("P01-valid", COMPARE.SDK, limit_s=0.2)
    assert (verdict["verdict"], verdict["sent"]) == ("hang", [])


@pytest.mark.parametrize("code", ["import os; os.abort()", "print('no json')", "raise SystemExit"])
def test_a_client_that_ends_without_a_word_has_crashed(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: only an answer counts as one."""
    monkeypatch.setattr(COMPARE, "driver", lambda client: ["python3", "-c", code])
    assert COMPARE.compare("P01-valid", COMPARE.SDK)["verdict"] == "crash"


def test_a_downgrade_and_a_repeat_are_noted() -> None:
    """Ours: the notes must be able to say what they are for."""
    calm = {"verdict": "refused", "initialize": 0}
    verdicts = dict.fromkeys(COMPARE.CLIENTS, calm)
    assert COMPARE.notes_on("P09-legacy-versions", verdicts) == []
    twice = {**verdicts, COMPARE.SDK: {"verdict": "hang", "initialize": 2}}
    assert COMPARE.notes_on("P09-legacy-versions", twice) == [
        "mcp Client: initialize after modern proof",
        "mcp Client: 2 initialize",
        "mcp Client: hang",
    ]
