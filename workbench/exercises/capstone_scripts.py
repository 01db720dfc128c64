"""The fault scripts of exercise 10: three peers each, what happens to them, what is due.

Takes:  chance
Gives:  trials; each with the eras, the menu and the outcome of every job
Never:  judges; `e10_capstone` does
"""

from random import Random
from typing import Any, Final

from msgspec import Struct

from fakes import (
    Fake,
    answer_default,
    close,
    effect,
    error,
    exit_,
    legacy,
    modern,
    on,
    reply,
    silence,
)
from workbench.core.wire.keys import DISCOVER, TOOLS_CALL, TOOLS_LIST
from workbench.exercises.exercise import Call, ThePeers, Trial

DONE: Final = "done"
FAILED: Final = "failed"
UNKNOWN: Final = "unknown"
REFUSED: Final = "refused"
NAMES: Final = ("archive", "beacon", "cellar", "ledger", "museum", "studio", "till")


class Job(Struct, frozen=True):
    """One call that is wanted, and how it has to end."""

    name: str
    """As the menu has it."""
    word: str
    miss: str = ""
    """The mistake of who ends it otherwise."""


class Right(Struct, frozen=True, kw_only=True):
    """What a script has to lead to."""

    eras: dict[str, str | None]
    menu: dict[str, str]
    """Canonical name to peer."""
    own: dict[str, str]
    """Canonical name to the peer's own name."""
    jobs: tuple[Job, ...]
    pages: dict[str, int]
    """How many pages the list of each connected peer has."""

    @property
    def bad(self) -> bool:
        """Whether a peer is there that cannot be used."""
        return None in self.eras.values()


def trials(chance: Random) -> tuple[Trial, ...]:
    """Write the scripts; names vary, and so does who comes first."""
    a, b, c = sorted(chance.sample(NAMES, 3))
    find = chance.choice(["search", "find", "lookup"])
    old = legacy(b, ["old"])
    crash = on(TOOLS_CALL).in_lifetime(1).nth(1).then(effect("half done"), close())
    return (
        _trial(
            "nothing goes wrong",
            [modern(c, ["draw"]), old, modern(a, ["read", "write"])],
            [Job("read", DONE), Job("old", DONE), Job("draw", DONE), Job("write", DONE)],
            trusted=b,
        ),
        _trial(
            "a name that nobody has",
            [old, modern(a, ["read"]), modern(c, ["draw"])],
            [Job("paint", REFUSED), Job("draw", DONE), Job(f"{a}/read", REFUSED)],
            trusted=b,
        ),
        _trial(
            "three peers with one name in common",
            [modern(c, [find, "draw"]), legacy(b, [find, "old"]), modern(a, [find])],
            [Job(f"{c}/{find}", DONE), Job(find, DONE), Job(f"{b}/{find}", DONE)],
            trusted=b,
        ),
        _trial(
            "lists of many pages",
            [modern(a, ["read", find], page_size=1), old, modern(c, ["draw", find], page_size=1)],
            [Job(find, DONE), Job(f"{c}/{find}", DONE)],
            trusted=b,
        ),
        _trial(
            "an old server that nobody trusts",
            [modern(a, ["read"]), old, modern(c, ["draw"])],
            [Job("old", REFUSED), Job("read", DONE)],
            without=(b,),
        ),
        _trial(
            "one peer is silent, another one ends at once",
            [
                modern(a, ["read"]).script(on("*").then(silence())),
                modern(b, ["old"]).script(on(DISCOVER).then(exit_(1))),
                modern(c, ["draw"]),
            ],
            [Job("read", REFUSED), Job("draw", DONE), Job("old", REFUSED)],
            without=(a, b),
        ),
        _trial(
            "a trusted peer that is modern, in another version",
            [modern(a, ["read"]), modern(b, ["old"], versions=["2031-01-01"]), modern(c, ["draw"])],
            [Job("old", REFUSED), Job("read", DONE), Job("draw", DONE)],
            trusted=b,
            without=(b,),
        ),
        _trial(
            "a crash in the middle of a call",
            [modern(a, ["read"]), old, modern(c, ["draw"]).script(crash)],
            [Job("draw", UNKNOWN), Job("read", DONE), Job("draw", DONE, "not-restarted")],
            trusted=b,
        ),
        _trial(
            "a crash, and one tool less afterwards",
            [
                modern(a, [find, "read"]).script(
                    crash, on(TOOLS_LIST).in_lifetime(2).then(_only("read"))
                ),
                old,
                modern(c, [find]),
            ],
            [
                Job(find, UNKNOWN),
                Job(find, REFUSED, "moved"),
                Job(f"{c}/{find}", DONE),
                Job("read", DONE, "not-restarted"),
            ],
            trusted=b,
        ),
        _trial(
            "a peer that leaves after it has answered",
            [
                modern(a, ["read"]),
                old,
                modern(c, ["draw"]).script(
                    on(TOOLS_CALL).in_lifetime(1).nth(1).then(answer_default(), close())
                ),
            ],
            [Job("draw", DONE), Job("draw", DONE, "not-restarted"), Job("read", DONE)],
            trusted=b,
        ),
        _trial(
            "answers that are none",
            [modern(a, ["read"]), _crooked(c), old],
            [
                Job("slow", UNKNOWN),
                Job("other", UNKNOWN, "stray"),
                Job("loose", FAILED, "unfinished"),
                Job("sorry", FAILED, "not-failed"),
                Job("broken", FAILED, "not-failed"),
                Job("fine", DONE),
                Job("old", DONE),
            ],
            trusted=b,
        ),
        _trial(
            "an old server that ends when it is probed, and crashes later",
            [
                modern(a, ["read"]),
                legacy(b, ["old"], refusal="exit").script(
                    on(TOOLS_CALL).in_lifetime(2).nth(1).then(effect("half done"), close())
                ),
                modern(c, ["draw"]),
            ],
            [Job("old", UNKNOWN), Job("draw", DONE), Job("old", DONE, "not-restarted")],
            trusted=b,
        ),
        _trial(
            "everything at once",
            [
                modern(c, [find, "draw"]).script(
                    on(TOOLS_CALL).in_lifetime(1).nth(2).then(effect("half done"), close()),
                    on(TOOLS_LIST).in_lifetime(2).then(_only("draw")),
                ),
                legacy(b, [find, "old"]).script(
                    on(TOOLS_CALL).in_lifetime(1).where(name="old").then(exit_(3))
                ),
                modern(a, ["read", find], page_size=1),
            ],
            [
                Job(find, DONE),
                Job(f"{c}/{find}", DONE),
                Job("old", UNKNOWN),
                Job("draw", UNKNOWN),
                Job("nothing", REFUSED),
                Job(f"{c}/{find}", REFUSED, "moved"),
                Job("draw", DONE, "not-restarted"),
                Job(f"{b}/{find}", DONE, "not-restarted"),
                Job("old", DONE, "not-restarted"),
            ],
            trusted=b,
        ),
    )


