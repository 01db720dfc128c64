"""Rules LINT-29 to LINT-31, one fault at a time; nothing else about a status is a fault."""

from typing import Any

import pytest
from told import DONE, Told

from workbench.core.journal.facts import Facts

JSON = {"content-type": "application/json"}
SSE = {"content-type": "text/event-stream"}


def ended(**facts: Any) -> list[tuple[int, str]]:
    told = Told()
    told.ask(1, "tools/call", {"name": "x"})
    told.journal.stray(0.0, "p", "no answer", None, Facts(exchange=1, **facts))
    return told.found()


@pytest.mark.parametrize(
    ("facts", "rules"),
    [
        ({"status": 202, "trouble": "no answer"}, ["LINT-29"]),
        ({"status": 200, "trouble": "no answer", "headers": JSON}, ["LINT-29"]),
        (
            {"status": 200, "trouble": "no answer", "headers": {"content-type": "text/html"}},
            ["LINT-29"],
        ),
        ({"status": 200, "trouble": "no answer", "headers": SSE}, []),
        ({"status": 400, "trouble": "error status", "headers": JSON, "body": "{"}, ["LINT-30"]),
        (
            {
                "status": 400,
                "trouble": "error status",
                "headers": JSON,
                "body": '{"jsonrpc":"2.0","id":1}',
            },
            ["LINT-30"],
        ),
        ({"status": 400, "trouble": "error status", "headers": JSON, "body": '{"a":1}'}, []),
        ({"status": 502, "trouble": "server trouble", "body": "<html>"}, []),
        ({"status": 401, "trouble": "authorization needed"}, ["LINT-31"]),
        (
            {
                "status": 401,
                "trouble": "authorization needed",
                "headers": {"www-authenticate": "Bearer"},
            },
            [],
        ),
        ({"trouble": "broken"}, []),
    ],
)
def test_what_a_response_without_a_message_may_be(facts: dict[str, Any], rules: list[str]) -> None:
    """Spec: Streamable HTTP, sending messages; basic/authorization."""
    assert [rule for _, rule in ended(**facts)] == rules


def test_an_answer_of_another_media_type_is_found() -> None:
    """Rule LINT-29."""
    for headers, rules in ((JSON, []), (SSE, []), ({"content-type": "text/html"}, ["LINT-29"])):
        told = Told()
        told.ask(1, "tools/call", {"name": "x"})
        told.answer(1, DONE, exchange=1, status=200, headers=headers)
        assert [rule for _, rule in told.found()] == rules


@pytest.mark.parametrize(("code", "status", "rules"), [
    (-32022, 400, []), (-32022, 200, ["LINT-33"]), (-32601, 404, []), (-32601, 200, []),
])  # fmt: skip
def test_a_modern_error_with_another_status_is_found(
    code: int, status: int, rules: list[str]
) -> None:
    """Rule LINT-33; the specification fixes no other status of an error."""
    told = Told()
    told.ask(1, "server/discover")
    data = {"supported": ["2099-01-01"], "requested": "2026-07-28"}
    told.refuse(1, code, data, exchange=1, status=status, headers=JSON)
    assert [rule for _, rule in told.found()] == rules
