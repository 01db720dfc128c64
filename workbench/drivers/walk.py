"""A negotiation walked through by hand: forward with a peer or a record, back, and beside.

Takes:  a live peer or the events of a record, and a person's choices
Gives:  a tree of moments, and where in it one stands
Never:  sends anything on behalf of a what-if, and never moves the clock unasked

What a moment decided is performed when one leaves it, so that it can be looked at, and
decided otherwise, before anything has happened. `Stepper` is the front door to this.
"""

from typing import Final

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.events import DeadlinePassed, Event, Received
from workbench.core.journal.journal import Journal
from workbench.core.journal.recorded import Happened
from workbench.core.negotiate.edits import with_row
from workbench.core.negotiate.moment import Moment, Origin, begun, no_second_handshake
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import State, Terms, begin
from workbench.core.negotiate.table import TRANSITIONS, Policy, Row
from workbench.core.negotiate.tree import Tree
from workbench.core.negotiate.what_if import Choice, suppose
from workbench.core.text.redact import Redactor
from workbench.drivers.seat import OPEN_S, Seat
from workbench.drivers.verdict import Verdict
from workbench.transports.base import Endpoint

STEP_S: Final = 2.0
"""Longest real wait of a single step, in seconds; after that the person decides."""
MOST_STEPS: Final = 200
"""Most steps of one run; an edited table can go round in circles."""
EDITED: Final = "did the same, under the edited table"


