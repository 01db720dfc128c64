"""What is shown of a moment: every fact, each safe, the bytes exact."""

import json

import pytest
from playbook import DISCOVERY

from workbench.core.events import LifeSeen, Opened, Received
from workbench.core.negotiate.moment import Moment, Origin, begun
from workbench.core.negotiate.snapshot import Terms, begin
from workbench.core.negotiate.table import TRANSITIONS
from workbench.core.negotiate.what_if import suppose
from workbench.core.stepped.ambiguity import doubts
from workbench.core.stepped.scene import frame_of, meta_span, scene_of
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.envelope import error_reply, result_reply

START = begun(begin(Terms(allow_legacy=True)))
OPENED = START.then(Opened(), 0.0, Origin.PEER)


def heard(frame: bytes) -> Moment:
    return OPENED.then(Received(decode(frame)), 0.25, Origin.PEER, frame=frame)


def supposed(choice: str) -> Moment:
    answer = suppose(OPENED.snapshot, choice, "http" if choice.startswith("http") else "memory")
    return OPENED.then(answer.event, 0.0, Origin.WHAT_IF, words=answer.words, frame=answer.frame)


def test_the_bytes_about_to_be_sent_are_whole_and_their_meta_is_marked() -> None:
    """Design 7.1: every modern request carries fresh `_meta`; here it can be seen."""
    (frame,) = scene_of(OPENED).sending
    ((_, exact),) = OPENED.sends
    assert (frame.before + frame.meta + frame.after).encode() == exact
    assert frame.size == len(exact)
    assert json.loads("{" + frame.meta + "}") == {"_meta": json.loads(exact)["params"]["_meta"]}
    assert f"⟦{frame.meta}⟧" in scene_of(OPENED).to_text()


@pytest.mark.parametrize(
    "frame", [b"", b"no json", b"[1]", b"{}", b'{"params":[]}', b'{"params": {"_meta": {"a":1}}}']
)
def test_a_frame_without_such_meta_has_no_span(frame: bytes) -> None:
    """Ours: legacy requests have none, and other people's spacing is not ours."""
    assert meta_span(frame) == (len(frame), len(frame))
    assert frame_of("m", frame).meta == ""


def test_a_scene_has_the_state_the_rule_the_clock_and_what_comes_next() -> None:
    """Design 9: what was seen, which rule, what is done."""
    text = scene_of(heard(encode(error_reply(1, -32601, "no")))).to_text()
    for part in (
        "State: handshaking",
        "Clock: 0.250 s; the deadline is at 1.250 s, 1.000 s from now",
        "Heard: one frame. It answered with error -32601 “no”.",
        "Decided: unrecognized error [LEG-01]",
        "LEG-01: After an ambiguous answer",
        "Next: send initialize",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("moment", "part"),
    [
        (START, "nothing yet; the first step opens the transport."),
        (OPENED, "the transport is open."),
        (OPENED.then(LifeSeen(), 0.0, Origin.PEER), "the peer wrote its first byte."),
        (OPENED.then(LifeSeen(), 0.0, Origin.PEER), "Next: wait for the peer."),
        (supposed("silence"), "the deadline at 1.000 s has passed. It said nothing"),
        (supposed("close"), "the transport has ended. It exited with status 1"),
        (supposed("close"), "Next: end this transport and open a fresh one"),
        (supposed("close"), "What if: the peer closed its output. Nothing of this was sent."),
        (supposed("http-401"), "the HTTP exchange ended without an answer."),
        (supposed("http-401"), "Next: the peer is unavailable: "),
        (heard(encode(result_reply(1, DISCOVERY))), "Next: the peer is modern, revision 2026"),
        (heard(encode(result_reply(1, DISCOVERY))), "Clock: 0.250 s; no deadline"),
    ],
)
def test_every_kind_of_moment_has_its_words(moment: Moment, part: str) -> None:
    """Ours: there is always a sentence."""
    assert part in scene_of(moment).to_text()


def test_what_is_done_is_told_as_done() -> None:
    """Ours: "next" would be a lie afterwards."""
    text = scene_of(OPENED, performed=True).to_text()
    assert "Done: sent server/discover, 262 bytes" in text and "Next" not in text


def test_hostile_text_is_made_visible_and_secrets_are_hidden() -> None:
    """Design 5 and 7.10."""
    moment = heard(encode(error_reply(1, 7, "\x1b[31m hunter22 \u202e")))
    scene = scene_of(moment, clean=lambda text: text.replace("hunter22", "***"))
    assert not set(scene.to_text()) & set("\x1b\u202e")
    assert "hunter22" not in scene.heard


@pytest.mark.parametrize("allow_legacy", [False, True])
def test_what_proves_nothing_is_refused_or_gets_one_handshake(allow_legacy: bool) -> None:
    """Seed lesson: an ambiguous signal fails closed; with the flag there is one `initialize`."""
    rows = doubts(TRANSITIONS, allow_legacy=allow_legacy)
    leads = {doubt.row.do.name for doubt in rows}
    assert leads == ({"INITIALIZE", "REOPEN"} if allow_legacy else {"REFUSE"})
    assert len({doubt.sign for doubt in rows}) == len(rows) == 10
    over_http = doubts(TRANSITIONS, allow_legacy=allow_legacy, kind="http")
    assert {str(one.sign) for one in over_http} - {str(one.sign) for one in rows} == {
        "HTTP error without a JSON-RPC error",
        "HTTP exchange without an answer",
    }
    assert rows[0].cells()[0] == "unrecognized error"
