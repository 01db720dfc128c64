"""A moment keeps what led there and what would be done, and does nothing."""

from playbook import DISCOVERY

from workbench.core.events import DeadlinePassed, LifeSeen, Opened, Received
from workbench.core.negotiate.edits import possible_rows, with_row
from workbench.core.negotiate.moment import Origin, begun
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import State, Terms, begin
from workbench.core.negotiate.table import TRANSITIONS
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.envelope import result_reply


def opened(**terms: object):
    start = begun(begin(Terms(**terms)))
    return start.then(Opened(), 0.0, Origin.PEER)


def test_the_start_has_decided_nothing() -> None:
    """Ours: before the first event there is no row to quote."""
    start = begun(begin(Terms()))
    assert (start.decision, start.sends, start.over, start.telling) == (None, (), False, False)


def test_a_moment_has_the_row_and_the_bytes_of_what_comes_next() -> None:
    """Ours: the frame about to be sent is looked at before it is sent."""
    moment = opened()
    assert moment.decision is not None and moment.decision.rule == "ERA-00"
    ((method, frame),) = moment.sends
    assert method == "server/discover"
    assert frame == encode(moment.actions[1].body)
    assert moment.telling and not moment.over and not moment.edited


def test_a_verdict_ends_it() -> None:
    """Fault matrix P01."""
    frame = encode(result_reply(1, DISCOVERY))
    end = opened().then(Received(decode(frame)), 0.5, Origin.PEER, frame=frame)
    assert end.over and end.telling
    assert (end.at, end.frame) == (0.5, frame)


def test_a_sign_of_life_tells_nothing() -> None:
    """Ours: running to the next decision passes it by."""
    assert not opened().then(LifeSeen(), 0.0, Origin.PEER).telling


def test_a_deadline_moves_the_clock_to_itself() -> None:
    """Ours: the clock is the core's own."""
    first = opened()
    silence = DeadlinePassed(first.snapshot.deadline_at or 0)
    assert first.then(silence, 0.0, Origin.WHAT_IF, words="said nothing").at == 1.0


def test_an_edited_row_is_marked_only_where_it_was_applied() -> None:
    """Ours: a consequence of an edited table must not pass for the product's behaviour."""
    key = (State.PROBING, Sign.SILENCE)
    policy = with_row(TRANSITIONS, *key, possible_rows(*key)[1])
    first = begun(begin(Terms())).then(Opened(), 0.0, Origin.PEER, policy=policy)
    assert not first.edited
    assert first.then(DeadlinePassed(1.0), 1.0, Origin.PEER, policy=policy).edited
    assert not first.then(DeadlinePassed(1.0), 1.0, Origin.PEER).edited
