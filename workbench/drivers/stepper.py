"""A person moves the core, one event at a time: forward, back, what-if, and again.

Takes:  a live peer (any endpoint), or the record of one
Gives:  moments in a tree, each with what led there and what would be done next
Never:  a simulated copy: the same `step` decides and the same `Conversation` performs as in
        production

Three things to know:

- *What is decided is done when one leaves the moment.* So the frame about to be sent can be
  looked at, and the table edited, before anything has happened.
- *Time stands still.* The clock is the core's own and moves only by a step that lets it. An
  answer of a live peer is waited for in real time, but never longer than it takes.
- *A live peer cannot be turned back.* Stepping forward again shows what it said the first
  time. `fork` opens a fresh connection and sends the same frames again, and says so if the
  peer does not answer as before.

Use it from one thread at a time. Source: design section 3.
"""

import atexit
import weakref
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self

from workbench.core.journal.journal import Journal
from workbench.core.journal.recorded import Happened, happened, terms_of
from workbench.core.negotiate.edits import edits_of
from workbench.core.negotiate.moment import Moment
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import State, Terms, begin
from workbench.core.negotiate.table import Policy, Row
from workbench.core.negotiate.tree import Tree
from workbench.core.negotiate.what_if import Choice, Offer, answers_for
from workbench.core.stepped.retold import retold
from workbench.core.stepped.scene import Scene, scene_of
from workbench.core.stepped.state_diagram import state_diagram
from workbench.core.text.mermaid import Diagram
from workbench.core.text.redact import Redactor
from workbench.drivers.background import BackgroundLoop
from workbench.drivers.verdict import Verdict
from workbench.drivers.walk import Walk
from workbench.transports.base import Endpoint
from workbench.transports.groups import guard_exit


