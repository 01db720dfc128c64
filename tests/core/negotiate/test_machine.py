"""The negotiation, event by event, without any transport."""

from typing import Any

import pytest
from playbook import DISCOVERY, HANDSHAKE, Playbook

from workbench.core.errors import InternalError
from workbench.core.events import Opened
from workbench.core.negotiate.machine import step
from workbench.core.negotiate.snapshot import State, Terms, begin
from workbench.core.negotiate.table import TRANSITIONS
from workbench.core.wire.keys import (
    CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    VERSION_KEY,
)
from workbench.core.wire.versions import Era

NEWER = ("2026-07-28", "2027-01-01")


def test_the_first_message_is_a_stamped_discover() -> None:
    """Seed card: `server/discover` before any other request, `_meta` on each."""
    book = Playbook()
    (body,) = book.sent
    meta = body["params"]["_meta"]
    assert body["method"] == "server/discover"
    assert meta[VERSION_KEY] == "2026-07-28"
    assert meta[CAPABILITIES_KEY] == {}
    assert meta[CLIENT_INFO_KEY]["name"]


def test_a_valid_discover_result_settles_modern() -> None:
    """Fault matrix P01."""
    book = Playbook().result(DISCOVERY)
    assert (book.state, book.settled.era, book.settled.version) == (
        State.MODERN,
        Era.MODERN,
        "2026-07-28",
    )
    assert book.settled.cache_scope == "public"
    assert book.settled.next_id == 2


@pytest.mark.parametrize("code", [-32601, -32602, -32600, -32603, -32000, -32002, 0, 1])
def test_an_unrecognized_error_is_refused_whatever_its_code(code: int) -> None:
    """Fault matrix P02; field case E01: eight codes, one verdict."""
    book = Playbook().error(code)
    assert book.state is State.UNAVAILABLE
    assert book.methods == ["server/discover"]
    assert (book.failure.rule, book.failure.code) == ("ERA-10", code)


@pytest.mark.parametrize("code", [-32601, -32602, -32600, -32603, -32000, -32002, 0, 1])
def test_an_unrecognized_error_permits_one_initialize_with_the_flag(code: int) -> None:
    """Fault matrix P02 with `allow_legacy`."""
    book = Playbook(allow_legacy=True).error(code)
    assert book.methods == ["server/discover", "initialize"]
    assert book.sent[1]["params"]["protocolVersion"] == "2025-11-25"
    assert "_meta" not in book.sent[1]["params"]


def test_a_header_error_is_corrected_once_with_a_new_id() -> None:
    """Fault matrix P03."""
    book = Playbook(allow_legacy=True).error(-32020).result(DISCOVERY)
    assert book.state is State.MODERN
    assert [body["id"] for body in book.sent] == [1, 2]


@pytest.mark.parametrize("allow", [False, True])
def test_a_header_error_for_ever_is_refused_without_initialize(allow: bool) -> None:
    """Fault matrix P04."""
    book = Playbook(allow_legacy=allow).error(-32020).error(-32020)
    assert (book.state, book.failure.rule) == (State.UNAVAILABLE, "ERA-05")
    assert book.methods == ["server/discover"] * 2


def test_a_capability_we_have_is_declared_on_demand() -> None:
    """Fault matrix P05."""
    book = Playbook(can_declare={"roots": {}})
    book.error(-32021, {"requiredCapabilities": {"roots": {}}}).result(DISCOVERY)
    assert book.state is State.MODERN
    assert book.sent[1]["params"]["_meta"][CAPABILITIES_KEY] == {"roots": {}}
    assert book.settled.client_capabilities == {"roots": {}}


@pytest.mark.parametrize("allow", [False, True])
@pytest.mark.parametrize("data", [{"requiredCapabilities": {"sampling": {}}}, None, [], {}])
def test_a_capability_we_lack_is_refused_without_initialize(allow: bool, data: Any) -> None:
    """Fault matrix P06; the data may be missing."""
    book = Playbook(allow_legacy=allow).error(-32021, data)
    assert (book.state, book.failure.rule) == (State.UNAVAILABLE, "ERA-07")
    assert book.methods == ["server/discover"]


def test_the_same_capability_demanded_again_is_refused() -> None:
    """Ours: every retry is bounded."""
    demand = {"requiredCapabilities": {"roots": {}}}
    book = Playbook(can_declare={"roots": {}}).error(-32021, demand).error(-32021, demand)
    assert (book.state, len(book.sent)) == (State.UNAVAILABLE, 2)


