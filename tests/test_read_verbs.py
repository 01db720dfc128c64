"""Both clients have the same verbs."""

import asyncio
import inspect

import pytest
from shelf import shelf

import workbench.read_verbs as read_verbs
from workbench import AsyncMultiServerClient, MultiServerClient


def verbs(of: type) -> set[str]:
    return {
        name
        for name, value in inspect.getmembers(of)
        if callable(value) and not name.startswith("_")
    } - {"aclose", "close"}


def test_both_clients_have_every_verb() -> None:
    """Design section 4: the same verbs as coroutines."""
    assert verbs(MultiServerClient) == verbs(AsyncMultiServerClient)


@pytest.mark.parametrize("of", [AsyncMultiServerClient, MultiServerClient])
def test_every_verb_says_what_it_does(of: type) -> None:
    """Ours: a learner asks with help()."""
    for name in verbs(of):
        assert inspect.getdoc(getattr(of, name)), name


def test_the_asynchronous_verbs_read_without_a_thread() -> None:
    """Design section 4."""

    async def story() -> None:
        async with AsyncMultiServerClient() as client:
            client.add_server("shelf", shelf())
            assert (await client.get_prompt("greet")).text == "Hello from shelf"
            assert (await client.read_resource("doc://a")).text == "text of shelf"
            assert (await client.complete("who", "p", prompt="greet")).values[0] == "python"
            for listing in (
                client.list_prompts,
                client.list_resources,
                client.list_resource_templates,
            ):
                assert [len(one.items) for one in (await listing()).values()] == [1]

    asyncio.run(story())


def test_the_synchronous_verbs_wait() -> None:
    """Design section 4: works in a cell, a script, a thread."""
    with MultiServerClient() as client:
        client.add_server("shelf", shelf())
        client.connect_all()
        assert client.list_prompts()["shelf"].keys == ("greet",)
        assert client.list_resources()["shelf"].keys == ("doc://a",)
        assert client.list_resource_templates()["shelf"].keys == ("doc://{id}",)


def test_the_bare_classes_read_nothing() -> None:
    """Ours: what only a client can do is said, not silently left out."""
    with pytest.raises(NotImplementedError):
        asyncio.run(read_verbs.AsyncReadVerbs()._connected())
    work = AsyncMultiServerClient().list_prompts()
    with pytest.raises(NotImplementedError):
        read_verbs.ReadVerbs()._wait(work)
    work.close()
