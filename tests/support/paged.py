"""A fake whose list of tools comes in pages with hints of their own."""

from typing import Any

from shelf import complete

from fakes import Fake, modern, on
from fakes.script import Rule


def page(*names: str, **more: Any) -> Any:
    """Return a step that answers with a page of tools; by default private, for a minute."""
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    hints = {"ttlMs": 60_000, "cacheScope": "private", **more}
    given = {member: value for member, value in hints.items() if value is not None}
    return complete(tools=tools, **given)


def paged(*answers: Any, name: str = "peer") -> Fake:
    """Return a peer with these pages; the cursor of page N is "N".

    Args:
        answers: a step a page, or several as a tuple; or a list of these: one for each time
            the page is asked for, the last of them for ever.
        name: of the peer.
    """
    rules: list[Rule] = []
    for number, given in enumerate(answers, start=1):
        when = on("tools/list").where_absent("cursor")
        if number > 1:
            when = on("tools/list").where(cursor=str(number))
        turns = [
            steps if isinstance(steps, tuple) else (steps,)
            for steps in (given if isinstance(given, list) else [given])
        ]
        rules += [when.nth(turn).then(*steps) for turn, steps in enumerate(turns[:-1], start=1)]
        rules.append(when.then(*turns[-1]))
    return modern(name, list_changed=True).script(*rules)


def asked(received: list[dict[str, Any]]) -> list[str]:
    """Return the number of each page that was asked for, in order."""
    lists = (body for body in received if body.get("method") == "tools/list")
    return [body["params"].get("cursor", "1") for body in lists]