def test_a_version_offer_is_taken_with_a_new_id() -> None:
    """Fault matrix P07."""
    book = Playbook(modern_revisions=NEWER, allow_legacy=True)
    book.error(-32022, {"supported": ["2026-07-28", "2025-11-25"], "requested": "2027-01-01"})
    book.result(DISCOVERY)
    assert (book.state, book.settled.version) == (State.MODERN, "2026-07-28")
    assert [body["id"] for body in book.sent] == [1, 2]
    assert book.sent[1]["params"]["_meta"][VERSION_KEY] == "2026-07-28"


@pytest.mark.parametrize("allow", [False, True])
@pytest.mark.parametrize(
    "data",
    [
        {"supported": ["2099-01-01"], "requested": "2026-07-28"},  # P08
        {"supported": ["2025-11-25", "2024-11-05"], "requested": "2026-07-28"},  # P09
        {"supported": ["2026-07-28"], "requested": "2026-07-28"},  # P10, E15
        {"supported": ["2026-07-28", "2025-11-25"]},  # E15
        {"supported": "2026-07-28"},
        {"supported": [None, 3]},
        None,  # P10
        "supported",
    ],
)
def test_a_version_error_without_a_way_on_is_refused_without_initialize(
    allow: bool, data: Any
) -> None:
    """Fault matrix P08, P09, P10; seed exercise 1."""
    book = Playbook(allow_legacy=allow).error(-32022, data)
    assert (book.state, book.failure.rule) == (State.UNAVAILABLE, "ERA-03")
    assert book.methods == ["server/discover"]


def test_silence_is_refused_at_the_deadline() -> None:
    """Fault matrix P11."""
    book = Playbook(discovery_timeout_ms=500)
    assert book.deadline_at == 0.5
    book.waits()
    assert (book.failure.rule, book.methods) == ("ERA-11", ["server/discover"])
    assert "500 ms" in book.failure.detail


def test_silence_permits_one_bounded_initialize_on_the_same_transport() -> None:
    """Fault matrix P11, L02."""
    book = Playbook(allow_legacy=True, legacy_probe_timeout_ms=700).waits()
    assert (book.reopened, book.methods) == (0, ["server/discover", "initialize"])
    assert book.deadline_at == 1.7
    book.waits()
    assert (book.state, book.failure.rule) == (State.UNAVAILABLE, "LEG-03")


def test_a_close_on_the_probe_shows_status_and_stderr() -> None:
    """Fault matrix P12; field case S12."""
    book = Playbook().closes()
    assert book.failure.rule == "ERA-12"
    assert "exited with status 1" in book.failure.detail and "boom" in book.failure.detail


def test_a_close_on_the_probe_permits_one_initialize_on_a_fresh_transport() -> None:
    """Fault matrix P12 with `allow_legacy`; field case E02."""
    book = Playbook(allow_legacy=True, startup_grace_ms=5_000).closes()
    assert (book.reopened, book.state) == (1, State.REOPENING)
    book.hears(Opened())
    assert book.methods == ["server/discover", "initialize"]
    assert book.deadline_at == pytest.approx(6.0), "a fresh process has its own start-up grace"
    book.lives()
    assert book.deadline_at == pytest.approx(1.0)
    book.result(HANDSHAKE)
    assert book.state is State.LEGACY


@pytest.mark.parametrize(
    ("frames", "rule"),
    [
        ([b"", b" "], "ERA-13"),
        ([b"hello"], "ERA-14"),
        ([b"", b"hello"], "ERA-14"),
        ([b'{"jsonrpc":"2.0","id":7,"result":{}}'], "ERA-15"),
        ([b'{"jsonrpc":"2.0","id":"1","result":{}}', b"hello"], "ERA-15"),
        ([b'{"jsonrpc":"2.0","id":1.0,"result":{}}'], "ERA-15"),
        ([b'{"jsonrpc":"2.0","id":null,"result":{}}'], "ERA-15"),
        ([b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}'], "ERA-15"),
        ([b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}'], "ERA-11"),
    ],
)
def test_noise_is_named_at_the_deadline(frames: list[bytes], rule: str) -> None:
    """Fault matrix P13, P14, P15; field case S18."""
    book = Playbook()
    for frame in frames:
        book.reads(frame)
    assert book.state is State.PROBING
    book.waits()
    assert book.failure.rule == rule
    assert len(book.strays) == len(frames)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"supportedVersions": "2026-07-28"}, "$.supportedVersions"),
        ({"supportedVersions": [1]}, "$.supportedVersions[0]"),
        ({"capabilities": []}, "$.capabilities"),
        ({"ttlMs": "long"}, "$.ttlMs"),
        ({"ttlMs": True}, "$.ttlMs"),
        ({"cacheScope": 1}, "$.cacheScope"),
        ({"resultType": "done"}, "$.resultType"),
        ({"resultType": None}, "$.resultType"),
    ],
)
def test_a_result_of_the_wrong_shape_is_refused_with_its_path(
    change: dict[str, Any], path: str
) -> None:
    """Fault matrix P16."""
    book = Playbook().result({**DISCOVERY, **change})
    assert (book.failure.rule, path in book.failure.detail) == ("ERA-16", True)