class Walk:
    """Where one has been and where one stands.

    Args:
        endpoint: the live peer; None for a record.
        terms: what the negotiation runs under.
        name: what the peer is called.
        record: what happened, for a record.
        patience_s: real seconds a step waits for a live peer; None decides by its kind.
        redactor: knows the secrets.
    """

    def __init__(
        self,
        endpoint: Endpoint | None,
        terms: Terms,
        name: str,
        record: tuple[Happened, ...],
        patience_s: float | None,
        redactor: Redactor,
    ) -> None:
        self.endpoint = endpoint
        self.terms = terms
        self.name = name
        self.policy: Policy = TRANSITIONS
        self.note = ""
        self.journal: Journal
        self.tree: Tree
        self.here = 0
        self.front: int | None = None
        """Where the live peer stands; None when there is none."""
        self.pending = False
        """Whether what was decided at the front is still to be performed."""
        self._record = record
        self._patience_s = patience_s
        self._redactor = redactor
        self.closed = False
        """Whether the walk goes on without its peer for good."""
        self._seat: Seat | None = None
        self._undecided: Event | None = None
        self._begin()

    # -- where one stands --------------------------------------------------------------

    @property
    def moment(self) -> Moment:
        """The moment one stands at."""
        return self.tree[self.here]

    @property
    def kind(self) -> str:
        """The sort of transport, or "record"."""
        return "record" if self.endpoint is None else self.endpoint.kind

    @property
    def live(self) -> bool:
        """Whether one stands where the live peer does."""
        return self.here == self.front

    @property
    def finished(self) -> bool:
        """Whether the verdict is given, and what it asks for is done."""
        return self.moment.over and not (self.live and self.pending)

    @property
    def verdict(self) -> Verdict:
        """What the live peer's owner has been told; empty until it is performed."""
        return Verdict() if self._seat is None else self._seat.verdict

    # -- forward -----------------------------------------------------------------------

    async def step(self, *, patient: bool = False) -> bool:
        """Go on by one event; say whether there was one.

        Args:
            patient: wait for a live peer as long as its deadline is, in real time.
        """
        self.note = ""
        onward = self.tree.real_after(self.here)
        if self.live:
            return await self._step_live(patient=patient)
        if onward is None and not self.tree.supposed(self.here):
            happened = self._recorded()
            if happened is not None:
                self._follow(happened)
                return True
        onward = self.tree.onward(self.here) if onward is None else onward
        if onward is None:
            self.note = self._no_way_on()
            return False
        self.here = onward
        return True

    async def run(self, *, until_decision: bool) -> None:
        """Step on, letting deadlines pass where the peer keeps silent."""
        for _ in range(MOST_STEPS):
            if not await self.step(patient=True):
                if self.finished or not self.live or not await self.let_time_pass():
                    return
            if until_decision and self.moment.telling:
                return
        self.note = f"Stopped after {MOST_STEPS} steps."

    async def let_time_pass(self) -> bool:
        """Let the core's time pass until something happens; say whether it did."""
        self.note = ""
        return await self._step_live(patient=False, time_passes=True)

    # -- beside and back ---------------------------------------------------------------

    def answer(self, choice: Choice) -> None:
        """Suppose an answer of the peer; see `workbench.core.negotiate.what_if.suppose`."""
        supposed = suppose(self.moment.snapshot, choice, self.kind)
        moment = self.moment.then(
            supposed.event,
            self.moment.at,
            Origin.WHAT_IF,
            policy=self.policy,
            words=supposed.words,
            frame=supposed.frame,
        )
        no_second_handshake(self.moment, moment)
        self.note, self.here = "", self.tree.add(self.here, moment)

    def back(self) -> None:
        """Go one moment back."""
        before = self.tree.before(self.here)
        self.note = "This is the beginning." if before is None else ""
        self.here = self.here if before is None else before

    def go(self, place: int) -> None:
        """Go to any place of the tree.

        Raises:
            MisuseError: if there is no such place.
        """
        if not 0 <= place < len(self.tree):
            raise _misuse(f"there is no moment {place}", "lines() gives the end of each line.")
        self.note, self.here = "", place

    async def fork(self) -> None:
        """Bring a fresh connection of the peer to this moment, by asking it the same again."""
        self.note = ""
        if self.closed:
            self.note = "This stepper is closed: make a new one to connect again."
        elif self.endpoint is None:
            self.note = "A record cannot be asked again: suppose an answer instead."
        elif self.tree.supposed(self.here):
            self.note = "A peer cannot be brought into a what-if: suppose another answer instead."
        elif self.live:
            self.note = "The live peer stands here already: a step goes on with it."
        else:
            await self._catch_up(self.here)

    async def restart(self, terms: Terms | None) -> None:
        """Forget all moments and begin anew; edited rows stay.

        Raises:
            MisuseError: if the walk is over for good.
        """
        if self.closed:
            raise _misuse("this stepper is closed", "Make a new one.")
        await self.leave()
        self.terms = self.terms if terms is None else terms
        self._begin()

    # -- another table -----------------------------------------------------------------

    def edit_row(self, state: State, sign: Sign, row: Row) -> None:
        """Decide by a copy of the table with one row changed, also what is behind us."""
        self._redecide(with_row(self.policy, state, sign, row))

    def reset_policy(self) -> None:
        """Decide by the real table again."""
        self._redecide(TRANSITIONS)

    # -- the end -----------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """Whether there is a live peer, or will be with the next step."""
        return self.endpoint is not None and not self.closed

    async def leave(self) -> None:
        """End the connection, in bounded time; what was seen stays."""
        seat, self._seat, self.front = self._seat, None, None
        if seat is not None:
            await seat.end()

    # -- inside ------------------------------------------------------------------------

    def _begin(self) -> None:
        self.journal = Journal(redactor=self._redactor)
        self.tree = Tree(begun(begin(self.terms)))
        self.note, self.here = "", 0
        self._sit_down()

    def _sit_down(self) -> None:
        self.front, self.pending, self._undecided = None, False, None
        if self.endpoint is not None:
            self._seat = Seat(self.name, self.endpoint, self.terms, self.journal)
            self.front = 0

    async def _step_live(self, *, patient: bool, time_passes: bool = False) -> bool:
        moment = await self._next_live(patient=patient, time_passes=time_passes)
        if moment is None or self.front is None:
            return False
        self._stand(self.tree.add(self.front, moment))
        return True

    def _stand(self, place: int) -> None:
        self.here = self.front = place
        self.pending = True

    async def _next_live(self, *, patient: bool, time_passes: bool) -> Moment | None:
        """Perform what is pending, hear one event, decide; None with a note if none came."""
        seat, front = self._seat, self.front
        if seat is None or front is None:
            self.note = "There is no connection any more: restart, or fork."
            return None
        before = self.tree[front]
        if just_asked := self.pending:
            await seat.perform(before.actions)
            self.pending = False
        if before.over:
            self.note = "The negotiation is over."
            return None
        event = self._undecided
        if event is None and (just_asked or not time_passes):
            # Whoever was asked only now is given the time to answer.
            event = await seat.listen(self._patience(before, patient))
        if event is None and time_passes:
            event = await seat.let_time_pass()
        if event is None:
            self.note = self._nothing_came(before, time_passes)
            return None
        self._undecided = event  # kept until it is decided, for it comes only once
        moment = self._decided_live(seat, before, event)
        self._undecided = None
        return moment

    def _decided_live(self, seat: Seat, before: Moment, event: Event) -> Moment:
        snapshot, actions = seat.decide(before.snapshot, event, self.policy)
        at = seat.clock.now()
        moment = before.seen(
            snapshot,
            event,
            actions,
            max(at, event.at) if isinstance(event, DeadlinePassed) else at,
            Origin.PEER,
            policy=self.policy,
            frame=self._frame_of(event),
        )
        no_second_handshake(before, moment)
        return moment

    def _frame_of(self, event: Event) -> bytes | None:
        if not isinstance(event, Received):
            return None
        found = (one.frame for one in self.journal.entries() if one.number == event.number)
        return next(found, None)

    def _patience(self, before: Moment, patient: bool) -> float:
        if before.event is None or not before.snapshot.deadline_at:
            return OPEN_S
        if self._patience_s is not None:
            return self._patience_s
        if self.kind == "memory":
            return 0.0
        wait_s = before.snapshot.waited_ms / 1000
        return wait_s if patient else min(wait_s, STEP_S)

    def _nothing_came(self, before: Moment, time_passes: bool) -> str:
        if time_passes:
            return "No deadline is set, and nothing is on its way."
        return (
            f"The peer has said nothing yet. The core's clock stands still at {before.at:.3f} s: "
            "step again, let the deadline pass, or suppose an answer."
        )

    def _recorded(self) -> Happened | None:
        place = len(self.tree.path(self.here)) - 1
        return self._record[place] if place < len(self._record) else None

    def _follow(self, happened: Happened) -> None:
        moment = self.moment.then(
            happened.event,
            happened.at,
            Origin.RECORD,
            policy=self.policy,
            frame=happened.frame,
        )
        self.here = self.tree.add(self.here, moment)
        decided = moment.decision
        if decided is None or moment.edited:
            return
        now = (decided.state, decided.evidence, decided.next_state, decided.rule)
        if now != happened.decided:
            state, evidence, after, rule = happened.decided
            self.note = f"The record decided otherwise: {state} → {after} ({evidence}, {rule})."

    def _no_way_on(self) -> str:
        if self.moment.over:
            return "The negotiation is over."
        if self.tree.supposed(self.here):
            return "In a what-if nobody answers by himself: suppose an answer, or go back."
        if self.endpoint is None:
            return "The record ends here: suppose an answer, or go back."
        return "The live peer stands elsewhere: fork brings a fresh connection here."

    async def _catch_up(self, target: int) -> None:
        path = self.tree.path(target)
        await self.leave()
        self._sit_down()
        self.here = path[0]
        for goal in path[1:]:
            wanted = self.tree[goal]
            time_passes = isinstance(wanted.event, DeadlinePassed)
            moment = await self._next_live(patient=True, time_passes=time_passes)
            if moment is None:
                self.note = f"The fresh peer did not answer as before. {self.note}"
                return
            if not moment.alike(wanted):
                self._stand(self.tree.add(self.here, moment))
                self.note = "The fresh peer did otherwise than before; this is what it did."
                return
            self._stand(goal)
        self.tree.relive(target)

    def _redecide(self, policy: Policy) -> None:
        before, self.policy, self.note = self.policy, policy, ""
        try:
            self._decide_anew()
        except MisuseError:
            self.policy = before
            raise

    def _decide_anew(self) -> None:
        path = self.tree.path(self.here)
        for parent, place in zip(path, path[1:], strict=False):
            was = self.tree[place]
            if was.event is None:
                continue
            anew = self.tree[parent].then(
                was.event,
                was.at,
                Origin.WHAT_IF,
                policy=self.policy,
                words=was.words or EDITED,
                frame=was.frame,
            )
            if anew.actions == was.actions and anew.snapshot == was.snapshot:
                continue
            no_second_handshake(self.tree[parent], anew)
            if place == self.front and self.pending and self._seat is not None:
                # Nothing was done about it yet, so the other decision can take its place.
                moment = self._decided_live(self._seat, self.tree[parent], was.event)
                self._stand(self.tree.add(parent, moment))
            else:
                self.here = self.tree.add(parent, anew)
            return


def _misuse(detail: str, hint: str) -> MisuseError:
    return MisuseError(Failure(kind=Kind.MISUSE, stage="negotiate", detail=detail, hint=hint))
