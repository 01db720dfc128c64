"""A comparison of today: faults and several peers, from the names somebody gives.

Takes:  starts of names, clients, a laboratory
Gives:  a `Comparison`
Never:  installs anything before the names are known to be good
"""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from workbench.comparison.gathering import gather
from workbench.comparison.gatherings import SITUATIONS
from workbench.comparison.known import groups_of, in_order
from workbench.comparison.laboratory import Laboratory
from workbench.comparison.measuring import chosen, compare, faults
from workbench.comparison.values import Comparison


def measured(
    starts: Iterable[str] | None,
    clients: Iterable[str],
    new_lab: Callable[[int], Laboratory],
    day: str,
) -> Comparison:
    """Measure what is asked for.

    Args:
        starts: starts of the names of faults and situations; None takes all.
        clients: names of `known.CLIENTS`; their makers' groups meet several peers.
        new_lab: gives what runs clients, told how many runs there will be.
        day: the date that is put down, as YYYY-MM-DD.

    Raises:
        ConfigError: if nothing, or no client, has such a name.
        CouldNotStart: if the environment of a client cannot be made.
    """
    clients = in_order(clients)
    abouts, situations = faults(), {one.name: one for one in SITUATIONS}
    names = chosen(starts, [*abouts, *situations])
    told = [situations[name] for name in names if name in situations]
    matrix = [name for name in names if name in abouts]
    groups = groups_of(clients) if told else ()
    # Each situation is told in two orders.
    lab = new_lab(len(matrix) * len(clients) + 2 * len(told) * len(groups))
    value = compare(lab, abouts, matrix, clients, day)
    return replace(value, together=gather(lab, groups, told))
