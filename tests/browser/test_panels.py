"""The panels in a real JupyterLab: clicked, dragged, driven by keyboard, in both themes."""

from collections.abc import Iterator
from typing import Final

import pytest
from announced import announced
from contrast import assert_readable
from lab import Lab, code_cells
from opened import HOSTILE, THEMES, Opened, beyond, keep, press, said, visit
from playwright.sync_api import Browser, expect

CELLS: Final = f"""
import asyncio
from fakes import effect, exit_, modern, on
from workbench.notebook import (
    AsyncMultiServerClient, MergePanel, MultiServerClient, RecoveryPanel, RetryPanel,
)
client = MultiServerClient(reserved_names=["help"])
client.add_server("files", modern("files", tools=["search", "open", "help"]))
client.add_server("notes", modern("notes", tools=["search", "write"]))
client.add_server("web", modern("web", tools=["search", {HOSTILE!r}]))
client.connect_all()
MergePanel(client)
# %%
RecoveryPanel(lambda: modern({HOSTILE!r}, tools=[{HOSTILE!r}]), name="notes")
# %%
retry = RetryPanel(deadline_s=600)
retry
# %%
dying = on("tools/call").in_lifetime(1).then(effect("write"), exit_(9))
caller = AsyncMultiServerClient()
caller.add_server("notes", modern("notes", tools=["write"]).script(dying))
await caller.connect_all()
await caller.discover_tools()
caller.merge()
task = asyncio.ensure_future(caller.call("write", on_retry=retry))
# %%
client.close()
"""
AWAIT_CELL: Final = "print((await task).text); await caller.aclose()"
SHOWN: Final = ("h3", "h4", "caption", "tbody td", "tbody th", ".mcpw-said", "button:enabled")

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def opened(lab: Lab, browser: Browser) -> Iterator[Opened]:
    """The notebook with every panel on the page; only the last cell is still to be run.

    One page for all tests: each begins its panel again, as a learner would.
    """
    path = lab.write(*code_cells(f"{CELLS}# %%\n{AWAIT_CELL}"))
    with visit(browser, lab.at(path), height=5000) as notebook:
        for _ in range(5):
            notebook.command("notebook:run-cell-and-select-next")
        expect(notebook.panels).to_have_count(3)
        yield notebook


@pytest.mark.parametrize("theme", THEMES)
def test_names_are_merged_by_hand(opened: Opened, theme: str) -> None:
    """Fault matrix M05: drag the order, switch the policy, watch names move."""
    opened.use_theme(theme)
    panel = opened.panels.first
    press(panel, "Begin again")
    status, text = said(panel), panel.get_by_text
    expect(text("merged in all 6 orders of arrival", exact=False)).to_be_visible()
    tags = panel.locator(".jupyter-widget-tagsinput").first.locator("[draggable=true]")
    expect(tags).to_have_text(["files", "notes", "web"])
    tags.nth(2).drag_to(tags.nth(0), target_position={"x": 3, "y": 10})
    expect(tags).to_have_text(["web", "files", "notes"])
    expect(status).to_contain_text("the menu is byte for byte the same")
    press(panel, "Later")
    expect(tags).to_have_text(["web", "notes", "files"])
    expect(status).to_contain_text("the menu is byte for byte the same")
    panel.get_by_label("Policy").select_option("reject")
    expect(text("MERGE-03: ").first).to_be_visible()
    expect(text("lost", exact=True)).to_have_count(4)
    panel.get_by_label("Policy").select_option("prefix-always")
    expect(text("web/search", exact=True).first).to_be_visible()
    expect(text(HOSTILE, exact=True).first).to_be_visible()
    asked = panel.get_by_label("Who would get")
    asked.fill("notes/search")
    asked.press("Enter")
    expect(text("goes to notes, which calls it “search”", exact=False)).to_be_visible()
    assert_readable(panel, *SHOWN)
    opened.assert_clean()
    keep(panel, f"merge_{theme}")


def test_nothing_in_a_panel_is_cut_off_on_half_a_screen(opened: Opened) -> None:
    """WCAG 2.2, 1.4.10: names as long as an alias break, and no column is out of sight."""
    panel = opened.panels.first
    press(panel, "Begin again", says="As it was at first")
    panel.get_by_label("Policy").select_option("prefix-always")
    alias = panel.locator("td", has_text="web_img_src_x_onerror_window_pwned_1")
    expect(alias).to_be_visible()
    with opened.narrow():
        for every in opened.panels.all():
            assert beyond(every) == []
        keep(panel, "merge_narrow")
        alias.evaluate("cell => { cell.style.overflowWrap = 'normal'; }")
        assert alias.inner_text() in beyond(panel), "a check must be able to fail"
    press(panel, "Begin again")


