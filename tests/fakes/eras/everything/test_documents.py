from typing import Any

import pytest

from fakes.eras.everything.documents import (
    INPUT_PROMPT,
    complete,
    get_prompt,
    prompts,
    read_resource,
    resources,
)
from fakes.eras.session import Scene
from fakes.steps import Error
from workbench.core.wire.message import Request


def request(**params: Any) -> Request:
    return Request(1, "m", params)


def test_each_era_has_its_own_prompt_or_resource_more() -> None:
    """Ours: input rounds are modern, subscriptions by resource are legacy."""
    assert len(prompts("modern")["prompts"]) == len(prompts("legacy")["prompts"]) + 1
    assert len(resources("modern")["resources"]) == len(resources("legacy")["resources"]) - 1
    assert isinstance(get_prompt(request(name=INPUT_PROMPT), "legacy", Scene()), Error)


@pytest.mark.parametrize(("era", "code"), [("modern", -32602), ("legacy", -32002)])
def test_an_unknown_resource_is_an_error_of_its_era(era: Any, code: int) -> None:
    """Spec: resources, error handling; the URI is in the data."""
    for uri in ("test://no", "test://template//data", "test://template/a/b/data", None, 7):
        refused = read_resource(request(uri=uri), era)
        assert isinstance(refused, Error) and (refused.code, refused.data) == (code, {"uri": uri})


def test_arguments_of_a_prompt_must_be_there_and_are_repeated() -> None:
    """Spec: prompts."""
    name = "test_prompt_with_arguments"
    good = get_prompt(request(name=name, arguments={"arg1": "a", "arg2": "b"}), "modern", Scene())
    assert isinstance(good, dict) and good["messages"][0]["content"]["text"] == "a and b"
    for arguments in (None, [], {"arg1": "a"}):
        bad = get_prompt(request(name=name, arguments=arguments), "modern", Scene())
        assert isinstance(bad, Error)


def test_completions_begin_like_the_value() -> None:
    """Spec: completion."""
    done = complete(request(argument={"name": "x", "value": "pari"}))
    assert isinstance(done, dict) and done["completion"]["values"] == ["paris"]
