"""Plays a fake for many clients at once: who asked, what is due when, where it goes.

Takes:  a program, a recording, the time and timers of a running event loop
Gives:  mailboxes with what the fake says
Never:  touches a socket

A lifetime is one run of the server. A script that ends it drops every connection and
every session; the next message finds the next lifetime, as if a supervisor had started
it. The counts of rules belong to the lifetime; a legacy session only keeps where its own
handshake stands. Modern requests share nothing but the open listen streams.
"""

import asyncio
import os
from collections.abc import Callable
from typing import Final

import msgspec

from fakes.engine import Held, begin, react
from fakes.eras.session import Session
from fakes.events import FakeEvent, Gone, Heard, Started, StreamOpened, Told
from fakes.hosts import http_mailbox
from fakes.hosts.http_mailbox import Mailbox
from fakes.hosts.schedule import Schedule
from fakes.http_steps import HangUp, Status
from fakes.outputs import Do, End, Forget, Output, Over, Write, WriteStderr
from fakes.program import Program
from fakes.recording import Recording
from fakes.steps import Effect, Step
from workbench.core.wire.message import RequestId, same_id

NOBODY: Final = 0
"""The origin of what is said without being asked."""


class Link:
    """What is remembered between two exchanges: of one legacy session, or of all others.

    Args:
        session: the server's memory.
        aside: collects what belongs to no request, for the client's own stream.
    """

    def __init__(self, session: Session, aside: Mailbox) -> None:
        self.session = session
        self.aside = aside
        self.held: tuple[Held, ...] = ()
        self.listening = False
        self.past: dict[int, Mailbox] = {}
        """Exchanges of this session, so that a lost one can be resumed."""


