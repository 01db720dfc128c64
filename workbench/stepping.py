"""The stepper and its panels, for anything a client can be given as a peer.

Takes:  what `add_server` takes, or a journal, with the settings of a peer
Gives:  `Stepper`, `DiscoveryPanel`, `LegacyPanel`
Never:  starts anything before the first step, and never a command by a server's word

Source: design sections 3 and 4.
"""

from collections.abc import Mapping
from typing import Any

from workbench.admission import Target, admit, terms_for
from workbench.client import AsyncMultiServerClient
from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.journal.journal import Journal
from workbench.core.text.redact import Redactor
from workbench.core.text.visible import visible
from workbench.drivers import stepper as driver
from workbench.sync_client import MultiServerClient
from workbench.views.panels.negotiation import NegotiationPanel

Client = AsyncMultiServerClient | MultiServerClient
Source = Target | Client | Journal | driver.Stepper
"""What a panel can be given."""


class Stepper(driver.Stepper):
    """One negotiation, moved by hand; see `workbench.drivers.stepper`.

    Args:
        target: a fake, a `PeerConfig`, a command as a list, or anything that makes
            transports.
        name: what the peer is called.
        patience_s: real seconds a step waits for a live peer.
        capabilities: what the client declares from the first request on.
        can_declare: what it declares only when the peer needs it (-32021).
        settings: per-peer settings by `PeerConfig` field name, such as `allow_legacy`.

    Raises:
        ConfigError: if a setting is unknown or wrong.
    """

    def __init__(
        self,
        target: Target,
        *,
        name: str = "peer",
        patience_s: float | None = None,
        capabilities: Mapping[str, Any] | None = None,
        can_declare: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        config, endpoint = admit(name, target, settings, None)
        super().__init__(
            endpoint,
            terms_for(config, endpoint, capabilities or {}, can_declare or {}),
            name=name,
            patience_s=patience_s,
            redactor=Redactor(config.secrets()),
        )

    @classmethod
    def of(cls, client: Client, peer: str, *, patience_s: float | None = None) -> driver.Stepper:
        """Return a stepper for a peer of a client, under the client's own terms and pins.

        It opens a connection of its own; that of the client is left alone.

        Args:
            client: who has the peer.
            peer: its name.
            patience_s: real seconds a step waits for it.

        Raises:
            ConfigError: if the client has no such peer.
        """
        member = client._pool.members.get(peer)
        if member is None:
            names = ", ".join(client._pool.members) or "none"
            raise ConfigError(
                Failure(
                    kind=Kind.CONFIG,
                    stage="config",
                    detail=f"the client has no peer {visible(peer, 60)!r}",
                    hint=f"Its peers: {names}.",
                )
            )
        return driver.Stepper(
            member.owner.endpoint,
            member.owner.terms,
            name=peer,
            patience_s=patience_s,
            redactor=client.journal.redactor,
        )


class DiscoveryPanel(NegotiationPanel):
    """How a client finds out what a peer speaks, step by step.

    Args:
        target: what `Stepper` takes, a stepper, a client, or the journal of one.
        terms: what `Stepper` takes by name; for a client or a journal `peer` says which one.
    """

    def __init__(self, target: Source, **terms: Any) -> None:
        super().__init__(stepper_for(target, terms))


class LegacyPanel(NegotiationPanel):
    """The legacy probe: which signals prove nothing, and what `allow_legacy` makes of them.

    Args:
        target: what `Stepper` takes, a stepper, a client, or the journal of one.
        terms: what `Stepper` takes by name; `allow_legacy` sets the flag at first.
    """

    def __init__(self, target: Source, **terms: Any) -> None:
        super().__init__(stepper_for(target, terms), "The legacy probe, step by step", legacy=True)


def stepper_for(target: Source, terms: Mapping[str, Any]) -> driver.Stepper:
    """Return a stepper for a live peer, a client's peer, or a record."""
    if isinstance(target, driver.Stepper):
        return target
    if isinstance(target, AsyncMultiServerClient | MultiServerClient):
        return Stepper.of(target, **terms)
    if isinstance(target, Journal):
        return driver.Stepper.from_journal(target, **terms)
    return Stepper(target, **terms)
