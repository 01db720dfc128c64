"""What no conversation can break, whatever a peer says and when."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from playbook import DISCOVERY, HANDSHAKE

from workbench.core.actions import Send
from workbench.core.events import (
    Closed,
    DeadlinePassed,
    ExchangeEnded,
    LifeSeen,
    Opened,
    Received,
)
from workbench.core.negotiate.machine import step
from workbench.core.negotiate.snapshot import TERMINAL, State, Terms, begin
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.core.wire.keys import RECOGNIZED_MODERN_ERRORS

NEWER = ("2026-07-28", "2027-01-01")


IDS = st.sampled_from([1, 2, 3, 4, "1", None, 1.0, 99])
RESULTS = st.one_of(
    st.sampled_from([DISCOVERY, HANDSHAKE, {}, None, "x"]),
    st.builds(
        lambda v: {**DISCOVERY, "supportedVersions": v},
        st.lists(
            st.sampled_from(["2026-07-28", "2027-01-01", "2025-11-25", "2099-01-01"]), max_size=3
        ),
    ),
    st.builds(
        lambda v: {**HANDSHAKE, "protocolVersion": v},
        st.sampled_from(["2025-11-25", "2024-11-05", "2026-07-28", "9999-01-01"]),
    ),
)
DATA = st.sampled_from(
    [
        None,
        {"supported": ["2026-07-28"]},
        {"supported": ["2027-01-01", "2025-11-25"]},
        {"requiredCapabilities": {"roots": {}}},
        {"requiredCapabilities": {"sampling": {}}},
    ]
)
CODES = st.sampled_from([-32020, -32021, -32022, -32601, -32000, 0])
BODIES = st.one_of(
    st.builds(lambda i, r: {"jsonrpc": "2.0", "id": i, "result": r}, IDS, RESULTS),
    st.builds(
        lambda i, c, d: {
            "jsonrpc": "2.0",
            "id": i,
            "error": {"code": c, "message": "m", "data": d},
        },
        IDS,
        CODES,
        DATA,
    ),
    st.just({"jsonrpc": "2.0", "method": "notifications/message"}),
    st.builds(lambda i: {"jsonrpc": "2.0", "id": i, "method": "ping"}, IDS),
    st.builds(lambda i: {"jsonrpc": "1.0", "id": i, "result": DISCOVERY}, IDS),
)
ENDS = st.builds(
    lambda asked, trouble: ExchangeEnd(request_id=asked, trouble=trouble, status=400),
    st.sampled_from([1, 2, 3, 4, "1", None]),
    st.sampled_from(sorted(Trouble)),
)
STIMULI = st.one_of(
    BODIES.map(encode), st.binary(max_size=20), st.sampled_from(["deadline", "close", "life"]), ENDS
)


@settings(max_examples=2_000, deadline=None)
@given(
    allow=st.booleans(),
    lenient=st.booleans(),
    stimuli=st.lists(STIMULI, max_size=12),
)
def test_random_events_never_break_the_promises(
    allow: bool, lenient: bool, stimuli: list[Any]
) -> None:
    """Seed skill, hard rejects, over random conversations.

    No crash and no hang; at most one `initialize` a transport; never one after modern
    proof, without permission, or for what is no evidence at all; legacy only by a valid
    handshake; every id fresh.
    """
    snapshot = begin(
        Terms(
            allow_legacy=allow,
            modern_revisions=NEWER,
            can_declare={"roots": {}},
            accept_missing_result_type=lenient,
        )
    )
    queue: list[Any] = [Opened(), *stimuli]
    lifetime: list[str] = []
    ids: list[Any] = []
    proved_modern = False
    now = 0.0
    for stimulus in queue:
        if snapshot.state in TERMINAL:
            break
        if snapshot.state is State.REOPENING:
            snapshot, actions = step(snapshot, Opened(), now)
            lifetime = []
            _watch(actions, lifetime, ids)
            assert not proved_modern
        event = _event(stimulus, snapshot)
        if event is None:
            continue
        now = max(now, event.at) if isinstance(event, DeadlinePassed) else now
        before = snapshot
        snapshot, actions = step(snapshot, event, now)
        _watch(actions, lifetime, ids)
        if _proves_modern(event, before):
            proved_modern = True
        if proved_modern:
            assert snapshot.state is not State.LEGACY
            assert not any(isinstance(a, Send) and a.method == "initialize" for a in actions)
        if _is_no_evidence(event):
            assert not any(isinstance(a, Send) for a in actions)
        assert lifetime.count("initialize") <= 1
        if not allow:
            assert "initialize" not in lifetime
        if snapshot.state not in TERMINAL and snapshot.state is not State.REOPENING:
            assert snapshot.deadline_at is not None and snapshot.deadline_at >= now
    assert len(ids) == len(set(ids))


def _event(stimulus: Any, snapshot: Any) -> Any:
    if stimulus == "deadline":
        return DeadlinePassed(snapshot.deadline_at) if snapshot.deadline_at is not None else None
    if stimulus == "close":
        return Closed("exited", "")
    if stimulus == "life":
        # A transport reports its first byte once, before the first frame.
        fresh = not snapshot.alive and snapshot.state is not State.CORRECTING
        return LifeSeen() if fresh else None
    if isinstance(stimulus, ExchangeEnd):
        # The old transport is looked for only after a refused initialize.
        early = stimulus.trouble is Trouble.OLD_TRANSPORT
        handshaking = snapshot.state is State.HANDSHAKING
        return None if early and not handshaking else ExchangeEnded(stimulus)
    if isinstance(stimulus, bytes):
        return Received(decode(stimulus))
    return stimulus


def _watch(actions: Any, lifetime: list[str], ids: list[Any]) -> None:
    for action in actions:
        if isinstance(action, Send):
            lifetime.append(action.method)
            if action.request_id is not None:
                ids.append(action.request_id)


def _proves_modern(event: Any, before: Any) -> bool:
    message = getattr(event, "message", None)
    asked = {*before.discover_ids, before.initialize_id} - {None}
    code = getattr(message, "code", None)
    return code in RECOGNIZED_MODERN_ERRORS and message.id in asked


def _is_no_evidence(event: Any) -> bool:
    nothing = {Trouble.AUTH, Trouble.SERVER, Trouble.REDIRECT, Trouble.UNREACHABLE}
    return isinstance(event, ExchangeEnded) and event.end.trouble in nothing
