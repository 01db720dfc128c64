# ruff: noqa
"""Answers to exercise 6."""

# %% right: a plain function
import json


def serve(handler, stdin, stdout):
    def write(number, **rest):
        answer = {"jsonrpc": "2.0", "id": number, **rest}
        stdout.write(json.dumps(answer).encode() + b"\n")
        stdout.flush()

    def refuse(number, code, message):
        write(number, error={"code": code, "message": message})

    for line in stdin:
        if not line.strip():
            continue
        if len(line) > 1_048_576:
            refuse(None, -32700, "The line is too long")
            continue
        try:
            message = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            refuse(None, -32700, "Parse error")
            continue
        if not sound(message):
            refuse(None, -32600, "Invalid Request")
            continue
        try:
            result = handler(message["method"], message.get("params", {}))
        except Exception:
            if "id" in message:
                refuse(message["id"], -32603, "Internal error")
            continue
        if "id" not in message:
            continue
        if result is None:
            refuse(message["id"], -32601, "Method not found")
        else:
            write(message["id"], result=result)


def sound(message):
    return (
        isinstance(message, dict)
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params", {}), dict)
        and type(message.get("id", 0)) in (int, str)
    )


# %% right: a coroutine that reads everything first
import json


class Refusal(Exception):
    pass


async def serve(handler, stdin, stdout):
    for line in stdin.read().split(b"\n"):
        if line.strip() == b"":
            continue
        number = None
        try:
            message = read(line)
            number = message.get("id")
            answer = {"result": await asked(handler, message)}
        except Refusal as refusal:
            code, text = refusal.args
            answer = {"error": {"code": code, "message": text, "data": {"bytes": len(line)}}}
        if number is not None or answer.get("error", {}).get("code") in (-32700, -32600):
            whole = {"id": number, "jsonrpc": "2.0", **answer}
            stdout.write(json.dumps(whole, ensure_ascii=False).encode("utf-8"))
            stdout.write(b"\n")


def read(line):
    try:
        if len(line) > 1024 * 1024:
            raise ValueError(len(line))
        message = json.loads(str(line, "utf-8"))
    except (ValueError, RecursionError):
        raise Refusal(-32700, "unreadable") from None
    if not isinstance(message, dict):
        raise Refusal(-32600, "not an object")
    number = message.get("id", "")
    if isinstance(number, bool) or not isinstance(number, (int, str)):
        raise Refusal(-32600, "not an id")
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        raise Refusal(-32600, "not a request")
    if not isinstance(message.setdefault("params", {}), dict):
        raise Refusal(-32600, "params are no object")
    return message


async def asked(handler, message):
    try:
        result = handler(message["method"], message["params"])
    except Exception:
        raise Refusal(-32603, "it broke") from None
    if result is None:
        raise Refusal(-32601, f"no method {message['method']}")
    return result


# %% right: a class that writes everything at the end
import json


class Serve:
    def serve(self, handler, stdin, stdout):
        self.handler, self.answers = handler, []
        while line := stdin.readline():
            if not line.isspace():
                self.take(line)
        lines = [json.dumps(answer) + "\n" for answer in self.answers]
        stdout.write("".join(lines).encode())

    def refuse(self, number, code):
        problem = {"code": code, "message": "no"}
        self.answers.append({"jsonrpc": "2.0", "id": number, "error": problem})

    def take(self, line):
        try:
            message = json.loads(line) if len(line) <= 1048576 else fail()
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError, OverflowError):
            self.refuse(None, -32700)
            return
        match message:
            case {"jsonrpc": "2.0", "method": str(method)}:
                params, number = message.get("params", {}), message.get("id", "none")
                if not isinstance(params, dict) or type(number) not in (int, str):
                    self.refuse(number if type(number) in (int, str) else None, -32600)
                else:
                    self.run(method, params, message)
            case {"id": int() | str() as number} if number is not True:
                self.refuse(number, -32600)
            case _:
                self.refuse(None, -32600)

    def run(self, method, params, message):
        try:
            result = self.handler(method, params)
            code = -32601 if result is None else None
        except Exception:
            code = -32603
        if "id" in message and code:
            self.refuse(message["id"], code)
        elif "id" in message:
            self.answers.append({"jsonrpc": "2.0", "id": message["id"], "result": result})


def fail():
    raise OverflowError


serve = Serve


# %% right: the loop of the package itself
import fakes


def serve(handler, stdin, stdout):
    def known(method, params):
        result = handler(method, params)
        if result is None:
            raise fakes.RpcError(-32601, "Method not found")
        return result

    return fakes.serve(known, fakes.StdioTransport(stdin, stdout))