class Play:
    """The fake itself, behind its endpoint.

    Args:
        program: what to play.
        recording: where to keep what happens.
        loop: whose time and timers are used.
        stderr: takes what the fake writes to stderr.
    """

    def __init__(
        self,
        program: Program,
        recording: Recording,
        loop: asyncio.AbstractEventLoop,
        stderr: Callable[[bytes], None],
    ) -> None:
        self._program = program
        self._recording = recording
        self._loop = loop
        self._stderr = stderr
        self._origin = NOBODY
        self._open: dict[int, Mailbox] = {}
        self._waiting: Schedule[tuple[Output, str]] = Schedule()
        self._timer: asyncio.TimerHandle | None = None
        self._dead = True
        self._lifetime = 0
        self.links: dict[str, Link] = {}
        self._state = begin(program)
        self._born()

    def wake(self) -> None:
        """Start the next lifetime if the last one has ended."""
        if self._dead:
            self._born()

    def mailbox(self, link: str = "") -> Mailbox:
        """Open a mailbox for one exchange of a link; "" is the link of everybody."""
        self._origin += 1
        mail = Mailbox(self._origin, link)
        self._open[mail.origin] = mail
        return mail

    def new_session(self, name: str) -> Link:
        """Remember a new legacy session."""
        self._origin += 1
        link = Link(Session(name=self._program.name), Mailbox(self._origin, name))
        self.links[name] = link
        return link

    def end_session(self, name: str) -> None:
        """Forget a legacy session; its streams end."""
        link = self.links.pop(name)
        link.aside.put(http_mailbox.End.OVER)
        for mail in [one for one in self._open.values() if one.link == name]:
            mail.put(http_mailbox.End.OVER)

    def hear(self, mail: Mailbox, event: Heard | StreamOpened) -> None:
        """Let the fake react to what came in the exchange of `mail`.

        What `event` gives as its origin is where the reaction goes: a message that gets
        no answer of its own comes from nobody.
        """
        if self._dead:
            mail.kill()
            return
        mail.plan = [one for one in self._react(event, mail.link) if _belongs(one, event.origin)]

    def tell(self, steps: tuple[Step, ...]) -> None:
        """Do steps that nobody asked for, on every link there is."""
        self.wake()
        for name in tuple(self.links):
            if name in self.links and (name or len(self.links) == 1 or self._listened()):
                self._react(Told(steps), name)

    def gone(self, mail: Mailbox) -> None:
        """Take note that the client has hung up; modern: that cancels the request."""
        self._open.pop(mail.origin, None)
        if mail.link or mail.ended:
            return
        self._react(Gone(mail.origin), "")
        # Work goes on unless the script says that it can be cancelled.
        self._waiting.drop(
            lambda one: (
                isinstance(one[0], Write | Do)
                and one[0].origin == mail.origin
                and (isinstance(one[0], Write) or one[0].drop_with is not None)
            )
        )

    def done(self, mail: Mailbox) -> None:
        """Take note that the exchange is over."""
        self._open.pop(mail.origin, None)

    def stop(self) -> None:
        """End everything; nothing stays scheduled."""
        self._die()

    def _listened(self) -> bool:
        return bool(self.links[""].session.streams)

    def _born(self) -> None:
        self._dead = False
        self._lifetime += 1
        self._recording.lifetimes += 1
        self._state = begin(self._program, os.urandom(32))
        self._origin += 1
        lobby = Link(Session(name=self._program.name), Mailbox(self._origin))
        self.links = {"": lobby}
        self._react(Started(self._lifetime), "")

    def _die(self) -> None:
        self._dead = True
        self._waiting.clear()
        self._set_timer()
        for link in self.links.values():
            link.aside.kill()
        for mail in tuple(self._open.values()):
            mail.kill()
        self._open.clear()

    def _react(self, event: FakeEvent, name: str) -> tuple[Output, ...]:
        link, now, lifetime = self.links[name], self._loop.time(), self._lifetime
        before = msgspec.structs.replace(self._state, session=link.session, held=link.held)
        self._state, outputs = react(before, event, now)
        link.session, link.held = self._state.session, self._state.held
        if not name:
            # One client's era is not another's; only open streams outlive an exchange.
            link.session = Session(
                name=self._program.name, streams=link.session.streams, heard=link.session.heard
            )
        self._recording.used |= self._state.used
        for output in outputs:
            self._waiting.add(output.at, (output, name))
        self._do_due(lifetime)
        return outputs

    def _do_due(self, lifetime: int) -> None:
        while self._lifetime == lifetime and (due := self._waiting.pop(self._loop.time())):
            for output, name in due:
                self._do(output, name)
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        at, lifetime = self._waiting.next_at, self._lifetime
        self._timer = None if at is None else self._loop.call_at(at, self._do_due, lifetime)

    def _do(self, output: Output, name: str) -> None:
        match output:
            case Write():
                for mail in self._addressees(output, name):
                    mail.put(output.line)
            case Do(step=HangUp() | Status() as step):
                self._put(output.origin, step)
            case Do(step=Effect(text)):
                self._recording.did(text)
            case Over():
                self._put(output.origin, http_mailbox.End.OVER)
            case WriteStderr(line=line):
                for piece in line.pieces():
                    self._stderr(piece)
            case Forget():
                self._forget(output.request_id, name)
            case End():
                self._die()

    def _addressees(self, output: Write, name: str) -> list[Mailbox]:
        """Return where a line goes: to whoever asked, or to those who listen."""
        mail = self._find(output.origin)
        if mail is not None and not output.aside:
            return [mail]
        link = self.links.get(name)
        if name and link is not None:
            return [link.aside]
        if link is None or output.origin != NOBODY:
            return []
        streams = {stream.origin for stream in link.session.streams}
        return [one for origin, one in self._open.items() if origin in streams]

    def _find(self, origin: int) -> Mailbox | None:
        if origin in self._open:
            return self._open[origin]
        for link in self.links.values():
            if origin in link.past:
                return link.past[origin]
            if link.aside.origin == origin:
                return link.aside
        return None

    def _put(self, origin: int, item: http_mailbox.Item) -> None:
        mail = self._find(origin)
        if mail is not None:
            mail.put(item)

    def _forget(self, request_id: RequestId, name: str) -> None:
        """Drop what a legacy client has cancelled; modern ids of strangers mean nothing."""
        link = self.links.get(name)
        if not name or link is None:
            return
        mine = {one.origin for one in self._open.values() if one.link == name} | set(link.past)
        self._waiting.drop(
            lambda one: (
                isinstance(one[0], Write | Do)
                and one[0].origin in mine
                and same_id(request_id, one[0].drop_with)
            )
        )


def _belongs(output: Output, origin: int) -> bool:
    if isinstance(output, Write) and output.aside:
        return False
    return isinstance(output, Write | Do | Over) and output.origin == origin
