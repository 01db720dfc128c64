"""Every required server scenario of both revisions, against the fake that has everything."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest
from judged import PATIENCE_S, Run, names_below, run_scenario

pytestmark = pytest.mark.interop

POOL: Final = 2
BOTH: Final = (
    "completion-complete",
    "dns-rebinding-protection",
    "prompts-get-embedded-resource",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "prompts-list",
    "resources-list",
    "resources-read-binary",
    "resources-read-text",
    "resources-templates-read",
    "server-sse-multiple-streams",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-error",
    "tools-call-image",
    "tools-call-mixed-content",
    "tools-call-simple-text",
    "tools-call-with-progress",
    "tools-list",
)
MODERN: Final = (
    "caching",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-list-roots",
    "input-required-result-basic-sampling",
    "input-required-result-capability-check",
    "input-required-result-ignore-extra-params",
    "input-required-result-missing-input-response",
    "input-required-result-multi-round",
    "input-required-result-multiple-input-requests",
    "input-required-result-non-tool-request",
    "input-required-result-request-state",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-unsupported-methods",
    "input-required-result-validate-input",
    "sep-2164-resource-not-found",
    "server-stateless",
)
LEGACY: Final = (
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "logging-set-level",
    "ping",
    "resources-subscribe",
    "resources-unsubscribe",
    "server-initialize",
    "tools-call-elicitation",
    "tools-call-sampling",
    "tools-call-with-logging",
)
REQUIRED: Final = {"2026-07-28": (*BOTH, *MODERN), "2025-11-25": (*BOTH, *LEGACY)}
UNSCORED: Final = json.loads(
    (Path(__file__).resolve().parent / "unscored.json").read_text(encoding="utf-8")
)["server"]
"""What the suite runs beyond that: whether it is passed, by revision and scenario."""


def run(suite: Any, url: str, revision: str, scenario: str, folder: Path) -> Run:
    """Run one scenario by itself."""
    command = suite.command(
        "server", "--url", url, "--scenario", scenario, "--spec-version", revision, "--force"
    )
    return run_scenario(command, folder)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Serve the fake that has everything as a process of its own."""
    command = [sys.executable, "-m", "fakes", "everything", "--http", "0"]
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().decode().strip()
        server.terminate()
        assert server.wait(10) == 0
    finally:
        server.kill()
        server.wait(10)
        server.stdout.close()


@pytest.fixture(scope="module")
def runs(
    suite: Any, url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], Future[Run]]]:
    """Run every scenario, two at a time."""
    place = tmp_path_factory.mktemp("conformance")
    wanted = [
        (revision, scenario)
        for table in (REQUIRED, UNSCORED)
        for revision, scenarios in table.items()
        for scenario in scenarios
    ]
    with ThreadPoolExecutor(POOL) as pool:
        yield {
            (revision, scenario): pool.submit(
                run, suite, url, revision, scenario, place / revision / scenario
            )
            for revision, scenario in wanted
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize(("revision", "number"), [("2026-07-28", 37), ("2025-11-25", 30)])
def test_our_list_is_the_suites_own(suite: Any, revision: str, number: int) -> None:
    """Ours: a scenario that disappears must not make anything greener."""
    listed = subprocess.run(
        suite.command("list", "--requirements", revision),
        capture_output=True, text=True, timeout=PATIENCE_S, check=True,
    ).stdout  # fmt: skip
    names = names_below(listed, "Server scenarios")
    assert names == set(REQUIRED[revision])
    assert len(names) == len(REQUIRED[revision]) == number
    beyond = {
        line.strip()[2:].removesuffix(" [server]")
        for line in listed.splitlines()
        if line.endswith(" [server]")
    }
    assert beyond == set(UNSCORED[revision])


@pytest.mark.parametrize(
    ("revision", "scenario"),
    [(revision, name) for revision, names in REQUIRED.items() for name in names],
)
def test_a_required_scenario_is_passed_strictly(
    revision: str, scenario: str, runs: dict[tuple[str, str], Future[Run]]
) -> None:
    """Ours: no failure, no warning, exit status 0, and at least one success."""
    assert runs[revision, scenario].result().faults == []


@pytest.mark.parametrize(
    ("revision", "scenario"),
    [(revision, name) for revision, names in UNSCORED.items() for name in names],
)
def test_what_is_known_of_an_unscored_scenario_is_true(
    revision: str, scenario: str, runs: dict[tuple[str, str], Future[Run]]
) -> None:
    """Ours: `unscored.json` says what is passed and what is not, and neither changes unseen."""
    run = runs[revision, scenario].result()
    assert (run.faults == []) is UNSCORED[revision][scenario], run.faults
