"""A demonstration as a notebook that anyone can run again.

Takes:  a `Demonstration`, and how its catalogue is imported
Gives:  the text of a notebook: short cells, a guess first, the client's own verbs, and a
        check that what is seen is what was seen
Never:  puts anything a peer said into a cell: the cells ask the peer again

Source: design section 10.
"""

import json
from types import ModuleType
from typing import Any, Final

from workbench.classroom.acting import MOST_EVENTS, options_for
from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.text.markdown import cell as escaped
from workbench.views.panels.demonstration import Demonstration, Plan

_METADATA: Final = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_CONNECT: Final = """
client.connect_all()
for row in client.report().peers:
    print(f"{row.peer}: {row.status}, {row.era or 'no era'} [{row.rule}] {row.reason or ''}")
"""
_LIST: Final = """
for peer, listing in client.discover_tools().items():
    print(f"{peer}: {[tool.name for tool in listing.tools]}")
    for left_out in listing.dropped:
        print(f"  left out: {left_out.name} ({left_out.reason}) [{left_out.rule}]")
"""
_MERGE: Final = """
try:
    print(list(client.merge().names))
except WorkbenchError as problem:
    show_error(problem)
report = client.report()
report.collisions
"""
_CALL: Final = """
def call(item):
    try:
        result = client.call(item.canonical, example_arguments(item.tool.input_schema){key})
        print(f"{{item.peer}}: {{result.text[:200]!r}}")
    except WorkbenchError as problem:
        show_error(problem)
"""
_CALLS: Final = """
items = client.menu.items if client.menu is not None else ()
first = {item.peer: item for item in reversed(items)}
for peer in sorted(first, key=lambda peer: (peer != subject, peer)):
    call(first[peer])
"""
_AGAIN: Final = """
client.connect_all()
client.discover_tools()
for note in client.drift:
    print(note.drift.line())
for item in client.menu.items if client.menu is not None else ():
    call(item)
"""
_LISTEN: Final = f"""
with client.listen() as listening:
    listening.wait_for(lambda one: len(one.events) >= {MOST_EVENTS}, 3.0)
    for peer, one in listening.subscriptions.items():
        print(f"{{peer}}: {{one.state}}")
"""
_TARGETS: Final = {
    "memory": ("", "peer"),
    "stdio": (
        "    command, *args = hosts.enter_context(peer.over_stdio())\n",
        "PeerConfig(name=name, command=command, args=tuple(args))",
    ),
    "http": ("", "PeerConfig(name=name, url=hosts.enter_context(peer.over_http()))"),
}
_AGREE: Final = """
async def user(question):
    return accept(example_arguments(question.schema))
"""
_DECLINE: Final = """
async def user(question):
    return decline()
"""


def notebook_text(shown: Demonstration, catalogue: Any, imported_as: str | None = None) -> str:
    """Return the notebook of a demonstration as text.

    Args:
        shown: what was seen.
        catalogue: where the situation came from.
        imported_as: a statement that gives the catalogue the name `library`; None works for
            a catalogue that is a module.

    Raises:
        MisuseError: if nobody can tell how the catalogue is imported.
    """
    statement = imported_as or _import_of(catalogue)
    cells = [
        _cell(place, kind, text) for place, (kind, text) in enumerate(_cells(shown, statement))
    ]
    notebook = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _cells(shown: Demonstration, statement: str) -> list[tuple[str, str]]:
    plan, then = shown.plan, _then(shown)
    cells = [
        ("markdown", f"# What becomes of this peer?\n\n{_terms(plan)}"),
        ("code", _imports(plan, statement)),
        ("markdown", "## Predict first\n\nWill it be ready, and in which era? Which rule says so?"),
        ("code", 'guess = ""  # "ready, modern", "ready, legacy" or "unavailable"'),
        ("markdown", "## 1. Who plays"),
        ("code", _who(plan)),
        ("code", _client(plan)),
        ("code", _register(plan)),
        ("markdown", "## 2. What the client makes of it"),
        ("code", _CONNECT),
        ("code", _LIST),
        ("code", _MERGE),
        ("code", _check(shown)),
        *([("code", _LISTEN)] if then == "listen" else []),
        ("markdown", "## 3. Calls"),
        ("code", _CALL.format(key=', idempotency_key="demonstration"' if plan.repeat else "")),
        ("code", _CALLS),
        *([("code", _check_calls(shown))] if shown.called else []),
        *([("code", _AGAIN)] if then == "again" else []),
        ("markdown", "## 4. What crossed"),
        ("code", "client.journal.diagram()"),
        ("code", "print(client.journal.lint().to_text())"),
        ("markdown", "## Break it yourself\n\nChange a setting in part 1, and run all again."),
        ("code", "client.close()" + ("" if plan.transport == "memory" else "\nhosts.close()")),
    ]
    return cells


