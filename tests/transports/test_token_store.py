"""A store that forgets with the program."""

import asyncio

from workbench.transports.token_store import MemoryTokens, TokenKey


def test_only_the_same_key_finds_what_was_kept() -> None:
    """Spec: client-registration, authorization server binding."""

    async def run() -> None:
        store = MemoryTokens()
        key = TokenKey(kind="tokens", issuer="i", auth_context="a", resource="r")
        await store.put(key, "old")
        await store.put(key, "new")
        assert await store.get(key) == "new"
        for other in (
            TokenKey(kind="client", issuer="i", auth_context="a", resource="r"),
            TokenKey(kind="tokens", issuer="j", auth_context="a", resource="r"),
            TokenKey(kind="tokens", issuer="i", auth_context="b", resource="r"),
            TokenKey(kind="tokens", issuer="i", auth_context="a", resource="s"),
        ):
            assert await store.get(other) is None
        assert repr(store) == "<MemoryTokens of 1 entries>"

    asyncio.run(run())
