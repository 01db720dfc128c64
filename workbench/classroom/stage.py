"""Where demonstrations are played: hosts are opened for one, and closed before the next.

Takes:  a catalogue, and plans
Gives:  demonstrations, and steppers for a peer of one
Never:  leaves a process or a port behind `close`, and never waits without a bound

Source: design section 7.9, "everything is bounded".
"""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Final, TypeVar

from workbench.admission import Target
from workbench.classroom.acting import Tell, act, options_for
from workbench.classroom.catalogue import Cast, Catalogue, Peer
from workbench.classroom.rehearsal import RehearsalClient
from workbench.core.config.config import PeerConfig
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.text.visible import visible
from workbench.stepping import Stepper
from workbench.sync_client import MultiServerClient
from workbench.views.panels.demonstration import Demonstration, Plan, Transport

T = TypeVar("T")

LONGEST_S: Final = 60.0
"""Longest one verb of a client may take over a real transport, in seconds."""
STEP_S: Final = 3.0
"""How long one step waits for a real peer, in seconds."""


class Stage:
    """Plays one plan at a time.

    Args:
        catalogue: where the situations come from.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._open = ExitStack()

    def perform(self, plan: Plan, tell: Tell) -> Demonstration:
        """Play a plan through; whatever was open before is closed first, and all of it after.

        Args:
            plan: what was chosen.
            tell: told how far it has come.

        Raises:
            MisuseError: if the situation cannot be played over that transport.
        """
        self.close()
        cast = self._cast(plan)
        with ExitStack() as hosts:
            client = client_for(plan)
            hosts.callback(client.close)
            for name, target, settings in self._peers(plan, cast, hosts):
                client.add_server(name, target, **settings)
            tell(f"Connecting {len(client.configs)} peers …")
            return act(
                client, plan, about=cast.about, subject=next(iter(cast.peers)),
                then=cast.then, tell=tell,
            )  # fmt: skip

    def stepper(self, plan: Plan) -> Stepper:
        """Return a stepper for the peer a plan is about, fresh, under the same terms.

        Raises:
            MisuseError: if the situation cannot be played over that transport.
        """
        self.close()
        cast = self._cast(plan)
        name, target, settings = next(self._peers(plan, cast, self._open))
        terms = options_for(plan)
        stepper = Stepper(
            target,
            name=name,
            patience_s=None if plan.transport == "memory" else STEP_S,
            capabilities=terms["handlers"].capabilities(),
            can_declare=terms["can_declare"],
            **settings,
        )
        self._open.callback(stepper.close)
        return stepper

    def close(self) -> None:
        """Close the stepper and every host; safe to call twice."""
        opened, self._open = self._open, ExitStack()
        opened.close()

    def _cast(self, plan: Plan) -> Cast:
        cast = self.catalogue.cast(plan.cast, discovery_timeout_s=plan.discovery_timeout_ms / 1_000)
        if plan.transport not in cast.ways:
            detail = f"{visible(plan.cast, 60)} cannot be played over {plan.transport}."
            hint = f"It can over: {', '.join(cast.ways)}."
            raise MisuseError(Failure(kind=Kind.MISUSE, stage="show", detail=detail, hint=hint))
        return cast

    def _peers(
        self, plan: Plan, cast: Cast, hosts: ExitStack
    ) -> Iterator[tuple[str, Target, dict[str, Any]]]:
        reached: dict[int, Target] = {}
        for name, peer in cast.peers.items():
            # Two names for one peer share its address, as two accounts at one server do.
            if id(peer) not in reached:
                reached[id(peer)] = target_of(name, peer, plan.transport, hosts)
            own: Mapping[str, Any] = cast.settings.get(name, {})
            yield name, reached[id(peer)], {**plan.settings, **own}
        for era in plan.beside:
            peer, settings = self.catalogue.beside(era), plan.settings
            name = f"a-{era}-one"
            target = target_of(name, peer, plan.transport, hosts)
            yield name, target, {**settings, "allow_legacy": era == "legacy"}


class BoundedClient(MultiServerClient):
    """A client each of whose verbs ends within `LONGEST_S`, whatever its peers do."""

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(asyncio.wait_for(work, LONGEST_S))


def client_for(plan: Plan) -> MultiServerClient:
    """Return the client that plays a plan; in memory its deadlines cost no time."""
    kind = RehearsalClient if plan.transport == "memory" else BoundedClient
    return kind(**options_for(plan))


def target_of(name: str, peer: Peer, transport: Transport, hosts: ExitStack) -> Target:
    """Return what `add_server` is given for a peer; its host lives as long as `hosts`."""
    if transport == "memory":
        return peer
    if transport == "stdio":
        command = hosts.enter_context(peer.over_stdio())
        return PeerConfig(name=name, command=command[0], args=tuple(command[1:]))
    return PeerConfig(name=name, url=hosts.enter_context(peer.over_http()))
