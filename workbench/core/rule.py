"""What a rule of the harness is.

Takes:  nothing
Gives:  `Rule`, the value every rule is written in
"""

from msgspec import Struct


class Rule(Struct, frozen=True, kw_only=True):
    """One rule of the harness."""

    id: str
    sentence: str
    source: str
    where: str
    """Module that enforces it, relative to `workbench`."""
    fake: str = ""
    """Name of the ready-made fake that provokes it; "" when no single peer can."""
    hint: str = ""
    """What the reader of a refusal can do."""
