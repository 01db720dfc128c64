"""What a rule of the harness is.

Takes:  nothing
Gives:  `Rule`, the value every rule is written in, and the short way to write one
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

    @property
    def family(self) -> str:
        """The letters of the id: rules of one family belong to one stage."""
        return self.id.partition("-")[0]


def rule(id: str, sentence: str, source: str, where: str, fake: str = "", hint: str = "") -> Rule:
    """Write one rule; the arguments are the fields of `Rule`."""
    return Rule(id=id, sentence=sentence, source=source, where=where, fake=fake, hint=hint)
