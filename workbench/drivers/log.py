"""What an operator reads: peers that come and go, and calls that fail, through `logging`.

Takes:  verdicts, plans and failures, as they happen
Gives:  records of the loggers `workbench.peers`, `workbench.recovery` and `workbench.calls`
Never:  says anything where nobody listens, holds a secret, or carries a control character

Quiet by default: a `NullHandler` stands in for the application's own. What nobody else would
notice is a warning (a peer that is refused or lost); what a caller is told by an exception is
said at the level INFO; the journal has all the rest. Source: ours.
"""

import logging
from typing import Final

from workbench.core.errors import Failure
from workbench.core.text.redact import Redactor
from workbench.core.text.visible import visible
from workbench.drivers.verdict import Verdict

ROOT: Final = logging.getLogger("workbench")
PEERS: Final = logging.getLogger("workbench.peers")
RECOVERY: Final = logging.getLogger("workbench.recovery")
CALLS: Final = logging.getLogger("workbench.calls")

ROOT.addHandler(logging.NullHandler())


def connected(peer: str, verdict: Verdict, redactor: Redactor) -> None:
    """Say how an attempt to connect a peer ended."""
    settled, failure = verdict.settled, verdict.failure
    if settled is not None:
        PEERS.info("%s: ready, %s %s", visible(peer), settled.era, settled.version)
    elif failure is not None:
        PEERS.warning("%s", _line(peer, failure, redactor))


def lost(peer: str, verdict: Verdict, redactor: Redactor) -> None:
    """Say that a ready peer was lost."""
    if verdict.failure is not None:
        PEERS.warning("%s", _line(peer, verdict.failure, redactor))


def planned(peer: str, what: str, why: str, redactor: Redactor) -> None:
    """Say what is done about a lost peer."""
    RECOVERY.info("%s: %s: %s", visible(peer), what, visible(redactor.clean(why)))


def failed(method: str, failure: Failure, redactor: Redactor) -> None:
    """Say that a call or a read ended without a result; its arguments are not said."""
    CALLS.info("%s: %s", method, _line(failure.peer or "", failure, redactor))


def _line(peer: str, failure: Failure, redactor: Redactor) -> str:
    who = f"{peer}: " if peer else ""
    rule = f" [{failure.rule}]" if failure.rule else ""
    return visible(redactor.clean(f"{who}{failure.detail}{rule}"))
