"""The instructor's panel in a real JupyterLab: clicked through, by keyboard, in both themes."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from contrast import assert_readable
from lab import Lab, code_cells
from opened import HOSTILE, THEMES, Opened, assert_drawn, keep, press, said, visit
from playwright.sync_api import Browser, Locator, expect

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
SHOWN: Final = ("h3", "h4", "caption", "tbody td", "tbody th", ".mcpw-said", ".mcpw-strong p",
    "button:enabled", "summary")  # fmt: skip

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def written(lab: Lab) -> str:
    """Where the notebook is, below the root; what the panel writes goes beside it."""
    return lab.write(*code_cells(CELL))


@pytest.fixture(scope="module")
def opened(lab: Lab, browser: Browser, written: str) -> Iterator[Opened]:
    """The notebook with the panel on the page; each test begins with its Reset."""
    with visit(browser, lab.at(written), height=3200) as notebook:
        notebook.run_all()
        expect(notebook.panels).to_have_count(1)
        yield notebook


@pytest.fixture
def panel(opened: Opened) -> Locator:
    """The panel, as at first."""
    found = opened.panels.first
    press(found, "Reset", says="As at first")
    opened.settle()  # the status line may have said so before
    return found


@pytest.mark.parametrize("theme", THEMES)
def test_a_situation_is_shown_and_a_choice_changes_the_verdict(
    opened: Opened, panel: Locator, theme: str
) -> None:
    """Fault matrix P02: verdict, story, diagram and report at once; then with permission."""
    opened.use_theme(theme)
    panel.get_by_label("Situation").select_option(
        "P02-error-32601: error -32601; serves initialize"
    )
    status = said(panel)
    expect(status).to_contain_text("peer: unavailable")
    expect(panel.get_by_text("ERA-10", exact=True).first).to_be_visible()
    expect(panel.get_by_text("Startup report: 1 peer: 0 ready", exact=False)).to_be_visible()
    picture = panel.locator(".jp-RenderedMermaid img")
    expect(picture).to_be_visible()
    assert_drawn(picture, 1)
    panel.get_by_label("allow_legacy").check()
    expect(status).to_contain_text("peer: ready, legacy")
    panel.get_by_label("Beside it").select_option("a modern peer")
    expect(panel.get_by_text("a-modern-one", exact=True).first).to_be_visible()
    assert_readable(panel, *SHOWN)
    opened.assert_clean()
    keep(panel, f"instructor_{theme}")


@pytest.mark.parametrize("theme", THEMES)
def test_a_class_votes_before_it_sees(opened: Opened, panel: Locator, theme: str) -> None:
    """Ours: hidden in the page, then told, with how the class did."""
    opened.use_theme(theme)
    press(panel, "Surprise the class", says="Count the votes")
    expect(panel.get_by_label("Situation")).to_be_disabled()
    assert "P02" not in panel.inner_html(), "no list of situations is left in the page"
    press(panel, "A clue", says="Count the votes")
    given = panel.locator("pre").locator("visible=true").first
    expect(given).to_contain_text(re.compile("It answered: |No message came back"))
    keep(panel, f"instructor_vote_{theme}")
    for answer, votes in (("unavailable", "12"), ("ready, legacy", "5")):
        panel.get_by_label(answer).fill(votes)
        panel.get_by_label(answer).press("Enter")
    expect(said(panel)).to_contain_text("Votes so far: 17.")
    bars = [bar.bounding_box() for bar in panel.locator(".mcpw-bar").all()]
    modern, legacy, away = (bar["width"] if bar else 0.0 for bar in bars)
    assert modern == 0 < legacy < away, "who is in front has the longest bar"
    expect(panel.locator(".mcpw-tally b")).to_have_text("unavailable: 12 of 17 (71 %), in front")
    keep(panel, f"instructor_tally_{theme}")
    panel.get_by_role("button", name="Vote for this rule").click()
    press(panel, "Reveal", says="of 17 said so")
    expect(panel.locator("table", has_text="How the class has voted")).to_be_visible()
    expect(panel.get_by_label("Situation")).to_be_enabled()
    assert_readable(panel, *SHOWN)
    opened.assert_clean()
    keep(panel, f"instructor_reveal_{theme}")


def test_it_goes_on_by_hand_is_saved_and_is_reset(
    opened: Opened, panel: Locator, lab: Lab, written: str
) -> None:
    """Ours: the stepper below, two files beside the notebook, and a clean state."""
    panel.get_by_role("button", name="Show it ▶").click()
    expect(said(panel)).to_contain_text("ready, modern")
    press(panel, "Notebook", says="Written: demonstration.ipynb")
    press(panel, "Journal", says="Written: demonstration.jsonl")
    assert {one.name for one in (lab.root / written).parent.iterdir()} >= {
        "demonstration.ipynb",
        "demonstration.jsonl",
    }
    panel.get_by_role("button", name="Journal").click()
    expect(panel.get_by_role("alert").first).to_contain_text("there already")
    press(panel, "Step through it", says="The panel below")
    inner = panel.locator(".mcpw-panel")
    inner.get_by_role("button", name="To the end", exact=True).click()
    expect(said(inner)).to_contain_text("ERA-01")
    press(panel, "Reset", says="no process and no port is open")
    expect(inner).to_have_count(0)
    expect(panel.locator(".jp-RenderedMermaid")).to_have_count(0)
    opened.assert_clean()


def test_over_a_real_process_there_is_a_line_that_says_how_far_it_is(
    opened: Opened, panel: Locator
) -> None:
    """Ours: played when asked for; what it cost is over when it is shown."""
    panel.get_by_label("Transport").select_option("stdio")
    expect(said(panel)).to_contain_text("Press “Show it”")
    panel.get_by_role("button", name="Show it ▶").click()
    expect(said(panel)).to_contain_text("ready, modern")
    opened.assert_clean()


def test_the_panel_needs_no_mouse(opened: Opened, panel: Locator) -> None:
    """WCAG 2.2, 2.1.1: every control is reached with Tab and pressed with a key."""
    status = said(panel)
    panel.get_by_label("Row").focus()
    opened.tab_to("Surprise the class")
    opened.page.keyboard.press("Space")
    expect(status).to_contain_text("Count the votes")
    panel.get_by_label("The class is asked").focus()
    opened.page.keyboard.press("Tab")
    opened.page.keyboard.type("8")
    opened.page.keyboard.press("Enter")
    expect(status).to_contain_text("Votes so far: 8.")
    opened.tab_to("Reveal")
    opened.page.keyboard.press("Enter")
    expect(status).to_contain_text("of 8 said so")
    opened.assert_clean()


def test_hostile_text_stays_text(opened: Opened, panel: Locator) -> None:
    """Design 7.10: in tables, in the picture, in the lists."""
    panel.get_by_label("Row").select_option("Nothing wrong")
    expect(said(panel)).to_contain_text("ready, modern")
    panel.get_by_label("Situation").select_option(f"mine: {HOSTILE}")
    expect(said(panel)).to_contain_text("evil: ready, modern")
    expect(panel.get_by_role("cell", name=HOSTILE, exact=True).first).to_be_visible()
    assert_drawn(panel.locator(".jp-RenderedMermaid img"), 1)
    opened.assert_clean()
