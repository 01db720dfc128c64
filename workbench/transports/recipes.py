"""From a peer's configuration to the endpoint it describes.

Takes:  a checked `PeerConfig`, and the environment of this process
Gives:  an `Endpoint`; one that cannot be reached says so when it is opened, so that a bad
        peer never stops the others
Never:  starts anything

Source: design section 5; seed skill item 1.
"""

from collections.abc import Mapping

from workbench.core.config.config import PeerConfig
from workbench.core.errors import CouldNotStart, Failure, PipeClosed
from workbench.transports.base import Clock, Ending, Endpoint, Receiver, TransportKind
from workbench.transports.http_credentials import Credentials
from workbench.transports.launch import child_environment, resolve_command
from workbench.transports.stdio import StdioEndpoint


def endpoint_for(
    config: PeerConfig, environ: Mapping[str, str], credentials: Credentials | None = None
) -> Endpoint:
    """Build the endpoint of one peer; commands become absolute paths here, once.

    Args:
        config: a checked configuration with a command or a url.
        environ: this process's environment; only safe and allowlisted names are passed on.
        credentials: what requests to a url are authorized with, besides configured headers.
    """
    if config.command is None:
        return _http(config, environ, credentials)
    env = child_environment(environ, config.env_allowlist, config.env)
    try:
        command = resolve_command(config.command, search_path=env.get("PATH", ""), cwd=config.cwd)
    except CouldNotStart as missing:
        return UnreachableEndpoint("stdio", config.command, missing.failure)
    return StdioEndpoint((command, *config.args), env=env, cwd=config.cwd)


def _http(
    config: PeerConfig, environ: Mapping[str, str], credentials: Credentials | None
) -> Endpoint:
    # Imported here: a client of local processes does not pay for an HTTP library.
    from workbench.transports.http import HttpEndpoint
    from workbench.transports.http_address import address_of

    address = address_of(config.url or "", config.headers, environ)
    if credentials is None:
        return HttpEndpoint(address)
    from workbench.transports.http_authorized import AuthorizedWay

    return HttpEndpoint(
        address, new_way=lambda clock: AuthorizedWay(address, credentials, clock, environ)
    )


class UnreachableEndpoint:
    """An endpoint that is known not to open, kept so that the report can say why.

    Args:
        kind: the sort of transport it would have been.
        identity: what was to be reached.
        failure: why it cannot be.
    """

    def __init__(self, kind: TransportKind, identity: str, failure: Failure) -> None:
        self.kind = kind
        self.identity = identity
        self._failure = failure

    def new_transport(self, clock: Clock) -> "_Unreachable":
        """Return a transport whose `open` raises the failure."""
        return _Unreachable(self._failure)


class _Unreachable:
    def __init__(self, failure: Failure) -> None:
        self._failure = failure

    async def open(self, receiver: Receiver) -> None:
        raise CouldNotStart(self._failure)

    def send(self, frame: bytes) -> None:
        raise PipeClosed(self._failure)

    async def close(self) -> Ending:
        return Ending(reason="never opened", by_us=True)
