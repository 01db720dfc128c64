"""Peers that connect and list well and then fail a call.

Takes:  nothing
Gives:  name -> `Fake` of rows C02 to C04 and C09 to C12
"""

from typing import Any, Final

from fakes.eras.modern import ACKNOWLEDGED, LISTEN
from fakes.fake import Fake
from fakes.library.honest import legacy, modern
from fakes.script import on
from fakes.steps import (
    REQUEST_ID,
    Step,
    answer_default,
    ask,
    close,
    effect,
    error,
    exit_,
    notify,
    raw,
    reply,
    silence,
)
from workbench.core.wire.keys import (
    INPUT_REQUIRED,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    SUBSCRIPTION_ID_KEY,
    TOOLS_CALL,
)

STATE: Final = '  {"round": 1}  \u00e9\U0001f511 '
"""A `requestState` that only an exact echo survives."""


def call_faults() -> dict[str, Fake]:
    """Return the fakes whose calls fail, or whose streams do."""
    return {**_answers(), **_lines(), **_rounds(), **_requests(), **_streams()}


def _first_call(about: str, *steps: Step) -> Fake:
    return modern().script(on(TOOLS_CALL).nth(1).then(*steps)).described(f"first call: {about}")


def _answers() -> dict[str, Fake]:
    calls = on(TOOLS_CALL)
    dying = calls.nth(1).in_lifetime(1)
    return {
        "C02-no-result-type": modern()
        .script(calls.then(answer_default(without=("resultType",))))
        .described("tools/call without resultType"),
        "C02-unknown-result-type": modern()
        .script(calls.then(answer_default(patch={"resultType": "done"})))
        .described('tools/call with resultType "done"'),
        "C02-null-result-type": modern()
        .script(calls.then(answer_default(patch={"resultType": None})))
        .described("tools/call with resultType null"),
        "C03-id-other": _first_call("answered with another id", answer_default(id="other")),
        "C03-id-string": _first_call(
            "answered with its id as a string", answer_default(id="string")
        ),
        "C03-id-float": _first_call("answered with its id as 1.0", answer_default(id="float")),
        "C03-id-null": _first_call("answered with id null", answer_default(id=None)),
        "C03-id-missing": _first_call("answered without id", answer_default(id="missing")),
        "C03-twice": _first_call("answered twice", answer_default(times=2)),
        "C04-dies-before": modern()
        .script(dying.then(exit_(9)))
        .described("dies in its first call, before doing anything; the next process is fine"),
        "C04-dies-after": modern()
        .script(dying.then(effect("create"), exit_(9)))
        .described("does its first call, dies before the answer; the next process is fine"),
    }


def _lines() -> dict[str, Fake]:
    text = {"content": [{"type": "text", "text": "one\u2028two\u2029three\u0085four"}]}
    head = b'{"jsonrpc":"2.0","id":<<id>>,"result":{"resultType":"complete","isError":false,'
    bad = head + b'"content":[{"type":"text","text":"\xff"}]}}'
    nan = head + b'"content":[],"structuredContent":NaN}}'
    deep = head + b'"content":[],"structuredContent":' + b"[" * 2_000 + b"]" * 2_000 + b"}}"
    return {
        "C09-5-MB-line": _first_call("a valid line of 5 MB", answer_default(pad=5_000_000)),
        "C09-64-MiB": _first_call(
            "64 MiB without a line end, then the answer",
            raw("x" * 1_024, newline=False, times=65_536),
            raw(""),
            answer_default(),
        ),
        "C09-1-byte-chunks": _first_call("written a byte at a time", answer_default(chunk=1)),
        "C09-CRLF": _first_call("lines end in CRLF", answer_default(after="\r\n")),
        "C09-BOM": _first_call("a byte order mark in front", answer_default(before="\ufeff")),
        "C09-line-separators": _first_call("U+2028 and friends", answer_default(patch=text)),
        "C09-bad-utf-8": _first_call("a byte that is not UTF-8", raw(bad)),
        "C09-NaN": _first_call("NaN in the result", raw(nan)),
        "C09-deep": _first_call("2,000 levels deep", raw(deep)),
        "C09-batch": _first_call("in a batch array", answer_default(before="[", after="]\n")),
        "C09-no-line-end": _first_call(
            "no line end, then exit 0", answer_default(after=""), exit_(0)
        ),
    }