class Stepper:
    """One negotiation, moved by hand.

    Args:
        endpoint: a fake, a process or an address; a fresh transport is made for each life.
        terms: what the negotiation runs under.
        name: what the peer is called.
        patience_s: real seconds a step waits for a live peer; None means no real time for
            a peer in memory, and for others as long as the deadline is, at most two.
        redactor: knows the secrets of the peer's configuration.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        terms: Terms | None = None,
        *,
        name: str = "peer",
        patience_s: float | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        self._sit(endpoint, terms or Terms(), name, (), patience_s, redactor or Redactor())

    @classmethod
    def from_journal(
        cls, journal: Journal | str, peer: str | None = None, **known: Any
    ) -> "Stepper":
        """Return a stepper through a recorded negotiation.

        Args:
            journal: the record, or its JSONL form.
            peer: whose negotiation; None takes the first peer of the record.
            known: fields of `Terms` the record does not show, such as `can_declare`.

        Raises:
            ConfigError: if the record does not hold the beginning of a negotiation.
        """
        record = Journal.from_jsonl(journal) if isinstance(journal, str) else journal
        peers = [one.peer for one in record.entries(kind="decision") if one.peer]
        name = (peers or [""])[0] if peer is None else peer
        entries = record.entries(name)
        stepper = cls.__new__(cls)
        events, terms = happened(entries), terms_of(entries, **known)
        stepper._sit(None, terms, name, events, None, record.redactor)
        return stepper

    def _sit(
        self,
        endpoint: Endpoint | None,
        terms: Terms,
        name: str,
        record: tuple[Happened, ...],
        patience_s: float | None,
        redactor: Redactor,
    ) -> None:
        self._redactor = redactor
        self._walk = Walk(endpoint, terms, name, record, patience_s, redactor)
        self._loop = BackgroundLoop("mcp-stepper")
        guard_exit()
        self._finalizer = weakref.finalize(self, _shut, self._walk, self._loop)
        self._finalizer.atexit = False
        atexit.register(self._finalizer)

    # -- where one stands --------------------------------------------------------------

    @property
    def name(self) -> str:
        """What the peer is called."""
        return self._walk.name

    @property
    def kind(self) -> str:
        """The sort of transport: "memory", "stdio", "http", or "record"."""
        return self._walk.kind

    @property
    def terms(self) -> Terms:
        """What the negotiation runs under."""
        return self._walk.terms

    @property
    def policy(self) -> Policy:
        """The table that decides: the real one, or a copy with edited rows."""
        return self._walk.policy

    @property
    def note(self) -> str:
        """What the last command came to, when that was not simply a new moment."""
        return self._walk.note

    @property
    def moment(self) -> Moment:
        """The moment one stands at."""
        return self._walk.moment

    @property
    def here(self) -> int:
        """The place of that moment in `tree`."""
        return self._walk.here

    @property
    def tree(self) -> Tree:
        """All moments that were visited."""
        return self._walk.tree

    @property
    def journal(self) -> Journal:
        """All that really crossed on the present connection."""
        return self._walk.journal

    @property
    def verdict(self) -> Verdict:
        """What the live peer was found to be, once that has been performed."""
        return self._walk.verdict

    @property
    def live(self) -> bool:
        """Whether one stands where the live peer does, so that a step asks it."""
        return self._walk.live

    @property
    def supposed(self) -> bool:
        """Whether one stands in a what-if."""
        return self.tree.supposed(self.here)

    @property
    def finished(self) -> bool:
        """Whether the verdict is given, and what it asks for is done."""
        return self._walk.finished

    @property
    def performed(self) -> bool:
        """Whether what this moment decided has been done."""
        if self.here == 0 or self.supposed:
            return False
        return not self._walk.pending if self.live else True

    @property
    def decisions(self) -> tuple[tuple[str, str, str, str], ...]:
        """State, evidence, next state and rule of each decision on the way here."""
        return tuple(
            (one.state, one.evidence, one.next_state, one.rule)
            for moment in self.tree.moments(self.here)
            if (one := moment.decision) is not None
        )

    @property
    def answers(self) -> tuple[Offer, ...]:
        """What can be supposed of the peer now."""
        return answers_for(self.moment.snapshot, self.kind)

    # -- forward -----------------------------------------------------------------------

    def step(self) -> Moment:
        """Do what was decided, wait for one event, and let the core decide about it.

        Where one has been before, the recorded event comes again and nothing is sent. A
        live peer that says nothing is waited for in real time, briefly; the core's clock
        stands still, and `note` says what can be done.
        """
        self._move(self._walk.step())
        return self.moment

    def run_to_decision(self) -> Moment:
        """Step until the state changes or something is to be done.

        Whoever runs does not wait for ever: where the peer says nothing for as long as its
        deadline is, in real time, the deadline passes.
        """
        self._move(self._walk.run(until_decision=True))
        return self.moment

    def run(self) -> Moment:
        """Step until the verdict is given and done; see `run_to_decision` for deadlines."""
        self._move(self._walk.run(until_decision=False))
        return self.moment

    def let_deadline_pass(self) -> Moment:
        """Let the core's time pass until something happens, at the latest the deadline.

        What a live peer has said already comes first. In a what-if, and in a record, this
        is the answer "silence".
        """
        if self.live:
            self._move(self._walk.let_time_pass())
            return self.moment
        return self.answer("silence")

    # -- beside and back ---------------------------------------------------------------

    def answer(self, choice: Choice) -> Moment:
        """Suppose an answer of the peer; nothing is sent, and the peer hears nothing of it.

        Args:
            choice: a name from `answers`, an error code, the bytes of a frame, or a body:
                with `jsonrpc` the whole message, with `result` or `error` its main part,
                otherwise the result.

        Raises:
            MisuseError: if there is no such answer here, or nothing was asked.
        """
        self._walk.answer(choice)
        return self.moment

    def back(self) -> Moment:
        """Go one moment back; what happened afterwards is kept for stepping forward again."""
        self._walk.back()
        return self.moment

    def go(self, place: int) -> Moment:
        """Go to any place of the tree, such as the end of another line.

        Raises:
            MisuseError: if there is no such place.
        """
        self._walk.go(place)
        return self.moment

    def fork(self) -> Moment:
        """Begin a second life from here on, with a fresh connection to a live peer.

        The peer is asked again from the start, frame by frame, up to this moment. Where it
        does otherwise than before, one stands where it did, and `note` says so.
        """
        self._move(self._walk.fork())
        return self.moment

    def restart(self, terms: Terms | None = None) -> Moment:
        """Forget all moments and begin anew, with a fresh connection; edited rows stay.

        Args:
            terms: other terms from now on.
        """
        self._move(self._walk.restart(terms))
        return self.moment

    # -- another table -----------------------------------------------------------------

    def edit_row(self, state: State, sign: Sign, row: Row) -> Moment:
        """Decide by a copy of the table in which one row is another.

        The way here is decided anew. Where it comes out differently one stands afterwards:
        in a what-if, or, if the last decision has not been performed yet, in its place.

        Raises:
            MisuseError: if the machine could not carry such a row out.
        """
        self._walk.edit_row(state, sign, row)
        return self.moment

    def reset_policy(self) -> Moment:
        """Decide by the real table again."""
        self._walk.reset_policy()
        return self.moment

    # -- what there is to see ----------------------------------------------------------

    def scene(self) -> Scene:
        """Return what there is to see of this moment."""
        return scene_of(self.moment, performed=self.performed, clean=self._redactor.clean)

    def story(self) -> Journal:
        """Return the way here as a journal: it can be drawn, listed and saved."""
        moments = self.tree.moments(self.here)
        return retold(moments, self.name, done=self.performed, redactor=self._redactor)

    def states(self) -> Diagram:
        """Return the table as a picture, with the present state lit."""
        decided = [one for m in self.tree.moments(self.here) if (one := m.decision) is not None]
        start = begin(self.terms).state
        return state_diagram(self.policy, start, decided, here=self.moment.snapshot.state)

    def lines(self) -> tuple[tuple[int, str], ...]:
        """Return the end of each line that was visited, and words for it."""
        return tuple((end, self.tree.words(end)) for end in self.tree.ends())

    def to_text(self) -> str:
        """Return the way here and the present moment, as text."""
        steps = len(self.tree.path(self.here)) - 1
        lines = [f"Stepper of {self.name} ({self.kind}), step {steps}"]
        lines += [
            f"Edited row: in “{state}”, “{sign}” leads to: {row.do} → {row.next} [{row.rule}]"
            for state, sign, row in edits_of(self.policy)
        ]
        lines += ["", self.story().diagram().text, "", self.scene().to_text()]
        return "\n".join([*lines, self.note] if self.note else lines)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Stepper of {self.name}: {self.moment.snapshot.state}, {len(self.tree)} moments>"

    def _move(self, work: Coroutine[Any, Any, object]) -> None:
        if self._walk.connected:
            self._loop.run(work)
            return
        # Without a peer there is nothing to wait for, and no thread is needed.
        try:
            work.send(None)
        except StopIteration:
            return
        raise AssertionError("a walk without a peer has waited for one")

    # -- the end -----------------------------------------------------------------------

    def close(self) -> None:
        """End the connection and the thread in bounded time; safe to call twice.

        What was seen stays: going back, forward and aside still work.
        """
        self._finalizer()
        atexit.unregister(self._finalizer)

    def __enter__(self) -> Self:
        """Return the stepper; nothing is opened before the first step."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()


def _shut(walk: Walk, loop: BackgroundLoop) -> None:
    walk.closed = True
    if loop.started:
        loop.run(walk.leave())
    loop.stop()
