"""Checks of the handshake era: rules LINT-13, LINT-23 to LINT-25, and LINT-34.

Takes:  a `Life`
Gives:  (frame, what was seen) for each frame that breaks a rule
Never:  counts a modern probe: asking `server/discover` before `initialize` is how a client
        of both eras begins
"""

from typing import Any, Final

from workbench.core.text.visible import visible
from workbench.core.wire.headers import VERSION_HEADER
from workbench.core.wire.keys import INITIALIZE, INITIALIZED, VERSION_KEY
from workbench.core.wire.versions import LEGACY_REVISIONS
from workbench.lint.envelope_checks import Seen
from workbench.lint.input_checks import NEEDS
from workbench.lint.record import Asked, Life

_EARLY: Final = frozenset({INITIALIZE, "ping"})
"""Requests that may come before `notifications/initialized`."""
WITH_HEADER: Final = ("2025-06-18", "2025-11-25")
"""Revisions with a handshake and that header."""


def check_server_requests(life: Life) -> Seen:
    """LINT-13: a legacy server asks for what was declared."""
    greeted = life.handshake
    if greeted is None or life.era != "legacy":
        return
    declared = greeted.request.params.get("capabilities")
    for asked in life.of("server"):
        needed = NEEDS.get(asked.request.method)
        if needed is not None and not (isinstance(declared, dict) and needed in declared):
            yield asked.frame, f"it needs {needed}, which the client did not declare"


def check_one_handshake(life: Life) -> Seen:
    """LINT-23: one `initialize`, before every other legacy request."""
    seen = 0
    early: list[Asked] = []
    for asked in life.of("client"):
        if asked.request.method == INITIALIZE:
            seen += 1
            if seen > 1:
                yield asked.frame, "it is not the first initialize on this transport"
            elif life.whole:
                for one in early:
                    yield one.frame, f"{visible(one.request.method, 60)} comes before initialize"
        elif life.is_modern(asked) is False and asked.request.method not in _EARLY and not seen:
            early.append(asked)


def check_initialized(life: Life) -> Seen:
    """LINT-24: `notifications/initialized` once, at its place."""
    greeted, told = life.handshake, 0
    only_client = not any(frame.by == "server" for frame in life.frames)
    for frame in life.notifications("client"):
        if frame.method != INITIALIZED:
            continue
        told += 1
        answered = greeted.answered_at if greeted is not None else None
        if told > 1:
            yield frame, "it is not the first on this transport"
        elif not life.whole or (only_client and greeted is not None):
            continue
        elif answered is None or answered > frame.place or life.era != "legacy":
            yield frame, "no initialize had been answered"
    if greeted is not None and life.era == "legacy":
        yield from _too_early(life)


def check_greeting(life: Life) -> Seen:
    """LINT-25: what the answer to `initialize` says."""
    for asked in life.of("client"):
        if asked.request.method != INITIALIZE or not isinstance(asked.result, dict):
            continue
        version, info = asked.result.get("protocolVersion"), asked.result.get("serverInfo")
        if isinstance(version, str) and version not in LEGACY_REVISIONS:
            yield asked.answers[0], f"there is no handshake in revision {visible(version, 40)}"
        for member in ("name", "version") if isinstance(info, dict) else ():
            if _get(info, member) == "":
                yield asked.answers[0], f"serverInfo.{member} is empty"


def check_version_header(life: Life) -> Seen:
    """LINT-34: the agreed revision in a header of every later message."""
    greeted = life.handshake
    result = greeted.result if greeted is not None else None
    agreed = result.get("protocolVersion") if isinstance(result, dict) else None
    if greeted is None or agreed not in WITH_HEADER:
        return
    answered = greeted.answered_at
    for frame in life.frames:
        headers = frame.facts.headers
        later = frame.by == "client" and answered is not None and frame.place > answered
        if not later or not headers or VERSION_KEY in frame.meta:
            continue
        given = headers.get(VERSION_HEADER.lower())
        if given != agreed:
            shown = "missing" if given is None else visible(given, 40)
            yield frame, f"{VERSION_HEADER} is {shown}, agreed was {agreed}"


def _too_early(life: Life) -> Seen:
    told_at = next(
        (one.place for one in life.notifications("client") if one.method == INITIALIZED), None
    )
    for asked in life.of("client"):
        if asked.request.method in _EARLY or life.is_modern(asked):
            continue
        if told_at is None or asked.frame.place < told_at:
            name = visible(asked.request.method, 60)
            yield asked.frame, f"{name} comes before notifications/initialized"


def _get(value: Any, member: str) -> Any:
    return value.get(member) if isinstance(value, dict) else None
