"""JSON Schema, used within bounds: arguments, structured results, answers to forms.

Takes:  a schema a peer declared, and a value
Gives:  nothing when the value fits, else a `Mismatch`: what does not fit, or why the schema
        cannot be used
Never:  fetches a reference, and never works longer on one value than `MOST_STEPS` allows

The library is imported when the first schema needs it, and most do not: `{"type": "object"}`
fits every object, and flat objects of plain values, which is what tools mostly take, are
accepted by a few type tests. Whatever those tests do not accept is judged by the library.
Dialects: 2020-12 (the default), 2019-09, draft-07, draft-06, draft-04.

Spec: basic/index, "JSON Schema Usage"; server/tools, security considerations.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from workbench.core.schema_shape import dialect_of, unusable
from workbench.core.text.visible import visible
from workbench.core.tool import Tool

DEFAULT_CAPACITY: Final = 1_024
"""Compiled schemas kept; the least recently used one goes first."""
MOST_STEPS: Final = 100_000
"""Keywords tried on one value: about a second of work, however a schema multiplies it."""
_RISKY_LENGTH: Final = 24
"""Longest text that a pattern with nested repetition is tried on. Such a pattern can take a
time that doubles with every character, and nothing can interrupt it."""
_RISKY: Final = re.compile(r"\([^()]*(?:[*+|]|\{\d+,\d*\})[^()]*\)(?:[*+]|\{\d+,\d*\})")

_PLAIN: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list, tuple),
    "object": (dict,),
}
_NOTES: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "x-mcp-header", "$comment"}
)
"""Keywords that say nothing about what fits."""


class Mismatch(Struct, frozen=True):
    """Why a value was not accepted."""

    detail: str
    """Path and reason; texts of the peer and the value are escaped and cut."""
    unusable: bool = False
    """True when it is the schema that cannot be used, so the value was not judged."""


Check = Callable[[Any], Mismatch | None]


class ToolChecks(Struct, frozen=True):
    """What is checked of the calls of one tool."""

    arguments: Check
    result: Check | None
    """Of the structured result; None when the tool declares none."""


class Schemas:
    """Compiles each schema once and keeps it while it is in use.

    Args:
        capacity: most schemas and tools whose checks are kept.
    """

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self._capacity = capacity
        # By identity: a listing is replaced as a whole, never edited. What was compiled is
        # kept with its checks, so that no other object can come to have its identity.
        self._checks: dict[int, tuple[Any, Any]] = {}

    def of(self, tool: Tool) -> "ToolChecks":
        """Return the checks of a tool of a listing, which nobody edits."""
        checks: ToolChecks = self._kept(tool, _compiled_tool)
        return checks

    def check(self, schema: dict[str, Any], value: Any) -> Mismatch | None:
        """Say why `value` does not fit `schema`; None when it fits."""
        check: Check = self._kept(schema, compiled)
        return check(value)

    def _kept(self, source: Any, compile_it: Callable[[Any], Any]) -> Any:
        key = id(source)
        found = self._checks.get(key)
        if found is not None and len(self._checks) * 2 < self._capacity:
            return found[1]  # there is room, so the order of use does not matter yet
        self._checks.pop(key, None)
        if found is None:
            found = (source, compile_it(source))
            if len(self._checks) >= self._capacity:
                del self._checks[next(iter(self._checks))]
        self._checks[key] = found
        return found[1]


def compiled(schema: dict[str, Any]) -> Check:
    """Return the check of one schema; never raises for what the schema says."""
    fault = unusable(schema)
    if fault:
        refused = Mismatch(f"the schema cannot be used: {fault}", unusable=True)
        return lambda value: refused
    whole = _Lazy(schema)
    quick = _quick(schema)
    if quick is None:
        return whole

    def check(value: Any) -> Mismatch | None:
        return None if quick(value) else whole(value)

    return check


def _compiled_tool(tool: Tool) -> ToolChecks:
    output = tool.output_schema
    return ToolChecks(compiled(tool.input_schema), None if output is None else compiled(output))


class _Lazy:
    """A check that is compiled when the first value needs it."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._check: Check | None = None

    def __call__(self, value: Any) -> Mismatch | None:
        if self._check is None:
            self._check = _library_check(self._schema)
        return self._check(value)


