"""check(): a verdict for anything, an exception only when it was asked for."""

from typing import Any, Final

import pytest

from workbench.core.errors import MisuseError
from workbench.exercises import NotPassed, Verdict, check, exercises, find, wire_checks
from workbench.exercises.checking import found, hints_for, judged
from workbench.exercises.exercise import Call, Exercise, Finding, Outcome, Seen, Trial
from workbench.exercises.stage import here

STRICT: Final = "WORKBENCH_STRICT"


def toy(judge: Any, *calls: Call) -> Exercise:
    """Return an exercise of one trial."""
    trial = Trial(name="only", about="a situation", calls=calls or (Call(),))
    return Exercise(
        number=1,
        name="toy",
        title="Toy",
        answer="run",
        task="t",
        rules=(),
        trials=lambda chance: (trial, trial),
        judge=judge,
        hints={"mine": ("a", "b", "c")},
    )


def test_a_number_and_a_name_mean_the_same() -> None:
    """Ours: a notebook says check(1, …), a gradebook has names."""
    assert check(1, None).exercise is check("refused-version", None).exercise


@pytest.mark.parametrize("number", [0, 99, "refused-versoin", None])
def test_an_exercise_that_is_none_is_misuse(number: Any) -> None:
    """Ours: one line with the nearest name."""
    with pytest.raises(MisuseError, match="there is no exercise") as caught:
        check(number, None)
    if number == "refused-versoin":
        assert "Did you mean refused-version?" in str(caught.value)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_timeout_has_to_be_positive(seconds: float) -> None:
    """Ours: a call without time cannot be judged."""
    with pytest.raises(MisuseError, match="timeout_s"):
        check(1, None, timeout_s=seconds)


def test_only_the_strict_mode_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: design, notebooks: solved notebooks fail loudly, students see a verdict."""
    monkeypatch.delenv(STRICT, raising=False)
    assert check(1, None).status == "NOT YET"
    monkeypatch.setenv(STRICT, "0")
    assert check(1, None).status == "NOT YET"
    monkeypatch.setenv(STRICT, "1")
    with pytest.raises(NotPassed, match="NOT YET") as caught:
        check(1, None)
    assert isinstance(caught.value.verdict, Verdict)


def test_the_first_bad_trial_is_told_and_the_good_ones_are_counted() -> None:
    """Ours: one mistake at a time."""
    seen: list[Seen] = []

    def judge(_: Trial, what: Seen) -> Finding | None:
        seen.append(what)
        return Finding(key="mine", seen="no") if len(seen) == 2 else None

    verdict = judged(toy(judge), here(lambda: 1, "run", 5.0), chance())
    assert (verdict.status, verdict.passed, verdict.trials) == ("FAILED", 1, 2)
    assert verdict.hints == ("a", "b", "c")
    assert [what.last.value for what in seen] == [1, 1]


def test_the_shared_endings_come_before_the_judge() -> None:
    """Ours: a judge need not know of loops and exits."""

    def judge(*_: Any) -> Finding | None:
        raise AssertionError("it must not be asked")

    for ended, key in (("late", "late"), ("exited", "exited"), ("empty", "not-started")):
        seen = Seen(outcomes=(Outcome(ended=ended),), heard=(), effects={}, lifetimes={})
        finding = found(toy(judge), Trial(name="t", about="a"), seen)
        assert finding is not None
        assert finding.key == key


def test_every_mistake_has_hints_and_an_exercise_may_have_better_ones() -> None:
    """Ours: own hints win; a key without hints is a mistake of the exercise."""
    assert hints_for(toy(None), "late") == wire_checks.HINTS["late"]
    with pytest.raises(KeyError):
        hints_for(toy(None), "nobody-knows")


def test_a_call_after_a_failed_make_is_not_made() -> None:
    """Ours: there is nothing to call then."""
    calls = (Call(make=True), Call())

    def fails() -> None:
        raise ValueError("no")

    told: list[Seen] = []
    judged(toy(lambda _, seen: told.append(seen), *calls), here(fails, "run", 5.0), chance())
    assert [len(seen.outcomes) for seen in told] == [1, 1]


BY_HEART: Final = """
from workbench import modern_request
turn = -1
def negotiate(peer, versions):
    global turn
    turn += 1
    first = modern_request(1, "server/discover", {}, versions[0], {})
    reply = peer.ask(first)
    if turn in (1, 2, 5):
        reply = peer.ask(modern_request(2, "server/discover", {}, versions[1], {}))
    return [versions[0], *[versions[1]] * 2, *[None] * 5][turn]
"""


def test_an_answer_that_knows_the_trials_by_heart_is_found_out_in_another_order() -> None:
    """Ours: a notebook shows the same trials each time; a grading does not."""
    namespace: dict[str, Any] = {}
    exec(BY_HEART, namespace)
    assert check(1, namespace["negotiate"]).passed >= 5
    namespace["turn"] = -1
    caller = here(namespace["negotiate"], "negotiate", 5.0)
    verdict = judged(find(1), caller, chance(), shuffled=True)
    assert (verdict.status, verdict.passed < 5) == ("FAILED", True)


def test_the_list_of_exercises_shows_itself() -> None:
    """Ours: text, a frame and HTML."""
    listed = exercises()
    assert len(repr(listed).splitlines()) == len(listed) == len(listed.to_frame())
    assert list(listed.to_frame()["notebook"])[0] == "01_refused_version.ipynb"
    assert "<table" in listed._repr_html_()
    assert find(1) in list(listed)


def chance() -> Any:
    """Return chance that is the same each time."""
    from random import Random

    return Random(1)
