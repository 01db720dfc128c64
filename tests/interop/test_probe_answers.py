"""What four servers answer to the modern probe, seen on a bare pipe without the client.

When one of these fails, the server changed; when only the other interop tests fail, we did.
"""

import subprocess
import threading
from collections.abc import Callable
from typing import Any

import pytest

from workbench.core.negotiate.results import Discovery, read_discover_result
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.envelope import modern_request
from workbench.core.wire.keys import DISCOVER, INVALID_PARAMS, METHOD_NOT_FOUND
from workbench.core.wire.message import ErrorReply, Result
from workbench.core.wire.versions import LATEST_MODERN

pytestmark = [pytest.mark.interop, pytest.mark.usefixtures("no_survivors")]


def _answer(start: Any) -> Any:
    probe = encode(modern_request(1, DISCOVER, {}, LATEST_MODERN)) + b"\n"
    with subprocess.Popen(
        (start.command, *start.args),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(probe)
            process.stdin.flush()
            line = _bounded(process, process.stdout.readline)
        finally:
            process.kill()
    return decode(line.rstrip(b"\n"))


def _bounded(process: subprocess.Popen[bytes], read: Callable[[], bytes]) -> bytes:
    # A silent server is killed, which ends the read: an empty line then fails the test.
    timer = threading.Timer(30, process.kill)
    timer.start()
    try:
        return read()
    finally:
        timer.cancel()


@pytest.mark.parametrize("name", ["fastmcp", "mcp2"])
def test_a_modern_server_answers_the_probe_with_a_strict_discover_result(
    name: str, foreign: Callable[[str], Any]
) -> None:
    """Spec: schema DiscoverResult; both makers send every member the schema requires."""
    answer = _answer(foreign(name))
    assert isinstance(answer, Result)
    discovery = read_discover_result(answer.result, accept_missing_result_type=False)
    assert isinstance(discovery, Discovery)
    assert (discovery.supported, discovery.deviations) == ((LATEST_MODERN,), ())


@pytest.mark.parametrize(
    ("name", "code"), [("mcp1", INVALID_PARAMS), ("everything", METHOD_NOT_FOUND)]
)
def test_legacy_servers_disagree_about_the_code_of_their_refusal(
    name: str, code: int, foreign: Callable[[str], Any]
) -> None:
    """Ours: so no single code may mean "legacy" (P02)."""
    answer = _answer(foreign(name))
    assert isinstance(answer, ErrorReply)
    assert (answer.id, answer.code) == (1, code)