def _rounds() -> dict[str, Fake]:
    form = {
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": "Really?",
            "requestedSchema": {
                "type": "object",
                "properties": {"sure": {"type": "boolean"}},
                "required": ["sure"],
            },
        },
    }
    sampling = {
        "method": "sampling/createMessage",
        "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": "Say yes."}}],
            "maxTokens": 400,
        },
    }
    calls = on(TOOLS_CALL)
    unsure = calls.where_absent("inputResponses", "requestState")
    return {
        "C10-confirm": modern()
        .script(
            unsure.then(_needs({"sure": form}, STATE)),
            calls.where(requestState=STATE).then(answer_default()),
            calls.then(error(INVALID_PARAMS, "requestState was not echoed exactly")),
        )
        .described("asks once, insists on the exact requestState, then answers"),
        "C10-for-ever": modern()
        .script(calls.then(_needs({"sure": form}, STATE)))
        .described("asks for the same input for ever"),
        "C10-state-only": modern()
        .script(
            unsure.then(_needs(None, STATE)),
            calls.where(requestState=STATE).then(answer_default()),
            calls.then(error(INVALID_PARAMS, "requestState was not echoed exactly")),
        )
        .described("asks for nothing but its state, then answers"),
        "C10-unknown-kind": modern()
        .script(calls.then(_needs({"x": {"method": "mind/read", "params": {}}}, None)))
        .described("asks for an input of an unknown kind"),
        "C10-sampling": modern()
        .script(unsure.then(_needs({"text": sampling}, None)))
        .described("asks for sampling, declared or not, then answers"),
        "C10-nothing": modern()
        .script(calls.then(_needs(None, None)))
        .described("input_required with neither inputs nor state"),
    }


def _needs(inputs: dict[str, Any] | None, state: str | None) -> Step:
    result: dict[str, Any] = {"resultType": INPUT_REQUIRED}
    if inputs is not None:
        result["inputRequests"] = inputs
    if state is not None:
        result["requestState"] = state
    return reply(result)


def _requests() -> dict[str, Fake]:
    calls = on(TOOLS_CALL)
    message = {"role": "user", "content": {"type": "text", "text": "Say yes."}}
    sampling = ask(
        "sampling/createMessage", {"messages": [message], "maxTokens": 400}, id=99, wait=True
    )
    return {
        "C11-modern-ping": modern()
        .script(calls.then(ask("ping", id=99), answer_default()))
        .described("sends a request in a call, which no modern server may"),
        "C11-legacy-ping": legacy()
        .script(calls.then(ask("ping", id=99, wait=True), answer_default()))
        .described("pings in a call and waits for the pong"),
        "C11-legacy-sampling": legacy()
        .script(calls.then(sampling, answer_default()))
        .described("asks for sampling in a call and waits for the answer"),
    }


def _streams() -> dict[str, Fake]:
    listening = on(LISTEN)
    end = reply({"resultType": "complete", "_meta": {SUBSCRIPTION_ID_KEY: REQUEST_ID}})
    scripts: dict[str, tuple[str, tuple[Step, ...]]] = {
        "C12-no-ack": ("never acknowledged", (silence(),)),
        "C12-partial-ack": ("nothing of it agreed to", (_ack(REQUEST_ID),)),
        "C12-wrong-id": ("acknowledged with another id", (_ack("somebody-else"),)),
        "C12-ends-with-result": ("acknowledged, ended at once", (answer_default(), end)),
        "C12-ends-without-result": ("acknowledged, then closed", (answer_default(), close())),
        "C12-refused": ("-32601", (error(METHOD_NOT_FOUND, "Method not found"),)),
    }
    return {
        name: modern(list_changed=True)
        .script(listening.then(*steps))
        .described(f"listen stream: {about}")
        for name, (about, steps) in scripts.items()
    }


def _ack(stream: str) -> Step:
    params = {"notifications": {}, "_meta": {SUBSCRIPTION_ID_KEY: stream}}
    return notify(ACKNOWLEDGED, params)
