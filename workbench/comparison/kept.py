"""The comparison that was measured last, as a file in the package.

Takes:  nothing, or the path of such a file
Gives:  a `Comparison`; the text of one, for keeping
Never:  needs a network, a process or another client
"""

from pathlib import Path
from typing import Final

import msgspec

from workbench.comparison.values import Comparison, Row

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
    """Return `new` with the rows of `old` that it lacks; versions and day are the new ones."""
    fresh = {row.name for row in new.rows}
    rows: list[Row] = [*new.rows, *(row for row in old.rows if row.name not in fresh)]
    rows.sort(key=lambda row: row.name)
    return msgspec.structs.replace(new, rows=tuple(rows))
