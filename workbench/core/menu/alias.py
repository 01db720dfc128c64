"""Names a model interface accepts, one for each canonical name.

Takes:  the set of canonical names, in any order
Gives:  a table canonical name -> alias; every alias is unique and fits
        `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`
Never:  is reversed by parsing: the table is the only way back

A canonical name that already fits is its own alias, and nobody else's. Every other name
keeps its readable characters and gets a hash of the whole name, so `a.b` and `a/b` differ,
and so do two long names that differ only in a part that was cut. The cut is in the middle:
the peer is told by the start, the tool by the end.

One alias does for every model interface: letters, digits, "_" and "-" up to 64 of them is
the rule of the OpenAI and the Anthropic tools, and the declarations of Gemini besides want
a letter or "_" first.
Source: design section 7.5; cases N03, N04 and N16; fault matrix M03 and M06.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from hashlib import sha256
from typing import Final

from workbench.core.text.redact import MARK

ALIAS_LENGTH: Final = 64
"""Longest alias in characters: the strictest limit among the model interfaces in use."""

_FITS: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}").fullmatch
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]+").sub
_SHORTEST_HASH: Final = 8
_LONGEST_HASH: Final = 32
_NAMELESS: Final = "tool"


def fits(name: str) -> bool:
    """Say whether a name may go to a model interface as it is."""
    return _FITS(name) is not None


def shown_alias(alias: str, name: str, shown_name: str) -> str:
    """Return an alias as it may be shown: as it is, if its name is shown as it is.

    An alias is made of the name, with other characters and perhaps cut: no redactor knows it.

    Args:
        alias: of the tool.
        name: of the tool.
        shown_name: the name without the secrets that are known.
    """
    return alias if shown_name == name else MARK


def aliases(names: Iterable[str], *, reserved: Collection[str] = ()) -> dict[str, str]:
    """Give every canonical name its alias.

    Args:
        names: canonical names; order and repetition change nothing.
        reserved: further names that no alias may equal, such as names refused by a merge;
            a canonical name that fits is its own alias all the same.

    Returns:
        canonical name -> alias, in sorted order of the canonical names.
    """
    table = {name: name if _FITS(name) else "" for name in sorted(dict.fromkeys(names))}
    waiting = [name for name, alias in table.items() if not alias]
    taken = {alias for alias in table.values() if alias}.union(reserved)
    attempt = 0
    # Each round decides about all waiting names together, so no order can matter. It ends:
    # a name waits on only if its next candidate, a new hash every time, is taken already.
    while waiting:
        candidates = _candidates(waiting, attempt)
        distinct = set(candidates)
        if len(distinct) == len(candidates) and taken.isdisjoint(distinct):
            table.update(zip(waiting, candidates, strict=True))  # nearly always
            break
        wishes = Counter(candidates)
        again = []
        for name, alias in zip(waiting, candidates, strict=True):
            if wishes[alias] > 1 or alias in taken:
                again.append(name)
            else:
                table[name] = alias
        taken.update(distinct)
        waiting = again
        attempt += 1
    return table


def _candidates(names: list[str], attempt: int) -> list[str]:
    digits = min(_SHORTEST_HASH * (attempt + 1), _LONGEST_HASH)
    # Somebody may list tools that are called like our candidates; a salt outlasts them.
    salt = b"" if digits < _LONGEST_HASH else b"\0%d" % attempt
    room = ALIAS_LENGTH - digits - 1
    head = room // 2
    tail = head + 1 - room
    found = []
    for name in names:
        digest = sha256(name.encode("utf-8", "surrogatepass") + salt).hexdigest()
        text = _UNSAFE("_", name).strip("_") or _NAMELESS
        if not text[0].isalpha():  # a digit or "-"; every character is ASCII by now
            text = f"_{text}"
        if len(text) > room:
            text = f"{text[:head]}_{text[tail:]}"
        found.append(f"{text}_{digest[:digits]}")
    return found