def test_a_status_is_announced_by_a_region_that_stays(opened: Opened) -> None:
    """WAI-ARIA 1.2: a region that comes with its text may be passed over by a reader."""
    panel = opened.panels.first
    press(panel, "Begin again", says="As it was at first")
    before = announced(opened.page)
    press(panel, "Later", says="It arrives later")
    after = announced(opened.page)
    assert len(after) == 3 and after.keys() == before.keys()
    (changed,) = (place for place in after if after[place] != before[place])
    assert before[changed].startswith("As it was at first: ")
    assert after[changed] == said(panel).inner_text()
    region = panel.locator("[role=status]")
    owned = region.get_attribute("aria-owns")
    region.evaluate("element => element.removeAttribute('aria-owns')")
    assert announced(opened.page)[changed] == "", "a check must be able to fail"
    region.evaluate("(element, owned) => element.setAttribute('aria-owns', owned)", owned)


@pytest.mark.parametrize("theme", THEMES)
def test_a_peer_is_lost_and_brought_back_by_hand(opened: Opened, theme: str) -> None:
    """Fault matrix C04: kill, wait, decide; one outcome; back."""
    opened.use_theme(theme)
    panel = opened.panels.nth(1)
    press(panel, "Begin again", "Start", "Send", "Kill it")
    expect(panel.get_by_text("outcome unknown, to be decided", exact=False)).to_be_visible()
    expect(panel.get_by_text("at 0.45 s: wait, it was lost [RECOV-01]")).to_be_visible()
    press(panel, "To the next start", "User: repeat it", "Let the answer arrive")
    expect(panel.get_by_text("sent twice", exact=False)).to_be_visible()
    outcomes = panel.locator("table", has_text="How each call has ended")
    expect(outcomes.locator("tbody tr")).to_have_count(1)
    expect(panel.locator(".jp-RenderedMermaid img")).to_be_visible()
    expect(panel.locator("svg[role=img]")).to_have_attribute(
        "aria-label", "Starts: 0.00 s ready, 0.45 s ready; now 0.45 s; none planned"
    )
    assert_readable(panel, *SHOWN)
    keep(panel, f"recovery_{theme}")
    press(panel, "Back")
    expect(outcomes).to_have_count(0)
    opened.assert_clean()


def test_the_recovery_panel_needs_no_mouse(opened: Opened) -> None:
    """WCAG 2.2, 2.1.1: every control is reached with Tab and pressed with a key."""
    panel = opened.panels.nth(1)
    press(panel, "Begin again")
    status = said(panel)
    expect(status).to_contain_text("nothing yet")
    for words, key, heard in (
        ("Start", "Enter", "start the peer"),
        ("Send", "Space", "send a call"),
        ("Let the answer arrive", "Enter", "let the answer arrive"),
    ):
        opened.tab_to(words)
        opened.page.keyboard.press(key)
        expect(status).to_contain_text(heard)
    expect(panel.get_by_text("ended, sent once", exact=False)).to_be_visible()
    opened.assert_clean()


def test_an_error_is_shown_where_it_happened(opened: Opened) -> None:
    """Ours: exceptions in a callback show nowhere else in JupyterLab."""
    panel = opened.panels.first
    name = panel.get_by_placeholder("a new name")
    name.fill("no/te")
    press(panel, "Rename it")
    expect(panel.get_by_role("alert")).to_contain_text("a peer's name is not empty")
    press(panel, "Begin again")
    expect(panel.get_by_role("alert")).to_be_empty()
    opened.assert_clean()


def test_a_person_answers_whether_a_call_is_repeated(opened: Opened) -> None:
    """Seed skill: a user-confirmed retry decision, while the kernel goes on."""
    panel = opened.panels.nth(2)
    expect(said(panel)).to_contain_text("Peer notes, tool write")
    press(panel, "Repeat")
    expect(said(panel)).to_contain_text("it is repeated once")
    opened.page.locator(".jp-CodeCell").last.locator(".jp-InputPrompt").click()
    opened.command("notebook:run-cell")
    answered = opened.page.locator(".jp-CodeCell").last.locator(".jp-OutputArea-output")
    expect(answered).to_contain_text("write")
    opened.assert_clean()
