"""Forward, back, beside, and again, with a peer or a record (`workbench.drivers.walk`)."""

from collections.abc import Iterator

import pytest

from fakes import Fake, answer_default, delay, error, fault, legacy, modern, on, silence
from workbench.core.errors import MisuseError
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.edits import possible_rows
from workbench.core.negotiate.moment import Origin
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import State, Terms
from workbench.core.negotiate.table import TRANSITIONS, Do, Row
from workbench.drivers.stepper import Stepper
from workbench.drivers.walk import EDITED

REFUSED = (State.PROBING, Sign.UNRECOGNIZED_ERROR)


def row(key: tuple[State, Sign], do: Do) -> Row:
    return next(one for one in possible_rows(*key) if one.do is do)


@pytest.fixture
def peer() -> Fake:
    """A legacy server that refuses the probe."""
    return fault("P02-error-32601")


@pytest.fixture
def stepper(peer: Fake) -> Iterator[Stepper]:
    with Stepper(peer) as one:
        yield one


# -- forward -----------------------------------------------------------------------------


def test_nothing_is_opened_before_the_first_step(peer: Fake, stepper: Stepper) -> None:
    """Ours: looking costs nothing."""
    assert (peer.lifetimes, stepper.moment.event, len(stepper.tree)) == (0, None, 1)
    assert "nothing yet" in str(stepper)


def test_what_is_decided_is_done_when_one_leaves_the_moment(peer: Fake, stepper: Stepper) -> None:
    """Ours: the frame about to be sent is shown before it is sent."""
    stepper.step()
    assert [method for method, _ in stepper.moment.sends] == ["server/discover"]
    assert peer.received == [] and not stepper.performed
    assert len(stepper.journal.entries(kind="sent")) == 0
    stepper.step()
    assert peer.methods() == ["server/discover"]


def test_stepping_to_the_verdict(peer: Fake, stepper: Stepper) -> None:
    """Fault matrix P02, strict."""
    places = [stepper.step().snapshot.state for _ in range(3)]
    assert places == [State.PROBING, State.PROBING, State.UNAVAILABLE]
    assert not stepper.finished, "the refusal is decided, the transport still open"
    stepper.step()
    assert stepper.finished and stepper.performed
    assert stepper.verdict.failure is not None and stepper.verdict.failure.rule == "ERA-10"
    assert stepper.note == "The negotiation is over."
    assert stepper.decisions[-1] == ("probing", "unrecognized error", "unavailable", "ERA-10")


def test_running_to_the_next_decision_passes_by_what_decides_nothing(stepper: Stepper) -> None:
    """Ours: a first byte and a stray are steps, not decisions."""
    rules = [stepper.run_to_decision().decision for _ in range(2)]
    assert [one.rule if one else None for one in rules] == ["ERA-00", "ERA-10"]


def test_a_silent_peer_costs_no_time_and_no_timeout() -> None:
    """Ours: the timer is the core's clock, so a paused person never causes a timeout."""
    with Stepper(fault("P11")) as stepper:
        stepper.step()
        for _ in range(3):
            moment = stepper.step()
            assert (moment.at, moment.snapshot.state) == (0.0, State.PROBING)
            assert "stands still at 0.000 s" in stepper.note
        passed = stepper.let_deadline_pass()
        assert (passed.at, passed.snapshot.state) == (1.0, State.UNAVAILABLE)
        assert stepper.decisions[-1][1] == "silence"


def test_letting_time_pass_hears_what_comes_before_the_deadline() -> None:
    """Fault matrix P20: what was said in time counts, whoever moves the clock."""
    slow = modern().script(on("server/discover").then(delay(0.4), answer_default()))
    with Stepper(slow) as stepper:
        stepper.step()
        stepper.step()
        assert stepper.let_deadline_pass().at == 0.4
        assert stepper.run().snapshot.state is State.MODERN


def test_what_was_said_already_comes_before_the_deadline(stepper: Stepper) -> None:
    """Ours: letting time pass never skips an answer."""
    stepper.step()
    assert stepper.let_deadline_pass().at == 0.0
    assert stepper.decisions[-1][1] == "first byte"


def test_a_run_ends_where_no_deadline_is_set() -> None:
    """Ours: every run is bounded, also under an edited table."""
    key = (State.PROBING, Sign.EMPTY_LINES)
    with Stepper(fault("P13")) as stepper:
        stepper.edit_row(*key, row(key, Do.RECORD))
        stepper.run()
        assert not stepper.finished and "No deadline is set" in stepper.note
    key = (State.CORRECTING, Sign.HEADER_AGAIN)
    with Stepper(fault("P04")) as stepper:
        stepper.edit_row(*key, row(key, Do.CORRECT))
        stepper.run()
        assert stepper.note == "Stopped after 200 steps."


# -- back and beside -----------------------------------------------------------------------


