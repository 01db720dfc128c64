"""Going back loses nothing, and a what-if never takes the place of what happened."""

from msgspec.structs import replace

from workbench.core.events import LifeSeen, Opened
from workbench.core.negotiate.moment import Moment, Origin, begun
from workbench.core.negotiate.snapshot import Terms, begin
from workbench.core.negotiate.tree import Tree
from workbench.core.negotiate.what_if import suppose

START = begun(begin(Terms()))
OPENED = START.then(Opened(), 0.0, Origin.PEER)


def silent(words: str = "said nothing") -> Moment:
    event = suppose(OPENED.snapshot, "silence").event
    return OPENED.then(event, 0.0, Origin.WHAT_IF, words=words)


def test_a_step_leads_to_what_really_happened_whatever_was_supposed() -> None:
    """Ours: Step asks the peer, a what-if asks the person."""
    tree = Tree(START)
    first = tree.add(0, OPENED)
    supposed = tree.add(first, silent())
    assert tree.onward(first) == supposed, "nothing else is known yet"
    real = tree.add(first, OPENED.then(LifeSeen(), 0.0, Origin.PEER))
    tree.add(first, silent("said nothing again"))
    assert tree.onward(first) == tree.real_after(first) == real
    assert tree.onward(real) is None


def test_paths_branches_and_ends() -> None:
    """Ours: nothing that was visited is lost."""
    tree = Tree(START)
    first = tree.add(0, OPENED)
    one, two = tree.add(first, silent("a")), tree.add(first, silent("b"))
    assert tree.path(two) == (0, first, two) and len(tree.moments(two)) == 3
    assert tree.before(two) == first and tree.before(0) is None
    assert tree.after(first) == (one, two) == tree.ends()
    assert [tree.supposed(place) for place in (first, one)] == [False, True]
    assert tree.words(two) == "what if the peer b: unavailable"
    assert len(tree) == 4 and tree[first] is OPENED


def test_the_same_what_if_twice_is_one_place() -> None:
    """Ours: clicking twice makes no second branch."""
    tree = Tree(START)
    first = tree.add(0, OPENED)
    assert tree.add(first, silent()) == tree.add(first, silent())


def test_a_second_life_takes_over_and_the_first_is_kept() -> None:
    """Ours: a fork is a life of its own."""
    tree = Tree(START)
    first = tree.add(0, OPENED)
    old = tree.add(first, OPENED.then(LifeSeen(), 0.0, Origin.PEER))
    new = tree.add(first, replace(tree[old], at=1.0))
    assert tree.onward(first) == new
    assert tree.words(new) == "what the peer does: probing"
    assert tree.words(old) == "an earlier life: probing"
    tree.relive(old)
    assert tree.onward(first) == old
