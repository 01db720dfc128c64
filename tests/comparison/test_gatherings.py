"""Several peers at once: each kind of outcome has an input."""

import pytest

from workbench.comparison.gatherings import KINDS, SITUATIONS, Gathered, kind_of

BY_NAME = {one.name: one for one in SITUATIONS}
DEAD = BY_NAME["M04-one-dead"]
BOTH = {"one": "a: one", "three": "c: three"}

SAMPLES = [
    (Gathered(reaches=BOTH), "all"),
    (Gathered(reaches={"one": "a: one"}, missing={"c": "MCPError"}), "told"),
    (Gathered(reaches={"one": "a: one"}), "lost"),
    (Gathered(reaches={"one": "a: one", "three": ""}, missing={"b": "dead"}), "lost"),
    (Gathered(ended="refused", why="ValueError"), "nothing"),
    (Gathered(ended="hang"), "hangs"),
    (Gathered(ended="crash"), "crashes"),
]


@pytest.mark.parametrize(("seen", "kind"), SAMPLES)
def test_an_outcome_is_of_one_kind(seen: Gathered, kind: str) -> None:
    """Ours: what counts is which tools can be called, and whether a loss is told."""
    assert kind_of(DEAD, seen) == kind


def test_every_kind_has_a_sample() -> None:
    """Ours: a kind that nothing is of is not tested."""
    assert {kind for _, kind in SAMPLES} == set(KINDS)


def test_a_dead_peers_tools_are_not_expected() -> None:
    """Ours: nobody can reach what is not there."""
    assert DEAD.tools() == {"a: one", "c: three"}
    assert len(BY_NAME["M01-same-name"].tools()) == 4
