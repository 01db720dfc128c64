"""The stepper's panels in a real JupyterLab: forward, back, fork, what-if, another table."""

from collections.abc import Iterator
from typing import Final

import pytest
from contrast import assert_readable
from lab import Lab, code_cells
from opened import HOSTILE, THEMES, Opened, assert_drawn, choose, keep, press, said, visit
from playwright.sync_api import Browser, Locator, expect

CELLS: Final = f"""
from fakes import error, fault, modern, on
from workbench.notebook import DiscoveryPanel, LegacyPanel
revisions = ("2026-07-28", "2099-12-31")
DiscoveryPanel(fault("P07-mutual-version"), modern_revisions=revisions)
# %%
LegacyPanel(fault("P02-error-32601"))
# %%
hostile = modern({HOSTILE!r}).script(on("server/discover").then(error(-32601, {HOSTILE!r})))
DiscoveryPanel(hostile, name={HOSTILE!r})
"""
DISCOVERY, LEGACY, EVIL = range(3)
SHOWN: Final = ("h3", "h4", "tbody td", "tbody th", "pre", ".mcpw-said")

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def notebook(lab: Lab, browser: Browser) -> Iterator[Opened]:
    """The notebook, in a page so tall that every panel is on it."""
    with visit(browser, lab.at(lab.write(*code_cells(CELLS))), height=5500) as notebook:
        yield notebook


@pytest.fixture
def opened(notebook: Opened) -> Opened:
    """The notebook after Run All: its panels are new ones."""
    notebook.run_all()
    expect(notebook.panels).to_have_count(3)
    return notebook


def assert_both_drawn(panel: Locator) -> None:
    """Both diagrams are there and have been read by the browser."""
    assert_drawn(panel.locator(".jp-RenderedMermaid img"), 2)


@pytest.mark.parametrize("theme", THEMES)
def test_discovery_is_stepped_through(opened: Opened, theme: str) -> None:
    """Ours: forward, back and forward again, a fork, and both pictures all the way."""
    opened.use_theme(theme)
    panel = opened.panels.nth(DISCOVERY)
    expect(said(panel)).to_contain_text("Nothing has happened yet")
    press(panel, "Step ▶", says="Step 1: probing, because of: transport opened [ERA-00]")
    expect(panel.locator("mark")).to_contain_text("io.modelcontextprotocol/protocolVersion")
    assert_readable(panel, *SHOWN, "mark", "button")
    press(panel, "To the next decision", says="Step 3: correcting")
    press(panel, "To the next decision", says="Step 4: modern")
    assert_both_drawn(panel)
    press(panel, "◀ Back", says="Step 3: correcting")
    press(panel, "Fork here", says="Step 3: correcting")
    press(panel, "To the end", says="Step 4: modern")
    choose(panel, "Line", "an earlier life: modern")
    expect(said(panel)).to_contain_text("Step 4: modern")
    panel.locator("summary", has_text="About ERA-01").click()
    expect(panel.get_by_text("Source: spec: server/discover")).to_be_visible()
    assert_both_drawn(panel)
    opened.assert_clean()
    keep(panel, f"discovery_panel_{theme}")


@pytest.mark.parametrize("theme", THEMES)
def test_the_legacy_probe_with_and_without_permission(opened: Opened, theme: str) -> None:
    """Seed lesson: the same answer is refused, or gets one handshake; and what if, instead?"""
    opened.use_theme(theme)
    panel = opened.panels.nth(LEGACY)
    press(panel, "To the end", says="unavailable, because of: unrecognized error [ERA-10]")
    press(panel, "◀ Back", says="Step 2")
    choose(panel, "What if the peer", "answered with a valid DiscoverResult")
    press(panel, "Suppose it", says="What if. Step 3: modern")
    expect(panel.locator(".mcpw-what-if")).to_contain_text("Nothing of this was sent.")
    assert_readable(panel, *SHOWN, "caption", ".mcpw-what-if")
    keep(panel, f"what_if_{theme}")
    panel.get_by_role("checkbox").check()
    expect(said(panel)).to_contain_text("Step 0: probing, legacy allowed")
    press(panel, "To the end", says="legacy, because of: valid InitializeResult [LEG-00]")
    expect(panel.get_by_text("▶ unrecognized error")).to_be_visible()
    assert_both_drawn(panel)
    opened.assert_clean()
    keep(panel, f"legacy_panel_{theme}")


def test_an_edited_row_shows_its_consequence(opened: Opened) -> None:
    """Ours: the table is data, so change a row and see."""
    panel = opened.panels.nth(LEGACY)
    press(panel, "To the end", says="unavailable")
    choose(panel, "do", "send the one initialize → handshaking [LEG-01]")
    press(panel, "Edit a copy", says="What if. Step 3: handshaking")
    expect(panel.get_by_text("(edited row)")).to_be_visible()
    press(panel, "Restart", says="Step 0: probing")
    press(panel, "To the end", says="legacy")
    press(panel, "Real table", says="unavailable")
    opened.assert_clean()


def test_the_keyboard_is_enough(opened: Opened) -> None:
    """WCAG 2.2, 2.1.1 and 2.4.3: buttons in reading order, and the focus stays where it was."""
    panel = opened.panels.nth(DISCOVERY)
    panel.locator("h3").click()
    opened.tab_to("Step ▶")
    for step in range(1, 6):
        opened.page.keyboard.press("Enter")
        expect(said(panel)).to_contain_text(f"Step {min(step, 4)}: ")
        assert opened.focused() == "Step ▶", "it keeps the focus, even at the end"
    expect(said(panel)).to_contain_text("The negotiation is over.")
    opened.assert_clean()


def test_quick_clicks_are_not_lost(opened: Opened) -> None:
    """Ours: a click while a step is taken waits for its turn."""
    panel = opened.panels.nth(DISCOVERY)
    press(panel, "Step ▶", "Step ▶", "Step ▶")
    opened.settle()
    expect(said(panel)).to_contain_text("Step 3: correcting")
    press(panel, "◀ Back", "◀ Back", "Step ▶")
    opened.settle()
    expect(said(panel)).to_contain_text("Step 2: ")
    opened.assert_clean()


def test_a_hostile_peer_stays_text(opened: Opened) -> None:
    """Design 7.10: in the scene, the lists, both diagrams, and their text."""
    panel = opened.panels.nth(EVIL)
    press(panel, "Step ▶", says="Step 1")
    panel.get_by_placeholder("or your own", exact=False).fill(HOSTILE)
    press(panel, "Suppose it", says="What if. Step 2")
    press(panel, "◀ Back", says="Step 1")
    press(panel, "To the end", says="unavailable")
    expect(panel.locator("pre").get_by_text(HOSTILE, exact=False).first).to_be_visible()
    assert_both_drawn(panel)
    opened.assert_clean()
    keep(panel, "hostile_peer")


def test_text_without_contrast_is_found(opened: Opened) -> None:
    """Ours: a check must be able to fail."""
    panel = opened.panels.nth(DISCOVERY)
    panel.locator("h3").evaluate("h3 => { h3.style.color = h3.style.background = '#999'; }")
    with pytest.raises(AssertionError, match="h3"):
        assert_readable(panel, *SHOWN)
