"""Fields are read with their types, and variables are replaced where that is documented."""

from collections.abc import Callable
from typing import Any

import pytest

from workbench.core.config.fields import Fields
from workbench.core.config.place import Place
from workbench.core.errors import ConfigError

PLACE = Place(path="$.mcpServers.notes")


def fields(value: Any, environ: dict[str, str] | None = None) -> Fields:
    """Return an entry with the single key `k`."""
    return Fields({"k": value}, PLACE, environ or {})


READERS: dict[str, Callable[[Fields], Any]] = {
    "text": lambda one: one.text("k"),
    "texts": lambda one: one.texts("k"),
    "mapping": lambda one: one.mapping("k"),
    "flag": lambda one: one.flag("k"),
    "whole": lambda one: one.whole("k"),
    "number": lambda one: one.number("k"),
}


@pytest.mark.parametrize(
    ("reader", "value", "path", "expected", "got"),
    [
        ("text", 5, ".k", "a string", "a number"),
        ("text", None, ".k", "a string", "null"),
        ("texts", "a b", ".k", "an array of strings", "a string"),
        ("texts", ["a", True], ".k[1]", "a string", "true"),
        ("mapping", ["A=1"], ".k", "an object of strings", "an array"),
        ("mapping", {"PORT": 8080}, ".k.PORT", "a string", "a number"),
        ("flag", "true", ".k", "true or false", "a string"),
        ("flag", 1, ".k", "true or false", "a number"),
        ("whole", "1000", ".k", "a whole number", "a string"),
        ("whole", True, ".k", "a whole number", "true"),
        ("whole", 1.5, ".k", "a whole number", "1.5"),
        ("number", None, ".k", "a number", "null"),
        ("number", False, ".k", "a number", "false"),
    ],
)
def test_a_wrong_type_is_refused_with_path_expectation_and_type(
    reader: str, value: Any, path: str, expected: str, got: str
) -> None:
    """Ours: nothing is converted; the message names the exact path."""
    with pytest.raises(ConfigError) as caught:
        READERS[reader](fields(value))
    assert f"{PLACE.path}{path}: expected {expected}, got {got} [" in str(caught.value)


@pytest.mark.parametrize(
    ("reader", "value", "read"),
    [
        ("text", "a", "a"),
        ("texts", ["a", "b"], ("a", "b")),
        ("mapping", {"A": "b"}, {"A": "b"}),
        ("flag", False, False),
        ("whole", 1000.0, 1000),
        ("number", 2, 2.0),
    ],
)
def test_a_right_type_is_read(reader: str, value: Any, read: Any) -> None:
    """Ours: JSON does not tell 1000.0 from 1000."""
    assert READERS[reader](fields(value)) == read


@pytest.mark.parametrize("reader", sorted(READERS))
def test_an_absent_key_reads_as_none(reader: str) -> None:
    """Ours: the default is stated once, in PeerConfig."""
    assert READERS[reader](Fields({}, PLACE, {})) is None


def test_values_of_variables_are_remembered() -> None:
    """Case N14: in a text, in a list and in a mapping."""
    environ = {"A": "one", "B": "two", "C": "three"}
    entry = {"a": "${A}", "b": ["-x", "${B}"], "c": {"H": "Bearer ${C}"}}
    one = Fields(entry, PLACE, environ)
    read = (one.text("a"), one.texts("b"), one.mapping("c"))
    assert read == ("one", ("-x", "two"), {"H": "Bearer three"})
    assert one.secrets == {"one", "two", "three"}


def test_an_undefined_variable_is_refused_at_the_very_item() -> None:
    """Case N14: in header value and in env; the path leads there."""
    with pytest.raises(ConfigError) as caught:
        fields({"Authorization": "Bearer ${GONE}"}).mapping("k")
    message = str(caught.value)
    assert "$.mcpServers.notes.k.Authorization: the variable GONE is not defined" in message


def test_a_field_read_plainly_keeps_its_text() -> None:
    """Case N14: expand in documented fields only."""
    assert fields("${GONE}").text("k", expanded=False) == "${GONE}"
    assert fields(["${GONE}"]).texts("k", expanded=False) == ("${GONE}",)
