"""The rules of HTTP: what a status may and may not mean, and what goes into headers.

Takes:  nothing
Gives:  `HTTP_RULES`, in the order a reader meets them
"""

from typing import Final

from workbench.core.rulebook.rule import Rule, rule

_TRANSPORT: Final = "spec: basic/transports/streamable-http"

HTTP_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "HTTP-01",
        "401 and 403 ask for authorization; they are no evidence of an era and permit no "
        "initialize.",
        "fault matrix H12; spec: basic/authorization",
        "core.negotiate.table",
        "H12",
        "Give the peer its credentials, for example headers with an Authorization value, and "
        "check that they are meant for this server.",
    ),
    rule(
        "HTTP-02",
        "A 5xx or a 429 is trouble of the server or of a gateway before it, no evidence of an "
        "era, and permits no initialize.",
        "fault matrix H13; case E09",
        "core.negotiate.table",
        "H13",
        "Try again later with connect_all(); if it stays so, ask whoever runs the server.",
    ),
    rule(
        "HTTP-03",
        "A redirect is followed only where request and credentials stay as they are: 307 or "
        "308, to the same origin.",
        "fault matrix H18; case H12",
        "transports.http_way",
        "H18",
        "If you trust the new address, write it into the configuration.",
    ),
    rule(
        "HTTP-04",
        "An address that cannot be reached is no evidence of an era; nothing was sent.",
        "ours: an outage is no verdict; case H13",
        "transports.http_way",
        "",
        "Check the address and that the server runs. A proxy comes from the environment "
        "(https_proxy, http_proxy, no_proxy) and is never used for this machine itself.",
    ),
    rule(
        "HTTP-05",
        "An exchange that ends without its answer leaves the outcome of the request unknown; "
        "it is not repeated by itself.",
        f"{_TRANSPORT}, receiving messages; case H06",
        "core.recovery.unanswered",
        "H17",
        "Find out whether it took effect before you repeat it; a repetition is a new request.",
    ),
    rule(
        "HTTP-06",
        "An error status without a JSON-RPC error ends the request with that status.",
        f"{_TRANSPORT}; case H10",
        "core.recovery.unanswered",
        "H10",
        "Check that the address is that of the MCP endpoint and not of a web page beside it.",
    ),
    rule(
        "HTTP-07",
        "Headers mirror the final body; a value that has no header form is not sent at all.",
        f"{_TRANSPORT}, request metadata; case H04",
        "core.wire.headers",
        "",
        "Pass a value the tool's schema allows; integers must lie within ±(2^53-1).",
    ),
    rule(
        "HTTP-08",
        "-32020 to a call means the parameter headers no longer fit: the whole list is read "
        "again and the call sent once more, with a new id.",
        f"{_TRANSPORT}, client behavior; case H01",
        "client",
    ),
    rule(
        "LIST-07",
        "Over HTTP a tool with a void x-mcp-header is dropped alone; the others stay.",
        f"{_TRANSPORT}, schema extension; case H05",
        "core.menu.listing",
        "",
        "Report the annotation to the server's author.",
    ),
)
