"""The ready-made faults that need no HTTP, by row.

They come from `fakes.library.probe_faults`, `fakes.library.handshake_faults`,
`fakes.library.listing_faults`, `fakes.library.call_faults` and
`fakes.library.process_faults`.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp_types import methods
from pydantic import ValidationError

from fakes import FAULTS, ScriptError, fault, variants
from fakes.engine import begin, react
from fakes.events import Heard, Started
from fakes.library.index import find, names
from fakes.load import dump, load_program
from fakes.outputs import End, Output, Write
from workbench.core.wire.codec import decode
from workbench.core.wire.message import ErrorReply, Fault, Malformed, Result
from workbench.core.wire.versions import LATEST_LEGACY, LATEST_MODERN

Body = dict[str, Any]
Build = Callable[..., Body]


def hear(name: str, *bodies: Body, lifetime: int = 1) -> list[Output]:
    state, outputs = react(begin(fault(name).program), Started(lifetime), 0.0)
    collected = list(outputs)
    for body in bodies:
        state, outputs = react(state, Heard(json.dumps(body).encode()), 0.0)
        collected += outputs
    return collected


def lines(outputs: list[Output]) -> list[bytes]:
    whole = b"".join(
        piece for out in outputs if isinstance(out, Write) for piece in out.line.pieces()
    )
    return whole.split(b"\n")[:-1] if whole.endswith(b"\n") else whole.split(b"\n")


def test_every_row_of_the_matrix_has_a_fake() -> None:
    """Ours: P01-P22, L01-L13, H01-H18 and C01-C14."""
    rows = {name[:3] for name in FAULTS}
    wanted = {f"{family}{n:02}" for family, last in (("P", 22), ("L", 13), ("H", 18), ("C", 14))
              for n in range(1, last + 1)}  # fmt: skip
    assert rows == wanted
    assert len(variants("P02")) == 8


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_survives_its_json_form_and_names_itself(name: str) -> None:
    """Ours: each can run as a process, and says what it does."""
    fake = fault(name)
    assert load_program(dump(fake.program)) == fake.program
    assert fake.name == name and fake.program.about == FAULTS[name]


def test_a_row_gives_its_first_variant_and_an_unknown_one_is_an_error() -> None:
    """Ours: `fault("P20")` is enough where the variant does not matter."""
    assert fault("P20").name == variants("P20")[0]
    assert fault("P02").received is not fault("P02").received
    for wrong in ("P99", "P2", ""):
        with pytest.raises(ScriptError):
            fault(wrong)


def test_late_answers_come_one_and_a_half_timeouts_late(modern_body: Build) -> None:
    """Ours: row P20 takes the client's timeout, so that a test can be quick."""
    program = fault("P20", discovery_timeout_s=0.2).program
    frame = Heard(json.dumps(modern_body(1, "server/discover")).encode())
    _, outputs = react(begin(program), frame, 10.0)
    assert [round(out.at, 6) for out in outputs if isinstance(out, Write)] == [10.3]


@pytest.mark.parametrize("name", ["P01-valid", "P20-late", "P21-banner", "P22-noisy-stderr"])
def test_peers_that_answer_well_in_the_end_give_a_valid_result(
    name: str, modern_body: Build
) -> None:
    """Spec: schema 2026-07-28 DiscoverResult."""
    last = json.loads(lines(hear(name, modern_body(1, "server/discover")))[-1])
    methods.validate_server_result("server/discover", LATEST_MODERN, last["result"])


@pytest.mark.parametrize(
    "name",
    [
        one
        for one in FAULTS
        if (one[:3] in ("P16", "P17") and one != "P16-envelope") or one == "C01-no-result-type"
    ],
)
def test_results_that_are_to_be_invalid_are(name: str, modern_body: Build) -> None:
    """Spec: the official wire models refuse them, so the fault is real."""
    method = "tools/list" if name[0] == "C" else "server/discover"
    (answer,) = [json.loads(one) for one in lines(hear(name, modern_body(1, method)))]
    with pytest.raises((ValidationError, TypeError, AttributeError)):
        methods.validate_server_result(method, LATEST_MODERN, answer["result"])


def test_a_good_result_in_a_broken_envelope_is_both(modern_body: Build) -> None:
    """Spec: basic/index, a response has a result or an error; the result alone would be valid."""
    frame = lines(hear("P16-envelope", modern_body(1, "server/discover")))[0]
    methods.validate_server_result("server/discover", LATEST_MODERN, json.loads(frame)["result"])
    message = decode(frame)
    assert isinstance(message, Malformed) and message.fault is Fault.RESULT_AND_ERROR


@pytest.mark.parametrize(
    "name",
    [one for one in FAULTS if one[:3] in ("P02", "P11", "P13", "P14", "P15", "P16", "P17", "P19")],
)
def test_ambiguous_peers_shake_hands_after_the_probe(
    name: str, modern_body: Build, handshake: list[Body]
) -> None:
    """Ours: with `allow_legacy` these rows end in a good handshake."""
    last = lines(hear(name, modern_body(9, "server/discover"), *handshake))[-1]
    answer = decode(last)
    assert isinstance(answer, Result) and answer.id == 1
    methods.validate_server_result("initialize", LATEST_LEGACY, answer.result)


