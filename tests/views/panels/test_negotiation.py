"""The stepper's panel without a browser: every button, every list, every text."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakes import Fake, error, fault, modern, on
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import State
from workbench.core.negotiate.table import Do
from workbench.stepping import DiscoveryPanel, LegacyPanel
from workbench.views.panels.negotiation import NegotiationPanel
from workbench.views.panels.panel import MERMAID

HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m"


@pytest.fixture
def peer() -> Fake:
    return fault("P02-error-32601")


@pytest.fixture
def panel(peer: Fake) -> Iterator[DiscoveryPanel]:
    one = DiscoveryPanel(peer)
    yield one
    one.close()


@pytest.fixture
def legacy_panel(peer: Fake) -> Iterator[LegacyPanel]:
    one = LegacyPanel(peer)
    yield one
    one.close()


def state(panel: NegotiationPanel) -> State:
    return panel.stepper.moment.snapshot.state


def drawn(output: Any) -> str:
    return output.outputs[0]["data"][MERMAID]


def parts(widget: Any) -> Iterator[Any]:
    """Yield a widget and everything in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from parts(child)


def test_stepping_changes_the_scene_both_pictures_and_the_status(panel: DiscoveryPanel) -> None:
    """Ours: one click, and all parts agree."""
    before = panel._scene.value, drawn(panel._states), drawn(panel._sequence)
    panel.step.click()
    panel.decision.click()
    assert state(panel) is State.UNAVAILABLE
    after = panel._scene.value, drawn(panel._states), drawn(panel._sequence)
    assert all(one != other for one, other in zip(before, after, strict=True))
    assert "ERA-10" in panel._scene.value and "ERA-10" in after[1] and "ERA-10" in after[2]
    assert "Step 3: unavailable, because of: unrecognized error [ERA-10]." in panel.to_text()
    panel.back.click()
    assert state(panel) is State.PROBING
    panel.end.click()
    assert "The negotiation is over." in panel.to_text()


def test_what_is_about_to_be_sent_is_marked_and_not_sent(panel: DiscoveryPanel, peer: Fake) -> None:
    """Ours: look first, send with the next step."""
    panel.step.click()
    assert "<mark>&quot;_meta&quot;" in panel._scene.value
    assert "To be sent: server/discover" in panel._scene.value
    assert peer.received == []
    panel.step.click()
    assert peer.methods() == ["server/discover"]


def test_a_supposed_answer_is_a_line_of_its_own(panel: DiscoveryPanel, peer: Fake) -> None:
    """Ours: what if it had said something else?"""
    panel.step.click()
    panel.answer.value = "valid"
    panel.suppose.click()
    assert state(panel) is State.MODERN and "What if the peer" in panel._scene.value
    assert "What if. Step 2: modern" in panel.to_text()
    panel.back.click()
    panel.end.click()
    assert peer.methods() == ["server/discover"]
    words = [label for label, _ in panel.line.options]
    assert words == [
        "what if the peer answered with a valid DiscoverResult: modern",
        "what the peer does: unavailable",
    ]
    panel.line.value = panel.line.options[0][1]
    assert panel.stepper.supposed
    assert panel.answer.options == (("(the verdict is given)", ""),)


@pytest.mark.parametrize(
    ("typed", "evidence"),
    [
        ("-32022", "-32022 without a usable version"),
        ('{"supportedVersions": 1}', "result that is no DiscoverResult"),
        ("hello", "stray frame"),
    ],
)
def test_an_answer_of_ones_own_can_be_typed(
    panel: DiscoveryPanel, typed: str, evidence: str
) -> None:
    """Ours: a code, a body, or any text."""
    panel.step.click()
    panel.own.value = typed
    panel.suppose.click()
    assert panel.stepper.decisions[-1][1] == evidence
    assert panel.own.value == ""


def test_an_edited_row_shows_its_consequence_and_can_be_taken_back(panel: DiscoveryPanel) -> None:
    """Ours: the table is policy, so change a row and see."""
    panel.end.click()
    assert panel.row_at.value == (State.PROBING, Sign.UNRECOGNIZED_ERROR)
    assert panel.row_does.value.do is Do.REFUSE, "the real row is chosen at first"
    panel.row_does.value = next(row for _, row in panel.row_does.options if row.do is Do.INITIALIZE)
    panel.edit.click()
    assert state(panel) is State.HANDSHAKING
    assert "Edited: in “probing”" in panel._edits_place.value
    assert "(edited row)" in panel._scene.value and "edited" in drawn(panel._states)
    assert "Edited row: in “probing”" in panel.to_text()
    panel.real.click()
    assert state(panel) is State.UNAVAILABLE and panel._edits_place.value == ""


