# ruff: noqa
"""Answers to exercise 11."""

# %% right: plain functions
import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

QUESTION = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "Are you sure?",
        "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}},
    },
}


def serve(secret, take, give):
    while (request := take()) is not None:
        params = request["params"]
        if "requestState" not in params:
            state = seal(secret, request["who"], params, request["now_s"] + 300)
            give({"result": asking(state)})
        elif valid(secret, request):
            text = {"type": "text", "text": "done"}
            give({"result": {"resultType": "complete", "content": [text]}})
        else:
            give({"error": {"code": -32602, "message": "requestState is not valid"}})


def asking(state):
    return {
        "resultType": "input_required",
        "inputRequests": {"confirm": QUESTION},
        "requestState": state,
    }


def seal(secret, who, params, until):
    body = json.dumps([who, digest(params), until]).encode()
    return urlsafe_b64encode(body).decode() + "." + sign(secret, body)


def digest(params):
    same = json.dumps([params["name"], params["arguments"]], sort_keys=True)
    return hashlib.sha256(same.encode()).hexdigest()


def sign(secret, body):
    return hmac.new(secret, body, "sha256").hexdigest()


def valid(secret, request):
    params = request["params"]
    try:
        head, signature = params["requestState"].split(".")
        body = urlsafe_b64decode(head.encode("ascii"))
        if not hmac.compare_digest(sign(secret, body).encode(), signature.encode()):
            return False
        who, same, until = json.loads(body)
    except (AttributeError, ValueError):
        return False
    if who != request["who"] or same != digest(params):
        return False
    return request["now_s"] <= until


# %% right: a coroutine whose state is a time and a signature
import hmac
import json


async def serve(secret, take, give):
    for request in iter(take, None):
        give(await answered(secret, request))


async def answered(secret, request):
    params = dict(request["params"])
    state, _ = params.pop("requestState", None), params.pop("inputResponses", None)
    if state is None:
        expires = str(request["now_s"] + 300)
        question = {"method": "elicitation/create", "params": {"message": "Sure?"}}
        state = f"{expires}:{mac(secret, expires, request['who'], params)}"
        asked = {"resultType": "input_required", "requestState": state}
        return {"result": asked | {"inputRequests": {"sure": question}}}
    if isinstance(state, str):
        expires, _, signature = state.partition(":")
        if signature.isascii() and expires.isdigit() and int(expires) >= request["now_s"]:
            if hmac.compare_digest(mac(secret, expires, request["who"], params), signature):
                return {"result": {"resultType": "complete", "content": [], "isError": False}}
    return {"error": {"code": -32602, "message": "no", "data": {"state": str(state)[:9]}}}


def mac(secret, *parts):
    return hmac.digest(secret, json.dumps(parts, sort_keys=True).encode(), "sha512").hex()


# %% right: a class that issues at a time and counts the age
import hmac
import msgspec


class Desk:
    def serve(self, secret, take, give):
        self.key = hmac.digest(secret, b"request state", "sha256")
        while True:
            request = take()
            if not request:
                return
            give(self.answer(request["params"], request["who"], request["now_s"]))

    def answer(self, params, who, now_s):
        if "requestState" not in params:
            wanted = {"go": {"method": "elicitation/create", "params": {"message": "Go on?"}}}
            return {
                "result": {
                    "resultType": "input_required",
                    "inputRequests": wanted,
                    "requestState": self.seal(params, who, now_s),
                }
            }
        try:
            made_at = int(params["requestState"].split("-")[0])
        except Exception:
            return self.refusal()
        if not 0 <= now_s - made_at <= 300:
            return self.refusal()
        if params["requestState"] != self.seal(params, who, made_at):
            return self.refusal()
        return {"result": {"resultType": "complete", "content": [{"type": "text", "text": "ok"}]}}

    def seal(self, params, who, made_at):
        same = msgspec.json.encode(
            [who, params["name"], params["arguments"], made_at], order="sorted"
        )
        return f"{made_at}-{hmac.digest(self.key, same, 'sha256').hex()}"

    def refusal(self):
        return {"error": {"code": -32602, "message": "requestState"}}


serve = Desk


# %% wrong: the starter -> not-started
def serve(secret, take, give):
    raise NotImplementedError("write me")


