"""Exercise 1: a refused version is retried once, with a mutual one, and never downgraded.

Source: seed lesson, exercise 1; spec: basic/versioning; rules ERA-00 to ERA-03.
"""

from random import Random
from typing import Any, Final

from fakes import error, modern, on, silence
from workbench.core.text.visible import visible
from workbench.core.wire.keys import DISCOVER, VERSION_KEY
from workbench.core.wire.versions import LEGACY_REVISIONS
from workbench.exercises import wire_checks
from workbench.exercises.exercise import Call, Exercise, Finding, Heard, Hints, Seen, ThePeer, Trial

PREFERRED: Final = "2027-03-01"
OLDER: Final = "2026-07-28"

HINTS: Final[dict[str, Hints]] = {
    "no-probe": (
        "Which request asks a server what it speaks?",
        "server/discover is the first message to every peer (rule ERA-00).",
        "peer.ask(modern_request(1, 'server/discover', {}, versions[0], {})) sends it.",
    ),
    "not-preferred": (
        "Which of your versions do you try first?",
        "versions[0] is the one you prefer; the server says if it cannot speak it.",
        "Write the first request in versions[0], in params._meta; choose again only if refused.",
    ),
    "no-retry": (
        "What does the error say besides its code?",
        "-32022 carries data.supported: what the server speaks (rule ERA-02).",
        "Take the first of your versions that is in error['data']['supported'], and ask again.",
    ),
    "wrong-version": (
        "Which version do both sides speak?",
        "The order is yours: the first of versions that the server names (rule ERA-02).",
        "next((v for v in versions if v in supported and v != refused), None)",
    ),
    "too-often": (
        "What changes between two of your requests?",
        "One retry per mutual version; a version that was refused stays refused.",
        "Remember what was refused, and give up when no other mutual version is left.",
    ),
    "not-unavailable": (
        "What is left to speak when no version is shared?",
        "Nothing: the peer is unavailable (rule ERA-03).",
        "Return None, or raise Unavailable('no version in common').",
    ),
    "wrong-result": (
        "Which version was in the request that succeeded?",
        "The task asks for the version that was agreed on, as text.",
        "Return the version of the request that got a result.",
    ),
}


def trials(chance: Random) -> tuple[Trial, ...]:
    """Make servers that refuse in different ways; names and versions vary."""
    first, second = chance.sample(["museum", "weather", "library", "kitchen"], 2)
    future = f"20{chance.randint(31, 59)}-{chance.randint(1, 12):02d}-01"
    return (
        _trial("accepts", "a server that speaks your first choice", first, (PREFERRED,), PREFERRED),
        _trial("mutual", f"a server that speaks {OLDER} only", second, (OLDER,), OLDER),
        _trial("several", "a server with versions you do not know", first, (future, OLDER), OLDER),
        _trial("disjoint", f"a server that speaks {future} only", second, (future,), None),
        _trial("legacy-only", "a server that names legacy versions", first, LEGACY_REVISIONS, None),
        _refusing("for-ever", "a server that refuses what it names", second, [PREFERRED, OLDER]),
        _refusing("no-data", "a server that refuses and does not say why", first, None),
        Trial(
            name="silent",
            about="a server that says nothing",
            peers={second: modern(second).script(on("*").then(silence()))},
            calls=(_call(second),),
        ),
    )


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Look at the frames first, then at what came out."""
    return (
        wire_checks.initialized(seen, "ERA-03")
        or wire_checks.envelope(seen.heard, "ERA-02")
        or wire_checks.crashed(seen.outcomes)
        or _asked(trial, seen)
        or _came_out(trial, seen)
    )


def _asked(trial: Trial, seen: Seen) -> Finding | None:
    probes = seen.frames(DISCOVER)
    if not probes or seen.heard[0].method != DISCOVER:
        frame = seen.heard[0].frame if seen.heard else None
        return Finding(
            key="no-probe",
            rule="ERA-00",
            seen="The first message was not server/discover.",
            frame=frame,
        )
    spoken = [_version(one) for one in probes]
    if spoken[0] != PREFERRED:
        return Finding(
            key="not-preferred",
            rule="ERA-01",
            seen=f"The first request was written in {spoken[0]}, not in {PREFERRED}.",
            frame=probes[0].frame,
        )
    for place, version in enumerate(spoken):
        if version in spoken[:place]:
            return Finding(
                key="too-often",
                rule="ERA-02",
                seen=f"{version} was asked for again after it had been refused.",
                frame=probes[place].frame,
            )
    return _retried(trial, probes, spoken)


def _retried(trial: Trial, probes: tuple[Heard, ...], spoken: list[str]) -> Finding | None:
    fitting = trial.right if isinstance(trial.right, str) else None
    allowed = {PREFERRED, fitting, OLDER if trial.name == "for-ever" else None}
    for one, version in zip(probes, spoken, strict=True):
        if version not in allowed:
            return Finding(
                key="wrong-version",
                rule="ERA-02" if fitting else "ERA-03",
                seen=f"The retry was written in {version}, which is not shared.",
                frame=one.frame,
            )
    if fitting is not None and fitting not in spoken:
        return Finding(
            key="no-retry",
            rule="ERA-02",
            seen=f"The server named {fitting}, and nobody asked in it.",
            frame=probes[-1].frame,
        )
    return None


def _came_out(trial: Trial, seen: Seen) -> Finding | None:
    outcome = seen.last
    if trial.right is None:
        if wire_checks.unavailable(outcome):
            return None
        shown = visible(repr(outcome.value), 60)
        return Finding(
            key="not-unavailable",
            rule="ERA-03",
            seen=f"There is no version in common, and {shown} was returned.",
        )
    if outcome.value == trial.right:
        return None
    shown = outcome.error or visible(repr(outcome.value), 60)
    return Finding(
        key="wrong-result",
        rule="ERA-01",
        seen=f"The version agreed on is {trial.right}; what came out is {shown}.",
    )


def _version(probe: Heard) -> str:
    meta: Any = probe.params.get("_meta")
    return visible(str(meta.get(VERSION_KEY)), 60) if isinstance(meta, dict) else ""


def _call(peer: str) -> Call:
    return Call(args=(ThePeer(peer), [PREFERRED, OLDER]))


def _trial(name: str, about: str, peer: str, versions: tuple[str, ...], right: str | None) -> Trial:
    fake = modern(peer, versions=versions)
    return Trial(name=name, about=about, peers={peer: fake}, calls=(_call(peer),), right=right)


def _refusing(name: str, about: str, peer: str, supported: list[str] | None) -> Trial:
    data = None if supported is None else {"supported": supported, "requested": PREFERRED}
    refusal = error(-32022, "Unsupported protocol version", data=data)
    fake = modern(peer).script(on("*").then(refusal))
    return Trial(name=name, about=about, peers={peer: fake}, calls=(_call(peer),))


EXERCISE: Final = Exercise(
    number=1,
    name="refused-version",
    title="A refused version",
    answer="negotiate",
    task="Agree on a version with a server that may refuse your first choice.",
    rules=("ERA-00", "ERA-01", "ERA-02", "ERA-03"),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
