"""Whether each tool is still what was accepted, from one listing to the next.

Takes:  every listing as it arrives, what a lock pinned, and what a person accepts
Gives:  the changes that nobody has accepted, and under "pin" the refusal to call such a tool
Never:  forgets a change because the peer takes its time, and never accepts against a lock
        because menus were merged

What is accepted at first is what the peer listed when it was first seen or, with a lock,
what stands in the lock. Merging the menu accepts what is listed then: the person or program
that merges takes a new menu. A lock is somebody's written word, so only `accept`, which
names one tool, or a new lock overrules it.

Source: fault matrix C13; design section 5.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from workbench.core.errors import Failure, Kind
from workbench.core.pins.definition_change import differences, same
from workbench.core.pins.drift import Drift, ToolPin, changes, parts_changed, pin_tool
from workbench.core.text.redact import Redactor
from workbench.core.text.shown import Shown
from workbench.core.text.visible import visible
from workbench.core.tool import Listing, Tool, declarations

DriftPolicy: TypeAlias = Literal["report", "pin"]
"""What a change means for the next call: it is reported, or the call is refused."""

DRIFTED: Final = "DRIFT-01"
REFUSED: Final = "DRIFT-02"
MOST_KEPT: Final = 1_000
"""Changes remembered by `Drifts`; what is pending is never forgotten."""

_Known: TypeAlias = ToolPin | dict[str, Any]
"""What is accepted: a pin of the lock, or a definition that was seen."""
_State: TypeAlias = tuple[dict[str, _Known], dict[str, Tool], dict[str, Drift]]
"""Accepted, listed and pending of one peer in a context that is not in force."""


class DriftNote(Struct, frozen=True, kw_only=True):
    """One change of one tool, and what became of it."""

    at: float
    """Clock seconds when it was noticed."""
    drift: Drift
    state: Literal["pending", "accepted", "reverted"] = "pending"


class Drifts(Shown, tuple[DriftNote, ...]):
    """The latest changes, oldest first: a tuple, and a table."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.to_text()

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict a change, with texts that are safe to show."""
        return [
            {
                "at": note.at,
                "peer": visible(note.drift.peer),
                "tool": visible(note.drift.name, 128),
                "changed": ", ".join(note.drift.changed),
                "since": note.drift.since,
                "difference": "; ".join(note.drift.details),
                "state": note.state,
            }
            for note in self
        ]

    def to_text(self) -> str:
        """Return one line a change."""
        lines = (f"{visible(n.drift.peer)}: {n.drift.line()} ({n.state})" for n in self)
        return "\n".join(lines) or "no tool has changed"


class DriftWatch:
    """Compares each listing with what was accepted.

    Args:
        policy: "report" lets a changed tool be called, "pin" does not.
    """

    def __init__(self, policy: DriftPolicy = "report") -> None:
        self.policy: DriftPolicy = policy
        self._accepted: dict[str, dict[str, _Known]] = {}
        self._locked: set[str] = set()
        self._listed: dict[str, dict[str, Tool]] = {}
        self._unread: dict[str, tuple[Tool, ...]] = {}
        """First lists that nothing has been compared with yet: most peers have no other."""
        self._pending: dict[str, dict[str, Drift]] = {}
        self._elsewhere: dict[tuple[str, str], _State] = {}
        self._notes: deque[DriftNote] = deque(maxlen=MOST_KEPT)

    def pin(self, peer: str, tools: Mapping[str, ToolPin]) -> None:
        """Take what a lock holds for a peer; from now on only `accept` overrules it."""
        self._accepted[peer] = dict(tools)
        self._locked.add(peer)

    def switch(self, peer: str, before: str, after: str) -> None:
        """Compare a peer's lists within each authorization context; a lock holds in all.

        Args:
            peer: whose credentials change.
            before: name of the context that was in force.
            after: name of the one that is from now on.
        """
        if peer in self._locked or before == after:
            return
        self._read(peer)
        if peer in self._accepted:
            pending = self._pending.pop(peer, {})
            self._elsewhere[peer, before] = (
                self._accepted.pop(peer),
                self._listed.pop(peer, {}),
                pending,
            )
        known = self._elsewhere.pop((peer, after), None)
        if known is not None:
            self._accepted[peer], self._listed[peer], self._pending[peer] = known

    def see(self, listing: Listing, now: float) -> tuple[Drift, ...]:
        """Compare a listing; return what changed that was not known before.

        Args:
            listing: one that failed tells nothing, and one that was cut tells of no removal.
            now: clock seconds.
        """
        if listing.failure is not None:
            return ()
        peer = listing.peer
        if peer not in self._accepted and peer not in self._unread:
            self._unread[peer] = listing.tools
            return ()
        self._read(peer)
        listed = {tool.name: tool for tool in listing.tools}
        if not listing.complete:
            listed = {**self._listed.get(peer, {}), **listed}
        self._listed[peer] = listed
        before = self._pending.get(peer, {})
        found = {drift.name: drift for drift in self._compared(peer, listing.complete)}
        self._pending[peer] = found
        fresh = tuple(d for name, d in found.items() if before.get(name) != d)
        self._close({n: d for n, d in before.items() if found.get(n) != d}, "reverted")
        self._notes.extend(DriftNote(at=now, drift=drift) for drift in fresh)
        return fresh

    def pending(self, peer: str) -> tuple[Drift, ...]:
        """Return a peer's changes that nobody has accepted, sorted by name."""
        return tuple(self._pending.get(peer, {}).values())

    def accept(self, peer: str, name: str) -> Drift | None:
        """Accept one tool as it is now; return what had changed, None if nothing had."""
        drift = self._pending.get(peer, {}).pop(name, None)
        if drift is not None:
            self._take(peer, name)
            self._close({name: drift}, "accepted")
        return drift

    def accept_listed(self) -> tuple[Drift, ...]:
        """Accept what the peers list now, where no lock says otherwise; return the changes."""
        taken = []
        for peer, drifts in self._pending.items():
            if peer not in self._locked:
                taken += [drift for name in list(drifts) if (drift := self.accept(peer, name))]
        return tuple(taken)

    def refusal(self, peer: str, name: str) -> Failure | None:
        """Return why a tool must not be called, or None.

        Args:
            peer: the owner.
            name: the owner's own name for the tool.
        """
        drift = self._pending.get(peer, {}).get(name) if self.policy == "pin" else None
        if drift is None:
            return None
        hint = "Look at the change, then accept it: client.accept(name)"
        hint += ", or pin the configuration again." if peer in self._locked else " or merge()."
        return Failure(
            kind=Kind.TOOL_CHANGED,
            peer=peer,
            stage="route",
            rule=REFUSED,
            detail=f"{drift.line()}; nothing was sent",
            hint=hint,
        )

    def notes(self, redactor: Redactor) -> Drifts:
        """Return the latest changes without any secret the redactor knows."""
        return Drifts(redactor.tree(note) for note in self._notes)

    def _read(self, peer: str) -> None:
        """Take what a peer listed first for what is accepted."""
        tools = self._unread.pop(peer, None)
        if tools is not None:
            self._listed[peer] = {tool.name: tool for tool in tools}
            self._accepted[peer] = dict(declarations(tools))

    def _compared(self, peer: str, complete: bool) -> Iterator[Drift]:
        accepted, listed = self._accepted[peer], self._listed[peer]
        if accepted.keys() == listed.keys() and same(accepted, declarations(listed.values())):
            return  # all at once, which is how it nearly always is
        since: Literal["pinned", "accepted"] = "pinned" if peer in self._locked else "accepted"
        for name in sorted({*accepted, *listed} if complete else listed):
            changed, details = _change(accepted.get(name), listed.get(name))
            if changed:
                yield Drift(peer=peer, name=name, changed=changed, since=since, details=details)

    def _take(self, peer: str, name: str) -> None:
        tool = self._listed.get(peer, {}).get(name)
        if tool is None:
            self._accepted[peer].pop(name, None)
        else:
            self._accepted[peer][name] = tool.declared

    def _close(self, drifts: Mapping[str, Drift], state: Literal["accepted", "reverted"]) -> None:
        for index, note in enumerate(self._notes):
            if note.state == "pending" and drifts.get(note.drift.name) == note.drift:
                self._notes[index] = replace(note, state=state)


def _change(before: _Known | None, tool: Tool | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which parts changed, and the differences where the old definition is known."""
    if isinstance(before, dict) and tool is not None:
        if same(before, tool.declared):
            return (), ()
        return parts_changed(before, tool.declared), differences(before, tool.declared)
    pin = before if isinstance(before, ToolPin) else None
    if before is not None and tool is None:
        return ("removed",), ()
    return changes(pin, pin_tool(tool) if tool is not None else None), ()
