"""The first lesson in a real JupyterLab: what a learner sees, in both themes."""

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import nbformat
import pytest
from lab import STEP_MS, Lab, Opened, chromium, jupyter_lab
from playwright.sync_api import Browser, Locator, expect

ROOT: Final = Path(__file__).resolve().parents[2]
PICTURES: Final = ROOT / "build" / "screenshots"
LESSON: Final = "00_start_here.ipynb"
LESSONS: Final = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
THEMES: Final = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}

ALL_PICTURES: Final = "pictures.ipynb"
BAD_PICTURE: Final = "slip.ipynb"
FENCED: Final = re.compile(r"^```mermaid\n.*?^```$", re.MULTILINE | re.DOTALL)
HOSTILE_LESSON: Final = "hostile.ipynb"
HOSTILE: Final = "<img src=x onerror=window.pwned=1>"
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
# Waits until the browser has read the picture, and fails when it cannot.
DRAWN_HEIGHT: Final = "image => image.decode().then(() => image.getBoundingClientRect().height)"

pytestmark = pytest.mark.browser
expect.set_options(timeout=STEP_MS)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab for this module, on copies of the lessons."""
    with jupyter_lab(tmp_path_factory.mktemp("lab")) as running:
        shutil.copytree(ROOT / "notebooks", running.root, dirs_exist_ok=True)
        hostile = map(nbformat.v4.new_code_cell, HOSTILE_CELLS.strip().split("\n# %%\n"))
        write(running.root / HOSTILE_LESSON, hostile)
        write(running.root / ALL_PICTURES, map(nbformat.v4.new_markdown_cell, pictures()))
        slip = nbformat.v4.new_markdown_cell("```mermaid\nflowchart LR\n    a -> \n```")
        write(running.root / BAD_PICTURE, [slip])
        yield running


def write(path: Path, cells: Iterable[Any]) -> None:
    """Write a notebook; without a kernel in its metadata JupyterLab would ask for one."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=list(cells), metadata=kernel), path)


