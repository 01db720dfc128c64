"""What was measured: rows of figures, their ratios, and the goals they are held against."""

import statistics
from typing import Final

from msgspec import Struct

OURS: Final = "workbench"


class Effort(Struct, frozen=True, kw_only=True):
    """How much is measured. More rounds make a median firmer, nothing else changes."""

    rounds: int
    seconds: float
    """Length of each stretch of calls."""
    starts: int
    """Rounds of starting many peers."""
    peers: tuple[int, ...]
    tools: tuple[int, ...]
    merged: tuple[int, ...]
    calls: int
    """Calls after which the memory is read."""


EFFORTS: Final = {
    "full": Effort(
        rounds=7,
        seconds=0.4,
        starts=5,
        peers=(1, 20, 50),
        tools=(1_000, 20_000),
        merged=(10_000, 100_000),
        calls=100_000,
    ),
    "quick": Effort(
        rounds=2,
        seconds=0.1,
        starts=1,
        peers=(1, 20, 50),
        tools=(1_000, 20_000),
        merged=(10_000, 100_000),
        calls=30_000,
    ),
    "smoke": Effort(
        rounds=1, seconds=0.01, starts=1, peers=(1, 2), tools=(10, 20), merged=(20, 200), calls=10
    ),
}


class Goal(Struct, frozen=True):
    """A bound on our figure: on its ratio to another's, or on itself."""

    bound: float
    against: str | None = None
    """A contestant: ours must be at least `bound` times as fast. None: at most `bound`."""

    @property
    def text(self) -> str:
        """The goal in words."""
        if self.against is None:
            return f"≤ {self.bound:g}"
        return f"≥ {self.bound:.3g} × {self.against}"


class Row(Struct, kw_only=True):
    """One kind of work, done by several contestants in turn."""

    work: str
    unit: str
    more_is_better: bool = False
    goals: tuple[Goal, ...] = ()
    figures: dict[str, list[float]] = {}
    """By contestant, one figure a round."""

    def add(self, who: str, figure: float) -> None:
        """Take one more figure."""
        self.figures.setdefault(who, []).append(figure)

    def median(self, who: str) -> float:
        """Return a contestant's median."""
        return statistics.median(self.figures[who])

    def ratio(self, other: str) -> float | None:
        """Say how many times as fast as `other` we are: the median of each round's ratio.

        Rounds are compared with themselves, because a busy moment of the machine falls on
        all contestants of a round.
        """
        mine, theirs = self.figures.get(OURS), self.figures.get(other)
        if not mine or not theirs or other == OURS:
            return None
        pairs = zip(mine, theirs, strict=False)
        if self.more_is_better:
            return statistics.median(a / b for a, b in pairs)
        return statistics.median(b / a for a, b in pairs)

    def met(self, goal: Goal) -> bool | None:
        """Say whether a goal is met; None when its contestant was not measured."""
        if goal.against is None:
            return self.median(OURS) <= goal.bound
        ratio = self.ratio(goal.against)
        return None if ratio is None else ratio >= goal.bound
