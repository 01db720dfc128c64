"""How far long work has come: a bar, and the latest line.

Takes:  the steps of `connect_all` and `discover_tools`
Gives:  `ProgressPanel`, to be shown first and then passed as `on_progress`
Never:  speaks unasked: without the panel the work is as quiet as ever

    progress = ProgressPanel()
    display(progress)
    client.connect_all(on_progress=progress)
"""

from collections.abc import Iterable
from typing import Any

from workbench.core.text.visible import visible
from workbench.drivers.tally import Step
from workbench.views.panels.panel import Panel


class ProgressPanel(Panel):
    """One bar for one piece of work at a time; called with each step."""

    def __init__(self) -> None:
        import ipywidgets

        super().__init__("Progress")
        self.steps: list[Step] = []
        """Of the present piece of work, oldest first."""
        self.bar: Any = ipywidgets.IntProgress(
            value=0, min=0, max=1, layout=ipywidgets.Layout(width="30em", max_width="100%")
        )
        self.lay_out(self.bar)
        self.say("Nothing has begun.")

    def __call__(self, step: Step) -> None:
        """Take one step."""
        if self.steps and (self.steps[-1].stage != step.stage or step.done == 1):
            self.steps = []
        self.steps.append(step)
        self.bar.max, self.bar.value = step.total, step.done
        self.say(step.line())

    def lines(self) -> Iterable[str]:
        """Return the steps before the latest, a line each, as they came."""
        return [visible(step.line()) for step in self.steps[:-1]]
