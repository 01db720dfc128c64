"""Moves recovery by hand: a person kills, waits, restarts and decides; the core does the rest.

Takes:  a live peer over memory or stdio, and one command at a time
Gives:  a `Moment` after each, with every decision and its rule; back to any of them
Never:  looks at a real clock to decide: time passes when a person lets it pass

The decisions are those of the asynchronous driver (`workbench.drivers.recovery`): the same
functions of `workbench.core.recovery`, in the same order. To go
back is to tell the story again, without its last command, to a fresh peer.

Source: design sections 3 and 7.7; fault matrix C04.
"""

import os
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from workbench.core.config.config import PeerConfig
from workbench.core.errors import MisuseError
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.snapshot import Terms
from workbench.core.recovery.restart import RecoveryPolicy
from workbench.drivers.background import BackgroundLoop
from workbench.drivers.owner import Status
from workbench.drivers.recovery_moment import Command, Deed, Moment, Wish
from workbench.drivers.recovery_play import Play, misuse
from workbench.transports.base import Endpoint
from workbench.transports.recipes import endpoint_for

Peer = Endpoint | Sequence[str] | Callable[[], Endpoint]
"""Who is started: a fake or another endpoint, a command line, or a function that makes a
fresh one. Only the function lets a scripted fake forget its lifetimes when one goes back."""


class RecoveryStepper:
    """One peer, one call at a time, and a clock that a person moves.

    Args:
        peer: see `Peer`; not over HTTP, where there is no process to lose.
        name: what the peer is called.
        policy: how eagerly it is brought back; may be changed between commands.
        tool: which tool is called; None takes the first that the peer lists.
        arguments: of that call.
        terms: what the negotiation runs under.

    Raises:
        MisuseError: if the peer is reached over HTTP.
    """

    def __init__(
        self,
        peer: Peer,
        *,
        name: str = "peer",
        policy: RecoveryPolicy | None = None,
        tool: str | None = None,
        arguments: dict[str, Any] | None = None,
        terms: Terms | None = None,
    ) -> None:
        self.name = name
        self.policy = policy or RecoveryPolicy()
        self.chance = 0.5
        """The random number for the next pauses, 0 to 1: 0 takes no jitter off, 1 all of it."""
        self.starts_fail = False
        """Whether starts end in a failure instead of a process."""
        self.commands: list[Command] = []
        self.moments: list[Moment] = [Moment()]
        self.retold = True
        """Whether the peer behaved the second time, after going back, as it had the first."""
        self._peer = peer
        self._tool, self._arguments = tool, dict(arguments or {})
        self._terms = terms
        self._loop = BackgroundLoop("recovery-stepper")
        # A stepper that is forgotten in a notebook leaves no thread and no process behind.
        weakref.finalize(self, self._loop.stop)
        self._set_up()

    # -- what a person sees ------------------------------------------------------------

    @property
    def moment(self) -> Moment:
        """Where things stand."""
        return self.moments[-1]

    @property
    def done(self) -> tuple[str, ...] | None:
        """What the peer itself says it has done; only a fake in memory can tell, else None."""
        effects = getattr(self._play.endpoint, "effects", None)
        return None if effects is None else tuple(effects)

    @property
    def next_start_at(self) -> float | None:
        """When the peer is started next, in clock seconds; None when nothing is planned."""
        plan = self.moment.standing.plan
        return None if plan is None or self.moment.status is Status.READY else plan.at

    @property
    def journal(self) -> Journal:
        """Every frame and every decision of the story so far."""
        return self._play.journal

    def can(self, deed: Deed) -> bool:
        """Say whether a deed makes sense now."""
        return self._play.allows(self._command(deed))

    # -- what a person does ------------------------------------------------------------

    def start(self) -> Moment:
        """Start the peer for the first time."""
        return self._do(self._command("start"))

    def call(self, wish: Wish = "a call") -> Moment:
        """Send a request; its answer is held back until `answer`."""
        return self._do(self._command("call", wish=wish))

    def answer(self) -> Moment:
        """Let what the peer has answered arrive."""
        return self._do(self._command("answer"))

    def kill(self) -> Moment:
        """Kill the peer; an answer that has not arrived is lost."""
        return self._do(self._command("kill"))

    def decide(self, agreed: bool = False) -> Moment:
        """Decide whether the lost request is sent again.

        Args:
            agreed: whether the user was asked and said yes.
        """
        return self._do(self._command("decide", agreed=agreed))

    def wait(self, seconds: float) -> Moment:
        """Let time pass, with everything that falls due in it."""
        return self._do(self._command("wait", seconds=seconds))

    def next_start(self) -> Moment:
        """Let time pass to the next start that is planned, and make it."""
        return self._do(self._command("next start"))

    def restart(self) -> Moment:
        """Restart the peer by hand, whatever its budget."""
        return self._do(self._command("restart"))

    def back(self) -> Moment:
        """Go back to the moment before the last command.

        Raises:
            MisuseError: if there is none.
        """
        if not self.commands:
            raise misuse("this is the beginning", "Do something first.")
        kept, told = self.moments[:-1], self.commands[:-1]
        self.begin_again()
        try:
            for command in told:
                self._do(command)
        except MisuseError:  # a peer that did otherwise this time; its story ends here
            self.retold = False
        else:
            self.retold = self.moments == kept
        return self.moment

    def begin_again(self) -> Moment:
        """Forget everything: a fresh peer, time 0."""
        self._loop.run(self._play.close())
        self.commands, self.moments, self.retold = [], [Moment()], True
        self._set_up()
        return self.moment

    def close(self) -> None:
        """End the peer and the thread; safe to call twice."""
        if self._loop.started:
            self._loop.run(self._play.close())
            self._loop.stop()

    def __enter__(self) -> Self:
        """Return the stepper."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the peer and the thread."""
        self.close()

    # -- one command -------------------------------------------------------------------

    def _command(self, do: Deed, **about: Any) -> Command:
        return Command(
            do=do,
            policy=self.policy,
            chance=self.chance,
            starts_fail=self.starts_fail,
            **about,
        )

    def _do(self, command: Command) -> Moment:
        moment = self._loop.run(self._play.perform(command))
        self.commands.append(command)
        self.moments.append(moment)
        return moment

    def _set_up(self) -> None:
        self._play = Play(
            self.name,
            _endpoint(self._peer, self.name),
            self._tool,
            self._arguments,
            self._terms or Terms(),
        )


def _endpoint(peer: Peer, name: str) -> Endpoint:
    if isinstance(peer, Sequence):
        config = PeerConfig(name=name, command=peer[0], args=tuple(peer[1:]))
        return endpoint_for(config, os.environ)
    if callable(peer):
        return peer()
    return peer
