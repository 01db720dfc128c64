"""A language model for lessons: deterministic, free, and honest about its limits.

Takes:  a `Sampling`
Gives:  a model's name chosen from the request's preferences, and a reply made of its text
Never:  thinks, and never sends anything anywhere

Spec: client/sampling, "Model Preferences": hints are parts of names in order of preference
and priorities are independent of them; both are advice.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from workbench.core.inputs.inputs import Sampling


class ModelCard(Struct, frozen=True):
    """What is known of one model; the numbers are 0 (bad) to 1 (good)."""

    name: str
    cheapness: float = 0.5
    speed: float = 0.5
    intelligence: float = 0.5


LESSON_MODELS: Final = (
    ModelCard("lesson-small", cheapness=0.9, speed=0.9, intelligence=0.2),
    ModelCard("lesson-large", cheapness=0.2, speed=0.3, intelligence=0.9),
)


def choose_model(wanted: Sampling, models: Sequence[ModelCard] = LESSON_MODELS) -> ModelCard:
    """Choose a model: the first hint that is part of a name, else the best by priorities.

    Among several models of one hint, and without any hint that fits, the weighted
    priorities decide, then the order given. An absent priority counts nothing.

    Args:
        wanted: the request.
        models: what is to be had; at least one.
    """
    for hint in wanted.hints:
        named = [model for model in models if hint.casefold() in model.name.casefold()]
        if named:
            return max(named, key=lambda model: _worth(wanted, model))
    return max(models, key=lambda model: _worth(wanted, model))


def fake_model(
    reply: str | Callable[[Sampling], str] | None = None,
    models: Sequence[ModelCard] = LESSON_MODELS,
) -> Callable[[Sampling], dict[str, Any]]:
    """Return a sampling handler that always gives the same answer to the same request.

    Args:
        reply: what it says, or a function that says it; None repeats the last message.
        models: the models it pretends to have; one is chosen for each request.
    """

    def sample(wanted: Sampling) -> dict[str, Any]:
        text = reply(wanted) if callable(reply) else reply
        words = (f"You said: {wanted.text}" if text is None else text).split(" ")
        cut = len(words) > wanted.max_tokens
        return {
            "role": "assistant",
            # One word counts as one token, so that a limit can be seen at work.
            "content": {"type": "text", "text": " ".join(words[: wanted.max_tokens])},
            "model": choose_model(wanted, models).name,
            "stopReason": "maxTokens" if cut else "endTurn",
        }

    return sample


def _worth(wanted: Sampling, model: ModelCard) -> float:
    return (
        (wanted.priority("cost") or 0.0) * model.cheapness
        + (wanted.priority("speed") or 0.0) * model.speed
        + (wanted.priority("intelligence") or 0.0) * model.intelligence
    )
