"""Exercise 10: a client of three peers, from the parts, that survives what they do.

Source: seed lesson; design: behaviour that must not be softened; rules of negotiation,
merging, routing, retrying and recovery.
"""

from typing import Any, Final

from workbench.core.text.visible import visible
from workbench.core.wire.keys import (
    DISCOVER,
    INITIALIZE,
    INITIALIZED,
    TOOLS_CALL,
    TOOLS_LIST,
)
from workbench.exercises import wire_checks
from workbench.exercises.capstone_scripts import DONE, REFUSED, Job, Right, trials
from workbench.exercises.exercise import Exercise, Finding, Heard, Hints, Seen, Trial

HINTS: Final[dict[str, Hints]] = {
    "not-probed": (
        "What is the first message on every connection?",
        "server/discover, also on a connection that is opened anew (rules ERA-00, RECOV-01).",
        "Write connect(peer) once: discover first; call it at the start and after every loss.",
    ),
    "downgraded": (
        "Who allowed you to shake hands with this peer?",
        "initialize goes to trusted peers only, and never after -32020, -32021, -32022 (ERA-10).",
        "if name in trusted and code not in (-32020, -32021, -32022): initialize",
    ),
    "spoken-to": (
        "Is there anything left to say to this peer?",
        "A peer that is neither modern nor a trusted old one is left alone.",
        "if era is None: continue, before tools/list.",
    ),
    "handshake": (
        "What does an old server wait for before it serves?",
        "initialize, its answer, and then notifications/initialized, once each (rule LEG-00).",
        "Then peer.send({'jsonrpc': '2.0', 'method': 'notifications/initialized'}), and list.",
    ),
    "one-bad-peer": (
        "One peer is out of order. What about the other two?",
        "A peer that cannot be used has the era None, and the others go on (rule ERA-12).",
        "Catch PeerGone around one peer's negotiation, and take silence, None, into account.",
    ),
    "not-listed": (
        "How do you know what this peer offers?",
        "Every peer that is connected is asked with tools/list.",
        "for name in peers: if eras[name]: tools[name] = read_list(peers[name])",
    ),
    "first-page": (
        "Was that the whole list?",
        "A result with nextCursor goes on with that cursor, until there is none.",
        "params = {'cursor': result['nextCursor']}, and a new id, while there is a nextCursor.",
    ),
    "sent-anyway": (
        "Where did you find this name?",
        "Only names of the menu are called, compared exactly; others are refused (ROUTE-01).",
        "if name not in menu: outcomes.append('refused'), and nothing is sent.",
    ),
    "moved": (
        "Does this name still mean what it meant at the start?",
        "A tool its peer no longer has is refused, and nobody steps in for it (rule ROUTE-03).",
        "Keep the menu of the start; after a restart look whether the tool is in the new list.",
    ),
    "misrouted": (
        "Who owns this name, and what does the owner call it?",
        "The menu leads to one peer and to that peer's own name of the tool (rule ROUTE-01).",
        "menu[canonical] = (peer, own_name); send own_name to that peer.",
    ),
    "repeated": (
        "Could the tool have run before the peer was gone?",
        "Nobody gave you a key or a yes, so a lost call is not sent again (rule RETRY-01).",
        "except PeerGone after the sending: outcomes.append('unknown'), and go on.",
    ),
    "not-restarted": (
        "The peer was lost one job ago. Is it lost for good?",
        "Before its next job a lost peer is opened again, negotiated and listed (RECOV-01).",
        "if peer.closed: peer.reopen(), then connect and list as at the start.",
    ),
    "not-listed-again": (
        "What does the restarted peer offer?",
        "A new connection is a new verdict and a new list, before anything is called (RECOV-01).",
        "After reopen(): connect(peer), then tools/list, then tools/call.",
    ),
    "not-called": (
        "What became of this job?",
        "A job whose name is in the menu is sent to its owner, once.",
        "for name, arguments in jobs: look the name up, and send tools/call.",
    ),
    "no-report": (
        "What does the task ask you to return?",
        "A dict with eras, menu and outcomes.",
        "return {'eras': eras, 'menu': {name: peer, ...}, 'outcomes': outcomes}",
    ),
    "wrong-eras": (
        "What did each peer prove?",
        "Each peer's name leads to 'modern', 'legacy' or None, as it was at the start.",
        "eras[name] = connect(peer), for every peer, also for those that cannot be used.",
    ),
    "wrong-menu": (
        "Who comes first, and what are the others called?",
        "Peers in sorted order: the first keeps the name, later ones get peer/name (MERGE-01).",
        "for peer in sorted(tools): key = f'{peer}/{tool}' if tool in menu else tool",
    ),
    "stray": (
        "Whose answer was that?",
        "An answer under another id is not yours; the outcome stays unknown (rule LINT-02).",
        "Receive until answer.get('id') is the id you sent, or until nothing comes any more.",
    ),
    "unfinished": (
        "Did this modern result say that it is complete?",
        "A modern result without resultType complete is a broken answer: failed (CALL-01).",
        "if era == 'modern' and result.get('resultType') != 'complete': 'failed'",
    ),
    "not-failed": (
        "What did the peer say about the call?",
        "An error, and a result with isError true, mean that the call has failed.",
        "if 'error' in answer or answer['result'].get('isError'): 'failed'",
    ),
    "wrong-outcome": (
        "In which of the four ways did this job end?",
        "One word a job, in the order of the jobs: done, failed, unknown or refused.",
        "Lost after it was sent is unknown; not sent at all is refused.",
    ),
}