@pytest.mark.parametrize("value", [{}, None, [], "hi", 3])
def test_a_result_that_is_something_else_is_refused(value: Any) -> None:
    """Fault matrix P16; field case E17."""
    assert Playbook().result(value).failure.rule == "ERA-16"


def test_missing_cache_hints_do_not_flip_the_era() -> None:
    """Field case E17: lean results are noted, not refused."""
    lean = {k: DISCOVERY[k] for k in ("resultType", "supportedVersions", "capabilities")}
    book = Playbook().result(lean)
    assert book.state is State.MODERN
    assert book.settled.deviations == ("ttlMs missing", "cacheScope missing")


def test_a_missing_result_type_is_refused() -> None:
    """Fault matrix P17; seed skill, hard rejects."""
    without = {k: v for k, v in DISCOVERY.items() if k != "resultType"}
    assert Playbook().result(without).failure.rule == "ERA-17"
    assert Playbook(allow_legacy=True).result(without).methods[1:] == ["initialize"]


def test_a_missing_result_type_is_accepted_only_as_a_named_deviation() -> None:
    """Design section 7.3."""
    without = {k: v for k, v in DISCOVERY.items() if k != "resultType"}
    book = Playbook(accept_missing_result_type=True).result(without)
    assert book.state is State.MODERN
    assert "resultType" in book.settled.deviations[0]


@pytest.mark.parametrize("allow", [False, True])
@pytest.mark.parametrize("versions", [["2099-01-01"], ["2099-01-01", "2025-11-25"], []])
def test_no_mutual_modern_version_is_refused_without_initialize(
    allow: bool, versions: list[str]
) -> None:
    """Fault matrix P18."""
    book = Playbook(allow_legacy=allow).result({**DISCOVERY, "supportedVersions": versions})
    assert (book.failure.rule, book.methods) == ("ERA-08", ["server/discover"])


def test_a_peer_naming_legacy_revisions_only_needs_the_flag() -> None:
    """Fault matrix P19."""
    old = {**DISCOVERY, "supportedVersions": ["2025-11-25"]}
    assert Playbook().result(old).failure.rule == "ERA-09"
    assert Playbook(allow_legacy=True).result(old).methods[1:] == ["initialize"]


def test_a_late_discover_result_beats_the_handshake() -> None:
    """Fault matrix P20."""
    book = Playbook(allow_legacy=True).waits().result(DISCOVERY, id=1)
    assert (book.state, book.methods) == (State.MODERN, ["server/discover", "initialize"])


def test_a_version_error_to_initialize_means_modern() -> None:
    """Fault matrix P20: a corrected probe follows, then whichever probe answer comes."""
    for answered in (1, 3):
        book = Playbook(allow_legacy=True).waits()
        book.error(-32022, {"supported": ["2026-07-28"], "requested": "2025-11-25"})
        assert book.methods == ["server/discover", "initialize", "server/discover"]
        book.result(DISCOVERY, id=answered)
        assert (book.state, book.methods.count("initialize")) == (State.MODERN, 1)


def test_a_late_ambiguous_answer_does_not_disturb_the_handshake() -> None:
    """Field case E03: the late answer is ignored by its id."""
    book = Playbook(allow_legacy=True).waits().error(-32601, id=1)
    assert (book.state, len(book.strays)) == (State.HANDSHAKING, 1)
    assert book.result(HANDSHAKE).state is State.LEGACY


def test_an_answer_to_initialize_after_modern_proof_selects_nothing() -> None:
    """Ours: never legacy after modern evidence."""
    book = Playbook(allow_legacy=True).waits().error(-32020, id=1)
    assert book.state is State.CORRECTING
    book.result(HANDSHAKE, id=2)
    assert (book.state, book.methods.count("initialize")) == (State.CORRECTING, 1)
    assert book.waits().failure.rule == "ERA-20"


def test_banners_before_the_answer_are_recorded() -> None:
    """Fault matrix P21."""
    book = Playbook().reads(b"Welcome!").reads(b'"json"').result(DISCOVERY)
    assert (book.state, len(book.strays)) == (State.MODERN, 2)


