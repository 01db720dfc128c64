"""A project that is not ours uses the plugin against a client that is not ours."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

SAMPLE: Final = Path(__file__).with_name("sample_project")


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run the project where none of our settings reach it; give what pytest printed."""
    project = Path(shutil.copytree(SAMPLE, tmp_path_factory.mktemp("sample") / "project"))
    # The plugin by its entry point and no other: those would only cost time.
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "mcp_workbench"]
        + ["test_titles.py", "failing_titles.py"],
        cwd=project,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "100"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    yield done.stdout


def ended(output: str, how: str) -> set[str]:
    return {line.split("::")[1] for line in re.findall(rf"^{how} (\S+)", output, re.MULTILINE)}


def test_its_tests_pass_and_a_row_with_variants_runs_with_each(output: str) -> None:
    """Ours: fixtures, factories and the marker, over stdio and HTTP, in both eras."""
    assert ended(output, "PASSED") == {
        "test_titles_are_found_over_stdio",
        "test_titles_are_found_over_http",
        "test_an_error_of_the_server_is_an_error_of_ours",
        "test_an_answer_that_proves_nothing_leads_to_one_handshake[P02-error-32601]",
        "test_an_answer_that_proves_nothing_leads_to_one_handshake[P02-error-0]",
        "test_the_strict_client_refuses_silence[P11-silence]",
        "test_the_strict_client_calls_too",
    }


def test_a_test_that_fails_shows_what_crossed_the_wire(output: str) -> None:
    """Ours: the reader sees the traffic as lanes of text, and none of a test that passed."""
    assert ended(output, "FAILED") == {
        "test_a_recognized_modern_error_never_leads_to_a_handshake[P04-header-mismatch]",
        "test_the_wrong_answer_is_expected",
        "test_the_strict_client_fails_readably",
    }
    lanes = [line for line in output.splitlines() if line.startswith("|")]
    assert any(line.startswith("|- initialize (id 2) -") for line in lanes)
    assert any(line.startswith("|<- error -32020 Header mismatch (id 1) -") for line in lanes)
    assert "| * the process started" in lanes and "| * HTTP 200, answered" in lanes
    assert "| * ERA-11: probing → unavailable (silence)" in lanes
    titles = re.findall(r"^-+ MCP traffic (.+?) -+$", output, re.MULTILINE)
    assert sorted(titles) == [
        "of mcp_client",
        "seen by fake_http",
        "seen by fake_server",
        "seen by fake_server",
    ]
