"""The rules before the first byte: families CONF (files), PIN (permission), PROC (starting).

Takes:  nothing
Gives:  `SETUP_RULES`, in the order a reader meets them
"""

from typing import Final

from workbench.core.rulebook.rule import Rule, rule

SETUP_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "CONF-01",
        "A configuration is JSON with comments; anything else is refused with its line and column.",
        "design: configuration; field case N13",
        "core.config.jsonc",
        "",
        "Correct the text at the line and column named.",
    ),
    rule(
        "CONF-02",
        "A key that stands twice in one object is refused; nobody can tell which was meant.",
        "field case N13",
        "core.config.jsonc",
        "",
        "Keep one of the two.",
    ),
    rule(
        "CONF-03",
        "A setting has the type and the range it is documented with; the refusal names its path.",
        "design: configuration",
        "core.config.place",
        "",
        "Correct the setting at the path named.",
    ),
    rule(
        "CONF-04",
        "A variable that is not set and has no default is refused, never replaced by nothing.",
        "field case N14",
        "core.config.expand",
        "",
        "Set the variable, or give a default: ${NAME:-default}.",
    ),
    rule(
        "CONF-05",
        "A key that is almost one with a meaning for safety is refused; other unknown keys "
        "are ignored with a warning.",
        "field case N13; ours: a misspelt permission must not pass",
        "core.config.config_keys",
        "",
        "Correct the spelling.",
    ),
    rule(
        "CONF-06",
        "Each peer has a short, visible name without “/”, distinct from the others in any case.",
        "field case N06; ours: the name is a prefix of canonical names",
        "core.config.peer_rules",
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
        "core.config.allowlist",
        "",
        "Add the command to allowed_commands, or load it from your configuration.",
    ),
    rule(
        "PIN-02",
        "A peer that differs from its lock is not reached: not when the configuration is loaded, "
        "and not when anything changed between then and the start of the process.",
        "design: configuration; seed skill: pinned command or endpoint",
        "core.pins.pins",
        "",
        "Look at the difference; accept it with mcp-workbench pin, or undo it.",
    ),
    rule(
        "PIN-03",
        "A peer the lock does not hold is not reached while there is a lock.",
        "design: configuration",
        "core.pins.pins",
        "",
        "Accept the new peer with mcp-workbench pin.",
    ),
    rule(
        "PIN-04",
        "When a lock is demanded and there is none, nothing is started.",
        "design: configuration, --locked",
        "pinning",
        "",
        "Write the lock with mcp-workbench pin.",
    ),
    rule(
        "PIN-05",
        "A lock that cannot be read, is of an unknown version or was edited by hand stops "
        "everything: it is never treated as no lock.",
        "ours: fail closed",
        "core.pins.lock_text",
        "",
        "Restore the lock, or delete it and pin again.",
    ),
    rule(
        "PIN-06",
        "A lock is written whole or not at all.",
        "ours: no half-read lock",
        "pinning",
        "",
        "Give a configuration in a folder you may write.",
    ),
    rule(
        "PIN-07",
        "The permission to be legacy belongs to the pinned command or endpoint; another one "
        "gets it only when it is given again.",
        "seed skill: allow_legacy for that exact peer",
        "cli_pin",
        "",
        "Repeat it with --allow-legacy for that peer, or take it back in the configuration.",
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
