"""One client in a process of its own: what it says, and how it may fail to say anything."""

import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from lab_at_hand import laboratory

from workbench.comparison.known import CLIENTS, GROUPS
from workbench.comparison.laboratory import seen_of

ECHO = "import sys; print(open(sys.argv[1]).read())"


def test_a_job_goes_through_a_file_of_this_user_alone(tmp_path: Path) -> None:
    """Ours: a job holds headers and variables; the list of processes is public."""
    job = {"peers": {"p": {"url": "http://x", "headers": {"a": "b"}}}}
    assert laboratory().said([sys.executable, "-c", ECHO], job, tmp_path) == job
    assert stat.S_IMODE((tmp_path / "job.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.abort()",
        "print('no json')",
        "raise SystemExit",
        "print([])",
        "print('['*9999)",
    ],
)
def test_a_client_that_ends_without_a_word_has_crashed(code: str, tmp_path: Path) -> None:
    """Ours: only an answer counts as one."""
    said = laboratory().said([sys.executable, "-c", code], {}, tmp_path)
    assert (said["ended"], said["why"].startswith("status ")) == ("crash", True)
    assert seen_of(said, ()).verdict == "crash"


def test_a_client_that_hangs_is_ended_and_called_so(tmp_path: Path) -> None:
    """Ours: the hard limit is one."""
    wait = [sys.executable, "-c", "import signal; signal.pause()"]
    assert laboratory(limit_s=0.3).said(wait, {}, tmp_path) == {"ended": "hang"}


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ({"version": "2026-07-28"}, "modern"),
        ({"version": "2099-01-01"}, "modern"),
        ({"version": "2025-11-25"}, "legacy"),
        ({"version": None, "why": "MCPError"}, "refused"),
        ({}, "refused"),
        ({"ended": "hang"}, "hang"),
    ],
)
def test_a_version_is_a_verdict(said: dict[str, Any], verdict: str) -> None:
    """Ours: every client says it in its own words, and the version in the same."""
    assert seen_of(said, ("server/discover",)).verdict == verdict


def test_every_script_is_part_of_the_package_and_foreign_ones_are_isolated() -> None:
    """Ours: a foreign interpreter sees nothing of this one."""
    for one in (*CLIENTS.values(), *GROUPS.values()):
        source = Path(one.path).read_text(encoding="utf-8")
        assert ("import workbench" in source or "from workbench" in source) is not bool(
            one.environment
        )
    assert laboratory().command(CLIENTS["workbench"])[0] == sys.executable
