"""The rules before the first byte: families CONF (files), PIN (permission), PROC (starting).

Takes:  nothing
Gives:  `SETUP_RULES`, in the order a reader meets them
"""

from typing import Final

from workbench.core.rule import Rule, rule

SETUP_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "CONF-01",
        "A configuration is JSON with comments; anything else is refused with its line and column.",
        "design: configuration; field case N13",
        "core.jsonc",
        "",
        "Correct the text at the line and column named.",
    ),
    rule(
        "CONF-02",
        "A key that stands twice in one object is refused; nobody can tell which was meant.",
        "field case N13",
        "core.jsonc",
        "",
        "Keep one of the two.",
    ),
    rule(
        "CONF-03",
        "A setting has the type and the range it is documented with; the refusal names its path.",
        "design: configuration",
        "core.place",
        "",
        "Correct the setting at the path named.",
    ),
    rule(
        "CONF-04",
        "A variable that is not set and has no default is refused, never replaced by nothing.",
        "field case N14",
        "core.expand",
        "",
        "Set the variable, or give a default: ${NAME:-default}.",
    ),
    rule(
        "CONF-05",
        "A key that is almost one with a meaning for safety is refused; other unknown keys "
        "are ignored with a warning.",
        "field case N13; ours: a misspelt permission must not pass",
        "core.config_keys",
        "",
        "Correct the spelling.",
    ),
    rule(
        "CONF-06",
        "Each peer has a short, visible name without “/”, distinct from the others in any case.",
        "field case N06; ours: the name is a prefix of canonical names",
        "core.peer_rules",
        "",
        "Rename the peer.",
    ),
    rule(
        "CONF-07",
        "A configuration that cannot be read is refused before anything is started.",
        "ours: no half-read configuration",
        "configuration",
        "",
        "Check the path, the permissions and the encoding.",
    ),
    rule(
        "PIN-01",
        "A command outside the allowlist is never started.",
        "seed skill: refusal rules",
        "core.allowlist",
        "",
        "Add the command to allowed_commands, or load it from your configuration.",
    ),
    rule(
        "PROC-01",
        "A command that cannot be started leaves its peer unavailable and the others untouched.",
        "ours: isolation; field case S12",
        "transports.launch",
        "",
        "Check the command's path and permissions.",
    ),
    rule(
        "PROC-02",
        "A peer is started in its own working directory or not at all.",
        "field case S12",
        "transports.launch",
        "",
        "Create the directory, or correct cwd of the peer.",
    ),
    rule(
        "PROC-03",
        "A program the system refuses to start is reported with the system's own reason.",
        "field case S12",
        "transports.launch",
        "",
        "Try the command in a terminal.",
    ),
    rule(
        "PROC-04",
        "Nothing is sent to a peer that has ended, is being closed or no longer reads.",
        "spec: basic/transports/stdio, shutdown; ours",
        "transports.stdio",
        "",
        "Connect the peer again.",
    ),
)
