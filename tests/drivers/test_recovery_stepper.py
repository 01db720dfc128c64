"""Recovery by hand: what a person sees, that one can go back, and that nothing else decides.

The stepper holds little but a list; what moves is in `workbench.drivers.recovery_play`.
"""

import gc
import threading

import pytest

from fakes import Fake, answer_default, close, delay, exit_, modern, on, on_start
from workbench.core.errors import MisuseError
from workbench.core.recovery.restart import RecoveryPolicy, Verdict
from workbench.drivers.owner import Status
from workbench.drivers.recovery_moment import WISHES, Moment
from workbench.drivers.recovery_stepper import RecoveryStepper

EVEN = RecoveryPolicy(jitter=0.0)


def notes() -> Fake:
    return modern("notes", tools=["write"])


def stepper(policy: RecoveryPolicy = EVEN) -> RecoveryStepper:
    return RecoveryStepper(notes, name="notes", policy=policy)


def ends(moment: Moment) -> list[str]:
    return [str(one.ended) for one in moment.outcomes]


def test_a_call_whose_peer_was_killed_is_undecided_until_somebody_decides() -> None:
    """Fault matrix C04; design 7.7: outcome unknown, and exactly one outcome in the end."""
    with stepper() as one:
        one.start()
        assert one.call().flight is not None and one.done == ("write",)
        lost = one.kill()
        assert lost.flight is not None and lost.flight.state == "undecided"
        assert (lost.status, ends(lost)) == (Status.UNAVAILABLE, [])
        assert [note.rule for note in lost.noted] == ["RECOV-01", "RETRY-01"]
        end = one.decide()
        assert ends(end) == ["outcome unknown"] and end.outcomes[0].sent == 1
        assert end.noted[0].what == "do not repeat" and end.noted[0].rule == "RETRY-01"
        assert one.done == ("write",)


@pytest.mark.parametrize(
    ("wish", "agreed", "rule", "sent"),
    [
        ("a call", True, "RETRY-01", 2),
        ("a call", False, "RETRY-01", 1),
        ("a call with a key", False, "RETRY-01", 2),
        ("a read", False, "RETRY-02", 2),
    ],
)
def test_who_may_repeat(wish: str, agreed: bool, rule: str, sent: int) -> None:
    """Rules RETRY-01 and RETRY-02: a key, a user, or a read; once, with a new id."""
    assert wish in WISHES
    with stepper() as one:
        one.start()
        one.call(wish)  # type: ignore[arg-type]
        one.kill()
        moment = one.decide(agreed)
        assert moment.noted[0].rule == rule
        if sent == 2:
            assert moment.flight is not None and moment.flight.state == "in flight"
            assert moment.starts[-1].why == "a call waits for it" and moment.at == 0.0
            moment = one.answer()
        assert ends(moment) == ["result" if sent == 2 else "outcome unknown"]
        assert moment.outcomes[0].sent == sent
        ids = [
            entry.request_id
            for entry in one.journal.entries(kind="sent")
            if moment.flight is not None and entry.method == moment.flight.method
        ]
        assert len(set(ids)) == len(ids)


def test_a_call_that_is_lost_again_after_its_repeat_is_over() -> None:
    """Design 7.7: repeated once, never more."""
    with stepper() as one:
        one.start()
        one.call()
        one.kill()
        one.decide(True)
        assert ends(one.kill()) == ["outcome unknown"]
        assert one.moment.outcomes[0].sent == 2 and one.done == ("write", "write")


def test_an_answer_that_is_let_through_is_a_result() -> None:
    """Ours: the gate only delays."""
    with stepper() as one:
        one.start()
        one.call()
        assert ends(one.answer()) == ["result"]
        one.call()
        assert ends(one.answer()) == ["result", "result"]


def test_a_call_to_a_peer_that_is_away_is_refused_and_a_long_silence_times_out() -> None:
    """Design 7.7: each call ends in exactly one of seven ways; time is the stepper's own."""
    with stepper() as one:
        one.start()
        one.call()
        assert ends(one.wait(29.0)) == []
        assert ends(one.wait(2.0)) == ["timed out"]
        one.kill()
        assert ends(one.call()) == ["timed out", "refused"]
        assert one.moment.outcomes[-1].sent == 0


def test_time_brings_the_peer_back_when_it_is_due_and_not_before() -> None:
    """Rule RECOV-01: a pause that doubles; the next start is shown in clock seconds."""
    with stepper() as one:
        one.start()
        one.kill()
        assert one.next_start_at == 0.5
        assert one.wait(0.4).status is Status.UNAVAILABLE
        assert one.wait(0.2).status is Status.READY
        assert [start.at for start in one.moment.starts] == [0.0, 0.5]
        one.kill()
        assert one.next_start_at == 0.6 + 1.0


def test_starts_that_fail_wait_longer_are_noticed_and_are_given_up() -> None:
    """Design 7.7: backoff, a notice after 3 failures, give up; rules RECOV-01, -02, -04."""
    with stepper() as one:
        one.start()
        one.starts_fail = True
        moment = one.kill()
        pauses, rules = [], {note.rule for note in moment.noted}
        while one.next_start_at is not None:
            pauses.append(one.next_start_at - moment.at)
            moment = one.next_start()
            rules |= {note.rule for note in moment.noted}
        assert pauses[:4] == [0.5, 1.0, 2.0, 4.0] and max(pauses) <= EVEN.cap_s
        assert moment.standing.history.failures == EVEN.give_up_after
        assert rules == {"RECOV-01", "RECOV-02", "RECOV-04"}
        one.starts_fail = False
        assert one.restart().status is Status.READY
        assert one.moment.standing.history.failures == 0


