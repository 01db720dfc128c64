"""What the end of an HTTP exchange means while an era is negotiated."""

from typing import Any

import pytest
from playbook import DISCOVERY, HANDSHAKE, Playbook

from workbench.core.errors import Kind
from workbench.core.events import ExchangeEnded
from workbench.core.negotiate.signs import NO_EVIDENCE, Sign
from workbench.core.negotiate.snapshot import State
from workbench.core.negotiate.table import TRANSITIONS, Do
from workbench.core.wire.exchange import ExchangeEnd, Trouble

AMBIGUOUS = {
    Trouble.STATUS: "ERA-23",
    Trouble.NO_ANSWER: "ERA-24",
    Trouble.BROKEN: "ERA-24",
}
NO_VERDICT = {
    Trouble.AUTH: ("HTTP-01", Kind.AUTH_NEEDED),
    Trouble.SERVER: ("HTTP-02", Kind.HTTP_STATUS),
    Trouble.REDIRECT: ("HTTP-03", Kind.HTTP_STATUS),
    Trouble.UNREACHABLE: ("HTTP-04", Kind.COULD_NOT_START),
}


def ended(trouble: Trouble, request_id: Any = 1, **facts: Any) -> ExchangeEnded:
    return ExchangeEnded(ExchangeEnd(request_id=request_id, trouble=trouble, **facts))


@pytest.mark.parametrize("trouble", AMBIGUOUS)
def test_an_exchange_without_an_answer_is_ambiguous(trouble: Trouble) -> None:
    """Fault matrix H06 to H11, H14, H15, H17: refused, or one `initialize` with permission."""
    strict = Playbook().hears(ended(trouble))
    assert (strict.state, strict.failure.rule) == (State.UNAVAILABLE, AMBIGUOUS[trouble])
    assert strict.methods == ["server/discover"]
    allowed = Playbook(allow_legacy=True).hears(ended(trouble))
    assert allowed.methods == ["server/discover", "initialize"]
    assert allowed.reopened == 0, "an HTTP peer has no transport to open afresh"
    assert allowed.result(HANDSHAKE).state is State.LEGACY


@pytest.mark.parametrize("allow", [False, True])
@pytest.mark.parametrize("trouble", NO_VERDICT)
def test_what_is_no_evidence_refuses_the_peer_without_initialize(
    trouble: Trouble, allow: bool
) -> None:
    """Fault matrix H12, H13, H18; case E12: the flag makes no difference."""
    book = Playbook(allow_legacy=allow).hears(ended(trouble))
    assert (book.state, book.methods) == (State.UNAVAILABLE, ["server/discover"])
    assert (book.failure.rule, book.failure.kind) == NO_VERDICT[trouble]
    assert book.failure.hint


def test_no_row_makes_anything_of_what_is_no_evidence_but_a_refusal() -> None:
    """Fault matrix H12, H13: not an era verdict, in any state."""
    rows = {row.do for (_, sign), row in TRANSITIONS.items() if sign in NO_EVIDENCE}
    assert rows == {Do.REFUSE}
    assert {sign for _, sign in TRANSITIONS} >= NO_EVIDENCE


def test_the_refusal_shows_status_media_type_and_the_start_of_the_body() -> None:
    """Case H10: no cryptic JSON error."""
    facts = {"status": 502, "media_type": "text/html", "sample": "<html>Bad Gateway"}
    book = Playbook().hears(ended(Trouble.SERVER, **facts))
    for seen in ("HTTP 502", "text/html", "<html>Bad Gateway"):
        assert seen in book.failure.detail


@pytest.mark.parametrize("trouble", AMBIGUOUS)
def test_after_modern_proof_an_exchange_without_an_answer_ends_it(trouble: Trouble) -> None:
    """Fault matrix H03: a recognized modern error never downgrades."""
    book = Playbook(allow_legacy=True).error(-32020).hears(ended(trouble, 2))
    assert (book.failure.rule, book.methods) == ("ERA-20", ["server/discover"] * 2)


@pytest.mark.parametrize(
    ("trouble", "rule"),
    [
        (Trouble.STATUS, "LEG-10"),
        (Trouble.NO_ANSWER, "LEG-10"),
        (Trouble.BROKEN, "LEG-10"),
        (Trouble.OLD_TRANSPORT, "LEG-11"),
        (Trouble.AUTH, "HTTP-01"),
        (Trouble.SERVER, "HTTP-02"),
        (Trouble.REDIRECT, "HTTP-03"),
        (Trouble.UNREACHABLE, "HTTP-04"),
    ],
)
def test_an_initialize_without_an_answer_leaves_the_peer_unavailable(
    trouble: Trouble, rule: str
) -> None:
    """Spec 2025-11-25: basic/transports; `initialize` is sent once."""
    book = Playbook(allow_legacy=True).error(-32601).hears(ended(trouble, 2))
    assert (book.failure.rule, book.methods.count("initialize")) == (rule, 1)


@pytest.mark.parametrize("late", [1, 99, None, "2"])
def test_the_end_of_anything_else_does_not_disturb_the_handshake(late: Any) -> None:
    """Field case E03: what was superseded says nothing new, not even a late 401."""
    book = Playbook(allow_legacy=True).waits().hears(ended(Trouble.AUTH, late, status=401))
    assert (book.state, len(book.strays)) == (State.HANDSHAKING, 1)
    assert book.result(HANDSHAKE).state is State.LEGACY


def test_the_end_of_an_earlier_probe_does_not_end_the_corrected_one() -> None:
    """Fault matrix P20 over HTTP: only the latest probe's exchange speaks."""
    book = Playbook(allow_legacy=True).waits()
    book.error(-32022, {"supported": ["2026-07-28"], "requested": "2025-11-25"})
    book.hears(ended(Trouble.NO_ANSWER, 1))
    assert book.state is State.CORRECTING
    assert book.result(DISCOVERY, id=3).state is State.MODERN


def test_an_answer_under_another_id_names_the_refusal() -> None:
    """Fault matrix C03, P15 over HTTP: no wait for the deadline is needed."""
    book = Playbook().result(DISCOVERY, id="another").hears(ended(Trouble.NO_ANSWER, status=200))
    assert book.failure.rule == "ERA-15"
    assert 'id "another" where 1' in book.failure.detail and "HTTP 200" in book.failure.detail


def test_every_trouble_has_its_sign() -> None:
    """Ours: a new trouble cannot be forgotten in the negotiation."""
    for trouble in Trouble:
        book = Playbook(allow_legacy=True).error(-32601).hears(ended(trouble, 2))
        assert book.state is State.UNAVAILABLE
    assert Sign.OLD_TRANSPORT not in {s for (state, s) in TRANSITIONS if state is State.PROBING}
