from typing import Any

import pytest

from fakes import (
    Fake,
    ScriptError,
    answer_default,
    as_json,
    as_sse,
    challenge,
    cut,
    deliver,
    empty,
    hang_up,
    html,
    modern,
    on,
    on_get,
    raw,
    redirect,
    reply,
    silence,
    stall,
    status,
)
from fakes.http_steps import Deliver, Status
from fakes.load import dump, load_program
from fakes.steps import Step
from workbench.drivers.clock import ManualClock


@pytest.mark.parametrize(
    "steps",
    [
        (as_sse(), answer_default()),
        (as_json(), answer_default()),
        (stall(3), answer_default()),
        (cut(3, how="reset"), reply({})),
        (deliver(status=500, headers={"A": "b"}, content_type="x/y"), answer_default()),
        (hang_up("close", retry_ms=5), answer_default()),
        (status(200, b"\xff", {"A": "b"}, "x/y", chunk=1),),
        (empty(202),),
        (html(502),),
        (redirect("/x"),),
        (challenge(),),
    ],
)
def test_every_step_survives_its_json_form(steps: tuple[Step, ...]) -> None:
    """Ours: a script is data."""
    fake = modern().script(on("*").then(*steps))
    assert load_program(dump(fake.program)) == fake.program
    assert fake.program.http_only is (steps[0] not in (as_sse(), as_json()))


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (Status, {"code": 199}),
        (Status, {"code": 600}),
        (Status, {"code": 200, "chunk": -1}),
        (Status, {"code": 200, "body": "a", "base64": "YQ=="}),
        (Status, {"code": 200, "base64": "?"}),
        (Deliver, {"status": 0}),
        (Deliver, {"stop_after": -1}),
    ],
)
def test_numbers_out_of_range_are_errors_of_the_script(make: Any, values: dict[str, Any]) -> None:
    """Ours: as early as it can be known."""
    with pytest.raises(ScriptError):
        make(**values)


def test_a_whole_response_stands_alone() -> None:
    """Ours: nothing that could never be sent is accepted."""
    for steps in (
        (status(200), answer_default()),
        (answer_default(), status(200)),
        (raw("x"), status(200)),
        (status(200), silence()),
    ):
        with pytest.raises(ScriptError):
            on("*").then(*steps)  # type: ignore[arg-type]
    with pytest.raises(ScriptError):
        on_get().then(answer_default())


def test_a_script_that_needs_http_is_refused_elsewhere() -> None:
    """Ours: better than a request that waits for ever; the two right forms are no fault."""
    needy: list[Fake] = [
        modern().script(on("*").then(empty())),
        modern().script(on_get().then(silence())),
        modern().script(on("*").then(stall(), answer_default())),
    ]
    for fake in needy:
        with pytest.raises(ScriptError):
            fake.new_transport(ManualClock())
        with pytest.raises(ScriptError), fake.over_stdio():
            pass
    chosen = modern().script(on("*").then(as_sse(), answer_default()))
    assert chosen.new_transport(ManualClock()) is not None
    with chosen.over_stdio() as command:
        assert "--stdio" in command
