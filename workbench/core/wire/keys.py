"""Error codes, `_meta` keys and method names of the protocol, each named once.

Spec: 2026-07-28 basic/index (`_meta`), schema `RequestMetaObject`; seed card
"Stamp every modern request".
"""

from typing import Final

from workbench.core.version import __version__

JSONRPC: Final = "2.0"

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
"""Required in every modern request's `params._meta`."""
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
"""Required in every modern request's `params._meta`; `{}` declares nothing optional."""
CLIENT_INFO_KEY: Final = "io.modelcontextprotocol/clientInfo"
"""Recommended identity of the client; display only, never a security decision."""
LOG_LEVEL_KEY: Final = "io.modelcontextprotocol/logLevel"
"""Opt-in to log notifications for one request."""
SERVER_INFO_KEY: Final = "io.modelcontextprotocol/serverInfo"
"""Where a modern result carries the server's self-reported identity."""
SUBSCRIPTION_ID_KEY: Final = "io.modelcontextprotocol/subscriptionId"
"""Ties a notification on a listen stream to the listen request."""

CLIENT_INFO: Final[dict[str, str]] = {"name": "mcp-client-workbench", "version": __version__}
"""The identity this harness declares unless a caller gives another."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_INITIALIZED: Final = -32002
"""What several legacy servers answer to a request before `initialize`."""

HEADER_MISMATCH: Final = -32020
MISSING_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022

RECOGNIZED_MODERN_ERRORS: Final = frozenset(
    {HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION}
)
"""Codes that prove a modern peer; none of them may ever lead to `initialize`."""

DISCOVER: Final = "server/discover"
INITIALIZE: Final = "initialize"
INITIALIZED: Final = "notifications/initialized"
CANCELLED: Final = "notifications/cancelled"
TOOLS_LIST: Final = "tools/list"
TOOLS_CALL: Final = "tools/call"
PROMPTS_LIST: Final = "prompts/list"
PROMPTS_GET: Final = "prompts/get"
RESOURCES_LIST: Final = "resources/list"
RESOURCES_READ: Final = "resources/read"
TEMPLATES_LIST: Final = "resources/templates/list"
COMPLETION: Final = "completion/complete"
PROGRESS: Final = "notifications/progress"
LOG_MESSAGE: Final = "notifications/message"

ELICIT: Final = "elicitation/create"
SAMPLE: Final = "sampling/createMessage"
LIST_ROOTS: Final = "roots/list"

COMPLETE: Final = "complete"
INPUT_REQUIRED: Final = "input_required"
