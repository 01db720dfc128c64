"""The fault matrix after connecting, as one table: C01 to C13 and M01 to M09.

Every row has a verdict in words, and scenes that assert it on each way to a peer.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from places import WAYS

from matrix import after, frames, inputs, listens, peers
from matrix.scene import Scene

VERDICTS: Final[dict[str, str]] = {
    "C01": "a modern listing without resultType is rejected; a legacy one is complete",
    "C02": "a result without resultType, or with an unknown one, fails the call",
    "C03": "an answer with another id is never matched; the call ends by its deadline",
    "C04": "a death during a call: outcome unknown, nothing repeated unasked, the peer back",
    "C05": "a name declared twice is refused, the other tools stay",
    "C06": "a tool with an invalid declaration is dropped alone",
    "C07": "every page is read, an empty cursor is one, a loop is cut and not kept",
    "C08": "never a stale list after a change; a storm is one refetch",
    "C09": "odd bytes are understood or refused alone; the reader survives",
    "C10": "rounds are capped, requestState is echoed exactly, refusals are clear",
    "C11": "a request of a modern server is not answered; a legacy one's is",
    "C12": "every fault of a stream is visible; it is asked for again with a new id",
    "C13": "a changed definition is told before the next call, and refused under pin",
    "M01": "the first in sorted order keeps the name; reject names both",
    "M02": "a prefixed name never takes a real one",
    "M03": "names that differ by a joiner stay distinct, aliases too",
    "M04": "a dead and a slow peer are rows; the others are ready",
    "M05": "the order of registration shows nowhere",
    "M06": "any name is kept, and has a safe alias",
    "M07": "each peer keeps its own era",
    "M08": "a changed owner is refused until the menu is accepted again",
    "M09": "private lists never cross authorization contexts",
}
"""What each row demands, in short."""

SCENES: Final[tuple[Scene, ...]] = tuple(
    sorted(
        (
            *after.scenes(),
            *frames.scenes(),
            *inputs.scenes(),
            *listens.scenes(),
            *peers.scenes(),
        ),
        key=lambda one: one.id,
    )
)


def gaps(
    verdicts: Mapping[str, str], scenes: Iterable[Scene], variants: Iterable[str]
) -> list[str]:
    """Return everything that is missing from a table.

    Args:
        verdicts: a sentence a row.
        scenes: what is told.
        variants: the ready-made fakes; each of a row with such fakes must have its scene.
    """
    told = list(scenes)
    ids = [one.id for one in told]
    wanted = [*(f"C{n:02}" for n in range(1, 14)), *(f"M{n:02}" for n in range(1, 10))]
    missing = [f"{row} has no verdict" for row in wanted if row not in verdicts]
    for row in wanted:
        on = {way for one in told if one.row == row for way in WAYS if way not in one.not_on}
        missing += [f"{row} is not told over {way}" for way in WAYS if way not in on]
    for name in variants:
        if name[:3] in wanted and not any(id == name or id.startswith(f"{name}-") for id in ids):
            missing.append(f"nobody plays {name}")
    missing += [f"{id} is told twice" for id in sorted(set(ids)) if ids.count(id) > 1]
    missing += [f"{one.id} belongs to no row" for one in told if one.row not in wanted]
    for one in told:
        for way, reason in one.not_on.items():
            if way not in WAYS or len(reason.split()) <= 5:
                missing.append(f"{one.id} gives no reason not to be told over {way}")
    return missing