def test_the_start_up_grace_ends_with_the_first_byte() -> None:
    """Design section 5; field case S23."""
    book = Playbook(startup_grace_ms=5_000, discovery_timeout_ms=1_000)
    assert book.deadline_at == 6.0
    book.now = 2.0
    assert book.lives().deadline_at == 3.0


def test_a_sign_of_life_never_lengthens_a_wait() -> None:
    """Ours: the deadline only moves towards us."""
    book = Playbook(startup_grace_ms=5_000, discovery_timeout_ms=1_000)
    book.now = 5.5
    assert book.lives().deadline_at == 6.0


def test_a_valid_handshake_settles_legacy_and_says_so_once() -> None:
    """Fault matrix L01."""
    book = Playbook(allow_legacy=True).error(-32601).result(HANDSHAKE)
    assert (book.state, book.settled.era, book.settled.version) == (
        State.LEGACY,
        Era.LEGACY,
        "2025-11-25",
    )
    assert book.methods == ["server/discover", "initialize", "notifications/initialized"]
    assert "id" not in book.sent[2]


def _without(key: str) -> dict[str, Any]:
    return {k: v for k, v in HANDSHAKE.items() if k != key}


def _info(**info: Any) -> dict[str, Any]:
    return {**HANDSHAKE, "serverInfo": info}


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        ({"error": {"code": -32603, "message": "x"}}, "LEG-05"),  # L04
        ({"result": HANDSHAKE, "error": {"code": 1, "message": "x"}}, "LEG-06"),  # L05
        ({}, "LEG-06"),  # L06
        ({"result": _without("capabilities")}, "LEG-07"),  # L07
        ({"result": {**HANDSHAKE, "capabilities": None}}, "LEG-07"),
        ({"result": {**HANDSHAKE, "capabilities": []}}, "LEG-07"),
        ({"result": {**HANDSHAKE, "capabilities": "tools"}}, "LEG-07"),
        ({"result": _without("serverInfo")}, "LEG-07"),  # L08
        ({"result": _info(name="", version="1")}, "LEG-07"),  # L09
        ({"result": _info(name="x", version=" ")}, "LEG-07"),
        ({"result": _info(name=3, version="1")}, "LEG-07"),
        ({"result": _info(name="x")}, "LEG-07"),
        ({"result": {**HANDSHAKE, "protocolVersion": "unknown"}}, "LEG-08"),  # L10
        ({"result": {**HANDSHAKE, "protocolVersion": "2026-07-28"}}, "LEG-08"),  # L11
        ({"result": _without("protocolVersion")}, "LEG-07"),
        ({"result": None}, "LEG-07"),
        ({"jsonrpc": "1.0", "result": HANDSHAKE}, "LEG-06"),  # L12
        ({"jsonrpc": None, "result": HANDSHAKE}, "LEG-06"),
    ],
)
def test_a_handshake_that_is_not_valid_selects_nothing(answer: dict[str, Any], rule: str) -> None:
    """Fault matrix L04 to L12; seed exercise 2."""
    book = Playbook(allow_legacy=True).error(-32601)
    book.reads({"jsonrpc": "2.0", "id": book.asked_id, **answer})
    assert (book.state, book.failure.rule) == (State.UNAVAILABLE, rule)
    assert book.methods == ["server/discover", "initialize"]


def test_a_handshake_under_another_id_selects_nothing() -> None:
    """Fault matrix L03."""
    book = Playbook(allow_legacy=True).error(-32601).result(HANDSHAKE, id=99)
    assert book.state is State.HANDSHAKING
    assert book.waits().failure.rule == "LEG-04"


def test_a_close_before_the_handshake_answer_is_refused() -> None:
    """Fault matrix L13."""
    book = Playbook(allow_legacy=True).error(-32601).closes()
    assert (book.failure.rule, book.reopened) == ("LEG-09", 0)


def test_a_missing_row_is_our_own_failure() -> None:
    """Ours: a hole in the table is reported, not guessed around."""
    snapshot = begin(Terms())
    policy = {k: row for k, row in TRANSITIONS.items() if k[0] is not State.PROBING}
    with pytest.raises(InternalError):
        step(snapshot, Opened(), 0.0, policy)


def test_terms_that_could_hang_are_refused() -> None:
    """Seed card: both timeouts must be positive."""
    for terms in (
        Terms(discovery_timeout_ms=0),
        Terms(legacy_probe_timeout_ms=-1),
        Terms(modern_revisions=()),
    ):
        with pytest.raises(ValueError, match="positive|at least one"):
            begin(terms)
