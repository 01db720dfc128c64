"""Rows that could stand elsewhere in the table; the real table never changes."""

import itertools
from typing import Any

import pytest

from workbench.core.errors import MisuseError
from workbench.core.negotiate.edits import edits_of, possible_rows, with_row, words_of
from workbench.core.negotiate.moment import Moment, Origin, begun
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import TERMINAL, State, Terms, begin
from workbench.core.negotiate.table import IMPOSSIBLE, TRANSITIONS, Do, Row
from workbench.core.negotiate.what_if import answers_for, suppose
from workbench.core.rulebook.rules import RULES

BEFORE = dict(TRANSITIONS)
PAIRS = list(itertools.product(State, Sign))


def test_the_real_row_comes_first_and_impossible_pairs_have_none() -> None:
    """Ours: only what can occur can be decided otherwise."""
    for pair in PAIRS:
        rows = possible_rows(*pair)
        assert rows[:1] == ((TRANSITIONS[pair],) if pair in TRANSITIONS else ()), pair
        assert bool(rows) != (pair in IMPOSSIBLE)
        assert all(row.rule in RULES for row in rows)
        assert len(set(rows)) == len(rows)


def test_no_row_opens_a_way_to_a_second_handshake_or_to_an_era_without_proof() -> None:
    """Design 7.2: not even an experiment sends two, and there must be something to settle."""
    for state, sign in PAIRS:
        for row in possible_rows(state, sign)[1:]:
            assert not (state is State.HANDSHAKING and row.do is Do.INITIALIZE)
            assert row.do is not Do.SETTLE_MODERN
            assert row.do is not Do.SETTLE_LEGACY or sign is Sign.HANDSHAKE_REVISION


def test_a_copy_is_edited_and_says_where() -> None:
    """Ours: the real table is never changed."""
    key = (State.PROBING, Sign.UNRECOGNIZED_ERROR)
    row = next(one for one in possible_rows(*key) if one.do is Do.INITIALIZE)
    policy = with_row(TRANSITIONS, *key, row)
    assert edits_of(policy) == ((*key, row),)
    assert edits_of(TRANSITIONS) == () and TRANSITIONS == BEFORE
    assert edits_of(with_row(policy, *key, TRANSITIONS[key])) == ()
    assert words_of(row) == "send the one initialize → handshaking [LEG-01]"


@pytest.mark.parametrize(
    ("state", "sign", "row", "said"),
    [
        (State.PROBING, Sign.SILENCE, Row(State.MODERN, Do.SETTLE_MODERN, "ERA-01"), "nothing to"),
        (State.MODERN, Sign.SILENCE, Row(State.MODERN, Do.RECORD, "ERA-22"), "verdict stands"),
        (State.PROBING, Sign.SILENCE, Row(State.UNAVAILABLE, Do.REFUSE, "NO-99"), "no rule"),
        (
            State.HANDSHAKING,
            Sign.HANDSHAKE_ERROR,
            Row(State.HANDSHAKING, Do.INITIALIZE, "LEG-01"),
            "Rows that could",
        ),
    ],
)
def test_a_row_that_cannot_be_carried_out_is_refused(
    state: State, sign: Sign, row: Row, said: str
) -> None:
    """Ours: an experiment fails with words, not with a broken machine."""
    with pytest.raises(MisuseError, match=said):
        with_row(TRANSITIONS, state, sign, row)


def reachable(**terms: Any) -> list[Moment]:
    """Return moments in every state that is not the end, with something asked."""
    first = begun(begin(Terms(**terms))).then(
        suppose(begin(Terms(**terms)), "opened").event, 0.0, Origin.WHAT_IF
    )
    found, frontier = [first], [first]
    while frontier:
        moment = frontier.pop()
        for offer in answers_for(moment.snapshot):
            event = suppose(moment.snapshot, offer.name).event
            after = moment.then(event, moment.at, Origin.WHAT_IF)
            states = {(one.snapshot.state, one.snapshot.initialize_id) for one in found}
            if (
                not after.over
                and (after.snapshot.state, after.snapshot.initialize_id) not in states
            ):
                found.append(after)
                frontier.append(after)
    return found


@pytest.mark.parametrize("allow_legacy", [False, True])
def test_every_row_that_is_offered_can_be_carried_out(allow_legacy: bool) -> None:
    """Ours: what the panel offers must not break."""
    tried = 0
    for moment in reachable(allow_legacy=allow_legacy, can_declare={"elicitation": {}}):
        for offer in answers_for(moment.snapshot):
            event = suppose(moment.snapshot, offer.name).event
            real = moment.then(event, moment.at, Origin.WHAT_IF).decision
            assert real is not None
            key = (State(real.state), Sign(real.evidence))
            for row in possible_rows(*key):
                policy = with_row(TRANSITIONS, *key, row)
                after = moment.then(event, moment.at, Origin.WHAT_IF, policy=policy)
                assert after.snapshot.state is row.next
                tried += 1
    assert tried > 60


def test_terminal_states_offer_nothing() -> None:
    """Ours: the verdict stands."""
    assert not [pair for pair in PAIRS if pair[0] in TERMINAL and possible_rows(*pair)]
