import msgspec
import pytest

from fakes import http_steps, steps
from fakes.errors import ScriptError
from fakes.steps import Step

EXAMPLES: list[Step] = [
    steps.reply({"a": [1, None]}, id=None, envelope={"jsonrpc": "1.0"}),
    steps.reply(None),
    steps.error(-32022, "no", {"supported": []}, before="\ufeff", after="\r\n"),
    steps.answer_default(patch={"x": 1}, without=("y",), pad=3, chunk=1, times=2),
    steps.answer_default(id="string", envelope_without=("jsonrpc",)),
    steps.silence(),
    steps.close(stays=True),
    steps.exit_(3),
    steps.delay(1.5, cancellable=True),
    steps.raw("text", newline=False, times=4, chunk=2),
    steps.raw(b"\xff\x00"),
    steps.lines("one", "two"),
    steps.stderr("words", times=3, newline=False),
    steps.notify("notifications/x", {"a": 1}, listeners=True, times=2),
    steps.ask("ping", id=99, wait=True),
    steps.effect("created"),
    steps.stubborn(),
    steps.grandchild(2.0),
    http_steps.as_sse(),
    http_steps.stall(3),
    http_steps.hang_up(),
    http_steps.empty(),
]


@pytest.mark.parametrize("step", EXAMPLES, ids=lambda step: type(step).__name__)
def test_every_step_survives_json(step: Step) -> None:
    """Ours: a script is plain data; what is written is what is read."""
    assert msgspec.json.decode(msgspec.json.encode(step), type=Step) == step


def test_every_kind_of_step_has_an_example_here() -> None:
    """Ours: a new step without a round trip would be noticed."""
    assert {type(step) for step in EXAMPLES} == set(Step.__args__)


@pytest.mark.parametrize(
    "make",
    [
        lambda: steps.delay(-1),
        lambda: steps.delay(float("inf")),
        lambda: steps.exit_(256),
        lambda: steps.raw("x", times=0),
        lambda: steps.raw("x", chunk=-1),
        lambda: steps.Raw(text="x", base64="eA=="),
        lambda: steps.Raw(base64="?"),
        lambda: steps.stderr("x", times=0),
        lambda: steps.notify("x", times=0),
        lambda: steps.answer_default(times=0),
        lambda: steps.reply({}, pad=-1),
    ],
)
def test_impossible_numbers_are_refused_when_the_step_is_built(make: object) -> None:
    """Ours: a broken script fails where it is written, not in the middle of a run."""
    with pytest.raises(ScriptError):
        make()  # type: ignore[operator]


def test_raw_bytes_that_are_not_utf_8_are_written_unchanged() -> None:
    """Ours: JSON cannot carry them, so they travel as base64."""
    assert steps.raw(b"\xff{", newline=False).content() == b"\xff{"
    assert steps.raw("é").content() == "é\n".encode()
