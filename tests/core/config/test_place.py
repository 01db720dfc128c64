"""Places name themselves the way the reader of a configuration would."""

import pytest

from workbench.core.config.place import Place, type_of
from workbench.core.errors import Kind


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (Place().key("servers").key("my-notes").key("args").item(2), "$.servers.my-notes.args[2]"),
        (Place().key("two words"), '$["two words"]'),
        (Place().key('say "a"'), '$["say \\"a\\""]'),
        (Place().key(""), '$[""]'),
        (Place().key("a.b").key("c"), '$["a.b"].c'),
        (Place().key("$schema"), "$.$schema"),
        (Place().key("été"), '$["été"]'),
    ],
)
def test_a_path_can_be_read_back_key_by_key(place: Place, path: str) -> None:
    """Ours: a key with a dot or a quote is not mistaken for two keys."""
    assert place.path == path


def test_a_hostile_key_is_shown_as_text_and_cut() -> None:
    """Source: design 7.10; a key may hold an escape sequence or be a megabyte long."""
    path = Place().key("\x1b[2J\u202e" + "x" * 10_000).path
    assert path.isprintable()
    assert len(path) < 200


def test_a_fault_names_source_line_and_path() -> None:
    """Case N13: error with file, line and key."""
    root = Place(source="mcp.json", lines={"$": 1, "$.servers": 4})
    error = root.key("servers").fault("expected an object, got null", "Add one.", "CONF-03")
    assert str(error) == (
        "mcp.json line 4: $.servers: expected an object, got null [CONF-03] Add one."
    )
    assert (error.failure.kind, error.failure.stage) == (Kind.CONFIG, "config")


def test_a_key_without_a_line_has_its_parents() -> None:
    """Ours: a missing key is looked for where its object begins."""
    root = Place(lines={"$": 1, "$.servers": 4})
    assert root.key("servers").key("notes").key("url").line == 4
    assert Place().key("url").line is None


def test_a_place_without_a_source_is_only_its_path() -> None:
    """Ours: a configuration built in code has no file and no lines."""
    assert Place(path="PeerConfig(notes)").key("url").said("x") == "PeerConfig(notes).url: x"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (3, "a number"),
        (3.5, "a number"),
        ("hunter22", "a string"),
        ([], "an array"),
        ({}, "an object"),
        (object(), "something that is not JSON"),
    ],
)
def test_a_mismatch_shows_the_type_and_not_the_value(value: object, words: str) -> None:
    """Case X01: a value of the wrong type may be a secret all the same."""
    assert type_of(value) == words
    assert str(Place().mismatch("a thing", value)) == f"$: expected a thing, got {words} [CONF-03]"
