"""Every exercise: right answers in several styles pass, wrong ones get the right hint."""

from collections import Counter
from random import Random

import pytest
from answers import Given, answers, made

from workbench import RULES
from workbench.exercises import check, exercises, judged, wire_checks
from workbench.exercises.exercise import Exercise
from workbench.exercises.stage import here

EXERCISES = list(exercises())
GIVEN = [given for exercise in EXERCISES for given in answers(exercise)]
RIGHT = [given for given in GIVEN if given.right]
WRONG = [given for given in GIVEN if not given.right]
LATE_S = 0.5
"""Long enough for any answer here that ends at all, which takes milliseconds."""


def name_of(exercise: Exercise) -> str:
    """Return what a test is called by."""
    return exercise.name


def answer_name(given: Given) -> str:
    """Return the name the answer cell of that exercise defines."""
    return next(one.answer for one in EXERCISES if one.name == given.exercise)


@pytest.mark.parametrize("given", RIGHT, ids=str)
def test_a_right_answer_passes(given: Given) -> None:
    """Ours: whatever its style."""
    verdict = check(given.exercise, made(given, answer_name(given)))
    assert verdict.status == "PASS", verdict.to_text()


@pytest.mark.parametrize("given", RIGHT, ids=str)
@pytest.mark.parametrize("seed", [1, 20260728])
def test_a_right_answer_passes_with_other_names_and_versions(given: Given, seed: int) -> None:
    """Ours: what the trials leave open is left to chance when a submission is graded."""
    exercise = next(one for one in EXERCISES if one.name == given.exercise)
    make_caller = here(made(given, exercise.answer), exercise.verb, 10.0)
    verdict = judged(exercise, make_caller, Random(seed))
    assert verdict.status == "PASS", verdict.to_text()


@pytest.mark.parametrize("given", WRONG, ids=str)
def test_a_wrong_answer_is_told_its_mistake_and_the_rule(given: Given) -> None:
    """Ours: the right hint for the right mistake, in three levels, and never an exception."""
    timeout_s = LATE_S if given.mistake == "late" else 10.0
    verdict = check(given.exercise, made(given, answer_name(given)), timeout_s=timeout_s)
    assert (verdict.mistake, verdict.rule) == (given.mistake, given.rule), verdict.to_text()
    assert verdict.status == ("NOT YET" if given.mistake == "not-started" else "FAILED")
    assert len({verdict.hint() for _ in range(3)}) == 3
    assert verdict.seen


@pytest.mark.parametrize("exercise", EXERCISES, ids=name_of)
def test_there_are_enough_answers_of_each_kind(exercise: Exercise) -> None:
    """Ours: three right styles, eight wrong answers, and not eight times the same mistake."""
    mine = [given for given in GIVEN if given.exercise == exercise.name]
    wrong = Counter(given.mistake for given in mine if not given.right)
    assert sum(given.right for given in mine) >= 3
    assert wrong.total() >= 8
    assert len(wrong) >= 6
    assert "not-started" in wrong
    assert any("async def" in given.source for given in mine if given.right)
    assert any("class" in given.source for given in mine if given.right)


@pytest.mark.parametrize("exercise", EXERCISES, ids=name_of)
def test_every_hint_of_an_exercise_is_given_to_somebody(exercise: Exercise) -> None:
    """Ours: a hint nobody can get is a mistake nobody can make, or one not recognized."""
    given = {one.mistake for one in WRONG if one.exercise == exercise.name}
    assert set(exercise.hints) - given == set()


@pytest.mark.parametrize("exercise", EXERCISES, ids=name_of)
def test_an_exercise_names_rules_that_exist(exercise: Exercise) -> None:
    """Ours: a student looks them up."""
    assert exercise.rules
    assert set(exercise.rules) <= set(RULES)


@pytest.mark.parametrize("exercise", EXERCISES, ids=name_of)
def test_hints_differ_and_are_sentences(exercise: Exercise) -> None:
    """Ours: three levels are three texts."""
    for hints in (*exercise.hints.values(), *wire_checks.HINTS.values()):
        assert len(set(hints)) == 3
        assert all(10 < len(hint) <= 160 for hint in hints), hints


@pytest.mark.parametrize("exercise", EXERCISES, ids=name_of)
def test_trials_are_the_same_for_the_same_chance(exercise: Exercise) -> None:
    """Ours: a notebook shows the same verdict each time."""
    first, second = (exercise.trials(Random(3)) for _ in range(2))
    assert [(one.name, one.about, list(one.peers)) for one in first] == [
        (one.name, one.about, list(one.peers)) for one in second
    ]


def test_numbers_and_names_are_given_once() -> None:
    """Ours: check(3, …) means one exercise."""
    numbers = [one.number for one in EXERCISES]
    assert numbers == sorted(set(numbers))
    assert len({one.name for one in EXERCISES}) == len(EXERCISES)
