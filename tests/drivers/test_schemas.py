"""JSON Schema within bounds."""

import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.drivers import schemas
from workbench.drivers.schemas import Mismatch, Schemas, compiled

ROOT = Path(__file__).resolve().parents[2]


def props(*required: str, **fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(required)}


def check(schema: dict[str, Any], value: Any) -> Mismatch | None:
    return compiled(schema)(value)


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        ({"type": "object"}, {"a": 1}, True),
        (props(q={"type": "string"}), {"q": "x", "more": 1}, True),
        (props(q={"type": "string"}), {"q": 1}, False),
        (props("q", q={"type": "string"}), {}, False),
        (props(n={"type": "integer"}), {"n": 1.0}, True),
        (props(n={"type": "integer"}), {"n": True}, False),
        (props(n={"type": "number"}), {"n": 1}, True),
        (props(b={"type": "boolean"}), {"b": 0}, False),
        (props(a={"type": "array"}), {"a": (1, 2)}, True),
        (props(a={"enum": ["x"]}), {"a": "y"}, False),
        (props(a={"type": ["string", "null"]}), {"a": None}, True),
        (props(a={"$ref": "#/$defs/n"}) | {"$defs": {"n": {"minimum": 3}}}, {"a": 2}, False),
        (props(a={"type": "string", "pattern": "^a+$"}), {"a": "b"}, False),
        ({"type": "object", "additionalProperties": False}, {"a": 1}, False),
        ({"$schema": "http://json-schema.org/draft-07/schema#", **props("q")}, {}, False),
        (
            {"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 3,
             "exclusiveMaximum": True},
            3,
            False,
        ),
    ],
)  # fmt: skip
def test_what_fits_passes_and_what_does_not_is_named(
    schema: dict[str, Any], value: Any, fits: bool
) -> None:
    """Spec: basic/index: schemas are applied in their declared or default dialect."""
    mismatch = check(schema, value)
    assert (mismatch is None) == fits
    if mismatch is not None:
        assert (mismatch.unusable, "$" in mismatch.detail) == (False, True)


_FIELDS = st.dictionaries(
    st.sampled_from("abc"),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "number", "integer", "boolean", "array", "object"])}
    ),
)
_VALUES = st.dictionaries(
    st.sampled_from("abcd"),
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.lists(st.integers()) | st.dictionaries(st.text(), st.integers()),
)  # fmt: skip


@given(fields=_FIELDS, required=st.sets(st.sampled_from("abc")), value=_VALUES)
@settings(max_examples=200, deadline=None)
def test_the_short_way_never_accepts_what_the_library_refuses(
    fields: Any, required: set[str], value: Any
) -> None:
    """Ours: a shortcut is an optimization, not another opinion."""
    schema = props(*sorted(required), **fields)
    quick = schemas._quick(schema)
    assert quick is not None
    if quick(value):
        assert schemas._Lazy(schema)(value) is None


