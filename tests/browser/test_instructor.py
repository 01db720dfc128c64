"""The instructor's panel in a real JupyterLab: clicked through, by keyboard, in both themes."""

import re
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
NOTEBOOK: Final = "instructor.ipynb"
HOSTILE: Final = "<img src=x onerror=window.pwned=1>"
# The library, with one situation more whose every text is hostile.
CELL: Final = f"""
from types import SimpleNamespace
from fakes import error, library, modern, on
from fakes.library.situations import Cast
from workbench.notebook import InstructorPanel
evil = {HOSTILE!r}
peer = modern(evil, tools=[evil]).script(on("tools/call").then(error(-32000, evil)))
mine = SimpleNamespace(
    casts=lambda: [*library.casts(), ("mine", evil)],
    beside=library.beside,
    cast=lambda name, **how: Cast(name=name, about=evil, peers={{"evil": peer}})
    if name == "mine" else library.cast(name, **how),
)
panel = InstructorPanel(mine, seed=7, imported_as="from fakes import library")
panel
"""
# Waits until the browser has read the picture, and fails when it cannot.
DRAWN_HEIGHT: Final = "image => image.decode().then(() => image.getBoundingClientRect().height)"
LEAST_HEIGHT: Final = 100
MOST_TABS: Final = 60
FOCUSED: Final = "document.activeElement.textContent.trim()"

