"""The moments on one path as a journal, to be drawn and read like any other.

Takes:  moments from the start to where a person stands, and the peer's name
Gives:  a `Journal` of what crossed and what was decided; what was supposed says so
Never:  contains what is only about to be sent: the last moment's actions are still to come

Source: design section 3, "every frame and every decision → journal".
"""

from collections.abc import Sequence
from typing import Final

from workbench.core.actions import Decide, Record, Reopen, Send
from workbench.core.events import Closed, ExchangeEnded, Opened, StartFailed
from workbench.core.journal.journal import Journal
from workbench.core.negotiate.moment import Moment, Origin
from workbench.core.text.redact import Redactor
from workbench.core.wire.codec import encode

SUPPOSED: Final = "what if: nothing below was sent or heard"
"""Stands above everything that did not happen."""


def retold(
    moments: Sequence[Moment], peer: str, *, done: bool, redactor: Redactor | None = None
) -> Journal:
    """Return the path as a journal.

    Args:
        moments: from the start on.
        peer: the name to tell it under.
        done: whether the last moment's own actions have been performed as well.
        redactor: knows the secrets.
    """
    journal = Journal(redactor=redactor)
    supposed = False
    for place, moment in enumerate(moments):
        if moment.origin is Origin.WHAT_IF and not supposed:
            supposed = True
            journal.decided(moment.at, peer, "stepper", SUPPOSED)
        _heard(journal, moment, peer)
        last = place == len(moments) - 1
        _wanted(journal, moment, peer, sends=done or not last)
    return journal


def _heard(journal: Journal, moment: Moment, peer: str) -> None:
    if moment.frame is not None:
        journal.received(moment.at, peer, moment.frame)
        return
    match moment.event:
        case Opened():
            journal.opened(moment.at, peer, "transport opened")
        case Closed(how):
            journal.closed(moment.at, peer, how)
        case StartFailed(failure):
            journal.closed(moment.at, peer, failure.detail)
        case ExchangeEnded(end):
            journal.stray(moment.at, peer, end.seen, None)
        case _:
            return


def _wanted(journal: Journal, moment: Moment, peer: str, *, sends: bool) -> None:
    for action in moment.actions:
        match action:
            case Decide():
                journal.decided(
                    moment.at,
                    peer,
                    "negotiate",
                    f"{action.state} → {action.next_state}",
                    rule=action.rule,
                    evidence=action.evidence,
                    detail=action.seen,
                )
            case Record(what):
                journal.stray(moment.at, peer, what, None)
            case Send(body, method) if sends:
                journal.sent(moment.at, peer, encode(body), method)
            case Reopen() if sends:
                journal.closed(moment.at, peer, "closed by us, for a fresh one")
            case _:
                continue
