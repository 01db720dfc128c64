"""The instructor's choices as controls, and the plan they make.

Takes:  a panel to build in, and what there is to choose from
Gives:  labelled controls, and the `Plan` of their present state
Never:  shows what is hidden: while a class votes, the list of situations has one entry
"""

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, Protocol, get_args

from msgspec.structs import replace

from workbench.core.menu.menu import Policy
from workbench.core.pins.drift_watch import DriftPolicy
from workbench.core.text.visible import visible
from workbench.views.panels.demonstration import AskedBack, Plan, Transport
from workbench.views.panels.panel import Panel

ANY: Final = "any"
FAMILIES: Final = {
    "P": "Era probe (P)",
    "L": "Legacy handshake (L)",
    "H": "Streamable HTTP (H)",
    "C": "Lists and calls (C)",
    "M": "Several peers (M)",
    "": "Nothing wrong",
    ANY: "Any",
}
"""By the letter that a row's name begins with."""
BESIDE: Final = (("nobody", ()), ("a modern peer", ("modern",)), ("a legacy peer", ("legacy",)),
                 ("one of each", ("modern", "legacy")))  # fmt: skip
_ROW: Final = re.compile(r"([PLHCM])\d\d")
_LONGEST: Final = 100
_LEAST_MS, _MOST_MS = 50, 10_000
_LEAST_S, _MOST_S = 0.1, 20.0


class Choices(Protocol):
    """What there is to choose from."""

    def casts(self) -> Sequence[tuple[str, str]]:
        """Return every situation's name with one line about it."""

    def ways(self, name: str) -> Sequence[str]:
        """Return the transports a situation can be played over."""


