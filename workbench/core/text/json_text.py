r"""JSON for files that people also look at in a terminal.

Takes:  plain values
Gives:  JSON text in which control characters, escape sequences and bidirectional marks are
        `\uXXXX` escapes, so that showing the file runs nothing and reorders nothing
Never:  changes a value: reading the text gives back exactly what was written

Source: design section 7.10, "server text is data".
"""

import json
import unicodedata
from typing import Any, Final

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

_NOTHING: Final = object()


def json_text(value: Any, indent: int | None = None) -> str:
    """Serialize `value`; keys keep their order.

    Args:
        value: what to write.
        indent: spaces a level; None writes one compact line.

    Raises:
        TypeError: if a value has no JSON form.
    """
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(map(_escaped, text))


def _escaped(char: str) -> str:
    # The line ends of an indented document are its layout; inside strings they are escaped.
    if char == "\n" or unicodedata.category(char) not in _HIDDEN:
        return char
    return json.dumps(char)[1:-1] if char != "\x7f" else "\\u007f"


def canonical_text(value: Any) -> str:
    """Return the one text of a JSON value: keys sorted, no spaces, nothing beyond ASCII.

    However deep the value is; whatever could be read has a text.
    """
    try:
        return _flat(value)
    except RecursionError:
        pass  # what could just be read can be too deep to be written by a recursion
    pieces: list[str] = []
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        before, one = waiting.pop()
        pieces.append(before)
        if isinstance(one, dict):
            named = [(f"{_flat(key)}:", one[key]) for key in sorted(one)]
            waiting.extend(reversed(_between("{", named, "}")))
        elif isinstance(one, list | tuple):
            waiting.extend(reversed(_between("[", [("", each) for each in one], "]")))
        elif one is not _NOTHING:
            pieces.append(_flat(one))
    return "".join(pieces)


def _flat(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _between(opening: str, inner: list[tuple[str, Any]], closing: str) -> list[tuple[str, Any]]:
    commas = [opening, *[","] * (len(inner) - 1)]
    parted = [(comma + before, one) for comma, (before, one) in zip(commas, inner, strict=False)]
    return [*parted, (closing if inner else opening + closing, _NOTHING)]
