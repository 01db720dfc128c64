"""Values are shown through what the front door plugs in, and as text without it."""

from collections.abc import Iterator

import pytest

from workbench.core.errors import MisuseError
from workbench.core.text import shown


class Value(shown.Shown):
    def to_text(self) -> str:
        return "a value"


@pytest.fixture
def bare() -> Iterator[None]:
    frame, html = shown.restore("frame", None), shown.restore("html", None)
    yield
    shown.restore("frame", frame)
    shown.restore("html", html)


def test_an_unplugged_frame_is_a_clear_misuse(bare: None) -> None:
    """Ours: design 3, pandas lives behind a port."""
    with pytest.raises(MisuseError) as caught:
        Value().to_frame()
    assert "workbench" in caught.value.failure.hint


def test_text_is_shown_with_nothing_plugged(bare: None) -> None:
    """Ours: text/plain always works."""
    assert Value()._repr_mimebundle_() == {"text/plain": "a value"}
    assert Value()._repr_html_() is None


def test_a_plugged_renderer_is_asked_each_time(bare: None) -> None:
    """Ours: the renderer imports what it needs when it is called."""
    assert shown.plug("frame", lambda value: ("frame of", value)) is None
    shown.plug("html", lambda value: "<b>safe</b>")
    value = Value()
    assert value.to_frame() == ("frame of", value)
    assert value._repr_mimebundle_() == {"text/plain": "a value", "text/html": "<b>safe</b>"}


def test_a_value_without_html_is_shown_as_text(bare: None) -> None:
    """Ours: a renderer may decline."""
    shown.plug("html", lambda value: None)
    assert "text/html" not in Value()._repr_mimebundle_()


def test_a_value_must_have_a_text() -> None:
    """Ours: the one method a mixing class writes."""
    with pytest.raises(NotImplementedError):
        shown.Shown().to_text()
