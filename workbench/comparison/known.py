"""The clients that are compared, and how each is run.

Takes:  nothing
Gives:  `CLIENTS` for one peer, `GROUPS` for several at once, each by the name it is asked for
Never:  imports one of them
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.text.visible import visible

SCRIPTS: Final = Path(__file__).resolve().with_name("clients")


class Known(Struct, frozen=True):
    """One client."""

    label: str
    """As it is shown."""
    script: str
    """The file in `clients/` that runs it."""
    environment: str = ""
    """Where it is installed, see `environments.REQUIREMENTS`; "" is where we are."""

    @property
    def path(self) -> str:
        """The script as an absolute path."""
        return str(SCRIPTS / self.script)


CLIENTS: Final = {
    "workbench": Known("workbench", "workbench_client.py"),
    "workbench-legacy": Known("workbench, legacy allowed", "workbench_client.py"),
    "mcp": Known("mcp Client", "sdk_client.py", "mcp2"),
    "fastmcp": Known("fastmcp Client", "fastmcp_client.py", "fastmcp"),
}
"""This harness as it comes and with permission for legacy, the official SDK's, FastMCP's."""
GROUPS: Final = {
    "workbench": Known("workbench", "workbench_group.py"),
    "mcp": Known("mcp ClientSessionGroup", "sdk_group.py", "mcp2"),
    "fastmcp": Known("fastmcp Client", "fastmcp_group.py", "fastmcp"),
    "fastmcp-group": Known("fastmcp ClientGroup", "fastmcp_group.py", "fastmcp"),
}
"""The same for several peers at once."""
LABELS: Final = {name: one.label for name, one in CLIENTS.items()}
GROUP_LABELS: Final = {name: one.label for name, one in GROUPS.items()}
PACKAGES: Final = {"mcp2": "mcp", "fastmcp": "fastmcp"}
"""Environment -> the package whose version is told."""


def in_order(asked: Iterable[str]) -> tuple[str, ...]:
    """Return clients in the order in which they are shown.

    Raises:
        ConfigError: if one of them is unknown, or there is none.
    """
    wanted = list(asked)
    for name in wanted:
        if name not in CLIENTS:
            raise _unknown(f"no client is called {visible(str(name), 60)!r}")
    if not wanted:
        raise _unknown("no client is named")
    return tuple(name for name in CLIENTS if name in wanted)


def groups_of(clients: Iterable[str]) -> tuple[str, ...]:
    """Return the names of `GROUPS` that belong to some of `CLIENTS`."""
    makers = {client.partition("-")[0] for client in clients}
    return tuple(group for group in GROUPS if group.partition("-")[0] in makers)


def _unknown(detail: str) -> ConfigError:
    hint = f"There are {', '.join(CLIENTS)}."
    return ConfigError(Failure(kind=Kind.CONFIG, stage="compare", detail=detail, hint=hint))
