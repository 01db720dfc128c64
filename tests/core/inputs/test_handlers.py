"""What is declared is what has a handler."""

from typing import Any

import pytest

from workbench.core.errors import ConfigError
from workbench.core.inputs.handlers import NO_HANDLERS, Handlers
from workbench.core.inputs.inputs import Elicitation, InputPolicy, RootsWanted, Sampling


def say(_: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("handlers", "declared"),
    [
        (NO_HANDLERS, {}),
        (Handlers(sampling=say), {"sampling": {}}),
        (
            Handlers(sampling=say, policy=InputPolicy(sampling_with_tools=True)),
            {"sampling": {"tools": {}}},
        ),
        (Handlers(elicitation=say), {"elicitation": {}}),
        (Handlers(url_elicitation=say), {"elicitation": {"url": {}}}),
        (
            Handlers(elicitation=say, url_elicitation=say),
            {"elicitation": {"form": {}, "url": {}}},
        ),
        (Handlers(roots=[]), {"roots": {}}),
        (Handlers(roots=say, sampling=say), {"roots": {}, "sampling": {}}),
        (Handlers(policy=InputPolicy(sampling_with_tools=True)), {}),
    ],
)
def test_exactly_what_has_a_handler_is_declared(handlers: Handlers, declared: Any) -> None:
    """Field case M04: no handler, no declaration."""
    assert handlers.capabilities() == declared


def test_each_request_finds_its_own_handler() -> None:
    """Ours: consent to an address is another question than a form."""
    handlers = Handlers(sampling=len, elicitation=abs, url_elicitation=repr, roots=["/x"])
    common = {"peer": "p", "key": "k"}
    sampling = Sampling(**common, params={}, requested_tokens=1)
    form = Elicitation(**common, message="")
    url = Elicitation(**common, message="", mode="url")
    found = [handlers.handler(one) for one in (sampling, form, url, RootsWanted(**common))]
    assert found == [len, abs, repr, ["/x"]]


@pytest.mark.parametrize(
    "build",
    [
        lambda: Handlers(policy=InputPolicy(max_rounds=0)),
        lambda: Handlers(policy=InputPolicy(max_tokens=-1)),
        lambda: Handlers(policy=InputPolicy(sampling_calls=0)),
        lambda: Handlers(policy=InputPolicy(answer_timeout_s=0)),
        lambda: Handlers(sampling="model"),
        lambda: Handlers(elicitation={"a": 1}),
    ],
)
def test_what_cannot_be_meant_is_refused_when_it_is_built(build: Any) -> None:
    """Ours: not at the first question, which may be weeks later."""
    with pytest.raises(ConfigError):
        build()
