"""Supposed answers are events like any other: encoded, decoded, classified, decided."""

from typing import Any

import pytest

from workbench.core.errors import MisuseError
from workbench.core.events import DeadlinePassed, ExchangeEnded, Opened, Received
from workbench.core.negotiate.evidence import classify
from workbench.core.negotiate.machine import step
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import Negotiation, State, Terms, begin
from workbench.core.negotiate.what_if import answers_for, read_choice, suppose
from workbench.core.wire.codec import decode
from workbench.core.wire.message import ErrorReply, Result

NEWER = ("2026-07-28", "2099-12-31")


def probing(**terms: Any) -> Negotiation:
    return step(begin(Terms(**terms)), Opened(), 0.0)[0]


def handshaking() -> Negotiation:
    so_far = probing(allow_legacy=True)
    return step(so_far, suppose(so_far, "-32601").event, 0.0)[0]


def sign(so_far: Negotiation, choice: Any, kind: str = "memory") -> Sign:
    return classify(suppose(so_far, choice, kind).event, so_far).sign


PROBE = {
    "valid": Sign.DISCOVERED,
    "legacy-only": Sign.LEGACY_ONLY,
    "future-only": Sign.NO_MUTUAL_VERSION,
    "no-result-type": Sign.NO_RESULT_TYPE,
    "no-result": Sign.MALFORMED_RESULT,
    "-32601": Sign.UNRECOGNIZED_ERROR,
    "-32602": Sign.UNRECOGNIZED_ERROR,
    "-32020": Sign.HEADER_MISMATCH,
    "-32021": Sign.CAPABILITY_NEEDED,
    "-32022-mutual": Sign.VERSION_OFFER,
    "-32022-same": Sign.VERSION_DEAD_END,
    "-32022-legacy": Sign.VERSION_DEAD_END,
    "-32022-bare": Sign.VERSION_DEAD_END,
    "both": Sign.BROKEN_ENVELOPE,
    "wrong-id": Sign.STRAY,
    "garbage": Sign.STRAY,
    "blank": Sign.STRAY,
    "notification": Sign.STRAY,
    "silence": Sign.SILENCE,
}
PIPE = {"close": Sign.CLOSED}
HTTP = {
    "http-404": Sign.HTTP_STATUS,
    "http-401": Sign.AUTH_NEEDED,
    "http-503": Sign.SERVER_TROUBLE,
    "http-202": Sign.NO_ANSWER,
}
HANDSHAKE = {
    "valid": Sign.HANDSHAKE_VALID,
    "unknown-revision": Sign.HANDSHAKE_REVISION,
    "modern-revision": Sign.HANDSHAKE_REVISION,
    "no-server-info": Sign.HANDSHAKE_MALFORMED,
    "-32603": Sign.HANDSHAKE_ERROR,
    "-32022": Sign.VERSION_OFFER,
    "late": Sign.DISCOVERED,
}


@pytest.mark.parametrize("kind", ["memory", "http"])
def test_every_answer_to_the_probe_is_the_sign_it_is_named_after(kind: str) -> None:
    """Fault matrix, probe rows; the list offers no answer twice and none without a sign."""
    so_far = probing(modern_revisions=NEWER, can_declare={"elicitation": {}})
    wanted = PROBE | (HTTP if kind == "http" else PIPE)
    assert [offer.name for offer in answers_for(so_far, kind)] == list(wanted)
    assert {name: sign(so_far, name, kind) for name in wanted} == wanted


def test_every_answer_to_the_handshake_is_the_sign_it_is_named_after() -> None:
    """Fault matrix, handshake rows, and P20 for the late answer."""
    so_far = probing(allow_legacy=True)
    # A probe that was answered by silence is still open, so it can be answered late.
    waiting = step(so_far, DeadlinePassed(1.0), 1.0)[0]
    assert waiting.state is State.HANDSHAKING
    names = [offer.name for offer in answers_for(waiting)]
    assert names[: len(HANDSHAKE)] == list(HANDSHAKE)
    assert {name: sign(waiting, name) for name in HANDSHAKE} == HANDSHAKE


def test_only_what_is_in_place_is_offered() -> None:
    """Ours: a choice that means something else than its words would teach it wrongly."""
    assert "late" not in [offer.name for offer in answers_for(handshaking())]
    assert "-32022-mutual" not in [offer.name for offer in answers_for(probing())]
    opening = [offer.name for offer in answers_for(begin(Terms()))]
    assert opening == ["opened", "unreachable"]
    closed = step(
        probing(allow_legacy=True), suppose(probing(allow_legacy=True), "close").event, 0.0
    )[0]
    assert closed.state is State.REOPENING
    assert [offer.name for offer in answers_for(closed)] == opening


def test_words_read_on_after_the_peer() -> None:
    """Ours: they stand in “what if the peer …”."""
    for so_far in (probing(), handshaking(), begin(Terms())):
        for offer in answers_for(so_far):
            assert offer.words and offer.words[0].islower() and not offer.words.endswith(".")


def test_an_answer_of_ones_own() -> None:
    """Ours: a code, a result, a whole body, or any bytes."""
    so_far = probing()
    refused = suppose(so_far, -32000).event
    assert isinstance(refused, Received) and isinstance(refused.message, ErrorReply)
    assert (refused.message.id, refused.message.code) == (1, -32000)
    plain = suppose(so_far, {"supportedVersions": []})
    assert isinstance(plain.event, Received) and isinstance(plain.event.message, Result)
    assert plain.event.message.result == {"supportedVersions": []}
    part = suppose(so_far, {"error": {"code": 1, "message": "x"}}).event
    assert isinstance(part, Received) and isinstance(part.message, ErrorReply)
    whole = suppose(so_far, {"jsonrpc": "2.0", "id": 9, "result": {}})
    assert whole.event == Received(decode(whole.frame or b""))
    assert sign(so_far, b"<html>\x1b[31m") is Sign.STRAY
    assert "\x1b" not in suppose(so_far, b"<html>\x1b[31m").words


@pytest.mark.parametrize(
    ("typed", "choice"),
    [
        ("-32601", -32601),
        ('{"a": 1}', {"a": 1}),
        ("true", b"true"),
        ("[1]", b"[1]"),
        ("hello \udce4", b"hello ?"),
        ("", b""),
    ],
)
def test_what_is_typed_is_a_code_a_body_or_bytes(typed: str, choice: Any) -> None:
    """Ours: one field of a panel takes them all."""
    assert read_choice(typed) == choice


def test_over_http_a_status_can_be_an_answer() -> None:
    """Fault matrix, rows H06 to H14."""
    event = suppose(probing(), "http-404", "http").event
    assert isinstance(event, ExchangeEnded) and event.end.status == 404


@pytest.mark.parametrize("choice", ["nonsense", "http-404", "late", "opened"])
def test_what_is_not_offered_is_refused_with_the_names_that_are(choice: str) -> None:
    """Design 9: say what can be done."""
    with pytest.raises(MisuseError, match="valid, legacy-only"):
        suppose(probing(), choice)


@pytest.mark.parametrize("choice", [-32601, b"x", {}, "valid"])
def test_nothing_is_answered_before_it_was_asked_or_after_the_verdict(choice: Any) -> None:
    """Ours: there is no question to answer."""
    over = step(probing(), suppose(probing(), "valid").event, 0.0)[0]
    for so_far in (begin(Terms()), over):
        with pytest.raises(MisuseError):
            suppose(so_far, choice)