pytestmark = pytest.mark.browser
expect.set_options(timeout=STEP_MS)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab for this module."""
    with jupyter_lab(tmp_path_factory.mktemp("instructor")) as running:
        cells = [nbformat.v4.new_code_cell(CELL.strip())]
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
    """The notebook with the panel on the page; each test begins with its Reset."""
    context = browser.new_context(viewport={"width": 1180, "height": 3200})
    try:
        notebook = Opened(context.new_page(), f"{lab.address}/doc/tree/{NOTEBOOK}?reset")
        notebook.run_all()
        expect(notebook.page.locator(".mcpw-panel")).to_have_count(1)
        yield notebook
        notebook.end_kernel()
    finally:
        context.close()


@pytest.fixture
def panel(opened: Opened) -> Locator:
    """The panel, as at first."""
    found = opened.page.locator(".mcpw-panel").first
    press(found, "Reset", "As at first")
    return found


def press(panel: Locator, name: str, status: str) -> None:
    """Click a button and wait for what the status line says then."""
    panel.get_by_role("button", name=name, exact=True).first.click()
    expect(panel.locator("[role=status]").first).to_contain_text(status)


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
    for part in ("h3", "h4", "caption", "tbody td", "tbody th", "[role=status]", ".mcpw-strong p",
                 "button:enabled", "summary"):  # fmt: skip
        assert panel.locator(part).locator("visible=true").first.evaluate(CONTRAST) >= READABLE, (
            part
        )


@pytest.mark.parametrize("theme", THEMES)
def test_a_situation_is_shown_and_a_choice_changes_the_verdict(
    opened: Opened, panel: Locator, theme: str
) -> None:
    """Fault matrix P02: verdict, story, diagram and report at once; then with permission."""
    opened.command("apputils:change-theme", theme=THEMES[theme])
    panel.get_by_label("Situation").select_option(
        "P02-error-32601: error -32601; serves initialize"
    )
    status = panel.locator("[role=status]").first
    expect(status).to_contain_text("peer: unavailable")
    expect(panel.get_by_text("ERA-10", exact=True).first).to_be_visible()
    expect(panel.get_by_text("Startup report: 1 peer: 0 ready", exact=False)).to_be_visible()
    picture = panel.locator(".jp-RenderedMermaid img")
    expect(picture).to_be_visible()
    assert picture.evaluate(DRAWN_HEIGHT) > LEAST_HEIGHT
    panel.get_by_label("allow_legacy").check()
    expect(status).to_contain_text("peer: ready, legacy")
    panel.get_by_label("Beside it").select_option("a modern peer")
    expect(panel.get_by_text("a-modern-one", exact=True).first).to_be_visible()
    assert_readable(panel)
    assert_clean(opened)
    panel.screenshot(path=str(PICTURES / f"instructor_{theme}.png"))


@pytest.mark.parametrize("theme", THEMES)
def test_a_class_votes_before_it_sees(opened: Opened, panel: Locator, theme: str) -> None:
    """Ours: hidden in the page, then told, with how the class did."""
    opened.command("apputils:change-theme", theme=THEMES[theme])
    press(panel, "Surprise the class", "Count the votes")
    expect(panel.get_by_label("Situation")).to_be_disabled()
    assert "P02" not in panel.inner_html(), "no list of situations is left in the page"
    press(panel, "A clue", "Count the votes")
    given = panel.locator("pre").locator("visible=true").first
    expect(given).to_contain_text(re.compile("It answered: |No message came back"))
    panel.screenshot(path=str(PICTURES / f"instructor_vote_{theme}.png"))
    for answer, votes in (("unavailable", "12"), ("ready, legacy", "5")):
        panel.get_by_label(answer).fill(votes)
        panel.get_by_label(answer).press("Enter")
    expect(panel.locator("[role=status]").first).to_contain_text("Votes so far: 17.")
    panel.get_by_role("button", name="Vote for this rule").click()
    press(panel, "Reveal", "of 17 said so")
    expect(panel.locator("table", has_text="How the class has voted")).to_be_visible()
    expect(panel.get_by_label("Situation")).to_be_enabled()
    assert_readable(panel)
    assert_clean(opened)
    panel.screenshot(path=str(PICTURES / f"instructor_reveal_{theme}.png"))


def test_it_goes_on_by_hand_is_saved_and_is_reset(opened: Opened, panel: Locator, lab: Lab) -> None:
    """Ours: the stepper below, two files beside the notebook, and a clean state."""
    panel.get_by_role("button", name="Show it ▶").click()
    expect(panel.locator("[role=status]").first).to_contain_text("ready, modern")
    press(panel, "Notebook", "Written: demonstration.ipynb")
    press(panel, "Journal", "Written: demonstration.jsonl")
    assert {one.name for one in lab.root.iterdir()} >= {
        "demonstration.ipynb",
        "demonstration.jsonl",
    }
    panel.get_by_role("button", name="Journal").click()
    expect(panel.get_by_role("alert").first).to_contain_text("there already")
    press(panel, "Step through it", "The panel below")
    inner = panel.locator(".mcpw-panel")
    inner.get_by_role("button", name="To the end", exact=True).click()
    expect(inner.locator("[role=status]")).to_contain_text("ERA-01")
    press(panel, "Reset", "no process and no port is open")
    expect(inner).to_have_count(0)
    expect(panel.locator(".jp-RenderedMermaid")).to_have_count(0)
    assert_clean(opened)


def test_over_a_real_process_there_is_a_line_that_says_how_far_it_is(
    opened: Opened, panel: Locator
) -> None:
    """Ours: played when asked for; what it cost is over when it is shown."""
    panel.get_by_label("Transport").select_option("stdio")
    expect(panel.locator("[role=status]").first).to_contain_text("Press “Show it”")
    panel.get_by_role("button", name="Show it ▶").click()
    expect(panel.locator("[role=status]").first).to_contain_text("ready, modern")
    assert_clean(opened)


def test_the_panel_needs_no_mouse(opened: Opened, panel: Locator) -> None:
    """WCAG 2.2, 2.1.1: every control is reached with Tab and pressed with a key."""
    status = panel.locator("[role=status]").first
    panel.get_by_label("Row").focus()
    tab_to(opened, "Surprise the class")
    opened.page.keyboard.press("Space")
    expect(status).to_contain_text("Count the votes")
    panel.get_by_label("The class is asked").focus()
    opened.page.keyboard.press("Tab")
    opened.page.keyboard.type("8")
    opened.page.keyboard.press("Enter")
    expect(status).to_contain_text("Votes so far: 8.")
    tab_to(opened, "Reveal")
    opened.page.keyboard.press("Enter")
    expect(status).to_contain_text("of 8 said so")
    assert_clean(opened)


def test_hostile_text_stays_text(opened: Opened, panel: Locator) -> None:
    """Design 7.10: in tables, in the picture, in the lists."""
    panel.get_by_label("Row").select_option("Nothing wrong")
    expect(panel.locator("[role=status]").first).to_contain_text("ready, modern")
    panel.get_by_label("Situation").select_option(f"mine: {HOSTILE}")
    expect(panel.locator("[role=status]").first).to_contain_text("evil: ready, modern")
    expect(panel.get_by_role("cell", name=HOSTILE, exact=True).first).to_be_visible()
    assert panel.locator(".jp-RenderedMermaid img").evaluate(DRAWN_HEIGHT) > LEAST_HEIGHT
    assert_clean(opened)
