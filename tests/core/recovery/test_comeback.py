"""The story of one peer's losses, turn by turn."""

from workbench.core.errors import Kind
from workbench.core.recovery.comeback import (
    Said,
    Standing,
    by_hand,
    came_up,
    in_words,
    stayed_down,
    wanted_now,
    went_down,
)
from workbench.core.recovery.restart import History, RecoveryPolicy, Restart, Verdict

EVEN = RecoveryPolicy(jitter=0.0)


def rules(said: tuple[Said, ...]) -> list[str | None]:
    return [one.rule for one in said]


def test_a_first_start_says_nothing_and_a_return_says_so() -> None:
    """Rule RECOV-01; ours: "the peer is back" is news only after a loss."""
    up, said = came_up(Standing(), 1.0, EVEN)
    assert (up.was_ready, up.plan, said) == (True, None, ())
    down, said = went_down(up, 2.0, 0.0, EVEN, Kind.PIPE_CLOSED)
    assert down.plan == Restart(Verdict.WAIT, 2.5, "RECOV-01", "it was lost")
    assert said == (Said("wait for 0.5 s", "RECOV-01", "it was lost"),)
    up, said = came_up(down, 2.5, EVEN)
    assert up.plan is None and said == (Said("the peer is back", "RECOV-01"),)


def test_a_startup_that_fails_plans_nothing() -> None:
    """Ours: a startup's failure is for a person to see."""
    down, said = stayed_down(Standing(), 0.0, 0.0, EVEN, Kind.COULD_NOT_START)
    assert (down.plan, said, down.history.failures) == (None, (), 1)


def test_the_third_failure_in_a_row_is_said_plainly() -> None:
    """Design 7.7: a notice after 3 failures; rule RECOV-02."""
    standing, _ = came_up(Standing(), 0.0, EVEN)
    standing, said = went_down(standing, 0.0, 0.0, EVEN, None)
    heard = [rules(said)]
    for now in (1.0, 2.0):
        standing, said = stayed_down(standing, now, 0.0, EVEN, None)
        heard.append(rules(said))
    assert heard == [["RECOV-01"], ["RECOV-01"], ["RECOV-01", "RECOV-02"]]


def test_a_loss_before_anybody_heard_of_the_start_counts_the_start() -> None:
    """Ours: a server that ends at once must not be started without a budget."""
    down, _ = went_down(Standing(was_ready=True), 4.0, 0.0, EVEN, None)
    assert down.history.starts == (4.0,)


def test_chance_takes_its_part_of_a_pause() -> None:
    """Rule RECOV-01: jitter."""
    up, _ = came_up(Standing(), 0.0, RecoveryPolicy())
    planned = [
        went_down(up, 0.0, chance, RecoveryPolicy(), None)[0].plan for chance in (0.0, 0.5, 1.0)
    ]
    assert [plan.at for plan in planned if plan] == [0.5, 0.45, 0.4]


def test_whoever_waits_gets_a_start_now_unless_the_budget_is_spent() -> None:
    """Rule RECOV-03: the budget holds, whoever asks; what seemed hopeless may be tried."""
    hopeless = Standing(
        history=History(starts=(0.0,), failures=99, hopeless=True),
        plan=Restart(Verdict.GIVE_UP, None, "RECOV-04", "x"),
    )
    standing, wanted = wanted_now(hopeless, 1.0, EVEN)
    assert (wanted.verdict, standing.plan) == (Verdict.NOW, None)
    spent = Standing(history=History(starts=tuple(map(float, range(8)))))
    standing, wanted = wanted_now(spent, 8.0, EVEN)
    assert (wanted.verdict, wanted.at, wanted.rule) == (Verdict.OPEN, 60.0, "RECOV-03")
    assert standing.plan == wanted


def test_a_restart_by_hand_wipes_the_slate() -> None:
    """Ours: a person knows what was mended."""
    before = Standing(
        history=History(starts=(1.0, 2.0), failures=9),
        was_ready=True,
        plan=Restart(Verdict.GIVE_UP, None, "RECOV-04", "x"),
    )
    after, said = by_hand(before)
    assert after == Standing(was_ready=True) and rules(said) == [None]


def test_a_plan_in_words_names_the_pause_where_there_is_one() -> None:
    """Ours: the words of the journal."""
    assert in_words(Restart(Verdict.OPEN, 60.0, "RECOV-03", "w"), 8.0).what == (
        "circuit open for 52.0 s"
    )
    assert in_words(Restart(Verdict.GIVE_UP, None, "RECOV-04", "w"), 8.0).what == "give up"
    assert in_words(Restart(Verdict.NOW, 8.0, "RECOV-01", "w"), 8.0).what == "restart now"
