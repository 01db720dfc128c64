"""The fake that does everything, used to the full by our own client.

Every tool that asks back, logs, reports progress or needs a capability is called, and every
prompt, resource, template and completion is read. Ours: what the fakes ask of other clients
ours can do.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import pytest

from fakes.library.index import find
from workbench import Handlers, MultiServerClient, PeerConfig, fake_model
from workbench.core.inputs.inputs import Elicitation

Way = Literal["stdio", "http"]

NEEDED = {"json_schema_2020_12_tool": {"address": {"city": "Lisboa"}}}
"""Arguments of the tools that insist on some."""


def fill_in(asked: Elicitation) -> dict[str, Any]:
    """Fill every field that has no default with a word or a yes."""
    return {
        name: "octocat" if field.get("type") == "string" else True
        for name, field in asked.schema["properties"].items()
        if "default" not in field
    }


HANDLERS = Handlers(
    sampling=fake_model(),
    elicitation=fill_in,
    url_elicitation=lambda asked: True,
    roots=["/home/me/project"],
)


@contextmanager
def everything(way: Way) -> Iterator[MultiServerClient]:
    """Give a client that is connected to the fake, listed and merged."""
    fake = find("everything")
    with MultiServerClient(handlers=HANDLERS) as client:
        if way == "http":
            with fake.over_http() as url:
                client.add_server("every", PeerConfig(name="every", url=url))
                yield _prepared(client)
                client.close()
        else:
            with fake.over_stdio() as command:
                client.add_server("every", command)
                yield _prepared(client)
                client.close()


def _prepared(client: MultiServerClient) -> MultiServerClient:
    client.connect_all()
    client.discover_tools()
    client.merge()
    return client


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_every_tool_ends_with_a_result(way: Way) -> None:
    """Spec: basic/patterns/mrtr, progress, logging; the one that always fails says so."""
    steps: list[float] = []
    with everything(way) as client:
        assert client.menu is not None and len(client.menu.names) > 15
        for name in client.menu.names:
            arguments = NEEDED.get(name, {})
            client.call(name, arguments, on_progress=lambda one: steps.append(one.progress))
        ended = {one.name: str(one.ended) for one in client.outcomes}
        assert {name for name, end in ended.items() if end != "result"} == {"test_error_handling"}
        assert ended["test_error_handling"] == "tool error"
        rounds = {one.name: one.rounds for one in client.outcomes if one.rounds}
        assert rounds["test_input_required_result_multi_round"] == 2
        assert len(rounds) >= 8
    assert steps == sorted(steps) and len(steps) >= 3


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_every_prompt_and_resource_can_be_read(way: Way) -> None:
    """Spec: server/prompts, server/resources, server/utilities/completion."""
    with everything(way) as client:
        known = {"arg1": "one", "arg2": "two", "resourceUri": "test://static-text"}
        for offer in client.list_prompts()["every"].items:
            names = [one["name"] for one in offer.arguments]
            assert client.get_prompt(offer.key, {name: known[name] for name in names}).messages
        for offer in client.list_resources()["every"].items:
            assert client.read_resource(offer.key).contents
        (template,) = client.list_resource_templates()["every"].items
        assert "7" in client.read_resource(template.key.replace("{id}", "7")).text
        found = client.complete("arg1", "", prompt="test_prompt_with_arguments")
        assert isinstance(found.values, tuple)
        assert {str(one.ended) for one in client.outcomes} == {"result"}
