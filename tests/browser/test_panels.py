"""The panels in a real JupyterLab: clicked, dragged, driven by keyboard, in both themes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import nbformat
import pytest
from lab import STEP_MS, Lab, Opened, chromium, jupyter_lab
from playwright.sync_api import Browser, Locator, expect

ROOT: Final = Path(__file__).resolve().parents[2]
PICTURES: Final = ROOT / "build" / "screenshots"
THEMES: Final = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
HOSTILE: Final = "<img src=x onerror=window.pwned=1>"
NOTEBOOK: Final = "panels.ipynb"
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
# Contrast as in WCAG 2.2, of an element's text against the first background behind it.
CONTRAST: Final = """element => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  let behind = element, back;
  do {
    back = parts(getComputedStyle(behind).backgroundColor);
    behind = behind.parentElement;
  } while (behind && back.length === 4 && back[3] === 0);
  const [low, high] = [light(parts(getComputedStyle(element).color)), light(back)].sort();
  return (Math.max(low, high) + 0.05) / (Math.min(low, high) + 0.05);
}"""
READABLE: Final = 4.5
MOST_TABS: Final = 80
FOCUSED: Final = "document.activeElement.textContent.trim()"

pytestmark = pytest.mark.browser
expect.set_options(timeout=STEP_MS)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab with one notebook of panels."""
    with jupyter_lab(tmp_path_factory.mktemp("panels")) as running:
        cells = [nbformat.v4.new_code_cell(code.strip()) for code in CELLS.split("# %%")]
        cells.append(nbformat.v4.new_code_cell(AWAIT_CELL))
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        notebook = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
        nbformat.write(notebook, running.root / NOTEBOOK)
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for this module."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def opened(lab: Lab, browser: Browser) -> Iterator[Opened]:
    """The notebook with every panel on the page; only the last cell is still to be run.

    One page for all tests: each begins its panel again, as a learner would.
    """
    context = browser.new_context(viewport={"width": 1180, "height": 5000})
    try:
        notebook = Opened(context.new_page(), f"{lab.address}/doc/tree/{NOTEBOOK}?reset")
        for _ in range(5):
            notebook.command("notebook:run-cell-and-select-next")
        expect(panels(notebook)).to_have_count(3)
        yield notebook
        notebook.end_kernel()
    finally:
        context.close()


def panels(opened: Opened) -> Locator:
    return opened.page.locator(".mcpw-panel")


def press(panel: Locator, *names: str) -> None:
    """Click buttons one after the other, each once it can be pressed."""
    for name in names:
        button = panel.get_by_role("button", name=name, exact=True)
        expect(button).to_be_enabled()
        button.click()


def tab_to(opened: Opened, words: str) -> None:
    """Press Tab until the button with these words has the focus."""
    for _ in range(MOST_TABS):
        opened.page.keyboard.press("Tab")
        if opened.page.evaluate(FOCUSED) == words:
            return
    raise AssertionError(f"{words!r} is not reached with {MOST_TABS} tabs")


def assert_clean(opened: Opened) -> None:
    """Nothing complains, and no text of a peer became an element."""
    failed = ".jp-OutputArea-output:is([data-mime-type*='error'], [data-mime-type*='stderr'])"
    assert opened.page.locator(failed).all_inner_texts() == []
    assert opened.complaints == []
    assert opened.page.evaluate("window.pwned") is None
    assert opened.page.locator("img[src='x']").count() == 0


def assert_readable(panel: Locator) -> None:
    """WCAG 2.2, 1.4.3: text has a contrast of at least 4.5 to what is behind it."""
    for part in ("h3", "h4", "caption", "tbody td", "tbody th", "[role=status]", "button:enabled"):
        assert panel.locator(part).first.evaluate(CONTRAST) >= READABLE, part


@pytest.mark.parametrize("theme", THEMES)
def test_names_are_merged_by_hand(opened: Opened, theme: str) -> None:
    """Fault matrix M05: drag the order, switch the policy, watch names move."""
    opened.command("apputils:change-theme", theme=THEMES[theme])
    panel = panels(opened).first
    press(panel, "Begin again")
    status, text = panel.locator("[role=status]"), panel.get_by_text
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
    expect(text("MERGE-03", exact=True).first).to_be_visible()
    expect(text("lost", exact=True)).to_have_count(4)
    panel.get_by_label("Policy").select_option("prefix-always")
    expect(text("web/search", exact=True).first).to_be_visible()
    expect(text(HOSTILE, exact=True).first).to_be_visible()
    asked = panel.get_by_label("Who would get")
    asked.fill("notes/search")
    asked.press("Enter")
    expect(text("goes to notes, which calls it “search”", exact=False)).to_be_visible()
    assert_readable(panel)
    assert_clean(opened)
    panel.screenshot(path=str(PICTURES / f"merge_{theme}.png"))


@pytest.mark.parametrize("theme", THEMES)
def test_a_peer_is_lost_and_brought_back_by_hand(opened: Opened, theme: str) -> None:
    """Fault matrix C04: kill, wait, decide; one outcome; back."""
    opened.command("apputils:change-theme", theme=THEMES[theme])
    panel = panels(opened).nth(1)
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
    assert_readable(panel)
    panel.screenshot(path=str(PICTURES / f"recovery_{theme}.png"))
    press(panel, "Back")
    expect(outcomes).to_have_count(0)
    assert_clean(opened)


def test_the_recovery_panel_needs_no_mouse(opened: Opened) -> None:
    """WCAG 2.2, 2.1.1: every control is reached with Tab and pressed with a key."""
    panel = panels(opened).nth(1)
    press(panel, "Begin again")
    status = panel.locator("[role=status]")
    expect(status).to_contain_text("nothing yet")
    for words, key, heard in (
        ("Start", "Enter", "start the peer"),
        ("Send", "Space", "send a call"),
        ("Let the answer arrive", "Enter", "let the answer arrive"),
    ):
        tab_to(opened, words)
        opened.page.keyboard.press(key)
        expect(status).to_contain_text(heard)
    expect(panel.get_by_text("ended, sent once", exact=False)).to_be_visible()
    assert_clean(opened)


def test_an_error_is_shown_where_it_happened(opened: Opened) -> None:
    """Ours: exceptions in a callback show nowhere else in JupyterLab."""
    panel = panels(opened).first
    name = panel.get_by_placeholder("a new name")
    name.fill("no/te")
    press(panel, "Rename it")
    expect(panel.get_by_role("alert")).to_contain_text("a peer's name is not empty")
    press(panel, "Begin again")
    expect(panel.get_by_role("alert")).to_be_empty()
    assert_clean(opened)


def test_a_person_answers_whether_a_call_is_repeated(opened: Opened) -> None:
    """Seed skill: a user-confirmed retry decision, while the kernel goes on."""
    panel = panels(opened).nth(2)
    expect(panel.locator("[role=status]")).to_contain_text("Peer notes, tool write")
    press(panel, "Repeat")
    expect(panel.locator("[role=status]")).to_contain_text("it is repeated once")
    opened.page.locator(".jp-CodeCell").last.locator(".jp-InputPrompt").click()
    opened.command("notebook:run-cell")
    answered = opened.page.locator(".jp-CodeCell").last.locator(".jp-OutputArea-output")
    expect(answered).to_contain_text("write")
    assert_clean(opened)
