"""Reads wait, listen, log and trace as calls do, on every way to a peer."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pytest
from places import WAYS, Place, Way, tell
from shelf import shelf
from skipping import SkippingClock

from fakes import PROGRESS_TOKEN, Fake, close, delay, error, modern, notify, on, silence
from fakes.script import When
from workbench import MultiServerClient
from workbench.core.errors import MisuseError, Refused, TookTooLong
from workbench.core.wire.keys import LOG_LEVEL_KEY
from workbench.drivers.patience import LogMessage, Progress

PARENT: Final = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
READS: Final[dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]]] = {
    "resources/read": ("read_resource", ("doc://a",), {}),
    "prompts/get": ("get_prompt", ("greet",), {}),
    "completion/complete": ("complete", ("who", "p"), {"prompt": "greet"}),
}
"""The verb of each method, and how it is called."""
READ: Final = "resources/read"


async def read(place: Place, method: str, **wishes: Any) -> Any:
    verb, arguments, named = READS[method]
    return await getattr(place.client, verb)(*arguments, **named, **wishes)


def step(value: float) -> Any:
    return notify("notifications/progress", {"progressToken": PROGRESS_TOKEN, "progress": value})


Rules = Callable[[When, tuple[Any, ...]], Iterable[Any]]


def odd(method: str, rules: Rules) -> Fake:
    """Return a shelf with other rules for one method; lists and answers live for a minute.

    Args:
        method: of a read.
        rules: makes them, of a condition and of what a shelf does by itself.
    """
    honest = shelf().program.rules
    (usual,) = (rule.then for rule in honest if rule.on.method == method)
    others = (rule for rule in honest if rule.on.method != method)
    return modern("peer").script(*rules(on(method), usual), *others)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", READS)
def test_a_read_takes_the_wishes_of_a_call(method: str, way: Way, tmp_path: Path) -> None:
    """Spec: progress, logging and trace context belong to every request."""
    steps: list[Progress] = []
    logs: list[LogMessage] = []
    log = {"level": "warning", "logger": "shelf", "data": "dust"}

    async def story(place: Place) -> None:
        await read(
            place,
            method,
            on_progress=steps.append,
            on_log=logs.append,
            log_level="warning",
            trace={"traceparent": PARENT, "other": "x"},
        )
        (asked,) = (body for body in place.received() if body.get("method") == method)
        meta = asked["params"]["_meta"]
        assert (meta["traceparent"], meta[LOG_LEVEL_KEY]) == (PARENT, "warning")
        assert "other" not in meta
        assert [one.progress for one in steps] == [1.0, 2.0]
        assert [(one.level, one.logger, one.data) for one in logs] == [("warning", "shelf", "dust")]

    steps_first = (step(1), notify("notifications/message", log), step(2))
    peer = odd(method, lambda when, usual: [when.then(*steps_first, *usual)])
    tell(story, way, {"peer": peer}, tmp_path)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", READS)
def test_progress_keeps_a_read_alive_up_to_its_hard_limit(
    method: str, way: Way, tmp_path: Path
) -> None:
    """Spec: a maximum is enforced regardless of progress; the next read is untouched."""
    ticks = [one for value in range(1, 200) for one in (delay(0.05), step(value))]

    async def story(place: Place) -> None:
        seen: list[Progress] = []
        with pytest.raises(TookTooLong):
            await read(place, method, timeout_s=0.4, max_timeout_s=0.8, on_progress=seen.append)
        assert seen, "it went on for a while"
        assert place.client.outcomes[-1].ended == "timed out"
        assert place.methods().count(method) == 1, "a peer that is slow is not asked again"

    peer = odd(method, lambda when, _: [when.then(*ticks, silence())])
    tell(story, way, {"peer": peer}, tmp_path)


@pytest.mark.parametrize("method", READS)
def test_a_read_asks_for_no_log_and_no_progress_by_itself(method: str, tmp_path: Path) -> None:
    """Spec: log messages are opt-in for each request."""

    async def story(place: Place) -> None:
        await read(place, method)
        meta = place.received()[-1]["params"]["_meta"]
        assert not {"progressToken", LOG_LEVEL_KEY, "traceparent"} & set(meta)
        with pytest.raises(MisuseError, match="no log level"):
            await read(place, method, peer="peer", log_level="loud")

    tell(story, "memory", {"peer": shelf(ttl_ms=0)}, tmp_path)


@pytest.mark.parametrize("method", READS)
def test_what_no_read_can_want_is_refused(method: str, tmp_path: Path) -> None:
    """Ours: a read is repeated by itself, so nobody is asked; a wrong name is no wish."""

    async def story(place: Place) -> None:
        with pytest.raises(TypeError, match="on_retry"):
            await read(place, method, on_retry=lambda lost: True)

    tell(story, "memory", {"peer": shelf()}, tmp_path)


@pytest.mark.parametrize("way", WAYS)
def test_an_old_answer_stands_in_for_a_read_that_failed_where_asked(
    way: Way, tmp_path: Path
) -> None:
    """Rule CACHE-07: said by the value, the outcome and the journal; and never by itself."""
    clock = SkippingClock()
    peer = odd(READ, lambda when, usual: [when.nth(1).then(*usual), when.then(silence())])

    async def lenient(place: Place) -> None:
        client = place.client
        first = await client.read_resource("doc://a")
        assert first.stale == ""
        clock.skip(61)
        again = await client.read_resource("doc://a", timeout_s=0.3)
        assert (again.text, again.raw) == (first.text, first.raw)
        assert "got no answer within 0.3 s" in again.stale
        end = client.outcomes[-1]
        assert (str(end.ended), end.rule, end.detail) == ("result", "CACHE-07", again.stale)
        assert "CACHE-07" in client.journal.to_text("peer")
        with pytest.raises(TypeError):
            again.raw["contents"].clear()
        place.client.switch_context("peer", "somebody else")
        with pytest.raises(TookTooLong):
            await client.read_resource("doc://a", "peer", timeout_s=0.3)

    async def strict(place: Place) -> None:
        await place.client.read_resource("doc://a")
        clock.skip(61)
        with pytest.raises(TookTooLong):
            await place.client.read_resource("doc://a", timeout_s=0.3)
        assert "CACHE-07" not in place.client.journal.to_text("peer")

    for story, options in ((lenient, {"stale_if_error_s": 3_600}), (strict, {})):
        folder = tmp_path / story.__name__
        folder.mkdir()
        tell(story, way, {"peer": peer}, folder, clock=clock, **options)


def test_an_old_answer_outlives_its_peer_but_not_its_peers_return(tmp_path: Path) -> None:
    """Rules CACHE-04 and CACHE-07: a peer that is back may say something else."""
    clock = SkippingClock()
    deaf = on("server/discover").in_lifetime(2).then(close())
    peer = odd(
        READ,
        lambda when, usual: [deaf, when.in_lifetime(1).nth(2).then(close()), when.then(*usual)],
    )

    async def story(place: Place) -> None:
        client = place.client
        assert (await client.read_resource("doc://a", "peer")).stale == ""
        clock.skip(61)
        old = await client.read_resource("doc://a", "peer")
        assert old.stale and peer.lifetimes == 2, "it broke, and its repeat found nobody"
        assert (await client.read_resource("doc://a", "peer")).stale, "and it stays away"
        await client.restart("peer")
        assert (await client.read_resource("doc://a", "peer")).stale == ""
        assert client.cache.answers, "what was read anew is kept"

    tell(
        story,
        "memory",
        {"peer": peer},
        tmp_path,
        clock=clock,
        stale_if_error_s=3_600,
        recover=False,
    )


def test_what_a_peer_refuses_is_never_papered_over(tmp_path: Path) -> None:
    """Rule CACHE-07: an answer is an answer, also a wrong one."""
    clock = SkippingClock()
    gone = error(-32602, "no such resource")
    peer = odd(READ, lambda when, usual: [when.nth(1).then(*usual), when.then(gone)])

    async def story(place: Place) -> None:
        await place.client.read_resource("doc://a")
        clock.skip(61)
        with pytest.raises(Refused):
            await place.client.read_resource("doc://a")

    tell(story, "memory", {"peer": peer}, tmp_path, clock=clock, stale_if_error_s=3_600)


def test_the_synchronous_verbs_take_the_same_wishes() -> None:
    """Design section 4: the same verbs in both colours."""
    with MultiServerClient() as client:
        client.add_server("peer", shelf())
        steps: list[Progress] = []
        wishes: dict[str, Any] = {
            "timeout_s": 5,
            "max_timeout_s": 9,
            "on_progress": steps.append,
            "on_log": print,
            "log_level": "error",
            "trace": {"traceparent": PARENT},
        }
        client.read_resource("doc://a", **wishes)
        client.get_prompt("greet", **wishes)
        client.complete("who", "p", prompt="greet", **wishes)
