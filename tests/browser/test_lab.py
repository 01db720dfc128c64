"""The first lesson in a real JupyterLab: what a learner sees, in both themes."""

import re
from collections.abc import Iterator
from typing import Final

import nbformat
import pytest
from contrast import assert_readable
from lab import Lab, code_cells
from nbformat.v4 import new_markdown_cell
from opened import HOSTILE, PICTURES, ROOT, THEMES, Opened, assert_drawn, press, said, visit
from playwright.sync_api import Browser, expect

LESSON: Final = "00_start_here.ipynb"
TAUGHT: Final = sorted((ROOT / "notebooks").glob("[01]*.ipynb"))
"""The lessons in their order, without the panels and figures that stand after them."""
FENCED: Final = re.compile(r"^```mermaid\n.*?^```$", re.MULTILINE | re.DOTALL)
HOSTILE_CELLS: Final = f"""
from fakes import modern
from workbench.notebook import MultiServerClient
client = MultiServerClient()
client.add_server("trap", modern("trap", tools=[{HOSTILE!r}, "[a](javascript:alert(1))"]))
client.connect_all()
# %%
client.discover_tools()
# %%
client.merge()
# %%
client.call({HOSTILE!r}, {{"q": {HOSTILE!r}}})
# %%
client.report()
# %%
client.report().to_frame()
# %%
client.journal
# %%
client.journal.diagram()
# %%
client.close()
"""
TABLE: Final = ("caption", "thead th", "tbody th", "tbody td")
TALL: Final = 8000

pytestmark = pytest.mark.browser


def pictures() -> list[str]:
    """Return every Mermaid picture in the text of a lesson, fences included."""
    texts = [
        cell.source
        for path in TAUGHT
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "markdown"
    ]
    return [found for text in texts for found in FENCED.findall(text)]


@pytest.fixture(scope="module")
def lesson(lab: Lab, browser: Browser) -> Iterator[Opened]:
    """The first lesson."""
    with visit(browser, lab.at(LESSON), height=TALL) as notebook:
        yield notebook


@pytest.fixture
def opened(lesson: Opened) -> Opened:
    """The first lesson after Run All."""
    lesson.run_all()
    return lesson


@pytest.mark.parametrize("theme", THEMES)
def test_run_all_shows_the_report_and_the_diagrams(opened: Opened, theme: str) -> None:
    """Seed: the lesson runs as it stands; ours: Run All in a browser is how learners run it."""
    opened.use_theme(theme)
    opened.assert_clean()
    report = opened.outputs.locator("table").last
    expect(report.locator("tbody tr")).to_have_count(5)
    for text in ("archive", "unavailable", "legacy", "create, notes/search", "ERA-10"):
        expect(report.get_by_text(text, exact=True).first).to_be_visible()
    table = opened.outputs.locator("table", has=opened.page.locator("caption"))
    expect(table).to_have_count(1)
    assert_readable(table, *TABLE)
    assert_drawn(opened.diagrams, 3, least=200)
    expect(opened.page.locator(".jp-MarkdownCell .jp-RenderedMermaid img")).to_have_count(1)
    opened.assert_clean()
    opened.picture(PICTURES / f"start_here_{theme}.png")
    opened.picture(PICTURES / f"report_{theme}.png", "7. Report", "8. A stricter policy")


def test_the_first_lesson_has_a_stepper_that_works(opened: Opened) -> None:
    """Ours: Run All, then three clicks lead to a verdict, one back, and a what-if to another."""
    panel = opened.panels
    for number in (1, 2, 3):
        press(panel, "Step ▶", says=f"Step {number}: ")
    expect(said(panel)).to_contain_text("modern")
    press(panel, "◀ Back", says="Step 2: probing")
    own = panel.get_by_placeholder("or your own")
    own.fill("-32601")
    own.press("Tab")
    press(panel, "Suppose it", says="What if.")
    expect(said(panel)).to_contain_text("ERA-10")
    expect(panel.get_by_role("alert")).to_be_empty()
    assert_drawn(panel.locator(".jp-RenderedMermaid img"), 2)
    opened.assert_clean()


def test_every_picture_in_the_text_of_a_lesson_is_drawn(lab: Lab, browser: Browser) -> None:
    """Ours: a picture with a slip in its text shows an error in place of itself."""
    wanted = pictures()
    assert len(wanted) >= len(TAUGHT)
    path = lab.write(*map(new_markdown_cell, wanted))
    with visit(browser, lab.at(path), height=TALL) as opened:
        drawn = opened.page.locator(".jp-MarkdownCell .jp-RenderedMermaid img")
        assert_drawn(drawn, len(wanted), least=50)
        opened.assert_clean()


def test_a_picture_with_a_slip_is_found(lab: Lab, browser: Browser) -> None:
    """Ours: a check must be able to fail."""
    path = lab.write(new_markdown_cell("```mermaid\nflowchart LR\n    a -> \n```"))
    with visit(browser, lab.at(path), height=TALL) as opened:
        expect(opened.page.get_by_text("Parse error").first).to_be_attached()
        expect(opened.page.locator(".jp-RenderedMermaid img")).to_have_count(0)


def test_text_without_contrast_is_found(lesson: Opened) -> None:
    """Ours: a check must be able to fail."""
    table = lesson.page.locator(".jp-CodeCell table", has=lesson.page.locator("caption"))
    table.evaluate("table => { table.style.color = '#aaa'; table.style.background = '#999'; }")
    with pytest.raises(AssertionError, match="caption"):
        assert_readable(table, *TABLE)


def test_a_hostile_tool_name_stays_text(lab: Lab, browser: Browser) -> None:
    """Ours: design 7.10; in the menu, the report, the frames, the journal and the diagram."""
    path = lab.write(*code_cells(HOSTILE_CELLS))
    with visit(browser, lab.at(path), height=TALL) as opened:
        opened.run_all()
        opened.assert_clean()
        expect(opened.outputs.get_by_text(HOSTILE).first).to_be_visible()
        expect(opened.diagrams).to_have_count(1)
        opened.picture(PICTURES / "hostile.png")