def _quick(schema: dict[str, Any]) -> Callable[[Any], bool] | None:
    """Return a test that accepts only what surely fits, or None when there is no such test."""
    if not set(schema) <= {"type", "properties", "required", "$schema", *_NOTES}:
        return None
    fields, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(required, list) or not isinstance(fields, dict):
        return None
    if schema.get("type") != "object":
        return None
    types: dict[str, tuple[type, ...]] = {}
    for name, one in fields.items():
        kind = one.get("type") if isinstance(one, dict) else None
        if not isinstance(kind, str) or kind not in _PLAIN or not set(one) <= {"type", *_NOTES}:
            return None
        types[name] = _PLAIN[kind]
    return _fits(types, required)


def _fits(types: dict[str, tuple[type, ...]], required: list[Any]) -> Callable[[Any], bool]:
    """Return the test itself; plain loops, because every call of a tool goes through it."""

    def fits(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name in required:
            if name not in value:
                return False
        for name, item in value.items():
            if name in types and type(item) not in types[name]:
                return False
        return True

    return fits


def _library_check(schema: dict[str, Any]) -> Check:
    from jsonschema.exceptions import SchemaError, best_match
    from referencing.exceptions import Unresolvable

    work = _Work()
    try:
        validator = _validator(schema, work)
    except (SchemaError, RecursionError) as problem:
        said = visible(str(getattr(problem, "message", "it never ends")), 160)
        invalid = Mismatch(f"the schema cannot be used: it is invalid: {said}", unusable=True)
        return lambda value: invalid

    def check(value: Any) -> Mismatch | None:
        work.left = MOST_STEPS
        try:
            error = best_match(validator.iter_errors(_plain(value)))
        except Unresolvable as problem:
            detail = f"it refers to “{visible(str(problem.ref), 120)}”; nothing is fetched"
        except _TooMuch:
            detail = f"it takes more than {MOST_STEPS} steps on this value"
        except RecursionError:
            detail = "it refers to itself without end, or the value is too deep"
        except re.error as problem:
            detail = f"a pattern cannot be read: {visible(str(problem), 80)}"
        else:
            return None if error is None else Mismatch(_said(error))
        return Mismatch(f"the schema cannot be used: {detail}", unusable=True)

    return check


def _validator(schema: dict[str, Any], work: "_Work") -> Any:
    import jsonschema
    from referencing.jsonschema import EMPTY_REGISTRY

    dialects = {
        "2020-12/schema": jsonschema.Draft202012Validator,
        "2019-09/schema": jsonschema.Draft201909Validator,
        "draft-07/schema": jsonschema.Draft7Validator,
        "draft-06/schema": jsonschema.Draft6Validator,
        "draft-04/schema": jsonschema.Draft4Validator,
    }
    base = next(cls for end, cls in dialects.items() if dialect_of(schema).endswith(end))
    base.check_schema(schema)
    counted = {word: _counted(rule, work) for word, rule in base.VALIDATORS.items()}
    counted["pattern"] = _counted(_pattern, work)
    extend: Any = jsonschema.validators.extend
    # The empty registry knows no address but the schema's own, so nothing can be fetched.
    return extend(base, validators=counted)(
        schema, registry=EMPTY_REGISTRY, format_checker=_formats()
    )


class _TooMuch(Exception):
    """A value costs more than it may."""


class _Work:
    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MOST_STEPS


def _counted(rule: Any, work: _Work) -> Any:
    def counted(validator: Any, wanted: Any, instance: Any, schema: Any) -> Any:
        work.left -= 1
        if work.left < 0:
            raise _TooMuch
        return rule(validator, wanted, instance, schema)

    return counted


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Any:
    from jsonschema import ValidationError

    if not validator.is_type(instance, "string"):
        return
    if len(instance) > _RISKY_LENGTH and _RISKY.search(pattern):
        return  # the peer checks its own patterns, too
    if not re.search(pattern, instance):
        yield ValidationError(f"it does not match the pattern {pattern!r}")


def _formats() -> Any:
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    checker.checks("email")(_text(r"[^@\s]+@[^@\s]+"))
    checker.checks("uri")(_text(r"[A-Za-z][A-Za-z0-9+.-]*:\S+"))
    checker.checks("date")(_text(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"))
    checker.checks("date-time")(
        _text(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
    )
    return checker


def _text(pattern: str) -> Callable[[Any], bool]:
    match = re.compile(pattern).fullmatch
    return lambda value: not isinstance(value, str) or match(value) is not None


def _plain(value: Any) -> Any:
    # A tuple has a JSON form, and so has a mapping that is no dict.
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _said(error: Any) -> str:
    return f"{visible(error.json_path, 120)}: {visible(error.message, 200)}"
