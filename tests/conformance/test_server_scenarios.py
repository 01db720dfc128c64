"""Every required server scenario of both revisions, against the fake that has everything."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import Struct

pytestmark = pytest.mark.interop

POOL: Final = 2
PATIENCE_S: Final = 120
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
BEYOND: Final = {
    # Run by the suite without being scored; these hold too.
    "2026-07-28": ("http-header-validation", "http-custom-header-server-validation"),
    "2025-11-25": ("server-session-lifecycle", "server-sse-polling"),
}


class Run(Struct, frozen=True):
    """What one scenario said."""

    status: int
    checks: list[dict[str, Any]]
    said: str

    @property
    def faults(self) -> list[str]:
        """Return everything that keeps the scenario from being passed."""
        found = [
            f"{one.get('id')}: {one.get('status')} {one.get('errorMessage', '')}"
            for one in self.checks
            if one.get("status") not in ("SUCCESS", "INFO", "SKIPPED")
        ]
        if self.status != 0:
            found.append(f"exit status {self.status}")
        if not any(one.get("status") == "SUCCESS" for one in self.checks):
            found.append("no check has succeeded")
        return [*found, self.said] if found else []


def run(suite: Any, url: str, revision: str, scenario: str, folder: Path) -> Run:
    """Run one scenario by itself, which is stricter than running them all."""
    command = suite.command(
        "server", "--url", url, "--scenario", scenario, "--spec-version", revision,
        "-o", str(folder),
    )  # fmt: skip
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE_S,
        check=False,
    )
    texts = [file.read_text(encoding="utf-8") for file in folder.rglob("checks.json")]
    checks = [one for text in texts for one in json.loads(text)]
    return Run(done.returncode, checks, done.stdout.decode("utf-8", "replace")[-2_000:])


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
        for table in (REQUIRED, BEYOND)
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
    server = listed.partition("Server scenarios")[2].partition("Client scenarios")[0]
    names = {line.strip()[2:] for line in server.splitlines() if line.strip().startswith("- ")}
    assert names == set(REQUIRED[revision])
    assert len(names) == len(REQUIRED[revision]) == number


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
    [(revision, name) for revision, names in BEYOND.items() for name in names],
)
def test_a_scenario_beyond_the_required_ones_is_passed_too(
    revision: str, scenario: str, runs: dict[tuple[str, str], Future[Run]]
) -> None:
    """Ours: what the specification says with MUST holds, scored or not."""
    assert runs[revision, scenario].result().faults == []


def test_the_judge_is_strict() -> None:
    """Ours: a gate that cannot fail is none."""
    good, warned = {"status": "SUCCESS"}, {"status": "WARNING", "id": "x"}
    assert Run(0, [good, {"status": "INFO"}], "").faults == []
    bad = [Run(1, [good], ""), Run(0, [], ""), Run(0, [good, warned], "")]
    bad += [Run(0, [{"status": status}], "") for status in ("SKIPPED", "FAILURE")]
    assert all(one.faults for one in bad)
