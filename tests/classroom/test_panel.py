"""The panel of the front door: a catalogue in, a panel out."""

from fakes import library
from workbench.classroom.panel import InstructorPanel
from workbench.notebook import InstructorPanel as exported


def test_the_front_door_has_it_and_it_shows_in_a_cell() -> None:
    """Design 10: the last value of a cell is a widget, with its text twin beside it."""
    assert exported is InstructorPanel
    panel = InstructorPanel(library)
    bundle = panel._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert data["text/plain"] == str(panel)
    assert "application/vnd.jupyter.widget-view+json" in data
    panel.close()


def test_a_seed_draws_the_same_surprises_and_none_draws_others() -> None:
    """Ours: an instructor can rehearse."""

    def drawn(seed: int | None) -> list[str]:
        panel = InstructorPanel(library, seed=seed)
        plans = [panel.form.drawn(panel._chance) for _ in range(12)]
        panel.close()
        return [plan.cast for plan in plans]

    assert drawn(1) == drawn(1)
    assert drawn(None) != drawn(None)
