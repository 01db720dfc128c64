"""Every required client scenario of both revisions, against our client as the suite drives it.

Which era a peer has is found out by our own probe in each of them: the legacy scenarios are
run with permission for a legacy era, not with knowledge of it.
"""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest
from by_path import module_at
from judged import PATIENCE_S, Run, names_below, run_scenario

pytestmark = pytest.mark.interop

HERE: Final = Path(__file__).resolve().parent
# Without `exec` a shell stays in between, and a client that hangs could not be killed.
OURS: Final = f"exec {shlex.join((sys.executable, str(HERE / 'client.py')))}"
POOL: Final = 2
MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
REQUIRED: Final = {
    # How many checks succeed in each; some would be green for a client that does nothing.
    MODERN: {
        "tools_call": 2,
        "request-metadata": 8,
        "auth/metadata-default": 18,
        "auth/metadata-var1": 18,
        "auth/metadata-var2": 18,
        "auth/metadata-var3": 18,
        "auth/basic-cimd": 12,
        "auth/scope-from-www-authenticate": 14,
        "auth/scope-from-scopes-supported": 14,
        "auth/scope-omitted-when-undefined": 14,
        "auth/scope-step-up": 23,
        "auth/scope-retry-limit": 11,
        "auth/token-endpoint-auth-basic": 19,
        "auth/token-endpoint-auth-post": 19,
        "auth/token-endpoint-auth-none": 19,
        "auth/pre-registration": 12,
        "auth/resource-mismatch": 2,
        "auth/offline-access-scope": 12,
        "auth/offline-access-not-supported": 14,
        "auth/authorization-server-migration": 27,
        "auth/iss-supported": 14,
        "auth/iss-not-advertised": 14,
        "auth/iss-supported-missing": 8,
        "auth/iss-wrong-issuer": 8,
        "auth/iss-unexpected": 8,
        "auth/iss-normalized": 8,
        "auth/metadata-issuer-mismatch": 3,
        "sep-2322-client-request-state": 5,
        "http-standard-headers": 9,
        "http-custom-headers": 18,
        "http-invalid-tool-headers": 12,
        "json-schema-ref-no-deref": 1,
    },
    LEGACY: {
        "initialize": 1,
        "tools_call": 2,
        "elicitation-sep1034-client-defaults": 5,
        "sse-retry": 3,
        "auth/metadata-default": 18,
        "auth/metadata-var1": 18,
        "auth/metadata-var2": 18,
        "auth/metadata-var3": 18,
        "auth/basic-cimd": 13,
        "auth/scope-from-www-authenticate": 14,
        "auth/scope-from-scopes-supported": 14,
        "auth/scope-omitted-when-undefined": 14,
        "auth/scope-step-up": 20,
        "auth/scope-retry-limit": 10,
        "auth/token-endpoint-auth-basic": 19,
        "auth/token-endpoint-auth-post": 19,
        "auth/token-endpoint-auth-none": 19,
        "auth/pre-registration": 13,
    },
}
UNSCORED: Final = json.loads((HERE / "unscored.json").read_text(encoding="utf-8"))["client"]
"""What the suite runs beyond that: whether it is passed, by revision and scenario."""

Result = Callable[[str, str], Run]


@pytest.fixture(scope="module")
def result(
    suite: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Result]:
    """Run the scenarios this run of pytest asks for, two at a time."""
    place = tmp_path_factory.mktemp("conformance")
    asked = {_asked(item) for item in request.session.items} - {None}
    with ThreadPoolExecutor(POOL) as pool:
        runs: dict[Any, Future[Run]] = {
            one: pool.submit(_run, suite, *one, place)
            for one in sorted(one for one in asked if one is not None)
        }
        yield lambda revision, scenario: runs[revision, scenario].result()
        pool.shutdown(cancel_futures=True)


def _asked(item: pytest.Item) -> tuple[str, str] | None:
    given = getattr(getattr(item, "callspec", None), "params", {})
    if item.path != Path(__file__) or "scenario" not in given:
        return None
    return given["revision"], given["scenario"]


def _run(suite: Any, revision: str, scenario: str, place: Path) -> Run:
    command = suite.command(
        "client", "--command", OURS, "--scenario", scenario, "--spec-version", revision,
        "--force", "--timeout", "90000",
    )  # fmt: skip
    least = REQUIRED[revision].get(scenario, 1)
    return run_scenario(command, place / revision / scenario, least)


@pytest.mark.parametrize(("revision", "number"), [(MODERN, 32), (LEGACY, 18)])
def test_our_list_of_client_scenarios_is_the_suites_own(
    suite: Any, revision: str, number: int
) -> None:
    """Ours: a scenario that disappears must not make anything greener."""
    listed = subprocess.run(
        suite.command("list", "--requirements", revision),
        capture_output=True, text=True, timeout=PATIENCE_S, check=True,
    ).stdout  # fmt: skip
    names = names_below(listed, "Client scenarios")
    assert names == set(REQUIRED[revision])
    assert len(names) == number
    beyond = {
        line.strip()[2:].removesuffix(" [client]")
        for line in listed.splitlines()
        if line.endswith(" [client]")
    }
    assert beyond == set(UNSCORED[revision])


@pytest.mark.parametrize(
    ("revision", "scenario"), [(rev, name) for rev, names in REQUIRED.items() for name in names]
)
def test_a_required_client_scenario_is_passed_strictly(
    revision: str, scenario: str, result: Result
) -> None:
    """Ours: no failure, no warning, exit status 0, and as many successes as there can be."""
    assert result(revision, scenario).faults == []


@pytest.mark.parametrize(
    ("revision", "scenario"), [(rev, name) for rev, names in UNSCORED.items() for name in names]
)
def test_what_is_known_of_an_unscored_client_scenario_is_true(
    revision: str, scenario: str, result: Result
) -> None:
    """Ours: `unscored.json` says what is passed and what is not, and neither changes unseen."""
    run = result(revision, scenario)
    assert (run.faults == []) is UNSCORED[revision][scenario], run.faults


def test_only_one_scenario_has_leave_to_omit_the_result_type() -> None:
    """Design section 7.3: everywhere else the rejection of such a result stays on."""
    client = module_at(HERE / "client.py")
    lenient = {
        (revision, scenario)
        for table in (REQUIRED, UNSCORED)
        for revision, scenarios in table.items()
        for scenario in scenarios
        if client.peer(scenario, "http://localhost/mcp", revision).accept_missing_result_type
    }
    assert lenient == {(MODERN, "sep-2322-client-request-state")}


def test_a_client_that_does_nothing_is_failed(suite: Any, tmp_path: Path) -> None:
    """Ours: the suite alone passes it here, which is why successes are counted."""
    command = suite.command(
        "client", "--command", "true", "--scenario", "http-standard-headers",
        "--spec-version", MODERN, "--force",
    )  # fmt: skip
    assert run_scenario(command, tmp_path, REQUIRED[MODERN]["http-standard-headers"]).faults


def test_the_judge_is_strict() -> None:
    """Ours: a gate that cannot fail is none."""
    good, warned = {"status": "SUCCESS"}, {"status": "WARNING", "id": "x"}
    assert Run(0, [good, {"status": "INFO"}]).faults == []
    bad = [Run(1, [good]), Run(0, []), Run(0, [good, warned]), Run(0, [good], least=2)]
    bad += [Run(0, [{"status": status}]) for status in ("SKIPPED", "FAILURE")]
    assert all(one.faults for one in bad)