def test_going_back_keeps_what_happened_and_sends_nothing_again(
    peer: Fake, stepper: Stepper
) -> None:
    """Ours: stepping forward replays the recorded events."""
    stepper.run()
    before = [stepper.tree[place] for place in stepper.tree.path(stepper.here)]
    for _ in range(3):
        stepper.back()
    assert stepper.here == 0
    stepper.back()
    assert stepper.note == "This is the beginning."
    again = [stepper.moment, *(stepper.step() for _ in range(3))]
    assert again == before
    assert peer.methods() == ["server/discover"] and peer.lifetimes == 1


def test_a_what_if_is_a_branch_that_the_peer_never_hears_of(peer: Fake, stepper: Stepper) -> None:
    """Ours: what if it had said something else?"""
    stepper.step()
    supposed = stepper.answer("valid")
    assert supposed.snapshot.state is State.MODERN and stepper.supposed
    assert supposed.origin is Origin.WHAT_IF and not stepper.performed
    assert "What if: the peer answered with a valid DiscoverResult" in str(stepper)
    assert "what if: nothing below was sent or heard" in str(stepper)
    assert peer.received == [], "not even the question"
    stepper.step()
    assert stepper.note == "The negotiation is over."
    stepper.back()
    assert not stepper.supposed
    assert stepper.run().snapshot.state is State.UNAVAILABLE, "the peer goes on as it is"
    assert [words for _, words in stepper.lines()] == [
        "what if the peer answered with a valid DiscoverResult: modern",
        "what the peer does: unavailable",
    ]


def test_a_what_if_goes_on_by_hand_with_its_own_clock() -> None:
    """Ours: nobody answers by himself in a what-if, and its time is its own."""
    with Stepper(modern(), Terms(allow_legacy=True)) as stepper:
        stepper.step()
        assert stepper.answer(-32601).snapshot.state is State.HANDSHAKING
        assert [method for method, _ in stepper.moment.sends] == ["initialize"]
        stepper.step()
        assert "nobody answers by himself" in stepper.note
        assert stepper.let_deadline_pass().at == 1.0
        assert stepper.decisions[-1][3] == "LEG-03"
        stepper.back()
        assert stepper.answer("valid").snapshot.state is State.LEGACY
        stepper.go(0)
        assert stepper.run().snapshot.state is State.MODERN
        assert stepper.moment.at == 0.0


def test_an_answer_that_is_not_offered_changes_nothing(stepper: Stepper) -> None:
    """Ours: an error leaves one where one stands."""
    stepper.step()
    with pytest.raises(MisuseError, match="Choose one of"):
        stepper.answer("nonsense")
    with pytest.raises(MisuseError, match="no moment 99"):
        stepper.go(99)
    assert stepper.here == 1


# -- fork and restart ----------------------------------------------------------------------


def test_a_fork_is_a_second_life_brought_to_the_same_moment(peer: Fake, stepper: Stepper) -> None:
    """Ours: the same frames are sent again on a fresh connection."""
    stepper.run()
    stepper.back()
    target = stepper.here
    stepper.fork()
    assert stepper.note == "" and stepper.here == target and stepper.live
    assert peer.lifetimes == 2 and peer.methods() == ["server/discover"] * 2
    stepper.run()
    assert [words for _, words in stepper.lines()] == [
        "an earlier life: unavailable",
        "what the peer does: unavailable",
    ]


def test_a_fork_lets_the_same_deadlines_pass() -> None:
    """Ours: the person's choices on the way are made again."""
    quiet = legacy().script(on("server/discover").then(silence()))
    with Stepper(quiet, Terms(allow_legacy=True)) as stepper:
        stepper.run()
        assert stepper.moment.snapshot.state is State.LEGACY
        stepper.back()
        stepper.fork()
        assert stepper.note == "" and stepper.moment.at == 1.0
        assert stepper.run().snapshot.state is State.LEGACY
        assert quiet.lifetimes == 2


def test_a_peer_that_does_otherwise_the_second_time_is_told_apart() -> None:
    """Ours: a live peer cannot be turned back, and the stepper says so."""
    moody = modern().script(on("server/discover").in_lifetime(1).then(error(-32601, "no")))
    with Stepper(moody) as stepper:
        stepper.run()
        stepper.fork()
        assert "did otherwise" not in stepper.note, "the live peer stands here already"
        stepper.back()
        stepper.step()
        stepper.go(0)
        stepper.step()
        stepper.step()
        stepper.step()
        here = stepper.here
        stepper.back()
        stepper.fork()
        stepper.go(here)
        stepper.fork()
        assert stepper.note == "The fresh peer did otherwise than before; this is what it did."
        assert stepper.moment.snapshot.state is State.MODERN and stepper.live


def test_where_a_fork_cannot_be_the_note_says_why(stepper: Stepper) -> None:
    """Ours: honest about what a fork means."""
    stepper.fork()
    assert "stands here already" in stepper.note
    stepper.step()
    stepper.answer("valid")
    stepper.fork()
    assert "cannot be brought into a what-if" in stepper.note