# %% wrong: answers one request -> no-answer
# - while (request := take()) is not None:
# + for request in [take()]:


# %% wrong: puts everything into one list of answers -> no-answer
# - def serve(secret, take, give):
# + def serve(secret, take, give):
# +     answers = []
# +     give = answers.append


# %% wrong: does not ask anybody -> no-question LINT-10
# -             give({"result": asking(state)})
# +             give({"result": {"resultType": "complete", "content": []}})


# %% wrong: asks for nothing -> no-question LINT-10
# -         "inputRequests": {"confirm": QUESTION},
# +


# %% wrong: puts the secret into the state -> leaks
# - json.dumps([who, digest(params), until])
# + json.dumps([who, digest(params), until])
# - return urlsafe_b64encode(body).decode() + "."
# + return secret.hex() + "." + urlsafe_b64encode(body).decode() + "."
# - head, signature
# + _, head, signature


# %% wrong: signs with nothing secret -> unsigned INPUT-02
# - return hmac.new(secret, body, "sha256").hexdigest()
# + return hashlib.sha256(body).hexdigest()


# %% wrong: does not look at the signature -> tampered INPUT-02
# -         if not hmac.compare_digest(sign(secret, body).encode(), signature.encode()):
# -             return False
# +


# %% wrong: compares the first letters -> tampered INPUT-02
# - hmac.compare_digest(sign(secret, body).encode(), signature.encode())
# + sign(secret, body)[:8] == signature[:8]


# %% wrong: leaves the time unsigned -> expiry-unsigned INPUT-02
# -     body = json.dumps([who, digest(params), until]).encode()
# -     return urlsafe_b64encode(body).decode() + "." + sign(secret, body)
# +     body = json.dumps([who, digest(params)]).encode()
# +     return f"{until}." + urlsafe_b64encode(body).decode() + "." + sign(secret, body)
# - head, signature =
# + until, head, signature =
# - who, same, until = json
# + until = int(until)
# +         who, same = json


# %% wrong: never lets a state grow old -> expired
# -     return request["now_s"] <= until
# +     return True


# %% wrong: lets it live for an hour -> expired
# - request["now_s"] + 300
# + request["now_s"] + 3600


# %% wrong: takes minutes for seconds -> too-early
# - request["now_s"] + 300
# + request["now_s"] + 5
# - <= until
# + <= until + 60


# %% wrong: takes a state from anybody -> other-person
# - who != request["who"] or
# +


# %% wrong: looks at the tool and not at the arguments -> other-request LINT-11
# - [params["name"], params["arguments"]]
# + [params["name"]]


# %% wrong: looks at the arguments and not at the tool -> other-request LINT-11
# - [params["name"], params["arguments"]]
# + [params["arguments"]]


# %% wrong: cares for the order -> order LINT-11
# - , sort_keys=True
# +


# %% wrong: has a secret of its own -> remembers
# - def serve(secret, take, give):
# + def serve(secret, take, give):
# +     import os
# +
# +     secret = os.urandom(32)


# %% wrong: remembers what it asked -> remembers
# - def serve(secret, take, give):
# + def serve(secret, take, give):
# +     asked = set()
# -             give({"result": asking(state)})
# +             asked.add(state)
# +             give({"result": asking(state)})
# -         elif valid(secret, request):
# +         elif params["requestState"] in map(str, asked) and valid(secret, request):
# - params["requestState"].split
# + str(params["requestState"]).split


# %% wrong: refuses whatever comes back -> refused-valid
# -         elif valid(secret, request):
# +         elif not valid and request:


# %% wrong: asks once more -> wrong-code
# - give({"error": {"code": -32602, "message": "requestState is not valid"}})
# + give({"result": asking("again")})


# %% wrong: says that it broke -> wrong-code
# - -32602
# + -32603


# %% wrong: expects a text with one point -> broke INPUT-02
# - except (AttributeError, ValueError):
# + except KeyError:
# -         head, signature =
# +         if "." not in str(params["requestState"]):
# +             return False
# +         head, signature =


# %% wrong: reads what is not there -> raised
# - request["now_s"] + 300
# + request["time"] + 300


# %% wrong: never stops taking -> flooded
# -     while (request := take()) is not None:
# +     while True:
# +         request = take()
# +         if request is None:
# +             continue
