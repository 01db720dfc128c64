"""A key of ours in every place of a value that was made of a peer's words: no view shows it."""

import io
from collections.abc import Iterator
from typing import Any, Final

import pytest
from filled import MAKERS, filled
from msgspec.structs import force_setattr
from rich.console import Console
from rich.pretty import Pretty

from workbench import notebook
from workbench.core.menu.menu import Collisions, Menu
from workbench.core.menu.menu_change import MenuChange
from workbench.core.menu.offers import Offers
from workbench.core.menu.shortlist import Shortlist
from workbench.core.text.redact import MARK, Redactor
from workbench.core.text.veiled import Veiled
from workbench.core.tool import Listing
from workbench.views import display

KEY: Final = "sk-canary/4711+x"
"""With characters that an alias, a page or an address writes in another way."""
ODD: Final = KEY.replace("/", "_").replace("+", "_")
"""What an alias makes of it: known to nobody, and as good as the key."""
LONG: Final = f"{'x' * 40}{KEY}"
"""Cut after the 48 characters that a shortlist has room for, half a key would be left."""
WAYS: Final = ("to_text", "to_markdown", "to_json", "__str__", "__repr__", "_repr_mimebundle_")
KINDS: Final = (*(one for one in MAKERS if issubclass(one, (Veiled, Collisions))), Listing, Offers)


def made(kind: type, redactor: Redactor | None, text: str) -> Any:
    """Return a value with this text in every place, veiled by this redactor."""
    value = MAKERS[kind](text) if kind in MAKERS else filled(kind, text)
    if isinstance(value, Collisions):
        return value.veiled_by(redactor)
    force_setattr(value, "hides", redactor)
    if isinstance(value, Menu):
        force_setattr(value, "collisions", value.collisions.veiled_by(redactor))
    return value


def views(value: Any) -> Iterator[tuple[str, str]]:
    """Yield what every way to look at a value shows."""
    for way in WAYS:
        if hasattr(value, way):
            yield way, str(getattr(value, way)())
    screen = io.StringIO()
    Console(file=screen, width=400).print(value, Pretty(value))
    yield "rich", screen.getvalue()
    yield "as a page", display.html_of(value) or ""
    if isinstance(value, Menu):
        yield "as a page of a notebook", notebook._menu_html(value)
    if type(value) in notebook._WORDS:
        yield "in a notebook", notebook._WORDS[type(value)](value)
    if not isinstance(value, (Listing, Offers)):
        yield "as a frame", display.frame_of(value).to_csv()


def leaks(value: Any, *secrets: str) -> list[str]:
    """Return the views that show one of the secrets, or half of one."""
    halves = [secret[: len(secret) // 2 + 1] for secret in secrets]
    return [way for way, shown in views(value) if any(half in shown for half in halves)]


def test_what_is_made_of_listings_is_tried_here() -> None:
    """Ours: a value that is no longer veiled would fall out of the list silently."""
    assert {Menu, MenuChange, Shortlist, Collisions, Listing, Offers} <= set(KINDS)


@pytest.mark.parametrize("text", [KEY, LONG, f"keep-{KEY}-{KEY}"], ids=["key", "long", "twice"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_view_shows_a_key_that_a_peer_has_written(kind: type, text: str) -> None:
    """Design section 5; field case X01: names, titles, descriptions, schemas."""
    assert leaks(made(kind, Redactor([KEY]), text), KEY) == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_view_without_a_redactor_shows_it(kind: type) -> None:
    """Ours: the test above can fail, and fails for every kind."""
    assert leaks(made(kind, None, KEY), KEY)
    assert MARK in "".join(shown for _, shown in views(made(kind, Redactor([KEY]), KEY)))


def test_an_alias_made_of_a_key_is_not_shown_either() -> None:
    """Ours: an alias writes the key with other characters, so that no redactor knows it."""
    menu, found = made(Menu, Redactor([KEY]), KEY), made(Shortlist, Redactor([KEY]), KEY)
    item = menu.items[0]
    force_setattr(item, "alias", ODD)
    force_setattr(found.matches[0].item, "alias", ODD)
    assert leaks(menu, ODD) == leaks(found, ODD) == []
    table = [menu.to_rows()[0]["alias"], notebook._menu_html(menu), notebook._menu_text(menu)]
    assert [one for one in table if ODD in one] == []
    for shown in (item, found.matches[0].item):
        force_setattr(shown, "canonical", "look")
    assert menu.to_rows()[0]["alias"] == ODD
    assert leaks(menu, ODD) and leaks(found, ODD), "of a name without a key it is shown"


def test_the_data_are_what_the_peer_declared() -> None:
    """Ours: a call has to reach its tool, and a model gets what was declared."""
    menu, found = made(Menu, Redactor([KEY]), KEY), made(Shortlist, Redactor([KEY]), KEY)
    assert menu.items[0].canonical == menu.names[0] == KEY
    assert menu.get(KEY) is menu.items[0] and menu.owners[KEY] == KEY
    assert menu.for_model("anthropic")[0]["description"] == KEY
    assert found.names == (KEY,) and KEY in found.text and found.definitions[0]["name"] == KEY
    assert made(Collisions, Redactor([KEY]), KEY)[0].name == KEY
    assert made(Listing, Redactor([KEY]), KEY).tools[0].name == KEY
    assert made(MenuChange, Redactor([KEY]), KEY).names[0].name == KEY