def test_nothing_to_edit_and_nothing_to_suppose_is_said(panel: DiscoveryPanel) -> None:
    """Ours: no button is dead."""
    panel.step.click()
    panel.answer.value = "valid"
    panel.suppose.click()
    panel.suppose.click()
    assert "Error: MisuseError: there is no answer called" in panel.to_text()
    alert = panel.messages.children[-1].value
    assert 'role="alert"' in alert and "MisuseError" in alert
    panel.back.click()
    assert "Error" not in panel.to_text()


def test_deadline_fork_and_restart(panel: DiscoveryPanel, peer: Fake) -> None:
    """Ours: the other three buttons."""
    panel.step.click()
    panel.deadline.click()
    assert panel.stepper.decisions[-1][1] == "first byte", "what was said comes first"
    panel.fork.click()
    assert "stands here already" in panel.to_text()
    panel.end.click()
    panel.back.click()
    panel.fork.click()
    assert peer.lifetimes == 2
    panel.restart.click()
    assert len(panel.stepper.tree) == 1 and "Step 0: probing." in panel.to_text()


def test_the_flag_starts_anew_and_changes_what_doubt_leads_to(
    legacy_panel: LegacyPanel, peer: Fake
) -> None:
    """Seed lesson: ambiguous signals fail closed unless the operator allows one handshake."""
    panel = legacy_panel
    panel.end.click()
    assert state(panel) is State.UNAVAILABLE
    assert "▶ unrecognized error" in panel._doubt_place.value
    assert "refuse the peer" in panel._doubt_place.value
    assert "unrecognized error; refuse the peer → unavailable; ERA-10 <- seen" in panel.to_text()
    panel.flag.value = True
    assert state(panel) is State.PROBING_ALLOWED and len(panel.stepper.tree) == 1
    assert "refuse the peer" not in panel._doubt_place.value
    panel.end.click()
    assert state(panel) is State.LEGACY
    assert peer.methods()[-1] == "notifications/initialized"
    assert "allow_legacy: on" in panel.to_text()


def test_every_list_always_has_something_chosen(legacy_panel: LegacyPanel) -> None:
    """Ours: an empty list in a panel looks broken."""
    panel = legacy_panel
    for click in (panel.step, panel.end, panel.back, panel.back, panel.end, panel.restart):
        click.click()
        for choice in (panel.line, panel.answer, panel.row_at, panel.row_does):
            assert choice.index is not None, choice.description
    panel.flag.value = True
    assert panel.row_does.index is not None


def test_every_control_is_named_and_explained(legacy_panel: LegacyPanel) -> None:
    """Design 10: keyboard reachable, labelled for screen readers."""
    import ipywidgets

    everything = list(parts(legacy_panel.widget))
    buttons = [one for one in everything if isinstance(one, ipywidgets.Button)]
    assert len(buttons) == 10
    assert all(one.description and one.tooltip for one in buttons)
    assert len({one.description for one in buttons}) == len(buttons)
    lists = [one for one in everything if isinstance(one, ipywidgets.Dropdown)]
    assert len(lists) == 4 and all(one.description for one in lists)
    assert not any(one.disabled for one in buttons), "a button that is off loses the focus"


def test_text_of_a_hostile_peer_stays_text() -> None:
    """Design 7.10: in the scene, the lists, the pictures and their text."""
    evil = modern(HOSTILE).script(
        on("server/discover").then(error(-32601, HOSTILE, {"x": HOSTILE}))
    )
    panel = LegacyPanel(evil, name="<img src=x onerror=alert(2)>", allow_legacy=True)
    panel.step.click()
    panel.own.value = HOSTILE
    panel.suppose.click()
    panel.back.click()
    panel.end.click()
    for part in parts(panel.widget):
        value = str(getattr(part, "value", ""))
        if "HTML" in type(part).__name__:
            assert "<img" not in value and "\x1b" not in value
        for label, _ in getattr(part, "options", ()):
            assert "\x1b" not in str(label)
        for output in getattr(part, "outputs", ()):
            assert not set(output["data"][MERMAID]) & set("<\x1b")
    assert "\x1b" not in panel.to_text()
    panel.close()


def test_a_record_can_be_shown() -> None:
    """Ours: a journal in place of a peer."""
    live = DiscoveryPanel(
        fault("P07-mutual-version"), modern_revisions=("2026-07-28", "2099-12-31")
    )
    live.end.click()
    journal = live.stepper.journal
    live.close()
    panel = DiscoveryPanel(journal, modern_revisions=("2026-07-28", "2099-12-31"))
    panel.end.click()
    assert panel.stepper.decisions == live.stepper.decisions
    panel.close()


def test_pictures_have_a_text_beside_them(panel: DiscoveryPanel) -> None:
    """Ours: nothing depends on the browser."""
    panel.end.click()
    assert "<summary>The same as text</summary>" in panel._states_text.value
    assert "=&gt; unavailable" in panel._states_text.value
    assert "server/discover (id 1)" in panel._sequence_text.value
