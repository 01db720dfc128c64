"""The choices of an instructor: what is offered, what they make, what is hidden."""

from random import Random

from fakes import library
from workbench.classroom.stage import Stage
from workbench.views.panels.demonstration import Plan
from workbench.views.panels.panel import Panel
from workbench.views.panels.plan_form import ANY, FAMILIES, PlanForm, family_of


class Choices:
    """The library, asked as a panel asks."""

    casts = staticmethod(library.casts)

    def ways(self, name: str) -> tuple[str, ...]:
        return Stage(library).catalogue.cast(name).ways  # type: ignore[return-value]


class Form:
    """A form in a panel, and how often it said that something changed."""

    def __init__(self) -> None:
        self.changes = 0
        self.panel = Panel("Form")
        self.form = PlanForm(self.panel, Choices(), self._changed)

    def _changed(self) -> None:
        self.changes += 1


def test_the_first_choice_is_the_usual_plan() -> None:
    """Design 5: the defaults are the client's own."""
    made = Form()
    assert made.form.plan == Plan(cast="P01-valid")
    assert made.changes == 0, "nobody has changed anything"


def test_every_choice_is_in_the_plan() -> None:
    """Ours: a control that changes nothing would be a lie."""
    made = Form()
    form = made.form
    form.cast.value = "P05-capability"
    form.beside.value = ("modern", "legacy")
    form.transport.value = "stdio"
    form.allow_legacy.value = form.accept.value = form.repeat.value = True
    form.discovery.value, form.probe.value, form.call.value = 500, 600, 7.5
    form.merge.value, form.drift.value = "reject", "pin"
    form.asked.value = "the user agrees"
    assert form.plan == Plan(
        cast="P05-capability", beside=("modern", "legacy"), transport="stdio", allow_legacy=True,
        accept_missing_result_type=True, discovery_timeout_ms=500, legacy_probe_timeout_ms=600,
        call_timeout_s=7.5, merge_policy="reject", drift_policy="pin",
        asked_back="the user agrees", repeat=True,
    )  # fmt: skip
    assert made.changes == 12
    form.begin_again()
    assert form.plan == Plan(cast="P01-valid") and made.changes == 12


def test_a_row_offers_its_situations_and_a_situation_its_transports() -> None:
    """Fault matrix: H over HTTP alone, C14 as a process alone."""
    form = Form().form
    for letter in FAMILIES:
        form.family.value = letter
        names = [name for _, name in form.cast.options]
        assert names and all(letter in (ANY, family_of(name)) for name in names)
    assert len(form.cast.options) == len(library.casts())
    form.cast.value = "H10-405"
    assert form.transport.options == ("http",) and form.plan.transport == "http"
    form.cast.value = "C14-ignores-eof"
    assert form.plan.transport == "stdio"
    assert [family_of(name) for name in ("P01-valid", "M01-x", "modern", "Peer")] == [
        "P",
        "M",
        "",
        "",
    ]


def test_chance_draws_what_can_be_played_and_leaves_the_controls() -> None:
    """Ours: the same seed, the same surprise; a terminal row is not drawn over memory."""
    form = Form().form
    drawn = form.drawn(Random(1))
    assert drawn == form.drawn(Random(1)) and family_of(drawn.cast) == "P"
    assert len({form.drawn(Random(seed)).cast for seed in range(20)}) > 5
    assert form.plan == Plan(cast="P01-valid")
    form.family.value = ANY
    assert all(form.drawn(Random(seed)).transport == "memory" for seed in range(20))


def test_a_row_without_situations_is_not_offered() -> None:
    """Ours: a catalogue of one's own need not have every row."""

    class Own(Choices):
        casts = staticmethod(lambda: [("modern", "my own")])  # type: ignore[assignment]

    form = PlanForm(Panel("Form"), Own(), lambda: None)
    assert [value for _, value in form.family.options] == ["", ANY]
    assert form.plan.cast == form.drawn(Random(1)).cast == "modern"


def test_what_is_hidden_is_in_no_control() -> None:
    """Ours: a list of situations would give it away."""
    made = Form()
    form = made.form
    plan = form.drawn(Random(3))
    form.hide("hidden")
    assert [*form.cast.options] == [("hidden", "")]
    assert all(control.disabled for control in (form.family, form.cast, form.discovery))
    form.reveal(plan)
    assert form.plan.cast == plan.cast and not form.cast.disabled
    assert made.changes == 0
