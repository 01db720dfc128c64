"""The bench itself runs: every group gives its rows, with figures of whoever is installed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

HERE: Final = Path(__file__).resolve().parent
TOGETHER: Final = ("stdio", "HTTP", "connect and list", "list")
"""How the works begin that everybody can do."""


def ran(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(HERE / "bench.py"), *options],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """What a very short run kept, and what it printed."""
    kept = tmp_path_factory.mktemp("bench") / "bench.json"
    done = ran("--effort", "smoke", "--json", str(kept))
    assert done.returncode == 0, done.stderr
    return json.loads(kept.read_text("utf-8")), done.stdout


def test_every_kind_of_work_is_measured_and_shown(smoke: tuple[dict[str, Any], str]) -> None:
    """Ours: a bench that nobody runs between two releases does not run."""
    found, printed = smoke
    works = [row["work"] for row in found["rows"]]
    assert len(works) == len(set(works)) == 16
    assert [work for work in works if work not in printed] == []
    assert found["versions"]["mcp"] and found["versions"]["python"]


def test_whoever_can_do_a_work_is_measured_at_it(smoke: tuple[dict[str, Any], str]) -> None:
    """Ours: a figure alone says little, so the others are measured in the same run."""
    for row in smoke[0]["rows"]:
        assert len(row["figures"]["workbench"]) == 1
        if row["work"].startswith(TOGETHER):
            assert {"floor", "mcp SDK"} <= set(row["figures"])
            assert row["ratios"]["mcp SDK"] > 0
    assert "workbench, sync" in smoke[0]["rows"][0]["figures"]


def test_only_the_group_that_was_asked_for_runs(tmp_path: Path) -> None:
    """Ours: whoever works on one thing measures that one."""
    kept = tmp_path / "bench.json"
    done = ran("--effort", "smoke", "--only", "negotiation", "--json", str(kept))
    assert done.returncode == 0, done.stderr
    assert len(json.loads(kept.read_text("utf-8"))["rows"]) == 1


@pytest.mark.parametrize("way", ["fast", "light"])
def test_the_yardstick_speaks_json_in_both_ways(way: str) -> None:
    """Ours: the light way has no library, so it has to be looked at."""
    sys.path.insert(0, str(HERE))
    try:
        from yardstick import answerer, codec
    finally:
        sys.path.remove(str(HERE))
    decode, encode = codec(way)
    answer = answerer(encode, 2)
    asked = b'{"id": 7, "method": "tools/list", "params": {"_meta": {"a": [true, null, "x"]}}}'
    assert len(json.loads(answer(decode(asked)))["result"]["tools"]) == 2
    assert json.loads(answer(decode(b'{"id":"7","method":"server/discover"}')))["id"] == "7"
    assert answer(decode(b'{"method":"notifications/initialized","params":{}}')) == b""


def test_an_unknown_group_is_refused_by_name() -> None:
    """Ours: a typing error must not look like a bench without rows."""
    done = ran("--only", "stdoi")
    assert done.returncode == 2 and "stdoi" in done.stderr
