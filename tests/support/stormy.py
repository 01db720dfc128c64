"""What two storms have in common: calls by chance, each with a word of its own, and their ends.

Takes:  a client, a source of chance, and who may be called
Gives:  a record of every call's end, and a comparison with what arrived at the peers
Never:  believes the client: what arrived is told by the peers
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from fakes import Fake, Rule, effect, exit_, modern, on, silence
from workbench import AsyncMultiServerClient
from workbench.core.errors import WorkbenchError

KEYED = 0.3
"""Which part of the calls carries an idempotency key."""


def peer_named(name: str, tools: Sequence[str], *more: Rule) -> Fake:
    """Return a peer whose tools do what their names say; `more` comes before the usual."""
    calls = on("tools/call")
    return modern(name, tools=tools, list_changed=True).script(
        *more,
        calls.where(name="die-after").then(effect("die-after"), exit_(9)),
        calls.where(name="die-before").then(exit_(9)),
        calls.where(name="stall").then(silence()),
    )


class Calls:
    """The calls of one storm.

    Args:
        client: is called.
        dice: of every choice.
        peers: names of those who may be called.
        tools: and their tools, with weights.
        given_up: which part of the calls the caller gives up.
    """

    def __init__(
        self,
        client: AsyncMultiServerClient,
        dice: random.Random,
        peers: Sequence[str],
        tools: tuple[Sequence[str], Sequence[int]],
        given_up: float,
    ) -> None:
        self.keyed: set[str] = set()
        self.ended: dict[str, str] = {}
        self._client = client
        self._dice = dice
        self._peers = peers
        self._tools = tools
        self._given_up = given_up

    async def one(
        self,
        number: int,
        timeout_s: Callable[[str], float],
        begun: Callable[["asyncio.Future[object]"], Awaitable[object]],
    ) -> None:
        """Call some tool of some peer once, with an argument nobody else uses.

        Args:
            number: of the call; makes its word.
            timeout_s: of the tool.
            begun: waits until a call that is to be given up has begun.
        """
        name, word = self._dice.choice(self._peers), f"call-{number}"
        (tool,) = self._dice.choices(*self._tools)
        key = word if self._dice.random() < KEYED else None
        if key is not None:
            self.keyed.add(word)
        task: asyncio.Future[object] = asyncio.ensure_future(
            self._client.call(
                f"{name}/{tool}", {"q": word}, timeout_s=timeout_s(tool), idempotency_key=key
            )
        )
        if self._dice.random() < self._given_up:
            await begun(task)
            task.cancel()
        try:
            await task
            end = "result"
        except WorkbenchError as refused:
            end = str(refused.failure.kind)
        except asyncio.CancelledError:
            end = "cancelled"
        assert word not in self.ended
        self.ended[word] = end

    def ends(self) -> Counter[str]:
        """Count the calls by their end."""
        return Counter(self.ended.values())

    def check(self, seen: Counter[str]) -> None:
        """Compare the ends with how often each word arrived at any peer."""
        twice = {word for word, times in seen.items() if times > 1}
        assert twice <= self.keyed, "nothing is repeated without a key"
        assert max(seen.values()) <= 2, "and with one, once"
        results = {word for word, end in self.ended.items() if end == "result"}
        assert results <= set(seen), "a result was somewhere executed"
