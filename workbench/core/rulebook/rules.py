"""The rulebook: every rule the harness applies, stated once.

Takes:  nothing
Gives:  `RULES`, id -> `Rule`; reports, traces and refusals quote the ids

A sentence is written for a student who reads a refusal: what was decided and why. The
hint says what to change. Families: CONF is a configuration file, PIN what may be started,
PROC a process, ERA and LEG negotiate, HTTP is what a status and a header mean, WIRE is the
envelope, LIST a listing, CACHE its reuse, MERGE and ROUTE names, DRIFT a tool that changed,
CALL an answer, INPUT what a call asks back, RETRY a repeat, PEER a peer that was lost,
SUB what is listened to, RECOV how a lost peer is brought back, LINT what a recorded frame is
held against.
"""

from typing import Final

from workbench.core.rulebook.era_rules import ERA_RULES
from workbench.core.rulebook.http_rules import HTTP_RULES
from workbench.core.rulebook.input_rules import INPUT_RULES
from workbench.core.rulebook.lint_rules import LINT_RULES
from workbench.core.rulebook.menu_rules import MENU_RULES
from workbench.core.rulebook.recovery_rules import RECOVERY_RULES
from workbench.core.rulebook.rule import Rule
from workbench.core.rulebook.session_rules import SESSION_RULES
from workbench.core.rulebook.setup_rules import SETUP_RULES

RULES: Final[dict[str, Rule]] = {
    rule.id: rule
    for rule in (
        *SETUP_RULES,
        *ERA_RULES,
        *HTTP_RULES,
        *SESSION_RULES,
        *INPUT_RULES,
        *MENU_RULES,
        *RECOVERY_RULES,
        *LINT_RULES,
    )
}
"""Every rule by id, in the order of the pipeline."""
