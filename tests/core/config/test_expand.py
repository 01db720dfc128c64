"""Variables are replaced where they are defined, and named where they are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.config.expand import expand
from workbench.core.config.place import Place
from workbench.core.errors import ConfigError

ENVIRON = {"TOKEN": "hunter22", "EMPTY": "", "LIKE_ONE": "${TOKEN}", "A": "x"}
PLACE = Place().key("mcpServers").key("notes").key("env").key("KEY")


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("plain", "plain"),
        ("${TOKEN}", "hunter22"),
        ("${env:TOKEN}", "hunter22"),
        ("Bearer ${TOKEN}!", "Bearer hunter22!"),
        ("${A}${A}", "xx"),
        ("${EMPTY}", ""),
        ("${EMPTY:-d}", ""),
        ("${TOKEN:-d}", "hunter22"),
        ("${NONE:-d}", "d"),
        ("${NONE:-}", ""),
        ("${NONE:-a:-b $ {}", "a:-b $ {"),
        ("${env:NONE:-http://x}", "http://x"),
        ("$${TOKEN}", "${TOKEN}"),
        ("$${", "${"),
        ("$$${A}", "$${A}"),
        ("$$", "$$"),
        ("$TOKEN $ {A} }", "$TOKEN $ {A} }"),
        ("${LIKE_ONE}", "${TOKEN}"),
        ("", ""),
    ],
)
def test_a_variable_is_replaced_by_its_value(text: str, expanded: str) -> None:
    """Case N14: defined, empty, default, `$$`; what was put in is not looked at again."""
    assert expand(text, ENVIRON, PLACE).text == expanded


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("${NONE}", "the variable NONE is not defined"),
        ("${TOKEN}${env:NONE}", "the variable NONE is not defined"),
        ("${TOKEN}${A${EMPTY}}", "inside another"),
        ("${NONE:-${TOKEN}}", "inside another"),
        ("${TOKEN} ${A", "not closed"),
        ("${", "not closed"),
        ("${}", "not followed by the name"),
        ("${1A}", "not followed by the name"),
        ("${ A }", "not followed by the name"),
        ("${A-d}", "not followed by the name"),
        ("${A:?gone}", "not followed by the name"),
        ("${A:+d}", "not followed by the name"),
        ("${é}", "not followed by the name"),
        ("${input:token}", "${input:…}"),
        ("${config:a.b}", "${config:…}"),
        ("${workspaceFolder:one}", "${workspaceFolder:…}"),
        ("${workspaceFolder}", "filled in by an editor"),
    ],
)
def test_what_cannot_be_replaced_is_refused_at_its_path(text: str, words: str) -> None:
    """Case N14: never sent literally as the token, never an empty string far away."""
    with pytest.raises(ConfigError) as caught:
        expand(text, ENVIRON, PLACE)
    message = str(caught.value)
    assert message.startswith("$.mcpServers.notes.env.KEY: ")
    assert words in message
    assert "hunter22" not in message


def test_a_name_that_editors_use_is_a_variable_when_it_is_defined() -> None:
    """Ours: the environment decides, not a list of names."""
    assert expand("${workspaceFolder}", {"workspaceFolder": "/a"}, PLACE).text == "/a"


def test_values_of_the_environment_are_remembered_and_not_shown() -> None:
    """Case X01: redaction needs them; a default stands in the file and is none of them."""
    done = expand("${TOKEN}-${NONE:-default}", ENVIRON, PLACE)
    assert done.secrets == {"hunter22"}
    assert "hunter22" not in repr(done)
    assert "hunter22" not in str(done.__rich_repr__())


@given(st.text(st.sampled_from("${}:-?A env") | st.characters()))
def test_random_text_is_expanded_or_refused_and_nothing_else(text: str) -> None:
    """Ours: property; a text without "${" comes back unchanged."""
    try:
        done = expand(text, ENVIRON, PLACE)
    except ConfigError:
        assert "${" in text
        return
    assert done.text == text or "${" in text
