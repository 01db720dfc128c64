"""Pages that are thrown away as wholes, and bounds that nobody sees crossed."""

import random

import pytest

from workbench.core.journal.kept import PAGE, Kept, Unnumbered, weight


def entry(size: int = 2) -> Unnumbered:
    return (0.0, "p", "sent", b"x" * size, None, None, None)


def filled(kept: Kept, sizes: list[int]) -> Kept:
    for number, size in enumerate(sizes, 1):
        assert kept.add(entry(size), weight(entry(size))) == number
    return kept


def expected(sizes: list[int], capacity: int, most: int) -> list[int]:
    """Return the numbers of the longest end of the story that is within both bounds."""
    start, total = len(sizes), 0
    while start and len(sizes) - start < capacity and total + sizes[start - 1] <= most:
        start -= 1
        total += sizes[start]
    return list(range(min(start, len(sizes) - 1) + 1, len(sizes) + 1))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_shown_is_what_is_within_the_bounds(seed: int) -> None:
    """Ours: design 7.9; whatever the pages are, the bounds are exact."""
    chance = random.Random(seed)
    capacity = chance.choice([1, 3, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE + 7])
    most = chance.choice([1, 100, 5_000, 1_000_000])
    sizes = [chance.choice([0, 2, 30, 900]) for _ in range(chance.randrange(1, 5 * PAGE))]
    kept = filled(Kept(capacity, most), sizes)
    shown = [raw[0] for raw in kept.newest()]
    assert shown == expected(sizes, capacity, most)
    assert kept.dropped == shown[0] - 1


def test_no_more_is_held_than_the_bounds_and_a_page() -> None:
    """Ours: what is not shown is not kept either, but for a page."""
    kept = filled(Kept(1_000, 10_000_000), [10] * 50_000)
    assert sum(len(page.entries) for page in kept._full) <= 1_000 + PAGE
    heavy = filled(Kept(1_000_000, 64_000), [1_000] * 5_000)
    assert sum(page.bytes for page in heavy._full) <= 64_000 + 2_000


def test_one_entry_that_weighs_more_than_all_may_is_kept_alone() -> None:
    """Ours: the newest entry stays whatever its weight."""
    kept = filled(Kept(10, 100), [50, 50, 5_000])
    assert ([raw[0] for raw in kept.newest()], kept.dropped) == ([3], 2)


def test_what_was_missing_before_counts_on() -> None:
    """Ours: the file form tells how many older entries there were."""
    kept = Kept(3, 1_000)
    kept.load([(number, *entry()) for number in (5, 7, 8, 11)], 4)
    assert ([raw[0] for raw in kept.newest()], kept.dropped) == ([7, 8, 11], 5)
    assert kept.add(entry(), 2) == 12
    assert ([raw[0] for raw in kept.newest()], kept.dropped) == ([8, 11, 12], 6)
    assert Kept(3, 1_000).newest() == [] and Kept(3, 1_000).dropped == 0


@pytest.mark.parametrize("bounds", [(0, 1), (1, 0), (-1, 5)])
def test_no_room_is_refused(bounds: tuple[int, int]) -> None:
    """Ours: a bound of nothing is a mistake of the caller."""
    with pytest.raises(ValueError, match="needs room"):
        Kept(*bounds)
