"""A notebook open in a page, and what its readers do and see there.

Takes:  a Chromium, and the address of a notebook
Gives:  `Opened`; `press`, `choose` and `said` for the panels; checks that hold on every page
Never:  waits for a length of time: each wait is for a condition, and has a bound
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Locator, Page, expect

STEP_MS: Final = 60_000
ROOT: Final = Path(__file__).resolve().parents[2]
PICTURES: Final = ROOT / "build" / "screenshots"
THEMES: Final = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
HOSTILE: Final = "<img src=x onerror=window.pwned=1>"
LEAST_HEIGHT: Final = 100
"""No picture of the workbench is flatter, in CSS pixels."""
MOST_TABS: Final = 80
WIDE, NARROW = 1180, 700
"""Of a page, in CSS pixels: a screen, and half of one."""

# The indicator in the toolbar says "idle" before there is a connection, and a command given
# then never ends; the session itself knows better.
_CONNECTED: Final = """async () => {
  const session = window.jupyterapp?.shell?.currentWidget?.context?.sessionContext;
  if (!session) return false;
  await session.ready;
  const kernel = session.session?.kernel;
  return kernel?.connectionStatus === 'connected' && kernel?.status === 'idle';
}"""
# The answer comes after all that was asked before, and so do the changes it has made.
_SETTLED: Final = """ms => Promise.race([
  window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel
    .requestKernelInfo().then(() => 'done'),
  new Promise(late => setTimeout(() => late('too late'), ms)),
])"""
# A command can hang, and evaluate() has no time limit of its own.
_COMMAND: Final = """([name, args, ms]) => Promise.race([
  window.jupyterapp.commands.execute(name, args).then(() => 'done'),
  new Promise(late => setTimeout(() => late('too late'), ms)),
])"""
_THEMED: Final = "name => document.body.dataset.jpThemeName === name"
_FOCUSED: Final = "document.activeElement.textContent.trim()"
_FAILED: Final = ".jp-OutputArea-output:is([data-mime-type*='error'], [data-mime-type*='stderr'])"
# Half a pixel is rounding.
_BEYOND: Final = """panel => {
  const right = panel.getBoundingClientRect().right + 0.5;
  return [...panel.querySelectorAll('td, th, p, button, select, input, textarea, svg, img')]
    .filter(part => part.getBoundingClientRect().right > right)
    .map(part => part.innerText || part.tagName);
}"""
# Waits until the browser has read the picture, and fails when it cannot.
_DRAWN_HEIGHT: Final = "image => image.decode().then(() => image.getBoundingClientRect().height)"

expect.set_options(timeout=STEP_MS)


class Opened:
    """One notebook open in a page, with a kernel that is ready.

    Args:
        page: nobody else's.
        address: of the notebook; "" when the page is on its way to it already.
    """

    def __init__(self, page: Page, address: str = "") -> None:
        self.page = page
        self.complaints: list[str] = []
        """Errors of the browser's console, and exceptions of the page."""
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        if address:
            page.goto(address, wait_until="domcontentloaded")
        page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=STEP_MS)
        page.wait_for_function(_CONNECTED, timeout=STEP_MS)

    # -- what a reader does ------------------------------------------------------------

    def command(self, name: str, **arguments: Any) -> None:
        """Execute one of JupyterLab's commands, and wait for its end."""
        ended = self.page.evaluate(_COMMAND, [name, arguments, STEP_MS])
        assert ended == "done", f"{name}: {ended}"

    def use_theme(self, theme: str) -> None:
        """Switch to one of `THEMES`, and wait until it is in force: the command does not."""
        name = THEMES[theme]
        if not self.page.evaluate(_THEMED, name):
            self.command("apputils:change-theme", theme=name)
            self.page.wait_for_function(_THEMED, arg=name, timeout=STEP_MS)

    def run_all(self, theme: str = "light") -> None:
        """Forget the outputs that are there, then run every cell to its end."""
        self.use_theme(theme)  # the one before may have left another
        self.command("notebook:clear-all-cell-outputs")
        assert self.page.locator(".jp-OutputArea-output").count() == 0
        self.command("notebook:run-all-cells")

    def settle(self) -> None:
        """Wait until the kernel has done, and the page shows, all that was asked of it."""
        ended = self.page.evaluate(_SETTLED, STEP_MS)
        assert ended == "done", f"the kernel is busy: {ended}"

    @contextmanager
    def narrow(self) -> Iterator[None]:
        """Make the page half a screen wide, for a while."""
        before = self.page.viewport_size
        assert before is not None
        self.page.set_viewport_size({**before, "width": NARROW})
        try:
            yield
        finally:
            self.page.set_viewport_size(before)

    def tab_to(self, words: str) -> None:
        """Press Tab until the button with these words has the focus."""
        for _ in range(MOST_TABS):
            self.page.keyboard.press("Tab")
            if self.focused() == words:
                return
        raise AssertionError(f"{words!r} is not reached with {MOST_TABS} tabs")

    def end_kernel(self) -> None:
        """Shut the notebook's kernel down, so that the next one starts with nothing."""
        self.page.evaluate("window.jupyterapp.serviceManager.sessions.shutdownAll()")

    # -- what is on the page -----------------------------------------------------------

    @property
    def panels(self) -> Locator:
        """The panels, top to bottom; one inside another counts too."""
        return self.page.locator(".mcpw-panel")

    @property
    def outputs(self) -> Locator:
        """Every output below a code cell."""
        return self.page.locator(".jp-CodeCell .jp-OutputArea-output")

    @property
    def diagrams(self) -> Locator:
        """Every diagram below a code cell, those of the panels left out."""
        return self.page.locator(".jp-CodeCell .jp-RenderedMermaid:not(.mcpw-panel *) img")

    def focused(self) -> str:
        """Return the words of the element that has the focus."""
        words = self.page.evaluate(_FOCUSED)
        assert isinstance(words, str)
        return words

    def assert_clean(self) -> None:
        """No cell failed, nothing complains, and no text of a peer became an element."""
        failed = self.page.locator(_FAILED).all_inner_texts()
        assert not failed, failed
        assert not self.complaints, self.complaints
        assert self.page.evaluate("window.pwned") is None
        assert self.page.locator("img[src='x'], a[href^='javascript']").count() == 0

    def picture(self, path: Path, first: str = "", beyond: str = "") -> None:
        """Save what the page shows.

        Args:
            path: of the PNG.
            first: heading to begin with; "" takes the whole page.
            beyond: heading to end before.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        clip = None
        if first and beyond:
            top, bottom = self._place(first), self._place(beyond)
            clip = {**top, "height": bottom["y"] - top["y"]}
        self.page.screenshot(path=str(path), clip=clip)  # type: ignore[arg-type]

    def _place(self, heading: str) -> dict[str, float]:
        cell = self.page.locator(".jp-Cell", has=self.page.get_by_role("heading", name=heading))
        box = cell.bounding_box()
        assert box is not None, f"no heading {heading!r} in the page"
        return dict(box)

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)


@contextmanager
def visit(browser: Browser, address: str, height: int) -> Iterator[Opened]:
    """Open a notebook in a fresh browser context; its kernel ends with the page.

    Args:
        browser: a Chromium that runs.
        address: of the notebook.
        height: of the page, so tall that JupyterLab leaves no cell out of it.
    """
    context = browser.new_context(viewport={"width": WIDE, "height": height})
    try:
        notebook = Opened(context.new_page(), f"{address}?reset")
        yield notebook
        notebook.end_kernel()
    finally:
        context.close()


def said(panel: Locator) -> Locator:
    """Return the status line of a panel."""
    return panel.locator(".mcpw-said").first


def press(panel: Locator, *names: str, says: str = "") -> None:
    """Click buttons one after the other, each once it can be pressed.

    Args:
        panel: where they are; one of each name is there.
        names: their labels.
        says: what the status line is to say in the end; "" waits for nothing.
    """
    for name in names:
        button = panel.get_by_role("button", name=name, exact=True)
        expect(button).to_be_enabled()
        button.click()
    if says:
        expect(said(panel)).to_contain_text(says)


def choose(panel: Locator, label: str, words: str) -> None:
    """Choose from a drop-down list, both named by their words."""
    panel.get_by_label(label, exact=True).select_option(label=words)


def assert_drawn(images: Locator, count: int, least: int = LEAST_HEIGHT) -> None:
    """So many pictures are there, and the browser could read each."""
    expect(images).to_have_count(count)
    for place in range(count):
        assert images.nth(place).evaluate(_DRAWN_HEIGHT) > least, place


def beyond(panel: Locator) -> list[str]:
    """Return the words of every part that reaches further right than its panel does."""
    found: list[str] = panel.evaluate(_BEYOND)
    return found


def keep(panel: Locator, name: str) -> None:
    """Save what a panel shows, beside the other pictures of this suite."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    panel.screenshot(path=str(PICTURES / f"{name}.png"))