_RULES: Final = {
    "moved": "ROUTE-03",
    "sent-anyway": "ROUTE-01",
    "stray": "LINT-02",
    "unfinished": "CALL-01",
    "not-restarted": "RECOV-01",
}


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Follow the client from its first probe to its report."""
    right: Right = trial.right
    to_modern = [
        one for one in seen.heard if right.eras[one.peer] == "modern" or one.method == DISCOVER
    ]
    return (
        wire_checks.broken_frames(seen.heard)
        or _downgraded(right, seen)
        or wire_checks.unstamped(to_modern)
        or wire_checks.repeated_id(seen.heard, "LINT-04")
        or _connections(right, seen)
        or _lists(right, seen)
        or _calls(right, seen)
        or _crash(right, seen)
        or _report(right, seen.last.value)
    )


def _downgraded(right: Right, seen: Seen) -> Finding | None:
    for one in seen.frames(INITIALIZE):
        if right.eras[one.peer] != "legacy":
            said = f"initialize was sent to {one.peer}."
            return Finding(key="downgraded", rule="ERA-10", seen=said, frame=one.frame)
    return None


def _crash(right: Right, seen: Seen) -> Finding | None:
    bad = wire_checks.crashed(seen.outcomes, ())
    if bad is not None and right.bad:
        return Finding(key="one-bad-peer", rule="ERA-12", seen=bad.seen)
    return bad


def _connections(right: Right, seen: Seen) -> Finding | None:
    groups: dict[tuple[str, int], list[Heard]] = {}
    for one in seen.heard:
        groups.setdefault((one.peer, one.lifetime), []).append(one)
    for (peer, lifetime), frames in groups.items():
        before = [one.method for one in groups.get((peer, lifetime - 1), ())]
        handed_over = frames[0].method == INITIALIZE and before == [DISCOVER]
        if frames[0].method != DISCOVER and not handed_over:
            said = f"Connection {lifetime} to {peer} does not begin with server/discover."
            rule = "ERA-00" if lifetime == 1 else "RECOV-01"
            return Finding(key="not-probed", rule=rule, seen=said, frame=frames[0].frame)
        found = _order(right.eras[peer], peer, frames)
        if found is not None:
            return found
    for peer in right.eras:
        if (peer, 1) not in groups:
            said = f"{peer} was never asked what it speaks."
            bad = _crash(right, seen)
            return bad or Finding(key="not-probed", rule="ERA-00", seen=said)
    return None


def _order(era: str | None, peer: str, frames: list[Heard]) -> Finding | None:
    """Check the order of what went out on one connection."""
    told: list[str] = []
    for one in frames:
        if one.method in (TOOLS_LIST, TOOLS_CALL):
            if era is None:
                said = f"{one.method} was sent to {peer}, which cannot be used."
                return Finding(key="spoken-to", rule="ERA-12", seen=said, frame=one.frame)
            if era == "legacy" and (told.count(INITIALIZE), told.count(INITIALIZED)) != (1, 1):
                said = f"{one.method} was sent to {peer} without one whole handshake before."
                return Finding(key="handshake", rule="LEG-00", seen=said, frame=one.frame)
        if one.method == TOOLS_CALL and TOOLS_LIST not in told:
            said = f"A tool of {peer} was called on a connection on which none was listed."
            return Finding(key="not-listed-again", rule="RECOV-01", seen=said, frame=one.frame)
        told.append(one.method)
    return None


def _lists(right: Right, seen: Seen) -> Finding | None:
    for peer, pages in right.pages.items():
        asked = seen.frames(TOOLS_LIST, peer)
        if right.eras[peer] == "legacy" and not seen.frames(INITIALIZE, peer):
            said = f"Nobody shook hands with {peer}, which is trusted."
            return _crash(right, seen) or Finding(key="handshake", rule="LEG-00", seen=said)
        if not asked:
            said = f"{peer} was never asked for its tools."
            return _crash(right, seen) or Finding(key="not-listed", rule="LIST-06", seen=said)
        if len(asked) < pages:
            said = f"The list of {peer} has {pages} pages, and not all were read."
            return Finding(key="first-page", rule="LIST-05", seen=said, frame=asked[-1].frame)
    return None


def _calls(right: Right, seen: Seen) -> Finding | None:
    for place, job in enumerate(right.jobs, 1):
        sent = [one for one in seen.frames(TOOLS_CALL) if _text(one) == f"job {place}"]
        owner, own = right.menu.get(job.name), right.own.get(job.name)
        if job.word == REFUSED and sent:
            key = job.miss or "sent-anyway"
            said = f"Job {place}, {job.name}, is to be refused, and was sent to {sent[0].peer}."
            return Finding(key=key, rule=_RULES[key], seen=said, frame=sent[0].frame)
        for one in sent:
            if (one.peer, one.params.get("name")) != (owner, own):
                said = f"Job {place}, {job.name}, was sent to {one.peer}, and belongs to {owner}"
                said = f"{said} as {own}."
                return Finding(key="misrouted", rule="ROUTE-01", seen=said, frame=one.frame)
        if len(sent) > 1:
            said = f"Job {place}, {job.name}, was sent {len(sent)} times."
            return Finding(key="repeated", rule="RETRY-01", seen=said, frame=sent[1].frame)
        if job.word != REFUSED and not sent:
            said = f"Job {place}, {job.name}, was never sent to {owner}."
            bad = _crash(right, seen)
            if job.miss == "not-restarted":
                return bad or Finding(key=job.miss, rule=_RULES[job.miss], seen=said)
            # A wrong menu says more than the call that it led nowhere.
            why = _start(right, seen.last.value) if isinstance(seen.last.value, dict) else None
            return bad or why or Finding(key="not-called", seen=said)
    return None


def _text(call: Heard) -> Any:
    arguments = call.params.get("arguments")
    return arguments.get("q") if isinstance(arguments, dict) else None


def _report(right: Right, report: Any) -> Finding | None:
    if not isinstance(report, dict) or not {"eras", "menu", "outcomes"} <= set(report):
        said = f"What was returned has no eras, menu and outcomes: {visible(repr(report), 100)}."
        return Finding(key="no-report", seen=said)
    wrong = _start(right, report)
    if wrong is not None:
        return wrong
    words = report["outcomes"]
    if not isinstance(words, list) or len(words) != len(right.jobs):
        said = f"There are {len(right.jobs)} jobs; the outcomes are {_shown(words)}."
        return Finding(key="wrong-outcome", seen=said)
    for place, (job, word) in enumerate(zip(right.jobs, words, strict=True), 1):
        if word != job.word:
            return _outcome(place, job, word)
    return None


def _start(right: Right, report: dict[str, Any]) -> Finding | None:
    """Compare the eras and the menu, as far as they are reported."""
    eras, menu = report.get("eras", right.eras), report.get("menu", right.menu)
    if eras != right.eras:
        said = f"The eras are {_shown(right.eras)}; {_shown(eras)} came out."
        return Finding(key="wrong-eras", rule="ERA-01", seen=said)
    if menu != right.menu:
        said = f"The menu is {_shown(right.menu)}; {_shown(menu)} came out."
        return Finding(key="wrong-menu", rule="MERGE-01", seen=said)
    return None


def _outcome(place: int, job: Job, word: Any) -> Finding:
    said = f"Job {place}, {job.name}, ended in {job.word}, and {_shown(word)} was reported."
    key = job.miss if word == DONE and job.miss in HINTS else "wrong-outcome"
    return Finding(key=key, rule=_RULES.get(key), seen=said)


def _shown(value: Any) -> str:
    return visible(repr(value), 200)


EXERCISE: Final = Exercise(
    number=10,
    name="capstone",
    title="Three peers, and what they do to you",
    answer="run",
    task="Build a client of three peers from the parts, and bring it through a script of faults.",
    rules=(
        "CALL-01",
        "ERA-00",
        "ERA-01",
        "ERA-10",
        "ERA-12",
        "LEG-00",
        "LINT-02",
        "MERGE-01",
        "RECOV-01",
        "RETRY-01",
        "ROUTE-01",
        "ROUTE-03",
    ),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
