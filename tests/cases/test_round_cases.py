"""Field cases about calls that are asked back before they can be answered."""

from pathlib import Path
from typing import Any, Final

import pytest
from cased import told
from driven import driven
from places import WAYS, Place, Way, tell

from fakes import error, modern, on, reply
from workbench import AsyncMultiServerClient, Handlers, ManualClock, accept
from workbench.core.errors import InputRefused, ProtocolViolation, Refused

FORM: Final = {
    "method": "elicitation/create",
    "params": {
        "message": "Which?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "colour": {"type": "string", "enum": ["red", "blue"], "default": "blue"},
                "count": {"type": "number", "minimum": 1},
                "sure": {"type": "boolean"},
            },
            "required": ["colour", "count", "sure"],
        },
    },
}
SETTINGS: Final = {"peer": {"discovery_timeout_ms": 30_000}}


def wants(**what: Any) -> Any:
    return reply({"resultType": "input_required", **what})


def calls(place: Place) -> list[dict[str, Any]]:
    return [b for b in place.received() if b.get("method") == "tools/call"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("what", "rounds", "rule"),
    [
        ({"inputRequests": {"k": FORM}}, 11, "INPUT-03"),
        ({"inputRequests": {"k": FORM}, "requestState": "s"}, 11, "INPUT-03"),
        ({"inputRequests": {}}, 1, "INPUT-01"),
        ({"inputRequests": {}, "requestState": "s"}, 11, "INPUT-03"),
    ],
    ids=["form", "form-and-state", "nothing", "state"],
)
def test_M01_a_server_that_always_asks_again_is_left_after_ten_rounds(
    what: dict[str, Any], rounds: int, rule: str, way: Way, tmp_path: Path
) -> None:
    """Design 7.8: each round is a request of its own; one that asks for nothing is malformed."""
    peer = modern("peer").script(on("tools/call").then(wants(**what)))
    answers = accept({"colour": "red", "count": 2, "sure": True})

    async def story(place: Place) -> None:
        await place.listed()
        wanted = InputRefused if rule == "INPUT-03" else ProtocolViolation
        with pytest.raises(wanted) as caught:
            await place.client.call("search")
        assert caught.value.failure.rule == rule
        ids = [body["id"] for body in calls(place)]
        assert len(ids) == len(set(ids)) == rounds
        noted = place.client.journal.entries(kind="decision")
        assert rounds == 1 or len([one for one in noted if one.stage == "call"]) >= 10

    handlers = Handlers(elicitation=lambda asked: answers)
    tell(story, way, {"peer": peer}, tmp_path, SETTINGS, handlers=handlers)


def test_M03_only_the_last_round_says_which_state_is_echoed() -> None:
    """Spec: mrtr; a state that is absent in round two is absent in the third request."""
    form = {"k": FORM}
    peer = modern("peer").script(
        on("tools/call").nth(1).then(wants(inputRequests=form, requestState="first")),
        on("tools/call").nth(2).then(wants(inputRequests=form)),
    )

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> list[Any]:
        await driven(client.call("search"), clock)
        bodies = [body for body in peer.received if body["method"] == "tools/call"]
        return [body["params"].get("requestState", "absent") for body in bodies]

    handlers = Handlers(elicitation=lambda asked: {"colour": "red", "count": 2, "sure": True})
    seen = told(story, {"peer": peer}, options={"handlers": handlers})
    assert seen == ["absent", "first", "absent"]


@pytest.mark.parametrize("way", WAYS)
def test_M04_a_refusal_for_a_capability_names_what_is_needed(way: Way, tmp_path: Path) -> None:
    """Spec: -32021 lists what the server requires; who calls learns it."""
    needed = {"requiredCapabilities": {"elicitation": {"url": {}}, "sampling": {}}}
    peer = modern("peer").script(on("tools/call").then(error(-32021, "missing", needed)))

    async def story(place: Place) -> None:
        await place.listed()
        with pytest.raises(Refused) as caught:
            await place.client.call("search")
        assert caught.value.failure.code == -32021
        assert "elicitation" in str(caught.value) and "sampling" in str(caught.value)
        assert len(calls(place)) == 1

    tell(story, way, {"peer": peer}, tmp_path, SETTINGS)


@pytest.mark.parametrize("more", [{}, {"content": [], "isError": False}], ids=["alone", "content"])
def test_M05_a_question_is_no_result_whatever_comes_with_it(more: dict[str, Any]) -> None:
    """The type of the result is looked at before anything else; every kind of field arrives."""
    asking = wants(inputRequests={"k": FORM}, **more)
    peer = modern("peer").script(on("tools/call").nth(1).then(asking))
    asked: list[Any] = []

    def answer(question: Any) -> dict[str, Any]:
        asked.append(question.schema if hasattr(question, "schema") else question)
        return {"colour": "blue", "count": 1.5, "sure": False}

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
        result = await driven(client.call("search"), clock)
        bodies = [body for body in peer.received if body["method"] == "tools/call"]
        return result.text, bodies[1]["params"]["inputResponses"]["k"]

    text, sent = told(story, {"peer": peer}, options={"handlers": Handlers(elicitation=answer)})
    assert text == "search: {}" and len(asked) == 1
    assert sent == {
        "action": "accept",
        "content": {"colour": "blue", "count": 1.5, "sure": False},
    }


@pytest.mark.parametrize(
    "wrong", [{"colour": "green", "count": 1, "sure": True}, {"colour": "red", "count": 0,
              "sure": True}, {"colour": "red", "count": 1, "sure": "yes"}, {"count": 1}],
)  # fmt: skip
def test_M05_an_answer_that_does_not_fit_the_form_is_not_sent(wrong: dict[str, Any]) -> None:
    """Design 7.8: answers are validated before they leave."""
    peer = modern("peer").script(on("tools/call").nth(1).then(wants(inputRequests={"k": FORM})))

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> int:
        with pytest.raises(InputRefused):
            await driven(client.call("search"), clock)
        return peer.methods().count("tools/call")

    options = {"handlers": Handlers(elicitation=lambda asked: wrong)}
    assert told(story, {"peer": peer}, options=options) == 1