# %% wrong: the starter -> not-started
def serve(handler, stdin, stdout):
    raise NotImplementedError("write me")


# %% wrong: reads and says nothing -> no-answer LINT-03
import json


def serve(handler, stdin, stdout):
    for line in stdin:
        message = json.loads(line)
        handler(message["method"], message.get("params", {}))


# %% wrong: answers over several lines -> not-a-line LINT-01
# - json.dumps(answer)
# + json.dumps(answer, indent=1)


# %% wrong: forgets the line feed -> not-a-line LINT-01
# - .encode() + b"\n"
# + .encode()


# %% wrong: leaves out jsonrpc -> envelope LINT-01
# - {"jsonrpc": "2.0", "id": number, **rest}
# + {"id": number, **rest}


# %% wrong: writes error null beside the result -> envelope LINT-01
# - result=result)
# + result=result, error=None)


# %% wrong: makes every id a text -> wrong-id LINT-02
# - "id": number
# + "id": str(number)


# %% wrong: counts the answers -> wrong-id LINT-02
# - def serve(handler, stdin, stdout):
# + def serve(handler, stdin, stdout):
# +     from itertools import count
# +
# +     numbers = count(1)
# - "id": number
# + "id": next(numbers)


# %% wrong: answers notifications -> notification LINT-03
# -         if "id" not in message:
# -             continue
# +
# - message["id"]
# + message.get("id")


# %% wrong: takes an empty line for a broken one -> blank LINT-01
# -         if not line.strip():
# -             continue
# +


# %% wrong: ends at the first broken line -> stopped LINT-03
# - "Parse error")
# -             continue
# + "Parse error")
# +             return


# %% wrong: catches nothing -> stopped LINT-03
# - except (ValueError, RecursionError)
# + except KeyError


# %% wrong: does not expect deep nesting -> stopped LINT-03
# - (ValueError, RecursionError)
# + ValueError


# %% wrong: lets the handler end the loop -> stopped LINT-03
# - except Exception:
# + except LookupError:


# %% wrong: calls everything invalid -> no-parse-error LINT-01
# - -32700
# + -32600


# %% wrong: takes whatever has a method -> not-invalid LINT-01
# -     return (
# -         isinstance(message, dict)
# +     return isinstance(message, dict) and "method" in message
# +     return (
# +         isinstance(message, dict)


# %% wrong: takes true for an id -> not-invalid LINT-01
# - type(message.get("id", 0)) in (int, str)
# + isinstance(message.get("id", 0), (int, str))


# %% wrong: passes over a batch -> not-invalid LINT-01
# -         if not sound(message):
# +         if isinstance(message, list):
# +             continue
# +         if not sound(message):


# %% wrong: has a result for every method -> unknown-method
# -         if result is None:
# -             refuse(message["id"], -32601, "Method not found")
# -         else:
# -             write(message["id"], result=result)
# +         write(message["id"], result=result)


# %% wrong: does not say that the handler broke -> no-internal
# - -32603
# + -32601


# %% wrong: tells the client what broke -> leaked
# - except Exception:
# + except Exception as problem:
# - "Internal error"
# + str(problem)


# %% wrong: gives the handler None for no params -> wrong-result
# - message.get("params", {}))
# -         except
# + message.get("params"))
# +         except
# - if result is None
# + if message["method"] not in ("echo", "double", "break")


# %% wrong: keeps notifications from the handler -> not-handed
# -         try:
# -             result
# +         if "id" not in message:
# +             continue
# +         try:
# +             result


# %% wrong: reads a line of any length -> too-long LINT-01
# - 1_048_576
# + 10**9


# %% wrong: splits at every end of a line there is -> split LINT-01
# - for line in stdin:
# + for text in stdin.read().decode("utf-8", "replace").splitlines():
# +         line = text.encode()
# - line.decode("utf-8")
# + line.decode("ascii", "strict") if "\ufffd" in text else text


# %% wrong: reads messages as if they were perfect -> raised
import json


def serve(handler, stdin, stdout):
    for line in stdin:
        message = json.loads(line)
        result = handler(message["method"], message["parameters"])
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        stdout.write(json.dumps(answer).encode() + b"\n")


# %% wrong: waits for more input for ever -> late
import json


def serve(handler, stdin, stdout):
    while True:
        line = stdin.readline()
        if line:
            message = json.loads(line)
            result = handler(message["method"], message.get("params", {}))
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            stdout.write(json.dumps(answer).encode() + b"\n")