def test_a_spent_budget_opens_the_circuit_for_a_call_that_waits_too() -> None:
    """Rule RECOV-03: whoever asks; the call is refused, not repeated."""
    with stepper(RecoveryPolicy(starts=1, window_s=60.0, jitter=0.0)) as one:
        one.start()
        one.call("a call with a key")
        lost = one.kill()
        plan = lost.standing.plan
        assert plan is not None and (plan.verdict, plan.at) == (Verdict.OPEN, 60.0)
        assert ends(one.decide()) == ["refused"]
        assert [note.rule for note in one.moment.noted] == ["RETRY-01", "RECOV-03", "PEER-01"]


def test_a_peer_that_stayed_up_long_enough_starts_with_a_clean_slate() -> None:
    """Rule RECOV-02: only staying up counts."""
    with stepper() as one:
        one.start()
        one.kill()
        one.next_start()
        one.wait(10.0)
        assert one.kill().standing.history.failures == 1


def test_a_peer_that_dies_by_itself_while_time_passes_is_brought_back() -> None:
    """Case R01: a start that only answered is no success, and the budget bounds it all."""
    dying = on("server/discover").then(answer_default(), delay(0.05), exit_(0))
    with RecoveryStepper(lambda: notes().script(dying), policy=EVEN) as one:
        one.start()
        moment = one.wait(60.0)
        assert 2 < len(moment.starts) <= EVEN.starts


def test_back_is_the_kept_moment_and_the_peer_is_as_it_was_then() -> None:
    """Design 3: back and fork; the second story may go elsewhere."""
    with stepper() as one:
        one.start()
        kept = one.call()
        one.kill()
        one.decide(True)
        one.answer()
        for _ in range(3):
            one.back()
        assert one.moment == kept and one.retold and one.done == ("write",)
        assert len(one.commands) == 2 and len(one.moments) == 3
        assert ends(one.answer()) == ["result"]
        one.begin_again()
        assert one.moment == Moment() and one.done == ()
        with pytest.raises(MisuseError, match="beginning"):
            one.back()


def test_a_peer_that_behaves_otherwise_the_second_time_is_told() -> None:
    """Ours: the same fake is not a fresh one; what differs is not hidden."""
    failing = notes().script(on_start().in_lifetime(2).then(exit_(3)))
    with RecoveryStepper(failing) as one:
        one.start()
        one.wait(1.0)
        one.back()
        assert not one.retold and one.moment.status is Status.UNAVAILABLE


def test_what_makes_no_sense_now_is_said_and_changes_nothing() -> None:
    """Ours: a refusal says what to do instead."""
    with stepper() as one:
        for deed in (one.call, one.answer, one.kill, one.decide, one.next_start, one.restart):
            with pytest.raises(MisuseError):
                deed()
        one.start()
        one.call()
        before = one.moment
        for deed in (one.start, one.call, one.decide, one.next_start):
            with pytest.raises(MisuseError):
                deed()
        with pytest.raises(MisuseError, match="no time to wait"):
            one.wait(-1.0)
        assert one.moment is before


def test_over_stdio_a_real_process_is_killed_and_comes_back() -> None:
    """Design 4: the same story with a process; its own end is the evidence."""
    with notes().over_stdio() as command, RecoveryStepper(command, policy=EVEN) as one:
        one.start()
        one.call("a call with a key")
        lost = one.kill()
        assert lost.flight is not None and lost.flight.lost is not None
        assert "SIGKILL" in lost.flight.lost.detail
        one.decide()
        assert ends(one.answer()) == ["result"] and one.done is None
        assert [start.ready for start in one.moment.starts] == [True, True]


def test_a_peer_over_http_is_refused_and_nothing_is_left_running() -> None:
    """Ours: there is no process to lose."""

    class OverHttp:
        kind = "http"
        identity = "x"
        new_transport = None

    with pytest.raises(MisuseError, match="HTTP"):
        RecoveryStepper(OverHttp())  # type: ignore[arg-type]
    one = stepper()
    one.start()
    one.close()
    one.close()
    assert "recovery-stepper" not in {thread.name for thread in threading.enumerate()}


def test_a_fake_that_closes_while_its_answer_is_held_is_heard_in_order() -> None:
    """Ours: what was said before the end is delivered before the end."""
    last = on("tools/call").then(answer_default(), close())
    with RecoveryStepper(lambda: notes().script(last), policy=EVEN) as one:
        one.start()
        held = one.call()
        assert held.status is Status.READY
        answered = one.answer()
        assert ends(answered) == ["result"] and answered.status is Status.UNAVAILABLE


def test_a_stepper_that_is_forgotten_leaves_no_thread() -> None:
    """Ours: a cell that is run again makes a new one, and nobody closes the old one."""
    one = stepper()
    one.start()
    assert "recovery-stepper" in {thread.name for thread in threading.enumerate()}
    del one
    gc.collect()
    assert "recovery-stepper" not in {thread.name for thread in threading.enumerate()}
