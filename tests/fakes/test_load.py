import pytest

from fakes import ScriptError, close, modern, on
from fakes.load import dump, is_program, load_program, load_rules


def test_a_fake_survives_its_json_form() -> None:
    """Ours: the process gets the very fake the test has in its hand."""
    fake = modern("notes", ["a", {"name": "b"}], page_size=1).script(
        on("tools/call").nth(2).in_lifetime(1).where(name="a").then(close())
    )
    assert load_program(dump(fake.program)) == fake.program


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('[{"on": {"method": "x"}, "then": [{"do": "reply", "resutl": 1}]}]', "$[0].then[0]"),
        ('[{"on": {"method": "x"}, "then": [{"do": "dance"}]}]', "$[0].then[0].do"),
        ('[{"on": {"first": 0}, "then": [{"do": "silence"}]}]', "$[0].on"),
        ('[{"on": {}, "then": [{"do": "delay", "seconds": 1}]}]', "$[0]"),
    ],
)
def test_a_broken_script_is_reported_with_its_path(text: str, path: str) -> None:
    """Ours: design section 8, scripts with precise error paths."""
    with pytest.raises(ScriptError) as caught:
        load_rules(text)
    assert f"`{path}`" in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", b"\xff", "7"])
def test_text_that_is_no_script_is_a_script_error(text: str | bytes) -> None:
    """Ours: nothing but `FakeError` leaves the fakes on purpose."""
    with pytest.raises(ScriptError):
        load_program(text)


def test_a_program_is_told_from_a_list_of_rules() -> None:
    """Ours: `--script` takes both."""
    assert is_program(b' {"name": "x"}') and is_program("{}")
    assert not is_program(" []")
