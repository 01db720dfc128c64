"""The policy table has no holes, and says why the rest cannot happen."""

import itertools

from workbench.core.negotiate.signs import AMBIGUOUS, Sign
from workbench.core.negotiate.snapshot import TERMINAL, State
from workbench.core.negotiate.table import IMPOSSIBLE, TRANSITIONS, Do
from workbench.core.rulebook.rules import RULES

PAIRS = set(itertools.product(State, Sign))


def holes(rows: set[tuple[State, Sign]], listed: set[tuple[State, Sign]]) -> set:
    return PAIRS - rows - listed


def test_every_pair_is_a_row_or_listed_as_impossible() -> None:
    """Ours: a hole in the policy cannot hide."""
    assert holes(set(TRANSITIONS), set(IMPOSSIBLE)) == set()


def test_the_check_for_holes_finds_a_removed_row() -> None:
    """Ours: the check above can fail."""
    without = set(TRANSITIONS) - {(State.PROBING, Sign.SILENCE)}
    assert holes(without, set(IMPOSSIBLE)) == {(State.PROBING, Sign.SILENCE)}


def test_no_pair_is_both_a_row_and_impossible() -> None:
    """Ours: a row that cannot be reached would be a lie."""
    assert set(TRANSITIONS) & set(IMPOSSIBLE) == set()


def test_every_row_names_a_rule_of_the_rulebook() -> None:
    """Ours: a refusal quotes a rule the reader can look up."""
    assert {row.rule for row in TRANSITIONS.values()} - set(RULES) == set()


def test_initialize_is_reachable_only_with_the_operators_permission() -> None:
    """Seed skill, hard rejects: no `initialize` to a peer that is not allowlisted."""
    sends = {state for (state, _), row in TRANSITIONS.items() if row.do is Do.INITIALIZE}
    assert sends == {State.PROBING_ALLOWED, State.REOPENING}
    into_reopening = {s for (s, _), row in TRANSITIONS.items() if row.next is State.REOPENING}
    assert into_reopening == {State.PROBING_ALLOWED}


def test_nothing_leads_from_modern_proof_to_a_handshake() -> None:
    """Seed lesson: recognized modern errors stay modern even for an allowlisted peer."""
    reached, frontier = set(), {State.CORRECTING}
    while frontier:
        state = frontier.pop()
        reached.add(state)
        frontier |= {row.next for (s, _), row in TRANSITIONS.items() if s is state} - reached
    assert reached == {State.CORRECTING, State.MODERN, State.UNAVAILABLE}


def test_legacy_is_entered_by_one_row_only() -> None:
    """Seed lesson: only a positive, structurally valid result selects legacy."""
    rows = [key for key, row in TRANSITIONS.items() if row.next is State.LEGACY]
    assert rows == [(State.HANDSHAKING, Sign.HANDSHAKE_VALID)]


def test_every_ambiguous_sign_is_refused_without_permission() -> None:
    """Seed skill, hard rejects: none of these is proof of legacy behaviour."""
    for sign in AMBIGUOUS | {Sign.CLOSED, Sign.LEGACY_ONLY}:
        assert TRANSITIONS[State.PROBING, sign].do is Do.REFUSE, sign


def test_terminal_states_have_no_rows() -> None:
    """Ours: a verdict lives as long as its transport."""
    assert not [key for key in TRANSITIONS if key[0] in TERMINAL]
