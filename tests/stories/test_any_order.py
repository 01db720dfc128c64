"""Whatever the order of peers, of tools and of answers: the same menu and report, to the byte."""

import asyncio
from typing import Any, Final

import msgspec
import pytest
from driven import driven
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import answer_default, delay, legacy, modern, on
from workbench import AsyncMultiServerClient, ManualClock

LISTED: Final = on("tools/list")
NAMES: Final = st.sampled_from(
    ["search", "create", "a/search", "b/search", "a.b", "a_b", "n" * 70, "größe", "ask", "9"]
)
PEERS: Final = st.sampled_from(["a", "b", "a_b", "b-c", "Z"])
OFFERS: Final = st.dictionaries(PEERS, st.lists(NAMES, max_size=5, unique=True), max_size=4)


def outcome(
    offers: list[tuple[str, list[str]]], waits_s: dict[str, float], policy: str
) -> tuple[bytes, str, str]:
    """Register the peers in this order, list at these speeds; menu, report and definitions."""

    async def story() -> tuple[bytes, str, str]:
        clock = ManualClock()
        client = AsyncMultiServerClient(
            clock=clock,
            merge_policy=policy,  # type: ignore[arg-type]
            reserved_names=["ask"],
        )
        for name, tools in offers:
            make: Any = legacy if name == "Z" else modern
            fake = make(name, tools=tools)
            # An answer's time shows in no report, so the bytes must agree.
            fake = fake.script(LISTED.then(delay(waits_s[name]), answer_default()))
            client.add_server(name, fake, allow_legacy=name == "Z")
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        try:
            client.merge()
        except Exception as refused:
            told = str(refused)
        else:
            told = ""
        assert client.menu is not None
        menu = msgspec.json.encode(client.menu)
        shown = client.report().to_json() + client.report().to_markdown() + told
        models = msgspec.json.encode(
            [client.menu.for_model(api) for api in ("openai", "anthropic", "gemini")]  # type: ignore[arg-type]
        )
        await driven(client.aclose(), clock)
        return menu, shown, models.decode()

    return asyncio.run(story())


@pytest.mark.parametrize("policy", ["prefix-on-collision", "reject", "prefix-always"])
@settings(max_examples=25, deadline=None)
@given(offers=OFFERS, data=st.data())
def test_any_order_and_any_timing_give_the_same_bytes(
    policy: str, offers: dict[str, list[str]], data: st.DataObject
) -> None:
    """Fault matrix M05; cases N07, N12; design section 7.5: a pure function of the lists."""
    known = outcome(list(offers.items()), dict.fromkeys(offers, 0.0), policy)
    peers = data.draw(st.permutations(list(offers)))
    shuffled = [(name, data.draw(st.permutations(offers[name]))) for name in peers]
    waits_s = {name: data.draw(st.sampled_from([0.0, 0.1, 0.2, 0.7])) for name in peers}
    assert outcome(shuffled, waits_s, policy) == known
