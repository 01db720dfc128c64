"""Which era answers: the one the server speaks or, if it speaks both, the one asked in.

Takes:  the server, its session, one request or notification
Gives:  the next session and the steps of an honest answer

A dual-era server settles on the era of the first telling request: one with modern
metadata, or `initialize`. After that it is a server of that era alone, which is how the
official servers behave on one link. A recorded server has its answers on tape instead.
"""

from fakes.eras.legacy import answer_legacy
from fakes.eras.modern import answer_modern
from fakes.eras.session import Scene, Session
from fakes.server import Server
from fakes.steps import Step
from workbench.core.wire.keys import INITIALIZE, VERSION_KEY
from workbench.core.wire.message import Notification, Request


def answer(
    server: Server, session: Session, message: Request | Notification, scene: Scene
) -> tuple[Session, tuple[Step, ...]]:
    """Return what the server does with `message` when nothing is scripted."""
    if server.tape is not None:
        from fakes.eras.recorded import answer_recorded

        return answer_recorded(server, session, message, scene)
    settled = _settle(server, session, message)
    if settled.era == "modern":
        return answer_modern(server, settled, message, scene)
    return answer_legacy(server, settled, message, scene)


def _settle(server: Server, session: Session, message: Request | Notification) -> Session:
    if server.era != "dual":
        return session.with_(era=server.era)
    if session.era != "open" or isinstance(message, Notification):
        return session
    meta = message.params.get("_meta")
    if isinstance(meta, dict) and VERSION_KEY in meta:
        return session.with_(era="modern")
    if message.method == INITIALIZE:
        return session.with_(era="legacy")
    return session