def pictures() -> list[str]:
    """Return every Mermaid picture in the text of a lesson, fences included."""
    texts = [
        cell.source
        for name in LESSONS
        for cell in nbformat.read(ROOT / "notebooks" / name, as_version=4).cells
        if cell.cell_type == "markdown"
    ]
    return [found for text in texts for found in FENCED.findall(text)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for this module."""
    with chromium() as started:
        yield started


@pytest.fixture
def opened(lab: Lab, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """The notebook that the test asks for, with a kernel of its own.

    The page is so tall that JupyterLab leaves no cell out of it.
    """
    name = getattr(request, "param", LESSON)
    context = browser.new_context(viewport={"width": 1180, "height": 8000})
    try:
        notebook = Opened(context.new_page(), f"{lab.address}/doc/tree/{name}?reset")
        yield notebook
        notebook.end_kernel()
    finally:
        context.close()


def outputs(opened: Opened) -> Locator:
    """Return every output below a code cell."""
    return opened.page.locator(".jp-CodeCell .jp-OutputArea-output")


def diagrams(opened: Opened) -> Locator:
    """Return every diagram below a code cell, those of the panels left out."""
    return opened.page.locator(".jp-CodeCell .jp-RenderedMermaid:not(.mcpw-panel *) img")


def assert_clean(opened: Opened) -> None:
    """No cell ended in an error, and neither the page nor the console complains."""
    failed = ".jp-OutputArea-output:is([data-mime-type*='error'], [data-mime-type*='stderr'])"
    assert opened.page.locator(failed).all_inner_texts() == []
    assert opened.complaints == []


def assert_readable(table: Locator) -> None:
    """WCAG 2.2, 1.4.3: text has a contrast of at least 4.5 to what is behind it."""
    for part in ("caption", "thead th >> nth=0", "tbody th >> nth=0", "tbody td >> nth=0"):
        assert table.locator(part).evaluate(CONTRAST) >= READABLE, part


@pytest.mark.parametrize("theme", THEMES)
def test_run_all_shows_the_report_and_the_diagrams(opened: Opened, theme: str) -> None:
    """Seed: the lesson runs as it stands; ours: Run All in a browser is how learners run it."""
    opened.command("apputils:change-theme", theme=THEMES[theme])
    opened.run_all()
    assert_clean(opened)
    report = outputs(opened).locator("table").last
    expect(report.locator("tbody tr")).to_have_count(5)
    for text in ("archive", "unavailable", "legacy", "create, notes/search", "ERA-10"):
        expect(report.get_by_text(text, exact=True).first).to_be_visible()
    assert_readable(outputs(opened).locator("table", has=opened.page.locator("caption")))
    expect(diagrams(opened)).to_have_count(3)
    for place in range(3):
        assert diagrams(opened).nth(place).evaluate(DRAWN_HEIGHT) > 200
    expect(opened.page.locator(".jp-MarkdownCell .jp-RenderedMermaid img")).to_have_count(1)
    assert_clean(opened)
    opened.picture(PICTURES / f"start_here_{theme}.png")
    opened.picture(PICTURES / f"report_{theme}.png", "7. Report", "8. A stricter policy")


def test_the_first_lesson_has_a_stepper_that_works(opened: Opened) -> None:
    """Ours: Run All, then three clicks lead to a verdict, one back, and a what-if to another."""
    opened.run_all()
    panel = opened.page.locator(".mcpw-panel")
    status = panel.get_by_role("status")
    for number in (1, 2, 3):
        panel.get_by_role("button", name="Step ▶").click()
        expect(status).to_contain_text(f"Step {number}: ")
    expect(status).to_contain_text("modern")
    panel.get_by_role("button", name="Back").click()
    expect(status).to_contain_text("Step 2: probing")
    own = panel.get_by_placeholder("or your own")
    own.fill("-32601")
    own.press("Tab")
    panel.get_by_role("button", name="Suppose it").click()
    expect(status).to_contain_text("What if.")
    expect(status).to_contain_text("ERA-10")
    expect(panel.get_by_role("alert")).to_be_empty()
    expect(panel.locator(".jp-RenderedMermaid img")).to_have_count(2)
    assert_clean(opened)


@pytest.mark.parametrize("opened", [ALL_PICTURES], indirect=True)
def test_every_picture_in_the_text_of_a_lesson_is_drawn(opened: Opened) -> None:
    """Ours: a picture with a slip in its text shows an error in place of itself."""
    drawn = opened.page.locator(".jp-MarkdownCell .jp-RenderedMermaid img")
    wanted = pictures()
    assert len(wanted) >= len(LESSONS)
    expect(drawn).to_have_count(len(wanted))
    for place, picture in enumerate(wanted):
        assert drawn.nth(place).evaluate(DRAWN_HEIGHT) > 50, picture
    assert_clean(opened)


@pytest.mark.parametrize("opened", [BAD_PICTURE], indirect=True)
def test_a_picture_with_a_slip_is_found(opened: Opened) -> None:
    """Ours: a check must be able to fail."""
    expect(opened.page.get_by_text("Parse error").first).to_be_attached()
    expect(opened.page.locator(".jp-RenderedMermaid img")).to_have_count(0)


def test_text_without_contrast_is_found(opened: Opened) -> None:
    """Ours: a check must be able to fail."""
    table = opened.page.locator(".jp-CodeCell table", has=opened.page.locator("caption"))
    table.evaluate("table => { table.style.color = '#aaa'; table.style.background = '#999'; }")
    with pytest.raises(AssertionError, match="caption"):
        assert_readable(table)


@pytest.mark.parametrize("opened", [HOSTILE_LESSON], indirect=True)
def test_a_hostile_tool_name_stays_text(opened: Opened) -> None:
    """Ours: design 7.10; in the menu, the report, the frames, the journal and the diagram."""
    opened.run_all()
    assert_clean(opened)
    assert opened.page.evaluate("window.pwned") is None
    assert outputs(opened).locator("img[src='x'], a[href^='javascript']").count() == 0
    expect(outputs(opened).get_by_text(HOSTILE).first).to_be_visible()
    expect(diagrams(opened)).to_have_count(1)
    opened.picture(PICTURES / "hostile.png")
