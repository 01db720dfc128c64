import json
from typing import Any

import pytest

from fakes import Fake, dual_era, modern, notify, on
from fakes.engine import begin, react
from fakes.eras.modern import ACKNOWLEDGED, LISTEN
from fakes.events import Heard
from fakes.outputs import Write
from workbench.core.wire.envelope import modern_request
from workbench.core.wire.versions import LATEST_MODERN

Body = dict[str, Any]
NEWS = on("tools/list").then(notify("notifications/tools/list_changed", listeners=True))


def talk(fake: Fake, *bodies: Body) -> list[Body]:
    state, lines = begin(fake.program), []
    for body in bodies:
        state, outputs = react(state, Heard(json.dumps(body).encode()), 0.0)
        lines += [json.loads(out.line.data) for out in outputs if isinstance(out, Write)]
    return lines


def ask(number: int, method: str, params: Any = None) -> Body:
    return modern_request(number, method, params, LATEST_MODERN)


@pytest.mark.parametrize("asked", [{}, {"toolsListChanged": False}, {"toolsListChanged": 1}])
def test_nothing_is_agreed_to_that_was_not_asked_for(asked: Body) -> None:
    """Spec: subscriptions, the server must not send what the client has not requested."""
    fake = modern(list_changed=True).script(NEWS)
    (acknowledged,) = talk(fake, ask(1, LISTEN, {"notifications": asked}), ask(2, "tools/list"))
    assert acknowledged["method"] == ACKNOWLEDGED
    assert acknowledged["params"]["notifications"] == {}


def test_nothing_is_agreed_to_that_the_server_does_not_have() -> None:
    """Spec: subscriptions, unsupported kinds are omitted."""
    wanted = {"toolsListChanged": True, "promptsListChanged": True}
    for fake, agreed in ((modern(), {}), (modern(list_changed=True), {"toolsListChanged": True})):
        (acknowledged,) = talk(fake, ask(1, LISTEN, {"notifications": wanted}))
        assert acknowledged["params"]["notifications"] == agreed


def test_a_listen_request_without_filter_is_refused() -> None:
    """Spec: schema, `notifications` is required."""
    (answer,) = talk(modern(), ask(1, LISTEN))
    assert answer["error"]["code"] == -32602


def test_a_cancelled_stream_gets_no_more_news() -> None:
    """Spec: cancellation, by notification where one channel is shared."""
    fake = modern(list_changed=True).script(NEWS)
    listen = ask(1, LISTEN, {"notifications": {"toolsListChanged": True}})
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert len(talk(fake, listen, ask(2, "tools/list"), cancel, ask(3, "tools/list"))) == 2
    cancel["params"] = {"requestId": "1"}
    assert len(talk(fake, listen, ask(2, "tools/list"), cancel, ask(3, "tools/list"))) == 3


def test_initialize_is_told_the_versions_unless_it_claims_to_be_modern() -> None:
    """Spec: versioning; a removed method is unknown in the modern era."""
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    for fake in (modern(), dual_era()):
        (claimed,) = talk(fake, ask(1, "initialize"))
        assert claimed["error"]["code"] == -32601
    (refused,) = talk(modern(), hello)
    assert refused["error"]["code"] == -32022