@pytest.mark.parametrize(
    "reference", ["http://127.0.0.1:1/x.json", "https://a.example/x", "file:///etc/hostname"]
)
@pytest.mark.parametrize("base", [{}, {"$id": "https://a.example/base"}])
def test_a_reference_outside_is_never_fetched(
    reference: str, base: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spec: basic/index, $ref resolution; design section 7.9."""

    went: list[Any] = []

    def go(*where: Any, **_: Any) -> None:
        went.append(where)  # raising alone would be caught by whoever went
        raise OSError("no network here")

    monkeypatch.setattr(socket.socket, "connect", go)
    monkeypatch.setattr(socket, "getaddrinfo", go)
    monkeypatch.setattr(urllib.request, "urlopen", go)
    mismatch = check({**base, **props(a={"$ref": reference})}, {"a": 1})
    assert mismatch is not None and mismatch.unusable
    assert "nothing is fetched" in mismatch.detail
    assert went == []


def test_a_part_that_has_an_address_of_its_own_is_found_in_the_schema() -> None:
    """Spec: JSON Schema 2020-12: $id names a part."""
    schema = {
        "$id": "https://a.example/base",
        "$defs": {"n": {"$id": "https://a.example/n", "type": "integer"}},
        **props(a={"$ref": "https://a.example/n"}),
    }
    assert check(schema, {"a": 1}) is None
    assert check(schema, {"a": "x"}) is not None


@pytest.mark.parametrize(
    "schema",
    [
        {"$schema": "https://a.example/dialect", "type": "object"},
        props(a={"$ref": "#/$defs/missing"}),
        props(a={"$ref": "#"}) | {"properties": {"a": {"$ref": "#/properties/a"}}},
        props(a={"type": "string", "minLength": "long"}),
        props(a={"pattern": "("}),
    ],
)
def test_a_schema_that_cannot_be_used_says_so(schema: dict[str, Any]) -> None:
    """Spec: an unusable schema is rejected, never treated as permissive; rule CALL-08."""
    mismatch = check(schema, {"a": "x"})
    assert mismatch is not None and mismatch.unusable
    assert check(schema, {"a": "x"}) == mismatch, "and says it again"


def test_a_schema_that_multiplies_is_given_up() -> None:
    """Spec: basic/index, composition-keyword resource use."""
    schema: dict[str, Any] = {"$defs": {"d0": {"type": "integer"}}}
    for n in range(1, 40):
        schema["$defs"][f"d{n}"] = {"allOf": [{"$ref": f"#/$defs/d{n - 1}"}] * 2}
    schema["properties"] = {"a": {"$ref": "#/$defs/d39"}}
    mismatch = check(schema, {"a": 1})
    assert mismatch is not None and mismatch.unusable
    assert "steps" in mismatch.detail


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)*$", "^(a{1,}){2,}$"])
def test_a_pattern_that_could_take_for_ever_is_not_tried_on_long_texts(pattern: str) -> None:
    """Ours: nothing can interrupt a regular expression; this test would not end."""
    schema = props(a={"type": "string", "pattern": pattern})
    assert check(schema, {"a": "a" * 5_000 + "!"}) is None
    assert check(schema, {"a": "b!"}) is not None, "short texts are matched"


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("email", "a@b.example", "a at b"),
        ("uri", "https://a.example/x", "no address"),
        ("date", "2026-07-28", "28.7.2026"),
        ("date-time", "2026-07-28T10:00:00Z", "2026-07-28"),
        ("unheard-of", "anything", None),
    ],
)
def test_the_formats_of_forms_are_checked(name: str, good: str, bad: str | None) -> None:
    """Spec: client/elicitation, supported formats."""
    schema = props(a={"type": "string", "format": name})
    assert check(schema, {"a": good}) is None
    if bad is not None:
        assert check(schema, {"a": bad}) is not None


def test_the_message_is_cut_and_escaped() -> None:
    """Design section 7.10: a value may be long and hostile."""
    mismatch = check(props(a={"enum": ["x"]}), {"a": "\x1b[31m" + "y" * 5_000})
    assert mismatch is not None
    assert len(mismatch.detail) < 400 and "\x1b" not in mismatch.detail


def test_each_schema_is_compiled_once_and_few_are_kept() -> None:
    """Ours: steady state is cheap and bounded."""
    kept = Schemas(capacity=2)
    first, second, third = (props(a={"type": "string", "maxLength": n}) for n in (1, 2, 3))
    for schema in (first, second, first, third):
        assert kept.check(schema, {"a": "x"}) is None
    assert [entry[0] for entry in kept._checks.values()] == [first, third]
    before = kept._checks[id(first)][1]
    kept.check(first, {})
    assert kept._checks[id(first)][1] is before


def test_the_library_is_loaded_only_when_a_schema_needs_it() -> None:
    """Design section 8: the client opens without it, and plain tools never load it."""
    program = (
        "import sys\n"
        "from workbench.drivers.schemas import Schemas\n"
        "plain = {'type': 'object', 'properties': {'q': {'type': 'string'}}}\n"
        "s = Schemas()\n"
        "assert s.check(plain, {'q': 'x'}) is None\n"
        "assert 'jsonschema' not in sys.modules\n"
        "assert s.check(plain, {'q': 1}) is not None\n"
        "assert 'jsonschema' in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
