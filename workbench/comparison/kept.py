"""The comparison that was measured last, as a file in the package.

Takes:  nothing, or the path of such a file
Gives:  a `Comparison`; the text of one, for keeping
Never:  needs a network, a process or another client
"""

from pathlib import Path
from typing import Final

import msgspec

from workbench.comparison.known import CLIENTS, GROUPS
from workbench.comparison.together import Together
from workbench.comparison.values import Comparison

FILE: Final = Path(__file__).with_name("verdicts.json")
FORMAT: Final = 2


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The file's content."""

    format: int
    comparison: Comparison


def kept(path: Path = FILE) -> Comparison:
    """Return the comparison kept in a file; None given, the package's own."""
    return msgspec.json.decode(path.read_bytes(), type=Kept).comparison


def text_of(comparison: Comparison) -> str:
    """Return a comparison as the text of a file: readable, and stable in its order."""
    rows = sorted(comparison.rows, key=lambda row: row.name)
    whole = Kept(format=FORMAT, comparison=msgspec.structs.replace(comparison, rows=tuple(rows)))
    line = msgspec.json.encode(whole, order="sorted")
    return msgspec.json.format(line, indent=1).decode() + "\n"


def joined(old: Comparison, new: Comparison) -> Comparison:
    """Return `new` completed by what `old` has besides; versions and day of both are told as new.

    A client that is missing in some row of the outcome is left out of it.
    """
    rows = {row.name: row for row in old.rows}
    for row in new.rows:
        seen = rows[row.name].seen if row.name in rows else {}
        rows[row.name] = msgspec.structs.replace(row, seen={**seen, **row.seen})
    several = {name: dict(by) for name, by in old.together.seen.items()}
    for name, by in new.together.seen.items():
        several[name] = {**several.get(name, {}), **by}
    return msgspec.structs.replace(
        new,
        rows=tuple(rows[name] for name in sorted(rows)),
        clients=tuple(c for c in CLIENTS if all(c in row.seen for row in rows.values())),
        versions={**old.versions, **new.versions},
        together=Together(
            seen=several,
            clients=tuple(c for c in GROUPS if all(c in by for by in several.values())),
        ),
    )
