# ruff: noqa
"""Answers to exercise 8."""

# %% right: a plain function
from workbench import modern_request
from workbench.exercises import Unavailable


def call_tool(peer, name, arguments, ask_user):
    params = {"name": name, "arguments": arguments}
    for number in range(1, 12):
        request = modern_request(number, "tools/call", params, "2026-07-28", {"elicitation": {}})
        answer = peer.ask(request)
        if answer is None or "error" in answer:
            raise Unavailable("the call has failed")
        result = answer["result"]
        if result["resultType"] != "input_required":
            return result
        params = {"name": name, "arguments": arguments}
        wanted = result.get("inputRequests", {})
        if not wanted and "requestState" not in result:
            raise Unavailable("the server asks for nothing")
        if any(one["method"] != "elicitation/create" for one in wanted.values()):
            raise Unavailable("the server asks for too much")
        if wanted:
            params["inputResponses"] = {key: ask_user(one) for key, one in wanted.items()}
        if "requestState" in result:
            params["requestState"] = result["requestState"]
    raise Unavailable("the server asks for ever")


# %% right: a coroutine that calls itself
import uuid

from workbench import modern_request


async def call_tool(peer, name, arguments, ask_user, more=None, left=10):
    params = {"arguments": arguments, "name": name, **(more or {})}
    number = str(uuid.uuid4())
    able = {"elicitation": {"form": {}}}
    answer = await peer.ask(modern_request(number, "tools/call", params, "2026-07-28", able))
    match answer:
        case {"result": {"resultType": "complete"} as result}:
            return result
        case {"result": {"resultType": "input_required", **asked}} if left:
            pass
        case _:
            return None
    questions, again = asked.get("inputRequests"), {}
    if "requestState" in asked:
        again["requestState"] = asked["requestState"]
    elif not questions:
        return None
    again["inputResponses"] = {}
    for key in questions or ():
        if questions[key]["method"] != "elicitation/create":
            return None
        again["inputResponses"][key] = ask_user(questions[key])
    return await call_tool(peer, name, arguments, ask_user, again, left - 1)


# %% right: a class that discovers first
from itertools import count

from workbench import modern_request
from workbench.exercises import Unavailable


class Rounds:
    def __init__(self):
        self.ids, self.rounds = count(100), 0

    def ask(self, method, params):
        able = {"elicitation": {"form": {}, "url": {}}}
        self.peer.send(modern_request(next(self.ids), method, params, "2026-07-28", able))
        answer = self.peer.receive(timeout_ms=5_000)
        if not answer or "result" not in answer:
            raise Unavailable("no result")
        return answer["result"]

    def call_tool(self, peer, name, arguments, ask_user):
        self.peer = peer
        self.ask("server/discover", {})
        same = {"name": name, "arguments": arguments}
        result = self.ask("tools/call", same)
        while result["resultType"] == "input_required":
            self.rounds += 1
            result = self.ask("tools/call", {**same, **self.given(result, ask_user)})
        return result

    def given(self, result, ask_user):
        wanted = result.get("inputRequests") or {}
        kinds = {one["method"] for one in wanted.values()}
        if self.rounds > 10 or kinds - {"elicitation/create"}:
            raise Unavailable("no more rounds")
        given = {k: result[k] for k in ["requestState"] if k in result}
        if wanted:
            given["inputResponses"] = {key: ask_user(wanted[key]) for key in sorted(wanted)}
        if not given:
            raise Unavailable("nothing was asked")
        return given


call_tool = Rounds


# %% wrong: the starter -> not-started
def call_tool(peer, name, arguments, ask_user):
    raise NotImplementedError("write me")


# %% wrong: asks the user and nobody else -> not-called
def call_tool(peer, name, arguments, ask_user):
    return ask_user({"method": "elicitation/create", "params": {}})


# %% wrong: does not say what it can -> not-declared CALL-05
# - {"elicitation": {}}
# + {}


# %% wrong: takes a question for the result -> gave-up LINT-11
# - != "input_required"
# + != "broken"