def test_a_restart_forgets_all_moments_and_keeps_edited_rows(peer: Fake, stepper: Stepper) -> None:
    """Ours: to see an edited table with a live peer, begin again."""
    stepper.run()
    stepper.edit_row(*REFUSED, row(REFUSED, Do.INITIALIZE))
    stepper.restart()
    assert len(stepper.tree) == 1 and stepper.here == 0
    assert stepper.run().snapshot.state is State.LEGACY
    assert peer.methods()[1:] == ["server/discover", "initialize", "notifications/initialized"]
    stepper.restart(Terms(allow_legacy=True))
    assert stepper.moment.snapshot.state is State.PROBING_ALLOWED


# -- another table -------------------------------------------------------------------------


def test_a_row_edited_in_time_changes_what_is_really_done(peer: Fake, stepper: Stepper) -> None:
    """Ours: a decision that was not performed yet gives way to the other one."""
    for _ in range(3):
        stepper.step()
    assert stepper.moment.snapshot.state is State.UNAVAILABLE
    stepper.edit_row(*REFUSED, row(REFUSED, Do.INITIALIZE))
    assert stepper.moment.snapshot.state is State.HANDSHAKING
    assert stepper.moment.edited and not stepper.supposed and stepper.live
    assert stepper.run().snapshot.state is State.LEGACY
    assert peer.methods() == ["server/discover", "initialize", "notifications/initialized"]


def test_a_row_edited_afterwards_shows_a_what_if(peer: Fake, stepper: Stepper) -> None:
    """Ours: what was done is done; the consequence is seen all the same."""
    stepper.run()
    moment = stepper.edit_row(*REFUSED, row(REFUSED, Do.INITIALIZE))
    assert (moment.snapshot.state, moment.words) == (State.HANDSHAKING, EDITED)
    assert stepper.supposed and moment.edited
    assert peer.methods() == ["server/discover"]
    back = stepper.reset_policy()
    assert back.snapshot.state is State.UNAVAILABLE and stepper.policy is TRANSITIONS


def test_the_real_table_is_never_changed(stepper: Stepper) -> None:
    """Ours: an experiment is one stepper's own."""
    real = dict(TRANSITIONS)
    stepper.edit_row(*REFUSED, row(REFUSED, Do.INITIALIZE))
    assert real == TRANSITIONS
    with Stepper(fault("P02")) as other:
        assert other.policy is TRANSITIONS


def test_no_table_sends_a_second_initialize() -> None:
    """Design 7.2: not even an edited one; the edit is taken back."""
    downgrade = (State.CORRECTING, Sign.SILENCE)
    terms = Terms(allow_legacy=True, modern_revisions=("2026-07-28", "2099-12-31"))
    with Stepper(modern(), terms) as stepper:
        stepper.edit_row(*downgrade, row(downgrade, Do.INITIALIZE))
        stepper.step()
        stepper.answer("silence")
        assert stepper.answer("-32022").snapshot.state is State.CORRECTING
        with pytest.raises(MisuseError, match="second initialize"):
            stepper.answer("silence")
        stepper.reset_policy()
        assert stepper.answer("silence").snapshot.state is State.UNAVAILABLE
        with pytest.raises(MisuseError, match="second initialize"):
            stepper.edit_row(*downgrade, row(downgrade, Do.INITIALIZE))
        assert stepper.policy is TRANSITIONS


# -- a record ------------------------------------------------------------------------------


def test_a_record_is_stepped_through_without_a_peer(peer: Fake, stepper: Stepper) -> None:
    """Ours: a recorded journal is as good as a live peer, until one asks it something new."""
    stepper.run()
    text = stepper.journal.to_jsonl()
    with Stepper.from_journal(text) as recorded:
        assert recorded.kind == "record" and recorded.name == "peer"
        recorded.run()
        assert recorded.decisions == stepper.decisions and recorded.finished
        recorded.back()
        recorded.fork()
        assert "cannot be asked again" in recorded.note
        assert recorded.let_deadline_pass().snapshot.state is State.UNAVAILABLE
        assert recorded.supposed
        recorded.back()
        assert recorded.step().origin is Origin.RECORD
        recorded.edit_row(*REFUSED, row(REFUSED, Do.INITIALIZE))
        assert recorded.moment.snapshot.state is State.HANDSHAKING
        recorded.step()
        assert "nobody answers by himself" in recorded.note
    assert peer.lifetimes == 1


def test_a_record_that_ends_early_and_one_that_decided_otherwise_say_so(stepper: Stepper) -> None:
    """Ours: the record of another version, or of a part."""
    stepper.run()
    lines = stepper.journal.to_jsonl().splitlines(keepends=True)
    cut = "".join(lines[:-3])
    with Stepper.from_journal(cut) as recorded:
        recorded.run()
        assert recorded.note == "The record ends here: suppose an answer, or go back."
    changed = stepper.journal.to_jsonl().replace("ERA-10", "ERA-11")
    with Stepper.from_journal(Journal.from_jsonl(changed), "peer") as recorded:
        recorded.step()
        recorded.step()
        recorded.step()
        assert "The record decided otherwise" in recorded.note and "ERA-11" in recorded.note
