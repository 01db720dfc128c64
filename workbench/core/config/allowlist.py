"""Which commands may be started at all.

Takes:  an absolute command line, and the list the operator gave
Gives:  None, or the `Failure` that refuses it
Never:  learns an entry from anything a server said

Source: design section 5, "nothing else can be spawned"; seed skill, refusal rules.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from workbench.core.errors import Failure, Kind
from workbench.core.rulebook.rules import RULES
from workbench.core.text.visible import visible

Allowed: TypeAlias = str | Sequence[str]
"""An absolute executable path (any arguments), or a whole command line (these exactly)."""


def refuse_command(peer: str, command: Sequence[str], allowed: Iterable[Allowed]) -> Failure | None:
    """Return why this command line must not be started, or None when an entry permits it.

    Args:
        peer: whose command it is.
        command: absolute executable path and arguments.
        allowed: entries with absolute paths.
    """
    for entry in allowed:
        if isinstance(entry, str):
            if entry == command[0]:
                return None
        elif list(entry) == list(command):
            return None
    return Failure(
        kind=Kind.COULD_NOT_START,
        peer=peer,
        stage="transport",
        rule="PIN-01",
        detail=f"the command {visible(' '.join(command), 200)} is not on the allowlist",
        hint=RULES["PIN-01"].hint,
    )
