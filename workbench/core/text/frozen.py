"""JSON values that cannot be edited, so that one copy can be shared.

Takes:  any value made of JSON types, tuples and frozen structs
Gives:  an equal value whose dictionaries and lists refuse every change
Never:  shares a dictionary or a list with the value it was given

A cache that hands out fresh copies pays for every reader; twenty thousand tool definitions
take longer to copy than to merge. Here the copy is made once, when the value is stored, and
each reader gets the same object. An attempt to change it raises at the line that tries.
`copy.deepcopy(value)` gives plain dictionaries and lists again; `isinstance(value, dict)`,
JSON encoding and schema validation see no difference.
"""

from typing import Any, Final, NoReturn, cast

from msgspec import Struct

_PLAIN: Final = frozenset({str, int, float, bool, bytes, type(None)})
_SET: Final = dict.__setitem__
"""Past the refusal, while a copy is being made."""


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError("this value is shared and read-only; edit a copy.deepcopy() of it")


class FrozenDict(dict[str, Any]):
    """A dictionary that refuses every change with a TypeError."""

    __slots__ = ()
    __setitem__ = __delitem__ = _refuse
    __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        """Return a plain, editable copy, all the way down."""
        return cast("dict[str, Any]", thawed(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a plain dictionary."""
        return dict, (dict(self),)


class FrozenList(list[Any]):
    """A list that refuses every change with a TypeError."""

    __slots__ = ()
    __setitem__ = __delitem__ = _refuse
    __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        """Return a plain, editable copy, all the way down."""
        return cast("list[Any]", thawed(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a plain list."""
        return list, (list(self),)


def frozen(value: Any) -> Any:
    """Return an equal value that nobody can edit; one that is read-only already is itself.

    Raises:
        TypeError: for a mutable value that is not JSON (a set, a struct that can change).
        RecursionError: if the value is nested more deeply than the interpreter can follow.
    """
    kind = type(value)
    if kind in _PLAIN or kind is FrozenDict or kind is FrozenList:
        return value
    # The plain values inside are passed over here: the calls would cost most of the time.
    if isinstance(value, dict):
        copy = FrozenDict(value)
        for key, one in value.items():
            if type(one) not in _PLAIN:
                _SET(copy, key, frozen(one))
        return copy
    if isinstance(value, list):
        return FrozenList([one if type(one) in _PLAIN else frozen(one) for one in value])
    if isinstance(value, tuple):
        return tuple([frozen(one) for one in value])
    if isinstance(value, Struct) and value.__struct_config__.frozen:
        return kind(**{name: frozen(getattr(value, name)) for name in value.__struct_fields__})
    if isinstance(value, str | int | float):  # enumerations and the like
        return value
    raise TypeError(f"a {kind.__name__} has no read-only form")


def read_only(value: dict[str, Any]) -> dict[str, Any]:
    """Return the value in its read-only form, or itself where it is nested too deeply."""
    try:
        copy: dict[str, Any] = frozen(value)
    except (TypeError, RecursionError):
        return value
    return copy


def thawed(value: Any) -> Any:
    """Return an equal value of plain dictionaries and lists, free to edit."""
    if isinstance(value, dict):
        return {key: thawed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [thawed(item) for item in value]
    return value
