"""One moment of a negotiation that is moved by hand: what led there, and what comes of it.

Takes:  a snapshot, an event, the clock time, and the table to apply
Gives:  a frozen `Moment`; keeping one is all that going back needs
Never:  sends anything: the actions are what a driver would do next

Source: design section 3, "a person, one event at a time, with back and fork".
"""

from enum import StrEnum

from msgspec import Struct

from workbench.core.actions import Action, Decide, Fail, Reopen, Send, Settle
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.events import DeadlinePassed, Event
from workbench.core.negotiate.machine import step
from workbench.core.negotiate.snapshot import TERMINAL, Negotiation
from workbench.core.negotiate.table import TRANSITIONS, Policy
from workbench.core.wire.codec import encode
from workbench.core.wire.keys import INITIALIZE


class Origin(StrEnum):
    """Where the event that led to a moment came from."""

    START = "before anything happened"
    PEER = "the peer"
    RECORD = "the record"
    WHAT_IF = "what if"
    """Chosen by a person, or decided anew under an edited table; nothing of it was sent."""


class Moment(Struct, frozen=True, kw_only=True):
    """A negotiation after one event, before anything is done about it."""

    snapshot: Negotiation
    event: Event | None = None
    """What led here; None at the start."""
    actions: tuple[Action, ...] = ()
    """What the core wants done about it, in this order."""
    at: float = 0.0
    """The core's clock, in seconds."""
    origin: Origin = Origin.START
    words: str = ""
    """What the person chose, for a moment that is a what-if; safe to show."""
    frame: bytes | None = None
    """The frame that was heard, without secrets; None when the event was no frame."""
    edited: bool = False
    """Whether the row that was applied is not the one of the real table."""

    @property
    def decision(self) -> Decide | None:
        """The row that was applied; None at the start."""
        return next((one for one in self.actions if isinstance(one, Decide)), None)

    @property
    def sends(self) -> tuple[tuple[str, bytes], ...]:
        """Method and exact bytes of each frame that goes out next."""
        return tuple(
            (one.method, encode(one.body)) for one in self.actions if isinstance(one, Send)
        )

    @property
    def over(self) -> bool:
        """Whether the verdict is given."""
        return self.snapshot.state in TERMINAL

    @property
    def telling(self) -> bool:
        """Whether something was decided: a new state, or something to do."""
        decided = self.decision
        moved = decided is not None and decided.state != decided.next_state
        return moved or any(isinstance(one, Send | Reopen | Settle | Fail) for one in self.actions)

    def alike(self, other: "Moment") -> bool:
        """Say whether both stand at the same point for the same reason, whoever led there."""
        return self.snapshot == other.snapshot and self.decision == other.decision

    def then(
        self,
        event: Event,
        at: float,
        origin: Origin,
        *,
        policy: Policy = TRANSITIONS,
        words: str = "",
        frame: bytes | None = None,
    ) -> "Moment":
        """Return the moment after `event`, decided by the core.

        Args:
            event: what happens.
            at: clock seconds; a deadline that passes moves it to itself.
            origin: who says so.
            policy: the table to apply.
            words: what the person chose.
            frame: the bytes that were heard.

        Raises:
            InternalError: if the table has no row for it.
        """
        if isinstance(event, DeadlinePassed):
            at = max(at, event.at)
        snapshot, actions = step(self.snapshot, event, at, policy)
        return self.seen(
            snapshot, event, actions, at, origin, policy=policy, words=words, frame=frame
        )

    def seen(
        self,
        snapshot: Negotiation,
        event: Event,
        actions: tuple[Action, ...],
        at: float,
        origin: Origin,
        *,
        policy: Policy = TRANSITIONS,
        words: str = "",
        frame: bytes | None = None,
    ) -> "Moment":
        """Return the moment after `event` when a driver has already moved the core."""
        decided = next((one for one in actions if isinstance(one, Decide)), None)
        edited = decided is not None and _is_edited(decided, policy)
        return Moment(
            snapshot=snapshot,
            event=event,
            actions=actions,
            at=at,
            origin=origin,
            words=words,
            frame=frame,
            edited=edited,
        )


def begun(snapshot: Negotiation) -> Moment:
    """Return the moment before anything happened."""
    return Moment(snapshot=snapshot)


def no_second_handshake(before: Moment, after: Moment) -> None:
    """Refuse a moment in which a second `initialize` would be sent on one transport.

    The real table never does; a table that somebody edited could.

    Raises:
        MisuseError: if it would.
    """
    asked = any(method == INITIALIZE for method, _ in after.sends)
    if asked and before.snapshot.initialize_id is not None:
        raise MisuseError(
            Failure(
                kind=Kind.MISUSE,
                stage="negotiate",
                detail="a second initialize is never sent on one transport, whatever a table says",
                hint="Go back, or use the real table again.",
            )
        )


def _is_edited(decided: Decide, policy: Policy) -> bool:
    if policy is TRANSITIONS:
        return False
    return any(
        row != TRANSITIONS.get((state, sign))
        for (state, sign), row in policy.items()
        if str(state) == decided.state and str(sign) == decided.evidence
    )
