"""The instructor's panel for notebook cells: a catalogue in, a panel out.

Takes:  a catalogue of situations, such as `fakes.library`
Gives:  `InstructorPanel`
Never:  imports a fake

    from fakes import library
    from workbench.notebook import InstructorPanel
    InstructorPanel(library)

Source: design section 1.
"""

from collections.abc import Sequence
from random import Random

from workbench.classroom.acting import Tell
from workbench.classroom.catalogue import Catalogue
from workbench.classroom.lesson import notebook_text
from workbench.classroom.stage import Stage
from workbench.drivers.stepper import Stepper
from workbench.views.panels.demonstration import Demonstration, Plan
from workbench.views.panels.instructor import InstructorView


class InstructorPanel(InstructorView):
    """Show what a client makes of a misbehaving server, live, to a class.

    Args:
        catalogue: the situations; `fakes.library` has every row of the fault matrix.
        seed: what surprises are drawn with; the same seed, the same surprises. None takes
            another one each time.
        imported_as: the statement by which an exported notebook gets the catalogue, as
            `library`; None works for a catalogue that is a module.
    """

    def __init__(
        self, catalogue: Catalogue, *, seed: int | None = None, imported_as: str | None = None
    ) -> None:
        super().__init__(_Playing(catalogue, imported_as), chance=Random(seed))


class _Playing:
    """A stage, with what the panel asks of it besides."""

    def __init__(self, catalogue: Catalogue, imported_as: str | None) -> None:
        self._stage = Stage(catalogue)
        self._catalogue = catalogue
        self._imported_as = imported_as

    def casts(self) -> Sequence[tuple[str, str]]:
        return self._catalogue.casts()

    def ways(self, name: str) -> Sequence[str]:
        return self._catalogue.cast(name).ways

    def perform(self, plan: Plan, tell: Tell) -> Demonstration:
        return self._stage.perform(plan, tell)

    def stepper(self, plan: Plan) -> Stepper:
        return self._stage.stepper(plan)

    def notebook(self, shown: Demonstration) -> str:
        return notebook_text(shown, self._catalogue, self._imported_as)

    def close(self) -> None:
        self._stage.close()