@pytest.mark.parametrize("name", [one for one in FAULTS if one[:3] == "P12"])
def test_peers_that_die_on_the_probe_shake_hands_in_a_fresh_process(
    name: str, modern_body: Build, handshake: list[Body]
) -> None:
    """Case E02: exits on any first method except `initialize`."""
    assert any(isinstance(out, End) for out in hear(name, modern_body(9, "server/discover")))
    answer = decode(lines(hear(name, *handshake, lifetime=2))[-1])
    assert isinstance(answer, Result) and answer.id == 1


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("P03-header-mismatch-once", -32020),
        ("P04-header-mismatch", -32020),
        ("P05-capability", -32021),
        ("P06-impossible-capability", -32021),
        ("P08-disjoint-versions", -32022),
        ("P09-legacy-versions", -32022),
        ("P10-no-data", -32022),
        ("P10-same-version", -32022),
    ],
)
def test_recognized_modern_errors_have_their_codes(
    name: str, code: int, modern_body: Build
) -> None:
    """Spec: basic/versioning; none of these peers serves a handshake."""
    (answer,) = [decode(one) for one in lines(hear(name, modern_body(1, "server/discover")))]
    assert isinstance(answer, ErrorReply) and answer.code == code


def test_the_corrigible_ones_accept_the_corrected_probe(modern_body: Build) -> None:
    """Spec: retry with the capability, or with the mutual version."""
    probe = modern_body(2, "server/discover")
    probe["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {"elicitation": {}}
    bad, good = modern_body(1, "server/discover", version="2099-01-01"), probe
    for name, first in (
        ("P03-header-mismatch-once", good),
        ("P05-capability", modern_body(1, "server/discover")),
        ("P07-mutual-version", bad),
    ):
        refused, accepted = [decode(one) for one in lines(hear(name, first, good))]
        assert isinstance(refused, ErrorReply) and isinstance(accepted, Result)


@pytest.mark.parametrize("name", [one for one in FAULTS if one[0] == "L" and one != "L01-valid"])
def test_no_broken_handshake_is_valid(name: str, modern_body: Build, handshake: list[Body]) -> None:
    """Spec: 2025-11-25 InitializeResult; each row differs from an honest answer."""
    written = lines(hear(name, modern_body(9, "server/discover"), handshake[0]))
    answers = [decode(one) for one in written[1:]]
    good = [one for one in answers if isinstance(one, Result) and one.id == 1]
    for one in good:
        try:
            methods.validate_server_result("initialize", LATEST_LEGACY, one.result)
        except ValidationError:
            continue
        result = one.result
        empty = "" in (result["serverInfo"]["name"], result["serverInfo"]["version"])
        assert empty or result["protocolVersion"] in ("1999-12-31", LATEST_MODERN)


@pytest.mark.parametrize(
    ("name", "malformed"),
    [
        ("C09-5-MB-line", False),
        ("C09-1-byte-chunks", False),
        ("C09-CRLF", False),
        ("C09-BOM", False),
        ("C09-line-separators", False),
        ("C09-no-line-end", False),
        ("C09-bad-utf-8", True),
        ("C09-NaN", True),
        ("C09-deep", True),
        ("C09-batch", True),
        ("C03-id-null", True),
        ("C03-id-float", True),
        ("C03-id-missing", True),
    ],
)
def test_odd_lines_are_odd_in_the_way_they_say(
    name: str, malformed: bool, modern_body: Build
) -> None:
    """Ours: our own codec is the judge; the official one reads several of them alike."""
    written = lines(hear(name, modern_body(1, "tools/call", {"name": "search"})))
    assert isinstance(decode(written[-1].rstrip(b"\r")), Malformed) is malformed


def test_a_state_must_come_back_exactly(modern_body: Build) -> None:
    """Spec: basic/patterns/mrtr, `requestState` is opaque."""
    call = {"name": "search", "arguments": {}}
    first = json.loads(lines(hear("C10-confirm", modern_body(1, "tools/call", call)))[0])
    methods.validate_server_result("tools/call", LATEST_MODERN, first["result"])
    state = first["result"]["requestState"]
    answers = {"sure": {"action": "accept", "content": {"sure": True}}}
    for echoed, key in ((state, "result"), (state.strip(), "error")):
        params = {**call, "inputResponses": answers, "requestState": echoed}
        (last,) = lines(hear("C10-confirm", modern_body(2, "tools/call", params)))
        assert key in json.loads(last)


def test_every_name_in_the_list_can_be_found() -> None:
    """Ours: `--list` promises nothing it cannot give."""
    for name, about in names():
        assert find(name).program.about == about
