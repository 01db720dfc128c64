"""A server's word about itself, read again after the probe, on every way to a peer."""

from pathlib import Path
from typing import Any, Final

import pytest
from places import WAYS, Place, Way, tell
from skipping import SkippingClock

from fakes import answer_default, error, legacy, modern, on, silence
from workbench import MultiServerClient
from workbench.core.errors import PeerAway, ProtocolViolation, Refused, TookTooLong, UnknownName

DISCOVER: Final = "server/discover"
MINUTE: Final = {"ttlMs": 60_000, "instructions": "Ask twice."}


def probes(place: Place) -> int:
    return place.methods().count(DISCOVER)


@pytest.mark.parametrize("way", WAYS)
def test_it_is_asked_once_while_its_answer_is_fresh(way: Way, tmp_path: Path) -> None:
    """Spec: server/utilities/caching: server/discover carries hints, too."""
    clock = SkippingClock()
    later = {**MINUTE, "supportedVersions": ["2099-01-01"], "capabilities": {}}
    peer = modern("peer", tools=["t"]).script(
        on(DISCOVER).up_to(2).then(answer_default(patch=MINUTE)),
        on(DISCOVER).then(answer_default(patch=later)),
    )

    async def story(place: Place) -> None:
        await place.listed()
        said = await place.client.discover_server("peer")
        assert (str(said.era), said.version, said.instructions) == (
            "modern",
            "2026-07-28",
            "Ask twice.",
        )
        assert said.version in said.supported and "tools" in said.capabilities
        assert said.info["name"] == "peer"
        assert await place.client.discover_server("peer") == said
        assert probes(place) == 2, "the probe, and one more"
        assert DISCOVER in {one.method for one in place.client.cache.answers}
        clock.skip(61)
        news = await place.client.discover_server("peer")
        assert (news.supported, news.version) == (("2099-01-01",), "2026-07-28")
        assert (await place.client.call("t", timeout_s=10)).is_error is False
        assert place.row().version == "2026-07-28", "the verdict lasts as long as the connection"

    tell(story, way, {"peer": peer}, tmp_path, clock=clock)


@pytest.mark.parametrize("way", WAYS)
def test_of_a_legacy_server_the_handshake_is_told(way: Way, tmp_path: Path) -> None:
    """Seed lesson: a legacy server knows no server/discover."""

    async def story(place: Place) -> None:
        await place.listed()
        asked = len(place.received())
        said = await place.client.discover_server("peer")
        assert (str(said.era), said.supported, said.info["name"]) == ("legacy", (), "peer")
        assert len(place.received()) == asked
        assert (await place.client.call("t", timeout_s=10)).is_error is False

    settings = {"peer": {"allow_legacy": True, "discovery_timeout_ms": 10_000}}
    tell(story, way, {"peer": legacy("peer", tools=["t"])}, tmp_path, settings)


@pytest.mark.parametrize(
    ("steps", "raised", "rule"),
    [
        (error(-32603, "no"), Refused, "CALL-04"),
        (answer_default(without=("supportedVersions",)), ProtocolViolation, "CALL-02"),
        (answer_default(without=("resultType",)), ProtocolViolation, "CALL-01"),
        (silence(), TookTooLong, "CALL-03"),
    ],
)
def test_what_goes_wrong_later_is_one_failure_and_costs_no_peer(
    steps: Any, raised: type[Exception], rule: str, tmp_path: Path
) -> None:
    """Design 7.2: the era is not decided again."""
    peer = modern("peer", tools=["t"]).script(
        on(DISCOVER).nth(1).then(answer_default()), on(DISCOVER).then(steps)
    )

    async def story(place: Place) -> None:
        await place.listed()
        with pytest.raises(raised) as caught:
            await place.client.discover_server("peer", timeout_s=0.3)
        assert caught.value.failure.rule == rule  # type: ignore[attr-defined]
        assert (await place.client.call("t")).is_error is False
        assert place.client.cache.answers[-1].method == "tools/list", "nothing wrong is kept"

    tell(story, "memory", {"peer": peer}, tmp_path)


def test_an_old_word_stands_in_where_asked(tmp_path: Path) -> None:
    """Rule CACHE-07."""
    clock = SkippingClock()
    peer = modern("peer").script(
        on(DISCOVER).up_to(2).then(answer_default(patch=MINUTE)), on(DISCOVER).then(silence())
    )

    async def story(place: Place) -> None:
        first = await place.client.discover_server("peer")
        clock.skip(61)
        old = await place.client.discover_server("peer", timeout_s=0.3)
        assert old.stale and not first.stale and old.supported == first.supported

    tell(story, "memory", {"peer": peer}, tmp_path, clock=clock, stale_if_error_s=600)


def test_nobody_and_somebody_who_is_away_are_told_apart() -> None:
    """Ours: bad input gets one clear line."""
    with MultiServerClient() as client:
        client.add_server("peer", modern("peer"))
        client.add_server("mute", modern("mute").script(on(DISCOVER).then(error(-1, "no"))))
        assert client.discover_server("peer", timeout_s=5).peer == "peer"
        with pytest.raises(UnknownName, match="mute, peer"):
            client.discover_server("nobody")
        with pytest.raises(PeerAway):
            client.discover_server("mute")
