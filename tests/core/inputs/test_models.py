"""The model for lessons."""

from typing import Any

import pytest

from workbench.core.inputs.inputs import Sampling
from workbench.core.inputs.models import LESSON_MODELS, ModelCard, choose_model, fake_model


def wanted(text: str = "hello there", tokens: int = 100, **preferences: Any) -> Sampling:
    message = {"role": "user", "content": {"type": "text", "text": text}}
    params = {"messages": [message], "maxTokens": tokens, "modelPreferences": preferences}
    return Sampling(peer="p", key="k", params=params, requested_tokens=tokens)


def test_it_always_says_the_same() -> None:
    """Ours: committed outputs of a lesson do not change."""
    first, second = (fake_model()(wanted()) for _ in range(2))
    assert first == second
    assert first["content"] == {"type": "text", "text": "You said: hello there"}
    assert (first["role"], first["stopReason"]) == ("assistant", "endTurn")


def test_it_says_what_it_is_told_to() -> None:
    """Ours: a lesson needs "yes" at the right moment."""
    assert fake_model("yes")(wanted())["content"]["text"] == "yes"
    assert fake_model(lambda one: one.peer.upper())(wanted())["content"]["text"] == "P"


def test_it_respects_the_limit() -> None:
    """Spec: client/sampling: the client must respect maxTokens."""
    said = fake_model("one two three four")(wanted(tokens=3))
    assert (said["content"]["text"], said["stopReason"]) == ("one two three", "maxTokens")


@pytest.mark.parametrize(
    ("preferences", "name"),
    [
        ({}, "lesson-small"),
        ({"hints": [{"name": "LARGE"}]}, "lesson-large"),
        (
            {"hints": [{"name": "gpt"}, {"name": "small"}], "intelligencePriority": 1},
            "lesson-small",
        ),
        ({"hints": [{"name": "gpt"}], "intelligencePriority": 0.9}, "lesson-large"),
        ({"hints": [{"name": "lesson"}], "intelligencePriority": 0.9}, "lesson-large"),
        ({"costPriority": 0.9, "intelligencePriority": 0.1}, "lesson-small"),
    ],
)
def test_hints_come_first_in_their_order_then_the_priorities(
    preferences: dict[str, Any], name: str
) -> None:
    """Spec: client/sampling, model preferences: hints and priorities are independent."""
    assert choose_model(wanted(**preferences)).name == name
    assert fake_model()(wanted(**preferences))["model"] == name


def test_models_of_ones_own_can_be_used() -> None:
    """Ours: the choice is a function of its arguments."""
    only = ModelCard("mine")
    assert choose_model(wanted(hints=[{"name": "small"}]), [only]) is only
    assert len(LESSON_MODELS) == 2
