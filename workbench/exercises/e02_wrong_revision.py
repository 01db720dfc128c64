"""Exercise 2: an allowlisted peer becomes legacy by a valid answer only.

Source: seed lesson, exercise 2 and the conditions of the compatibility probe;
spec 2025-11-25: basic/lifecycle; rules LEG-00, LEG-01, LEG-03 to LEG-09.
"""

from random import Random
from typing import Final

from fakes import Fake, answer_default, close, error, legacy, notify, on, silence
from fakes.steps import Step
from workbench.core.text.visible import visible
from workbench.core.wire.keys import INITIALIZE, INITIALIZED
from workbench.core.wire.message import Notification, Result
from workbench.exercises import wire_checks
from workbench.exercises.exercise import Call, Exercise, Finding, Hints, Seen, ThePeer, Trial

NEWEST: Final = "2025-11-25"
OLDER: Final = "2025-06-18"
REVISIONS: Final = (NEWEST, OLDER)
_BOTH: Final = {"error": {"code": -32603, "message": "Internal error"}}

HINTS: Final[dict[str, Hints]] = {
    "no-initialize": (
        "What does a legacy server wait for before anything else?",
        "The permission was given, so initialize is the one message to send (rule LEG-01).",
        "peer.send({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {...}})",
    ),
    "incomplete": (
        "What does a server want to know about you in initialize?",
        "params has protocolVersion (one of revisions), capabilities and clientInfo.",
        "'params': {'protocolVersion': revisions[0], 'capabilities': {}, 'clientInfo': "
        "{'name': 'me', 'version': '1'}}",
    ),
    "twice": (
        "How often may you knock?",
        "An allowlisted peer gets exactly one initialize, whatever it answers (rule LEG-01).",
        "Take the sending out of the loop; only the receiving may be repeated.",
    ),
    "accepted-revision": (
        "Is that a revision you implement?",
        "The answer must name one of revisions; 2026-07-28 is no legacy one (rule LEG-08).",
        "if result['protocolVersion'] not in revisions: raise Unavailable(...)",
    ),
    "accepted-id": (
        "Whose answer is that?",
        "It counts only under the id you asked with: same type, same value (rule LEG-04).",
        "type(answer.get('id')) is int and answer['id'] == 1, if you asked with the id 1.",
    ),
    "accepted-error": (
        "Did the server say yes?",
        "An answer has exactly one of result and error; an error is a no (rules LEG-05, LEG-06).",
        "if 'error' in answer or 'result' not in answer: raise Unavailable(...)",
    ),
    "accepted-shape": (
        "What else belongs into an InitializeResult?",
        "capabilities is an object; serverInfo has a name and a version, both text and not empty.",
        "isinstance(result.get('capabilities'), dict), and the same care for serverInfo.",
    ),
    "accepted-silence": (
        "What has the server proved by saying nothing?",
        "No answer in time, or a closed connection, leaves the peer unavailable (rule LEG-03).",
        "receive() gives None, or raises PeerGone: in both cases raise Unavailable(...).",
    ),
    "refused-valid": (
        "This answer was fine. What did you not like about it?",
        "An older revision of yours is fine too, and news may come before the answer.",
        "Go on receiving while what arrives has no id: it is a notification, not the answer.",
    ),
    "no-initialized": (
        "How does the server learn that you accept?",
        "After a valid answer, and only then, notifications/initialized is sent once (LEG-00).",
        "peer.send({'jsonrpc': '2.0', 'method': 'notifications/initialized'}): without an id.",
    ),
}

_BAD: Final[dict[str, tuple[str, str, str, Step]]] = {
    # Trial: what is wrong, the mistake of who accepts it, the rule, the answer.
    "unknown": (
        "the revision is the word unknown",
        "accepted-revision",
        "LEG-08",
        answer_default(patch={"protocolVersion": "unknown"}),
    ),
    "not-ours": (
        "the revision is an old one that you do not speak",
        "accepted-revision",
        "LEG-08",
        answer_default(patch={"protocolVersion": "2024-11-05"}),
    ),
    "modern": (
        "the revision is the modern one",
        "accepted-revision",
        "LEG-08",
        answer_default(patch={"protocolVersion": "2026-07-28"}),
    ),
    "other-id": ("the id is another", "accepted-id", "LEG-04", answer_default(id="other")),
    "text-id": ("the id is a text", "accepted-id", "LEG-04", answer_default(id="string")),
    "error": ("an error", "accepted-error", "LEG-05", error(-32603, "Internal error")),
    "both": ("result and error", "accepted-error", "LEG-06", answer_default(envelope=_BOTH)),
    "old-json": (
        "the envelope says jsonrpc 1.0",
        "accepted-shape",
        "LEG-06",
        answer_default(envelope={"jsonrpc": "1.0"}),
    ),
    "no-info": (
        "serverInfo is missing",
        "accepted-shape",
        "LEG-07",
        answer_default(without=("serverInfo",)),
    ),
    "no-name": (
        "the server's name is empty",
        "accepted-shape",
        "LEG-07",
        answer_default(patch={"serverInfo": {"name": "", "version": "1"}}),
    ),
    "list": (
        "capabilities is a list",
        "accepted-shape",
        "LEG-07",
        answer_default(patch={"capabilities": ["tools"]}),
    ),
    "silent": ("no answer at all", "accepted-silence", "LEG-03", silence()),
    "closes": ("the connection ends instead", "accepted-silence", "LEG-09", close()),
}


