"""A strict client for many MCP servers, for revision 2026-07-28.

The pipeline, in the order it runs::

    config -> transport -> negotiate -> catalogue (+cache) -> merge -> route -> call
           -> recover -> report

Every frame and every decision goes into the journal. `core` thinks and touches nothing,
`transports` touch, `drivers` move, `views` show.

Names are loaded when they are first used, so that `import workbench` costs almost nothing
and a fake server that needs one constant does not pay for an event loop.
"""

import importlib
from typing import TYPE_CHECKING, Any

from workbench.core.text import shown
from workbench.core.version import __version__

if TYPE_CHECKING:
    from workbench.client import AsyncMultiServerClient
    from workbench.configuration import load_config
    from workbench.core.call import ToolResult
    from workbench.core.config.config import PeerConfig, WorkbenchConfig
    from workbench.core.errors import WorkbenchError
    from workbench.core.journal.journal import Journal
    from workbench.core.recovery.restart import RecoveryPolicy
    from workbench.core.rulebook.rules import RULES
    from workbench.core.wire.envelope import modern_request, request_meta
    from workbench.core.wire.headers import http_headers_for
    from workbench.core.wire.keys import (
        CAPABILITIES_KEY,
        CLIENT_INFO_KEY,
        RECOGNIZED_MODERN_ERRORS,
        VERSION_KEY,
    )
    from workbench.core.wire.versions import LEGACY_REVISIONS
    from workbench.drivers.clock import ManualClock, SystemClock
    from workbench.handlers import (
        Handlers,
        InputPolicy,
        accept,
        cancel,
        decline,
        fake_model,
    )
    from workbench.sync_client import MultiServerClient
    from workbench.transports.oauth_recipe import OAuth

_HOMES = {
    "AsyncMultiServerClient": "workbench.client",
    "CAPABILITIES_KEY": "workbench.core.wire.keys",
    "CLIENT_INFO_KEY": "workbench.core.wire.keys",
    "Handlers": "workbench.handlers",
    "InputPolicy": "workbench.handlers",
    "Journal": "workbench.core.journal.journal",
    "LEGACY_REVISIONS": "workbench.core.wire.versions",
    "ManualClock": "workbench.drivers.clock",
    "MultiServerClient": "workbench.sync_client",
    "OAuth": "workbench.transports.oauth_recipe",
    "PeerConfig": "workbench.core.config.config",
    "RECOGNIZED_MODERN_ERRORS": "workbench.core.wire.keys",
    "RULES": "workbench.core.rulebook.rules",
    "RecoveryPolicy": "workbench.core.recovery.restart",
    "SystemClock": "workbench.drivers.clock",
    "ToolResult": "workbench.core.call",
    "VERSION_KEY": "workbench.core.wire.keys",
    "WorkbenchConfig": "workbench.core.config.config",
    "WorkbenchError": "workbench.core.errors",
    "accept": "workbench.handlers",
    "cancel": "workbench.handlers",
    "decline": "workbench.handlers",
    "fake_model": "workbench.handlers",
    "http_headers_for": "workbench.core.wire.headers",
    "load_config": "workbench.configuration",
    "modern_request": "workbench.core.wire.envelope",
    "request_meta": "workbench.core.wire.envelope",
}

__all__ = [
    "CAPABILITIES_KEY",
    "CLIENT_INFO_KEY",
    "LEGACY_REVISIONS",
    "RECOGNIZED_MODERN_ERRORS",
    "RULES",
    "VERSION_KEY",
    "AsyncMultiServerClient",
    "Handlers",
    "InputPolicy",
    "Journal",
    "ManualClock",
    "MultiServerClient",
    "OAuth",
    "PeerConfig",
    "RecoveryPolicy",
    "SystemClock",
    "ToolResult",
    "WorkbenchConfig",
    "WorkbenchError",
    "__version__",
    "accept",
    "cancel",
    "decline",
    "fake_model",
    "http_headers_for",
    "load_config",
    "modern_request",
    "request_meta",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'workbench' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _view(name: str, value: Any) -> Any:
    # Imported when something is shown for the first time: pandas is not needed to call a tool.
    return getattr(importlib.import_module("workbench.views.display"), name)(value)


def _index(items: Any) -> Any:
    # SQLite is loaded by the first search.
    return importlib.import_module("workbench.discovery.index").Index(items)


def _lint(journal: Any) -> Any:
    # The official wire models take half a second to load.
    return importlib.import_module("workbench.lint").lint_journal(journal)


shown.plug("frame", lambda value: _view("frame_of", value))
shown.plug("html", lambda value: _view("html_of", value))
shown.plug("lint", _lint)
shown.plug("index", lambda menu: _index(menu.items))