class PlanForm:
    """Controls for a plan.

    Args:
        panel: makes the controls, and shows what goes wrong in them.
        choices: the situations; at least one.
        changed: called after each change that a person has made.
    """

    def __init__(self, panel: Panel, choices: Choices, changed: Callable[[], object]) -> None:
        self._panel, self._choices, self._changed = panel, choices, changed
        self._all = tuple(choices.casts())
        self._quiet = False
        self._build()
        self.begin_again()

    @property
    def plan(self) -> Plan:
        """The plan of the present choices."""
        return Plan(
            cast=self.cast.value,
            beside=self.beside.value,
            transport=self.transport.value,
            allow_legacy=self.allow_legacy.value,
            accept_missing_result_type=self.accept.value,
            discovery_timeout_ms=self.discovery.value,
            legacy_probe_timeout_ms=self.probe.value,
            call_timeout_s=self.call.value,
            merge_policy=self.merge.value,
            drift_policy=self.drift.value,
            asked_back=self.asked.value,
            repeat=self.repeat.value,
        )

    def drawn(self, chance: Random) -> Plan:
        """Return the plan with a situation that chance has drawn; the controls stay.

        What is drawn can be played over the transport, as the one that is chosen can.
        """
        names = [name for name, _ in self._of(self.family.value)]
        chance.shuffle(names)
        wanted = self.transport.value
        found = next(name for name in names if wanted in self._choices.ways(name))
        return replace(self.plan, cast=found)

    def hide(self, words: str) -> None:
        """Put `words` where the situation stands, and let nothing be changed."""
        self._set(lambda: setattr(self.cast, "options", [(words, "")]))
        for control in self._controls:
            control.disabled = True

    def reveal(self, plan: Plan | None) -> None:
        """Let everything be changed again, and choose the situation of a plan.

        Args:
            plan: None chooses the first situation of the row.
        """
        for control in self._controls:
            control.disabled = False

        def restored() -> None:
            self._offer_casts(None if plan is None else plan.cast)

        self._set(restored)

    def begin_again(self) -> None:
        """Choose what was chosen at first."""
        first = Plan(cast="")

        def chosen() -> None:
            self.family.index = 0
            self._offer_casts(None)
            self.beside.value = first.beside
            self.allow_legacy.value = first.allow_legacy
            self.accept.value = first.accept_missing_result_type
            self.repeat.value = first.repeat
            self.discovery.value = first.discovery_timeout_ms
            self.probe.value = first.legacy_probe_timeout_ms
            self.call.value = first.call_timeout_s
            self.merge.value, self.drift.value = first.merge_policy, first.drift_policy
            self.asked.value = first.asked_back
            if first.transport in self._ways():
                self.transport.value = first.transport

        self._set(chosen)

    # -- the parts ---------------------------------------------------------------------

    def _build(self) -> None:
        import ipywidgets

        panel, told = self._panel, self._told
        there = [(words, letter) for letter, words in FAMILIES.items() if self._of(letter)]
        self.family = panel.choice(
            "Row", there, self._other_family, tooltip="Which part of the fault matrix"
        )
        self.cast = panel.choice("Situation", [("", "")], self._other_cast)
        self.transport = panel.choice("Transport", get_args(Transport), told)
        self.beside = panel.choice(
            "Beside it", BESIDE, told, tooltip="Good peers, which must not be harmed"
        )
        self.asked = panel.choice(
            "When asked back", get_args(AskedBack), told, tooltip="Who answers a peer's questions"
        )
        self.merge = panel.choice("Merge policy", get_args(Policy), told)
        self.drift = panel.choice("Drift policy", get_args(DriftPolicy), told)

        def flag(words: str) -> Any:
            layout = ipywidgets.Layout(width="auto")
            box = ipywidgets.Checkbox(description=words, indent=False, layout=layout)
            box.observe(panel.guarded(lambda change: told(change["new"])), "value")
            return box

        self.allow_legacy = flag("allow_legacy")
        self.accept = flag("accept_missing_result_type")
        self.repeat = flag("calls may be repeated")

        def number(words: str, kind: Any, least: float, most: float, step: float) -> Any:
            field = kind(
                description=words, min=least, max=most, step=step, continuous_update=False,
                style={"description_width": "initial"}, layout=ipywidgets.Layout(width="17em"),
            )  # fmt: skip
            field.observe(panel.guarded(lambda change: told(change["new"])), "value")
            return field

        whole, real = ipywidgets.BoundedIntText, ipywidgets.BoundedFloatText
        self.discovery = number("Discovery timeout (ms)", whole, _LEAST_MS, _MOST_MS, 100)
        self.probe = number("Legacy timeout (ms)", whole, _LEAST_MS, _MOST_MS, 100)
        self.call = number("Call timeout (s)", real, _LEAST_S, _MOST_S, 0.5)
        self._controls = (
            self.family, self.cast, self.transport, self.allow_legacy, self.beside, self.asked,
            self.merge, self.drift, self.discovery, self.probe, self.call, self.accept, self.repeat,
        )  # fmt: skip
        self.parts = (
            panel.row(self.family, self.cast),
            panel.row(self.transport, self.allow_legacy, self.beside, self.asked),
            panel.row(self.merge, self.drift, self.accept, self.repeat),
            panel.row(self.discovery, self.probe, self.call),
        )

    # -- what changes ------------------------------------------------------------------

    def _set(self, change: Callable[[], object]) -> None:
        before, self._quiet = self._quiet, True
        try:
            change()
        finally:
            self._quiet = before

    def _told(self, _: Any) -> None:
        if not self._quiet:
            self._changed()

    def _other_family(self, _: Any) -> None:
        if not self._quiet:
            self._set(lambda: self._offer_casts(None))
            self._changed()

    def _other_cast(self, name: str) -> None:
        if not self._quiet and name:
            self._set(self._offer_ways)
            self._changed()

    def _of(self, family: str) -> list[tuple[str, str]]:
        return [one for one in self._all if family in (ANY, family_of(one[0]))]

    def _offer_casts(self, name: str | None) -> None:
        offered = [
            (visible(f"{name}: {about}", _LONGEST), name)
            for name, about in self._of(self.family.value)
        ]
        self.cast.options = offered
        names = [value for _, value in offered]
        self.cast.index = names.index(name) if name in names else 0
        self._offer_ways()

    def _offer_ways(self) -> None:
        before, ways = self.transport.value, self._ways()
        self.transport.options = ways
        self.transport.value = before if before in ways else ways[0]

    def _ways(self) -> tuple[str, ...]:
        return tuple(self._choices.ways(self.cast.value))


def family_of(name: str) -> str:
    """Return the letter of the row a situation belongs to, or ""."""
    row = _ROW.match(name)
    return row.group(1) if row else ""