# %% wrong: refuses to answer -> gave-up LINT-11
# - "requestState" not in result:
# + "requestState" in result:


# %% wrong: sends the answers as arguments -> changed LINT-11
# - params["inputResponses"] = {
# + params["arguments"] = {


# %% wrong: sends only what is new -> changed LINT-11
# -         params = {"name": name, "arguments": arguments}
# -         wanted
# +         params = {"name": name}
# +         wanted


# %% wrong: keeps the state for itself -> no-state INPUT-02
# - params["requestState"] =
# + kept =


# %% wrong: tidies the state up -> state-changed INPUT-02
# - = result["requestState"]
# + = result["requestState"].strip()


# %% wrong: reads the state and writes it again -> state-changed INPUT-02
# - = result["requestState"]
# + = reread(result["requestState"])
# -     raise Unavailable("the server asks for ever")
# +     raise Unavailable("the server asks for ever")
# +
# +
# + def reread(state):
# +     import base64
# +     import json
# +
# +     try:
# +         body = json.loads(base64.urlsafe_b64decode(state.split(".")[0]))
# +     except ValueError:
# +         return state
# +     return base64.urlsafe_b64encode(json.dumps(body).encode()).decode() + "." + state.split(".")[1]


# %% wrong: goes on with the first state -> old-state INPUT-02
# -         if "requestState" in result:
# +         if kept is None:
# +             kept = result.get("requestState")
# +         if kept is not None:
# - = result["requestState"]
# + = kept
# -     for number in
# +     kept = None
# +     for number in


# %% wrong: keeps a state that is gone -> old-state INPUT-02
# -         params = {"name": name, "arguments": arguments}
# -         wanted
# +         params.pop("inputResponses", None)
# +         wanted


# %% wrong: answers the first question only -> responses LINT-11
# - in wanted.items()}
# + in list(wanted.items())[:1]}


# %% wrong: answers old questions again -> responses LINT-11
# -         params = {"name": name, "arguments": arguments}
# -         wanted
# +         params = {k: v for k, v in params.items() if k != "requestState"}
# +         wanted
# - params["inputResponses"] = {key
# + params["inputResponses"] = params.get("inputResponses", {}) | {key


# %% wrong: sends the bare content -> wrong-response INPUT-05
# - ask_user(one)
# + ask_user(one).get("content")


# %% wrong: accepts for the user -> wrong-response INPUT-05
# - ask_user(one)
# + {"action": "accept", "content": {"ok": True}}


# %% wrong: sends again what asks for nothing -> empty INPUT-01
# -             raise Unavailable("the server asks for nothing")
# +             continue


# %% wrong: answers whatever is asked -> undeclared INPUT-04
# -             raise Unavailable("the server asks for too much")
# +             pass


# %% wrong: answers what it can, and leaves out the rest -> undeclared INPUT-04
# -             raise Unavailable("the server asks for too much")
# +             wanted = {k: v for k, v in wanted.items() if v["method"] == "elicitation/create"}


# %% wrong: goes on for a hundred rounds -> for-ever INPUT-03
# - range(1, 12)
# + range(1, 102)


# %% wrong: tries once more after an error -> after-error LINT-11
# -             raise Unavailable("the call has failed")
# +             continue


# %% wrong: returns the last question -> not-refused
# -     raise Unavailable("the server asks for ever")
# +     return result


# %% wrong: returns the error -> not-refused
# -             raise Unavailable("the call has failed")
# +             return answer


# %% wrong: returns the whole answer -> wrong-result
# -             return result
# +             return answer


# %% wrong: asks again under the same id -> same-id LINT-11
# - modern_request(number,
# + modern_request(1,


# %% wrong: forgets the metadata -> no-meta WIRE-01
# - modern_request(number, "tools/call", params, "2026-07-28", {"elicitation": {}})
# + {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


# %% wrong: expects a state in every round -> raised
# -         if "requestState" in result:
# -             params
# +         if wanted:
# +             params
