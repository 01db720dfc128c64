"""What happened, as one sign out of a closed list."""

from typing import Any

import pytest
from msgspec.structs import replace

from workbench.core.events import Closed, DeadlinePassed, LifeSeen, Opened, Received
from workbench.core.negotiate.evidence import classify
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import State, Terms, begin
from workbench.core.wire.codec import decode, encode

PROBING = replace(begin(Terms()), discover_ids=(1,))
HANDSHAKING = replace(PROBING, state=State.HANDSHAKING, initialize_id=2)


def seen(body: dict[str, Any], snapshot: Any = PROBING) -> Sign:
    return classify(Received(decode(encode({"jsonrpc": "2.0", **body}))), snapshot).sign


def test_events_without_a_frame_have_signs_of_their_own() -> None:
    """Ours: one event, one sign."""
    signs = [classify(event, PROBING).sign for event in (Opened(), LifeSeen(), Closed("exited"))]
    assert signs == [Sign.OPENED, Sign.LIFE, Sign.CLOSED]


def test_a_deadline_is_named_after_what_was_heard() -> None:
    """Fault matrix P11, P13 to P15."""
    assert classify(DeadlinePassed(1.0), PROBING).sign is Sign.SILENCE
    noisy = replace(PROBING, noise=Sign.NOT_JSON, noise_seen="wrote “hi”")
    evidence = classify(DeadlinePassed(1.0), noisy)
    assert (evidence.sign, "hi" in evidence.seen) == (Sign.NOT_JSON, True)


@pytest.mark.parametrize(
    ("body", "sign"),
    [
        ({"id": 1, "error": {"code": -32022, "message": ""}}, Sign.VERSION_DEAD_END),
        ({"id": 1, "error": {"code": -32020, "message": ""}}, Sign.HEADER_MISMATCH),
        ({"id": 1, "error": {"code": -32021, "message": ""}}, Sign.CAPABILITY_DEAD_END),
        ({"id": 1, "error": {"code": -32601, "message": ""}}, Sign.UNRECOGNIZED_ERROR),
        ({"id": 1, "result": {}}, Sign.MALFORMED_RESULT),
        ({"id": 9, "result": {}}, Sign.STRAY),
        ({"method": "x"}, Sign.STRAY),
        ({"id": 1, "method": "ping"}, Sign.STRAY),
    ],
)
def test_a_frame_is_read_by_its_id_and_its_code(body: dict[str, Any], sign: Sign) -> None:
    """Spec: basic/versioning; seed card "Stdio era probe"."""
    assert seen(body) is sign


def test_an_ambiguous_late_answer_to_the_probe_is_a_stray_during_a_handshake() -> None:
    """Field case E03."""
    late = {"id": 1, "error": {"code": -32601, "message": ""}}
    assert (seen(late), seen(late, HANDSHAKING)) == (Sign.UNRECOGNIZED_ERROR, Sign.STRAY)
    proof = {"id": 1, "error": {"code": -32020, "message": ""}}
    assert seen(proof, HANDSHAKING) is Sign.HEADER_MISMATCH


def test_what_was_seen_is_safe_to_show() -> None:
    """Design section 7.10."""
    body = {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "\x1b[31m\u202ered"}}
    evidence = classify(Received(decode(encode(body))), PROBING)
    assert evidence.seen.isprintable()
