"""The recovery panel, clicked in Python: every button is one command, and says what came of it."""

from collections.abc import Iterator

import pytest

from fakes import Fake, answer_default, exit_, modern, on, on_start
from workbench.core.recovery.restart import RecoveryPolicy
from workbench.drivers.recovery_stepper import RecoveryStepper
from workbench.views.panels.panel import MERMAID
from workbench.views.panels.recovery import POLICIES, RecoveryPanel

HOSTILE = "<img src=x onerror=window.pwned=1>"


def notes() -> Fake:
    return modern("notes", tools=["write"])


@pytest.fixture
def panel() -> Iterator[RecoveryPanel]:
    """A panel on a fresh peer."""
    one = RecoveryPanel(notes, name="notes", policy=RecoveryPolicy(jitter=0.0))
    yield one
    one.close()


def enabled(panel: RecoveryPanel) -> set[str]:
    named = ("start", "kill", "restart", "send", "answer", "yes", "no", "next_start", "back")
    return {name for name in named if not getattr(panel, name).disabled}


def shown(panel: RecoveryPanel) -> str:
    return "".join(str(place.value) for place in (panel.facts, panel.told, panel.line))


def test_only_what_makes_sense_can_be_pressed(panel: RecoveryPanel) -> None:
    """Ours: a learner is led, not corrected."""
    assert enabled(panel) == {"start"}
    panel.start.click()
    assert enabled(panel) == {"kill", "restart", "send", "back"}
    panel.send.click()
    assert enabled(panel) == {"kill", "restart", "answer", "back"}
    panel.kill.click()
    assert enabled(panel) == {"restart", "yes", "no", "next_start", "back"}


def test_a_lost_call_is_decided_by_a_person_and_ends_once(panel: RecoveryPanel) -> None:
    """Seed skill: a user-confirmed retry decision; design 7.7: exactly one outcome."""
    for button in (panel.start, panel.send, panel.kill, panel.yes, panel.answer):
        button.click()
    text = str(panel)
    assert "the peer has done: write, write" in text
    assert "outcome 1: tools/call write: result, sent twice [-]" in text
    assert text.count("outcome ") == 1
    for _ in range(2):
        panel.back.click()
    panel.no.click()
    text = str(panel)
    assert "decided at 0.00 s: do not repeat: it may have run, and nobody said repeating" in text
    assert "outcome 1: tools/call write: outcome unknown, sent once" in text
    assert "the peer has done: write\n" in text


def test_rules_are_shown_with_their_sentences(panel: RecoveryPanel) -> None:
    """Ours: a decision comes with its rule, and the rule with its sentence."""
    panel.start.click()
    panel.kill.click()
    assert "RECOV-01" in shown(panel)
    assert "is started again after a pause that doubles up to 30 s" in shown(panel)
    assert "next start: at 0.50 s: wait, it was lost [RECOV-01]" in str(panel)


def test_the_settings_count_from_the_next_step_on(panel: RecoveryPanel) -> None:
    """Ours: policy, chance and failing starts are arguments of each command."""
    panel.start.click()
    panel.policy.value = RecoveryPolicy()
    panel.chance.value = 1.0
    panel.kill.click()
    assert "next start: at 0.40 s" in str(panel)
    panel.starts_fail.value = True
    panel.next_start.click()
    assert "start 2, 0.40, as planned, failed: this start was made to fail" in str(panel)
    assert "failures in a row: 2 of 12" in str(panel)
    panel.policy.value = POLICIES["gives up after 4 failures"]
    panel.next_start.click()
    panel.next_start.click()
    assert "next start: never: give up, 4 failures in a row [RECOV-04]" in str(panel)
    panel.starts_fail.value = False
    panel.restart.click()
    assert "peer: ready" in str(panel)


def test_time_passes_when_a_person_lets_it(panel: RecoveryPanel) -> None:
    """Design 3: the core's clock; a paused person never causes a timeout."""
    panel.start.click()
    panel.send.click()
    panel.seconds.value = 29.0
    panel.wait.click()
    assert "in flight" in str(panel)
    panel.seconds.value = 1.5
    panel.wait.click()
    assert "timed out, sent once [CALL-03]" in str(panel)
    panel.again.click()
    assert "clock: 0.00 s" in str(panel) and enabled(panel) == {"start"}


def test_the_diagram_grows_and_has_its_text(panel: RecoveryPanel) -> None:
    """Design 10: `text/vnd.mermaid` in an Output, and a text twin."""
    panel.start.click()
    drawing = panel.drawing
    data = drawing.outputs[0]["data"]
    assert data[MERMAID].startswith("sequenceDiagram") and "server/discover" in data["text/plain"]
    panel.kill.click()
    assert "RECOV-01" in drawing.outputs[0]["data"]["text/plain"]


def test_an_error_is_shown_in_the_panel(panel: RecoveryPanel) -> None:
    """Design 10: exceptions in a widget callback vanish."""
    panel.answer.click()
    assert "Error: MisuseError: nothing is in flight. Send a request first." in str(panel)
    panel.start.click()
    assert "Error" not in str(panel)


def test_hostile_names_and_last_words_stay_text() -> None:
    """Design 7.10."""
    bad = modern(HOSTILE, tools=[HOSTILE]).script(on_start().in_lifetime(2).then(exit_(3)))
    panel = RecoveryPanel(bad, name="peer", tool=HOSTILE)
    for button in (panel.start, panel.send, panel.kill, panel.next_start, panel.yes):
        button.click()
    drawing = panel.drawing.outputs[0]["data"]
    assert "<img" not in shown(panel) and "<img" not in drawing[MERMAID]
    assert "&lt;img" in shown(panel)
    panel.close()


def test_a_stepper_can_be_shown_and_a_peer_that_differs_is_told() -> None:
    """Ours: the panel is a view of a stepper; what is told again may come out otherwise."""
    stepper = RecoveryStepper(
        modern("p", tools=["t"]).script(on_start().in_lifetime(2).then(exit_(3)))
    )
    panel = RecoveryPanel(stepper)
    assert panel.stepper is stepper
    panel.start.click()
    panel.wait.click()
    panel.back.click()
    assert "This time the peer did otherwise." in str(panel)
    panel.close()


def test_a_peer_that_answers_and_ends_is_seen_in_order() -> None:
    """Fault matrix C04: dies after executing; from here it looks like dying before."""
    last = on("tools/call").then(answer_default(), exit_(0))
    panel = RecoveryPanel(lambda: notes().script(last), name="notes")
    panel.start.click()
    panel.send.click()
    panel.answer.click()
    assert "outcome 1: tools/call write: result" in str(panel)
    assert "peer: unavailable" in str(panel)
    panel.close()
