"""What all panels share, without a browser."""

from collections.abc import Iterable
from typing import Any

import pytest

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.views.error_line import error_line
from workbench.views.panels.panel import MERMAID, Panel, show_mermaid

HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m"


class Counter(Panel):
    """The smallest panel."""

    def __init__(self) -> None:
        super().__init__("Counter <b>")
        self.count = 0
        self.more = self.button("More", "Count one more", self.add)
        self.broken = self.button("Break", "Do something wrong", self.go_wrong)
        self.pick = self.choice("By", [("one", 1), ("two", 2)], self.jump, tooltip="How far")
        self.lay_out(self.row(self.more, self.broken), self.pick)

    def add(self) -> None:
        self.count += 1
        self.say(f"{self.count} so far")

    def jump(self, by: int) -> None:
        self.count += by

    def go_wrong(self) -> None:
        raise ValueError(HOSTILE)

    def lines(self) -> Iterable[str]:
        return [f"counted: {self.count}"]


def test_a_click_and_a_choice_do_what_they_say() -> None:
    """Ours: a panel is plain widgets over plain methods."""
    panel = Counter()
    panel.more.click()
    panel.pick.value = 2
    assert panel.to_text().splitlines() == ["Counter <b>", "counted: 3", "1 so far"]
    assert str(panel) == repr(panel) == panel.to_text()


def test_an_exception_is_one_safe_line_in_the_panel_until_the_next_click() -> None:
    """Design 10: exceptions in a widget callback vanish, so every panel shows its own."""
    panel = Counter()
    panel.broken.click()
    assert panel.to_text().splitlines()[-1] == (
        r"Error: ValueError: <img src=x onerror=alert(1)>\x1b[31m"
    )
    alert = panel.widget.children[-1].value
    assert 'role="alert"' in alert and "&lt;img" in alert and "<img" not in alert
    panel.more.click()
    assert "Error" not in panel.to_text()
    assert panel.widget.children[-1].value == '<p role="alert"></p>'


def test_an_error_of_an_observer_inside_a_callback_stays() -> None:
    """Ours: a callback that sets a value calls others; their errors must not be wiped."""
    panel = Counter()

    def inner() -> None:
        panel.guarded(panel.go_wrong)()
        panel.guarded(lambda: None)()

    panel.guarded(inner)()
    assert "ValueError" in panel.to_text()


def test_an_interrupt_is_shown_and_goes_no_further() -> None:
    """Ours: the Stop button ends a long callback, not the kernel's own turn."""
    panel = Counter()

    def stopped() -> None:
        raise KeyboardInterrupt

    panel.guarded(stopped)()
    assert panel.to_text().endswith("Error: KeyboardInterrupt")


def test_title_and_status_are_text_and_announced() -> None:
    """Design 7.10; WAI-ARIA: status is a polite live region."""
    panel = Counter()
    panel.say(HOSTILE)
    heading, *_, region, status, _ = panel.widget.children
    assert "Counter &lt;b&gt;" in heading.value and "<b>" not in heading.value
    assert "&lt;img" in status.value and "<img" not in status.value
    assert "\x1b" not in status.value
    assert 'role="status" aria-live="polite"' in region.value
    owned = region.value.partition('aria-owns="')[2].partition('"')[0]
    assert f'id="{owned}"' in status.value


def test_what_announces_a_status_stays_when_the_status_changes() -> None:
    """WAI-ARIA 1.2: a live region announces what changes in it, so it must not be replaced."""
    panel, other = Counter(), Counter()
    *_, region, status, _ = panel.widget.children
    before = (region.value, status.value)
    panel.say("something else")
    assert (region.value == before[0], status.value == before[1]) == (True, False)
    *_, foreign, _, _ = other.widget.children
    assert foreign.value != region.value  # two panels, two ids


def test_the_controls_are_labelled() -> None:
    """Design 10: keyboard reachable and labelled."""
    panel = Counter()
    assert (panel.more.description, panel.more.tooltip) == ("More", "Count one more")
    assert (panel.pick.description, panel.pick.tooltip) == ("By", "How far")
    assert "mcpw-panel" in panel.widget._dom_classes


def test_a_notebook_gets_the_widget_and_its_text_twin() -> None:
    """Ours: nothing depends on the browser; a saved notebook still reads."""
    panel = Counter()
    data: Any = panel._repr_mimebundle_()
    data = data[0] if isinstance(data, tuple) else data
    assert data["text/plain"] == panel.to_text()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == panel.widget.model_id


def test_a_diagram_is_drawn_in_place_and_keeps_its_text() -> None:
    """Ours: JupyterLab draws Mermaid bundles, everything else shows the text."""
    output = Counter().picture()
    show_mermaid(output, "sequenceDiagram\n", "lanes")
    show_mermaid(output, "stateDiagram-v2\n", "states")
    (only,) = output.outputs
    assert only["data"] == {MERMAID: "stateDiagram-v2\n", "text/plain": "states"}


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (ValueError("no\nway"), r"ValueError: no\nway"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (
            MisuseError(Failure(kind=Kind.MISUSE, detail="seen", rule="R-1", hint="Do.")),
            "MisuseError: seen [R-1] Do.",
        ),
    ],
)
def test_an_error_is_one_line(problem: BaseException, line: str) -> None:
    """Design 9: what was seen, which rule, what to do."""
    assert error_line(problem) == line