def trials(chance: Random) -> tuple[Trial, ...]:
    """Make servers that answer `initialize` well, and others that do not."""
    names = ["archive", "cellar", "attic", "drawer"]
    good = [
        ("valid", "the answer is valid", legacy(chance.choice(names))),
        (
            "older",
            "the answer names your older revision",
            legacy(chance.choice(names), versions=[OLDER]),
        ),
    ]
    news = notify("notifications/message", {"level": "info", "data": "one moment"})
    talks = legacy(chance.choice(names)).script(on(INITIALIZE).then(news, answer_default()))
    good.append(("news", "a notification comes before the valid answer", talks))
    bad = list(_BAD.items())
    # Which fault comes first is left to chance, but for the exercise's own: the revision.
    rest = bad[3:]
    chance.shuffle(rest)
    made = [_trial(*one, True) for one in good[:2]]
    for name, (about, _, _, step) in (*bad[:3], *rest):
        fake = legacy(chance.choice(names)).script(on(INITIALIZE).then(step))
        made.append(_trial(name, f"after initialize: {about}", fake, False))
    return (*made, _trial(*good[2], True))


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Look at what was sent, then at what was made of the answer."""
    return (
        wire_checks.broken_frames(seen.heard)
        or _knocked(seen)
        or (_accepted(trial, seen) if not trial.right else None)
        or wire_checks.crashed(seen.outcomes)
        or (_welcomed(seen) if trial.right else None)
    )


def _knocked(seen: Seen) -> Finding | None:
    asked = seen.frames(INITIALIZE)
    if not seen.heard or seen.heard[0].method != INITIALIZE:
        bad = wire_checks.crashed(seen.outcomes)
        frame = seen.heard[0].frame if seen.heard else None
        said = "The first message was not initialize."
        return bad or Finding(key="no-initialize", rule="LEG-01", seen=said, frame=frame)
    params = asked[0].params
    info = params.get("clientInfo")
    whole = (
        asked[0].is_request
        and params.get("protocolVersion") in REVISIONS
        and isinstance(params.get("capabilities"), dict)
        and isinstance(info, dict)
        and all(isinstance(info.get(key), str) and info[key] for key in ("name", "version"))
    )
    if not whole:
        said = "initialize does not say what it has to: revision, capabilities, client."
        return Finding(key="incomplete", rule="LEG-01", seen=said, frame=asked[0].frame)
    if len(asked) > 1:
        said = "initialize was sent a second time."
        return Finding(key="twice", rule="LEG-01", seen=said, frame=asked[1].frame)
    return None


def _accepted(trial: Trial, seen: Seen) -> Finding | None:
    about, key, rule, _ = _BAD[trial.name]
    if trial.name == "text-id" and isinstance(_asked_id(seen), str):
        return None  # Whoever asks under a text gets the very same id back.
    told = seen.frames(INITIALIZED)
    returned = seen.last.ended == "returned" and seen.last.value is not None
    if not told and not returned:
        return None
    answers = seen.said()
    how = f"{INITIALIZED} was sent" if told else f"{_shown(seen)} was returned"
    return Finding(
        key=key,
        rule=rule,
        seen=f"It was accepted although {about}: {how}.",
        frame=answers[-1][0] if answers else None,
    )


def _welcomed(seen: Seen) -> Finding | None:
    frame, agreed = next(
        (
            (frame, answer.result["protocolVersion"])
            for frame, answer in seen.said()
            if isinstance(answer, Result)
        ),
        (None, ""),
    )
    if seen.last.value != agreed:
        shown = seen.last.error or _shown(seen)
        return Finding(
            key="refused-valid",
            rule="LEG-00",
            seen=f"A valid handshake for {agreed} ended in {shown}.",
            frame=frame,
        )
    told = seen.frames(INITIALIZED)
    if len(told) != 1 or not isinstance(told[0].message, Notification):
        times = "as a request" if len(told) == 1 else f"{len(told)} times"
        return Finding(
            key="no-initialized",
            rule="LEG-00",
            seen=f"{INITIALIZED} was sent {times}, and it has to be sent once, as a notification.",
            frame=told[-1].frame if told else None,
        )
    return None


def _asked_id(seen: Seen) -> object:
    return getattr(seen.frames(INITIALIZE)[0].message, "id", None)


def _shown(seen: Seen) -> str:
    return visible(repr(seen.last.value), 60)


def _trial(name: str, about: str, fake: Fake, right: bool) -> Trial:
    call = Call(args=(ThePeer(fake.name), list(REVISIONS)))
    return Trial(name=name, about=about, peers={fake.name: fake}, calls=(call,), right=right)


EXERCISE: Final = Exercise(
    number=2,
    name="wrong-revision",
    title="A wrong revision",
    answer="handshake",
    task="Shake hands with an old server you trust, and accept nothing but a valid answer.",
    rules=(
        "LEG-00",
        "LEG-01",
        "LEG-03",
        "LEG-04",
        "LEG-05",
        "LEG-06",
        "LEG-07",
        "LEG-08",
        "LEG-09",
    ),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
