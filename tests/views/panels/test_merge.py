"""The merge panel, clicked in Python: names move, and order moves nothing."""

from typing import Any

import pytest
from msgspec import structs

from fakes import modern
from workbench import MultiServerClient
from workbench.core.menu.merge import merge
from workbench.core.text.redact import MARK, Redactor
from workbench.core.tool import Listing, Tool
from workbench.views.panels.arrangement import digest
from workbench.views.panels.merge import MergePanel

HOSTILE = "<img src=x onerror=window.pwned=1>"


def listing(peer: str, *names: str) -> Listing:
    schema = {"type": "object"}
    tools = [Tool(name=name, definition={"name": name, "inputSchema": schema}) for name in names]
    return Listing(peer=peer, tools=tuple(tools))


def panel() -> MergePanel:
    return MergePanel(
        [listing("files", "search", "open"), listing("notes", "search"), listing("web", "search")]
    )


def shown(one: MergePanel) -> str:
    """Return everything a browser would be given as markup."""
    parts = [*one.widget.children, *one.messages.children]
    values = (getattr(part, "value", None) for part in parts)
    return "".join(value for value in values if isinstance(value, str))


def test_whoever_arrives_first_the_menu_is_the_same() -> None:
    """Fault matrix M05, by buttons and by a drag."""
    one = panel()
    first = digest(one.menu)
    one.later.click()
    assert one.order.value == ["notes", "files", "web"]
    one.earlier.click()
    one.order.value = ["web", "notes", "files"]
    assert one.now.order == (2, 1, 0) and digest(one.menu) == first
    assert "byte for byte the same" in one.to_text()
    assert f"in all 6 orders of arrival, each gave this very menu (digest {first})" in str(one)


def test_a_policy_moves_names_and_the_collisions_carry_rules() -> None:
    """Fault matrix M01: prefixes, or a refusal that names both peers."""
    one = panel()
    assert "[MERGE-01]" in str(one)
    one.policy.value = "reject"
    text = str(one)
    assert "search is offered by files, notes, web; none of them is offered on [MERGE-03]" in text
    assert "3 of 4 names are not as they were accepted" in text
    assert "1 name is offered by more than one of the peers" in shown(one)
    one.policy.value = "prefix-always"
    assert one.menu.names == ("files/open", "files/search", "notes/search", "web/search")
    one.again.click()
    assert one.menu == panel().menu and one.policy.value == "prefix-on-collision"


def test_a_reserved_name_and_another_peer_name_move_names() -> None:
    """Rule MERGE-06; ours: renaming a peer changes who is first."""
    one = panel()
    one.reserved.value = ["search"]
    assert "files/search" in one.menu.names and "[MERGE-06]" in str(one)
    one.reserved.value = []
    one.name.value = "zeta"
    one.rename.click()
    assert one.menu.get("search").peer == "notes"  # type: ignore[union-attr]
    assert one.name.value == "" and ("zeta", 0) in one.peer.options


def test_a_call_goes_where_the_core_routes_it() -> None:
    """Design 7.6: a look-up; an owner that changed is refused until the menu is accepted."""
    one = panel()
    one.asked.value = "search"
    assert "“search” goes to files, which calls it “search”." in str(one)
    one.leave.click()
    assert "[ROUTE-03]" in str(one) and "accepted as a tool of files" in str(one)
    one.accept.click()
    assert "“search” goes to notes" in str(one)
    one.asked.value = "nothing"
    assert "[ROUTE-01]" in str(one)
    one.asked.value = ""
    assert "ROUTE" not in str(one)


def test_a_peer_leaves_and_comes_back() -> None:
    """Ours: by button or by its tag."""
    one = panel()
    one.leave.click()
    assert one.order.value == ["notes", "web"]
    one.earlier.click()
    assert "Error: MisuseError: this peer is not there. Let it come back first." in str(one)
    one.leave.click()
    assert one.order.value == ["notes", "web", "files"] and "Error" not in str(one)
    one.order.value = []
    assert "nobody is there" in str(one) and one.menu.items == ()


def test_a_mistake_is_said_in_the_panel_and_changes_nothing() -> None:
    """Design 10: exceptions in a widget callback vanish."""
    one = panel()
    one.name.value = "no/te"
    one.rename.click()
    assert one.to_text().endswith("Error: MisuseError: a peer's name is not empty and has no “/”.")
    assert one.now.names == ("files", "notes", "web")


def test_hostile_names_stay_text() -> None:
    """Design 7.10: in every table, in the route, and in the text twin."""
    one = MergePanel([listing("files", HOSTILE, "\x1b[31mred"), listing("notes", HOSTILE)])
    one.asked.value = HOSTILE
    one.policy.value = "reject"
    markup = shown(one)
    assert "<img" not in markup and "&lt;img src=x" in markup
    assert "\x1b" not in markup and "\x1b" not in str(one)


@pytest.mark.parametrize("policy", ["prefix-on-collision", "prefix-always"])
@pytest.mark.parametrize("reserved", [(), ("search",)])
def test_the_panel_and_the_client_merge_alike(policy: Any, reserved: tuple[str, ...]) -> None:
    """Design 3: one core; any change by hand equals a client configured that way."""
    tools = {"files": ["search", "open"], "notes": ["search", "files/search"], "web": ["open"]}
    with MultiServerClient(merge_policy=policy, reserved_names=reserved) as client:
        for name, offered in tools.items():
            client.add_server(name, modern(name, tools=offered))
        client.connect_all()
        one = MergePanel(client)
        assert one.menu == client.merge()
        one.policy.value = "prefix-on-collision"
        one.reserved.value = ["open"]
        one.later.click()
        listings = client.discover_tools().values()
        assert one.menu == merge(listings, "prefix-on-collision", reserved=["open"])


def test_the_widget_is_labelled_and_has_its_text_beside_it() -> None:
    """Ours: readable without a browser, and by a screen reader."""
    one = panel()
    bundle = one._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["text/plain"] == str(one)
    assert 'scope="col"' in shown(one) and 'aria-live="polite"' in shown(one)


def test_a_key_in_the_name_of_a_tool_is_in_no_part_of_the_panel() -> None:
    """Design section 5: what is saved with a notebook holds no secret that is known."""
    key = "sk-canary/4711"
    hides = Redactor([key])
    both = [
        structs.replace(listing(peer, f"keep-{key}", "search"), hides=hides)
        for peer in ("files", "notes")
    ]
    one = MergePanel(both)
    assert one.asked.value == "search"
    one.policy.value = "reject"
    one.asked.value = f"keep-{key}x"
    for text in (str(one), shown(one)):
        assert MARK in text and key not in text.replace(f"“keep-{key}x”", "")
        assert "canary_4711" not in text, "the alias"
    one.order.value = []
    assert key not in str(one).replace(f"“keep-{key}x”", "")
