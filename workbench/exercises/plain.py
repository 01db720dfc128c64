"""Whatever an answer returns, as plain values.

Takes:  any object
Gives:  None, booleans, numbers, text, bytes, lists and dicts with text keys
Never:  gives an object of the answer to a judge, or more than a bounded amount of it

It runs on the answer's side, under its deadline: a `__str__` may loop as well as a function.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Set
from enum import Enum
from itertools import islice
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from workbench.core.text.visible import visible

DEEPEST: Final = 20
MOST_ITEMS: Final = 1_000
"""Of one list or dict; the rest is left out."""
LONGEST_TEXT: Final = 100_000
"""Characters, or bytes; the rest is left out."""
_MOST_DIGITS: Final = 2**63
_SHOWN: Final = 200


def plain(value: Any, depth: int = 0) -> Any:
    """Return the plain form; what has none becomes `{"object": type, "text": …}`."""
    if value is None or type(value) in (bool, float):
        return value
    if type(value) is int:
        return value if -_MOST_DIGITS <= value < _MOST_DIGITS else described(value)
    if isinstance(value, Enum):
        return plain(value.value, depth + 1)
    if isinstance(value, str):
        # A lone surrogate has no UTF-8 form, so it could not leave the process.
        return str(value[:LONGEST_TEXT]).encode("utf-8", "replace").decode()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value[:LONGEST_TEXT])
    if depth >= DEEPEST:
        return described(value)
    inner = _inner(value)
    if isinstance(inner, Mapping):
        return {
            key if isinstance(key, str) else visible(repr(key), _SHOWN): plain(item, depth + 1)
            for key, item in islice(inner.items(), MOST_ITEMS)
        }
    if inner is not None:
        return [plain(item, depth + 1) for item in islice(inner, MOST_ITEMS)]
    return described(value)


def described(value: Any) -> dict[str, str]:
    """Return the name of an object's type, and its text."""
    return {"object": type(value).__name__, "text": visible(str(value), _SHOWN)}


def _inner(value: Any) -> Mapping[Any, Any] | Iterable[Any] | None:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Set):
        in_order: Callable[[Any], str] = repr
        return sorted(islice(value, MOST_ITEMS), key=in_order)
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, Struct):
        return asdict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    return None
