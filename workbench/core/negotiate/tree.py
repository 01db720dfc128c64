"""All moments that were visited: one line as it really went, and what-ifs beside it.

Takes:  moments, each after another
Gives:  places in the tree: their path from the start, their branches, their ends
Never:  forgets a moment, so that going back loses nothing
"""

from collections.abc import Iterator

from workbench.core.negotiate.moment import Moment, Origin


class Tree:
    """Moments by place; place 0 is the start.

    Args:
        start: the moment before anything happened.
    """

    def __init__(self, start: Moment) -> None:
        self._moments = [start]
        self._parents: list[int | None] = [None]
        self._real: dict[int, int] = {}
        self._latest: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._moments)

    def __getitem__(self, place: int) -> Moment:
        return self._moments[place]

    def add(self, parent: int, moment: Moment) -> int:
        """Add a moment after the one at `parent`; return its place.

        One that really happened becomes what follows there; a what-if stands beside it.
        The same what-if twice is one place.
        """
        for place in self.after(parent):
            if self._moments[place] == moment and moment.origin is Origin.WHAT_IF:
                self._latest[parent] = place
                return place
        place = len(self._moments)
        self._moments.append(moment)
        self._parents.append(parent)
        self._latest[parent] = place
        if moment.origin is not Origin.WHAT_IF:
            self._real[parent] = place
        return place

    def relive(self, place: int) -> None:
        """Make the way to this place what really happened, for it has happened again."""
        path = self.path(place)
        self._real.update(zip(path, path[1:], strict=False))

    def before(self, place: int) -> int | None:
        """Return the place before this one; None at the start."""
        return self._parents[place]

    def after(self, place: int) -> tuple[int, ...]:
        """Return the places that follow directly, in the order in which they were visited."""
        return tuple(one for one, parent in enumerate(self._parents) if parent == place)

    def onward(self, place: int) -> int | None:
        """Return where a step leads that nobody has to choose.

        That is what really happened there, or else the latest what-if.
        """
        real = self._real.get(place)
        return self._latest.get(place) if real is None else real

    def real_after(self, place: int) -> int | None:
        """Return the place that really followed; None when nothing has."""
        return self._real.get(place)

    def path(self, place: int) -> tuple[int, ...]:
        """Return the places from the start to this one."""
        return tuple(reversed([*self._upward(place)]))

    def moments(self, place: int) -> tuple[Moment, ...]:
        """Return the moments from the start to this place."""
        return tuple(self._moments[one] for one in self.path(place))

    def supposed(self, place: int) -> bool:
        """Say whether this place, or one on the way to it, is a what-if."""
        return any(self._moments[one].origin is Origin.WHAT_IF for one in self._upward(place))

    def ends(self) -> tuple[int, ...]:
        """Return the places that nothing follows, in the order in which they were visited."""
        parents = set(self._parents)
        return tuple(place for place in range(len(self._moments)) if place not in parents)

    def words(self, end: int) -> str:
        """Return what is special about the line that ends here, and where it ends."""
        supposed = next((m for m in self.moments(end) if m.origin is Origin.WHAT_IF), None)
        if supposed is not None:
            line = f"what if the peer {supposed.words}"
        elif end == self._real_end():
            line = "what the peer does"
        else:
            line = "an earlier life"
        return f"{line}: {self._moments[end].snapshot.state}"

    def _real_end(self) -> int:
        place = 0
        while place in self._real:
            place = self._real[place]
        return place

    def _upward(self, place: int) -> Iterator[int]:
        here: int | None = place
        while here is not None:
            yield here
            here = self._parents[here]