def _crooked(name: str) -> Fake:
    """Return a peer each of whose tools answers in another wrong way, but for one."""
    sorry = {"resultType": "complete", "content": [], "isError": True}
    call = on(TOOLS_CALL)
    return modern(name, ["slow", "other", "loose", "sorry", "broken", "fine"]).script(
        call.where(name="slow").then(silence()),
        call.where(name="other").then(answer_default(id="other")),
        call.where(name="loose").then(answer_default(without=("resultType",))),
        call.where(name="sorry").then(reply(sorry)),
        call.where(name="broken").then(error(-32603, "Internal error")),
    )


def _only(name: str) -> Any:
    return answer_default(patch={"tools": [{"name": name, "inputSchema": {"type": "object"}}]})


def _trial(
    about: str,
    fakes: list[Fake],
    jobs: list[Job],
    *,
    trusted: str = "",
    without: tuple[str, ...] = (),
) -> Trial:
    used = {one.name: one.program.server for one in fakes if one.name not in without}
    eras: dict[str, str | None] = {
        one.name: one.program.server.era if one.name in used else None for one in fakes
    }
    menu: dict[str, str] = {}
    own: dict[str, str] = {}
    for peer in sorted(used):
        for tool in used[peer].definitions():
            name = f"{peer}/{tool['name']}" if tool["name"] in menu else tool["name"]
            menu[name], own[name] = peer, tool["name"]
    pages = {
        peer: len(server.tools) // server.page_size if server.page_size else 1
        for peer, server in used.items()
    }
    wanted = [[job.name, {"q": f"job {place}"}] for place, job in enumerate(jobs, 1)]
    names = tuple(one.name for one in fakes)
    return Trial(
        name=about,
        about=about,
        peers={one.name: one for one in fakes},
        calls=(Call(args=(ThePeers(names), [trusted] if trusted else [], wanted)),),
        right=Right(eras=eras, menu=menu, own=own, jobs=tuple(jobs), pages=pages),
    )
