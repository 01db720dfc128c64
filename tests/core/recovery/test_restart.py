"""When a lost peer is started again, and when it is left alone."""

import pytest

from workbench.core.errors import Kind
from workbench.core.recovery.restart import (
    History,
    RecoveryPolicy,
    Verdict,
    became_ready,
    budget_free_at,
    decide,
    delay_s,
    forgiven,
    started,
    went_away,
)

EVEN = RecoveryPolicy(jitter=0.0)


def lived(history: History, start: float, seconds: float, policy: RecoveryPolicy = EVEN) -> History:
    """Return the history after one start that was ready at once and lost later."""
    ready = became_ready(started(history, start, policy), start)
    return went_away(ready, start + seconds, policy)


def test_a_peer_that_was_up_for_long_comes_back_after_the_first_pause() -> None:
    """Design 7.7: restart with backoff."""
    history = lived(History(), 0.0, 3_600.0)
    plan = decide(history, 3_600.0, 0.0, EVEN)
    assert (plan.verdict, plan.at, plan.rule) == (Verdict.WAIT, 3_600.5, "RECOV-01")


def test_pauses_double_up_to_thirty_seconds() -> None:
    """Design 7.7: cap 30 s; a huge count overflows nothing."""
    pauses = [delay_s(failures, 0.0, EVEN) for failures in (1, 2, 3, 6, 7, 8, 5_000)]
    assert pauses == [0.5, 1.0, 2.0, 16.0, 30.0, 30.0, 30.0]


@pytest.mark.parametrize("chance", [-1.0, 0.0, 0.5, 1.0, 7.0])
def test_jitter_takes_away_at_most_its_part(chance: float) -> None:
    """Design 7.7: jitter; chance is an argument, and a bad one does no harm."""
    policy = RecoveryPolicy(jitter=0.2)
    assert 0.8 * 30.0 - 1e-9 <= delay_s(20, chance, policy) <= 30.0
    assert delay_s(20, chance, policy) == delay_s(20, chance, policy)


def test_a_start_that_only_answered_is_no_success() -> None:
    """Case R01: the counter is reset by staying up, not by being ready."""
    history = History()
    for number in range(4):
        history = lived(history, float(number), 0.1)
    assert history.failures == 4
    assert lived(history, 10.0, EVEN.healthy_s).failures == 1


def test_the_budget_opens_the_circuit_until_the_oldest_start_is_out_of_the_window() -> None:
    """Case R01: at most the configured number of starts in a window, whoever asks."""
    policy = RecoveryPolicy(starts=3, window_s=60.0, jitter=0.0, first_delay_s=0.1)
    history = History()
    for at in (0.0, 1.0, 2.0):
        history = lived(history, at, 0.1, policy)
    for urgent in (False, True):
        plan = decide(history, 2.1, 0.0, policy, urgent=urgent)
        assert (plan.verdict, plan.at, plan.rule) == (Verdict.OPEN, 60.0, "RECOV-03")
    assert decide(history, 60.0, 0.0, policy, urgent=True).verdict is Verdict.NOW
    assert budget_free_at(history, 60.0, policy) == 60.0


def test_a_pause_longer_than_the_circuit_is_kept() -> None:
    """Ours: the end of a window does not undo the backoff."""
    policy = RecoveryPolicy(starts=3, window_s=60.0, jitter=0.0, give_up_after=99)
    history = History(starts=(0.0, 50.0, 59.0), failures=9)
    plan = decide(history, 59.0, 0.0, policy)
    assert (plan.verdict, plan.at) == (Verdict.WAIT, 89.0)


def test_a_budget_of_nothing_starts_nothing() -> None:
    """Ours: the edge of the configuration."""
    policy = RecoveryPolicy(starts=0)
    assert decide(History(), 0.0, 0.0, policy, urgent=True).verdict is Verdict.GIVE_UP


@pytest.mark.parametrize("kind", [Kind.CONFIG, Kind.NO_MUTUAL_VERSION, Kind.AUTH_NEEDED])
def test_what_a_new_start_cannot_mend_is_left_alone(kind: Kind) -> None:
    """Ours: rule RECOV-04; a later start counts anew."""
    history = went_away(started(History(), 0.0, EVEN), 0.0, EVEN, kind)
    plan = decide(history, 0.0, 0.0, EVEN, urgent=True)
    assert (plan.verdict, plan.at, plan.rule) == (Verdict.GIVE_UP, None, "RECOV-04")
    assert not started(history, 1.0, EVEN).hopeless


def test_failing_for_ever_ends() -> None:
    """Ours: every loop is bounded; a hand forgives."""
    history = History(failures=EVEN.give_up_after)
    assert decide(history, 0.0, 0.0, EVEN).verdict is Verdict.GIVE_UP
    assert decide(forgiven(history), 0.0, 0.0, EVEN).verdict is Verdict.WAIT


def test_without_a_pause_the_start_is_now() -> None:
    """Ours: a policy without pauses."""
    policy = RecoveryPolicy(first_delay_s=0.0)
    plan = decide(History(failures=1), 5.0, 0.5, policy)
    assert (plan.verdict, plan.at) == (Verdict.NOW, 5.0)


def test_only_the_latest_starts_are_remembered() -> None:
    """Ours: everything is bounded."""
    history = History()
    for at in range(1_000):
        history = started(history, float(at), EVEN)
    assert history.starts == tuple(float(at) for at in range(992, 1_000))
