"""The stepper's panels in a real JupyterLab: forward, back, fork, what-if, another table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import nbformat
import pytest
from contrast import CONTRAST, READABLE
from lab import STEP_MS, Lab, Opened, chromium, jupyter_lab
from playwright.sync_api import Browser, Locator, expect

ROOT: Final = Path(__file__).resolve().parents[2]
PICTURES: Final = ROOT / "build" / "screenshots"
THEMES: Final = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
HOSTILE: Final = "<img src=x onerror=window.pwned=1>"
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
# Waits until the browser has read the picture, and fails when it cannot.
DRAWN_HEIGHT: Final = "image => image.decode().then(() => image.getBoundingClientRect().height)"
LEAST_HEIGHT: Final = 100
MOST_TABS: Final = 80
FOCUSED: Final = "document.activeElement.textContent.trim()"

pytestmark = pytest.mark.browser
expect.set_options(timeout=STEP_MS)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab for this module."""
    with jupyter_lab(tmp_path_factory.mktemp("stepper")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for this module."""
    with chromium() as started:
        yield started


@pytest.fixture
def opened(lab: Lab, browser: Browser) -> Iterator[Opened]:
    """A notebook of panels after Run All, so tall that every panel is on the page.

    Each has a name of its own, so that none is given the kernel of the one before.
    """
    name = f"stepper_{len(list(lab.root.glob('*.ipynb')))}.ipynb"
    cells = [nbformat.v4.new_code_cell(code.strip()) for code in CELLS.split("# %%")]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), lab.root / name)
    context = browser.new_context(viewport={"width": 1180, "height": 5500})
    try:
        notebook = Opened(context.new_page(), f"{lab.address}/doc/tree/{name}?reset")
        notebook.run_all()
        expect(panels(notebook)).to_have_count(3)
        yield notebook
        notebook.end_kernel()
    finally:
        context.close()


def panels(opened: Opened) -> Locator:
    return opened.page.locator(".mcpw-panel")


def press(panel: Locator, name: str, status: str) -> None:
    """Click a button and wait for what the status line says then."""
    panel.get_by_role("button", name=name, exact=True).click()
    expect(panel.locator("[role=status]")).to_contain_text(status)


def choose(panel: Locator, label: str, words: str) -> None:
    panel.get_by_label(label, exact=True).select_option(label=words)


def assert_drawn(panel: Locator) -> None:
    """Both diagrams are there and have been read by the browser."""
    images = panel.locator(".jp-RenderedMermaid img")
    expect(images).to_have_count(2)
    for place in range(2):
        assert images.nth(place).evaluate(DRAWN_HEIGHT) > LEAST_HEIGHT


def assert_clean(opened: Opened) -> None:
    """Nothing complains, and no text of a peer became an element."""
    failed = ".jp-OutputArea-output:is([data-mime-type*='error'], [data-mime-type*='stderr'])"
    assert opened.page.locator(failed).all_inner_texts() == []
    assert opened.complaints == []
    assert opened.page.evaluate("window.pwned") is None
    assert opened.page.locator("img[src='x']").count() == 0


def assert_readable(panel: Locator, *parts: str) -> None:
    """WCAG 2.2, 1.4.3: text has a contrast of at least 4.5 to what is behind it."""
    for part in ("h3", "h4", "tbody td", "tbody th", "pre", "[role=status]", *parts):
        assert panel.locator(part).first.evaluate(CONTRAST) >= READABLE, part


@pytest.mark.parametrize("theme", THEMES)
def test_discovery_is_stepped_through(opened: Opened, theme: str) -> None:
    """Ours: forward, back and forward again, a fork, and both pictures all the way."""
    opened.command("apputils:change-theme", theme=THEMES[theme])
    panel = panels(opened).nth(DISCOVERY)
    expect(panel.locator("[role=status]")).to_contain_text("Nothing has happened yet")
    press(panel, "Step ▶", "Step 1: probing, because of: transport opened [ERA-00]")
    expect(panel.locator("mark")).to_contain_text("io.modelcontextprotocol/protocolVersion")
    assert_readable(panel, "mark", "button")
    press(panel, "To the next decision", "Step 3: correcting")
    press(panel, "To the next decision", "Step 4: modern")
    assert_drawn(panel)
    press(panel, "◀ Back", "Step 3: correcting")
    press(panel, "Fork here", "Step 3: correcting")
    press(panel, "To the end", "Step 4: modern")
    choose(panel, "Line", "an earlier life: modern")
    expect(panel.locator("[role=status]")).to_contain_text("Step 4: modern")
    panel.locator("summary", has_text="About ERA-01").click()
    expect(panel.get_by_text("Source: spec: server/discover")).to_be_visible()
    assert_drawn(panel)
    assert_clean(opened)
    panel.screenshot(path=str(PICTURES / f"discovery_panel_{theme}.png"))


@pytest.mark.parametrize("theme", THEMES)
def test_the_legacy_probe_with_and_without_permission(opened: Opened, theme: str) -> None:
    """Seed lesson: the same answer is refused, or gets one handshake; and what if, instead?"""
    opened.command("apputils:change-theme", theme=THEMES[theme])
    panel = panels(opened).nth(LEGACY)
    press(panel, "To the end", "unavailable, because of: unrecognized error [ERA-10]")
    press(panel, "◀ Back", "Step 2")
    choose(panel, "What if the peer", "answered with a valid DiscoverResult")
    press(panel, "Suppose it", "What if. Step 3: modern")
    expect(panel.locator(".mcpw-what-if")).to_contain_text("Nothing of this was sent.")
    assert_readable(panel, "caption", ".mcpw-what-if")
    panel.screenshot(path=str(PICTURES / f"what_if_{theme}.png"))
    panel.get_by_role("checkbox").check()
    expect(panel.locator("[role=status]")).to_contain_text("Step 0: probing, legacy allowed")
    press(panel, "To the end", "legacy, because of: valid InitializeResult [LEG-00]")
    expect(panel.get_by_text("▶ unrecognized error")).to_be_visible()
    assert_drawn(panel)
    assert_clean(opened)
    panel.screenshot(path=str(PICTURES / f"legacy_panel_{theme}.png"))


def test_an_edited_row_shows_its_consequence(opened: Opened) -> None:
    """Ours: the table is data, so change a row and see."""
    panel = panels(opened).nth(LEGACY)
    press(panel, "To the end", "unavailable")
    choose(panel, "do", "send the one initialize → handshaking [LEG-01]")
    press(panel, "Edit a copy", "What if. Step 3: handshaking")
    expect(panel.get_by_text("(edited row)")).to_be_visible()
    press(panel, "Restart", "Step 0: probing")
    press(panel, "To the end", "legacy")
    press(panel, "Real table", "unavailable")
    assert_clean(opened)


def test_the_keyboard_is_enough(opened: Opened) -> None:
    """WCAG 2.2, 2.1.1 and 2.4.3: buttons in reading order, and the focus stays where it was."""
    panel = panels(opened).nth(DISCOVERY)
    panel.locator("h3").click()
    for _ in range(MOST_TABS):
        opened.page.keyboard.press("Tab")
        if opened.page.evaluate(FOCUSED) == "Step ▶":
            break
    for step in range(1, 6):
        opened.page.keyboard.press("Enter")
        expect(panel.locator("[role=status]")).to_contain_text(f"Step {min(step, 4)}: ")
        assert opened.page.evaluate(FOCUSED) == "Step ▶", "it keeps the focus, even at the end"
    expect(panel.locator("[role=status]")).to_contain_text("The negotiation is over.")
    assert_clean(opened)


def test_a_hostile_peer_stays_text(opened: Opened) -> None:
    """Design 7.10: in the scene, the lists, both diagrams, and their text."""
    panel = panels(opened).nth(EVIL)
    press(panel, "Step ▶", "Step 1")
    panel.get_by_placeholder("or your own", exact=False).fill(HOSTILE)
    press(panel, "Suppose it", "What if. Step 2")
    press(panel, "◀ Back", "Step 1")
    press(panel, "To the end", "unavailable")
    expect(panel.locator("pre").get_by_text(HOSTILE, exact=False).first).to_be_visible()
    assert_drawn(panel)
    assert_clean(opened)
    panel.screenshot(path=str(PICTURES / "hostile_peer.png"))


def test_text_without_contrast_is_found(opened: Opened) -> None:
    """Ours: a check must be able to fail."""
    panel = panels(opened).nth(DISCOVERY)
    panel.locator("h3").evaluate("h3 => { h3.style.color = h3.style.background = '#999'; }")
    with pytest.raises(AssertionError, match="h3"):
        assert_readable(panel)