def _cell(place: int, kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind, "id": f"cell-{place}", "metadata": {}, "source": text.strip(),
    }  # fmt: skip
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _import_of(catalogue: Any) -> str:
    if isinstance(catalogue, ModuleType):
        package, _, name = catalogue.__name__.rpartition(".")
        what = f"from {package} import {name}" if package else f"import {name}"
        return what if name == "library" else f"{what} as library"
    hint = 'Say it: InstructorPanel(…, imported_as="from mine import library").'
    detail = "a notebook cannot tell how this catalogue is imported."
    raise MisuseError(Failure(kind=Kind.MISUSE, stage="show", detail=detail, hint=hint))


def _then(shown: Demonstration) -> str:
    stages = {one.stage for one in shown.acts}
    return "listen" if "listen" in stages else "again" if "connect again" in stages else ""


def _terms(plan: Plan) -> str:
    return f"Situation {escaped(plan.cast)}; {escaped(plan.terms())}."


def _imports(plan: Plan, statement: str) -> str:
    client = "RehearsalClient" if plan.transport == "memory" else "MultiServerClient"
    names = [client, "WorkbenchError", "example_arguments", "show_error"]
    names += [] if plan.transport == "memory" else ["PeerConfig"]
    lines = [] if plan.transport == "memory" else ["from contextlib import ExitStack", ""]
    lines += [statement, f"from workbench.notebook import {', '.join(sorted(names))}"]
    if plan.asked_back != "nobody answers":
        answer = "accept" if plan.asked_back == "the user agrees" else "decline"
        lines.append(f"from workbench.handlers import Handlers, {answer}")
    return "\n".join(lines)


def _who(plan: Plan) -> str:
    timeout_s = plan.discovery_timeout_ms / 1_000
    lines = [
        f"cast = library.cast({plan.cast!r}, discovery_timeout_s={timeout_s})",
        "subject = next(iter(cast.peers))",
        f"settings = {plan.settings!r}",
        "peers, own = dict(cast.peers), dict(cast.settings)",
    ]
    for era in plan.beside:
        lines.append(f"peers['a-{era}-one'] = library.beside({era!r})")
        lines.append(f"own['a-{era}-one'] = {{'allow_legacy': {era == 'legacy'}}}")
    return "\n".join([*lines, "print(cast.about)"])


def _client(plan: Plan) -> str:
    asked = {"the user agrees": _AGREE, "the user declines": _DECLINE}.get(plan.asked_back, "")
    client = "RehearsalClient" if plan.transport == "memory" else "MultiServerClient"
    lines = [*([asked.strip(), "", ""] if asked else []), f"client = {client}("]
    lines += [
        f"    merge_policy={plan.merge_policy!r},",
        f"    drift_policy={plan.drift_policy!r},",
    ]
    lines.append(f"    can_declare={options_for(plan)['can_declare']!r},")
    lines += ["    handlers=Handlers(elicitation=user),"] if asked else []
    return "\n".join([*lines, ")"])


def _register(plan: Plan) -> str:
    before, target = _TARGETS[plan.transport]
    opened = "" if plan.transport == "memory" else "hosts = ExitStack()\n"
    return (
        f"{opened}for name, peer in peers.items():\n{before}"
        f"    client.add_server(name, {target}, **{{**settings, **own.get(name, {{}})}})"
    )


def _check(shown: Demonstration) -> str:
    return (
        "row = next(row for row in report.peers if row.peer == subject)\n"
        'verdict = f"ready, {row.era}" if row.status == "ready" else "unavailable"\n'
        f"assert (verdict, row.rule) == ({shown.verdict!r}, {shown.rule!r})\n"
        "print(f\"{subject}: {verdict}; my guess: {guess or 'none'}\")"
    )


def _check_calls(shown: Demonstration) -> str:
    return f"ended = str(client.outcomes[0].ended)\nassert ended == {shown.ended!r}\nprint(ended)"
