"""A plan played through on the production client, stage by stage.

Takes:  a client with its peers registered, and a plan
Gives:  a `Demonstration`: what came of connecting, listing, merging, calling, and what follows
Never:  stops at a failure: a failure is what the class came to see

Source: design section 4, the pipeline's verbs in their order.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from workbench.core.errors import WorkbenchError
from workbench.core.inputs.handlers import NO_HANDLERS, Handlers
from workbench.core.inputs.inputs import Elicitation
from workbench.core.inputs.replies import Elicited, accept, decline
from workbench.core.menu.menu import MenuItem
from workbench.core.report import PeerReport
from workbench.core.rulebook.rules import RULES
from workbench.core.text.visible import visible
from workbench.core.tool import Listing
from workbench.drivers.tally import Step
from workbench.sync_client import MultiServerClient
from workbench.views.panels.demonstration import NOBODY, NOT_CALLED, Act, Demonstration, Plan

Tell = Callable[[str], object]
"""Told in a few words what is being done."""

MOST_CALLS: Final = 4
"""Calls of one stage; a menu may be long."""
EVENTS_S: Final = 3.0
"""How long a subscription may take to say something, in clock seconds."""
MOST_EVENTS: Final = 6
_SAID: Final = 200
_EXAMPLES: Final[Mapping[str, Any]] = {
    "string": "tea", "boolean": True, "integer": 1, "number": 1, "array": [], "object": {},
}  # fmt: skip


def options_for(plan: Plan) -> dict[str, Any]:
    """Return what the client of a plan is built with."""
    handlers = {
        "nobody answers": NO_HANDLERS,
        "the user agrees": Handlers(elicitation=_agree),
        "the user declines": Handlers(elicitation=_decline),
    }[plan.asked_back]
    return {
        "merge_policy": plan.merge_policy,
        "drift_policy": plan.drift_policy,
        "handlers": handlers,
        # Declared only to a peer that insists, as a client does that could ask its user.
        "can_declare": {"elicitation": {}},
    }


def act(
    client: MultiServerClient, plan: Plan, *, about: str, subject: str, then: str, tell: Tell
) -> Demonstration:
    """Play a plan through.

    Args:
        client: with every peer registered and none connected.
        plan: what was chosen.
        about: what is wrong, in one line.
        subject: the peer that it is about.
        then: what follows the first calls: "", "again" or "listen".
        tell: told how far it has come.
    """
    redactor = client.journal.redactor
    acting = _Acting(client, plan, lambda said: tell(redactor.clean(said)))
    acts = [*acting.connect(), *acting.list(), *acting.merge()]
    report = client.report()
    # With a subscription open first, the peer has somebody to announce its changes to.
    acts += acting.listen() if then == "listen" else []
    items = _first_of_each(client, subject)
    acts += acting.call(items)
    first = next(iter(client.outcomes), None)
    if then == "again":
        acts += acting.again()
    # A peer may put a key of ours into the name of a tool; a class looks at what is told here.
    shown: Demonstration = redactor.tree(
        Demonstration(
            plan=plan,
            about=about,
            subject=subject,
            report=report,
            acts=tuple(acts),
            journal=client.journal,
            ended=NOT_CALLED if first is None else str(first.ended),
            called="" if first is None else first.name,
            answered_by=first.peer if first is not None and first.ended == "result" else NOBODY,
        )
    )
    return shown


class _Acting:
    """One client, moved through its verbs."""

    def __init__(self, client: MultiServerClient, plan: Plan, tell: Tell) -> None:
        self._client, self._plan, self._tell = client, plan, tell

    def connect(self, stage: str = "connect") -> Iterator[Act]:
        self._tell(f"{stage}: asking every peer what it speaks …")
        report = self._client.connect_all(on_progress=self._told)
        for row in report.peers:
            yield Act(stage=stage, who=row.peer, what=_became(row), rule=row.rule)

    def list(self, stage: str = "list") -> Iterator[Act]:
        self._tell(f"{stage}: reading the lists of tools …")
        for peer, listing in self._client.discover_tools(on_progress=self._told).items():
            failure = listing.failure
            rule = None if failure is None else failure.rule
            yield Act(stage=stage, who=peer, what=_listed(listing), rule=rule)
            for tool in listing.dropped:
                said = f"left out {tool.name}: {tool.reason}"
                yield Act(stage=stage, who=peer, what=said, rule=tool.rule)

    def merge(self) -> Iterator[Act]:
        try:
            menu = self._client.merge()
        except WorkbenchError as problem:
            yield _failed("merge", "", problem)
            return
        count = len(menu.items)
        said = f"{count} name{'' if count == 1 else 's'} under {menu.policy}"
        yield Act(stage="merge", who="", what=said)
        for clash in menu.collisions:
            who = ", ".join(clash.peers)
            what = f"{clash.name}: {clash.outcome}. {clash.reason}"
            yield Act(stage="merge", who=who, what=what, rule=clash.rule)

    def call(self, items: tuple[MenuItem, ...], stage: str = "call") -> Iterator[Act]:
        for item in items:
            shown = visible(item.canonical, 60)
            self._tell(f"{stage}: {shown} …")
            key = "demonstration" if self._plan.repeat else None
            given = example_arguments(item.tool.input_schema)
            try:
                result = self._client.call(item.canonical, given, idempotency_key=key)
            except WorkbenchError:
                ended = self._client.outcomes[-1]
                yield Act(
                    stage=stage,
                    who=item.peer,
                    what=f"{item.canonical}: {ended.ended}. {ended.detail}",
                    rule=ended.rule,
                )
            else:
                ends = "tool error" if result.is_error else "result"
                said = f"{item.canonical}: {ends}: {result.text[:_SAID]}"
                yield Act(stage=stage, who=item.peer, what=said)

    def again(self) -> Iterator[Act]:
        """Connect what is away, list, and call every name that was accepted, once more."""
        yield from self.connect("connect again")
        yield from self.list("list again")
        for note in self._client.drift:
            yield Act(stage="list again", who=note.drift.peer, what=note.drift.line())
        menu = self._client.menu
        items = menu.items[:MOST_CALLS] if menu is not None else ()
        yield from self.call(items, "call again")

    def listen(self) -> Iterator[Act]:
        """Listen to every peer, and list again what changes."""
        self._tell("listen: asking to be told of changes …")
        with self._client.listen() as listening:
            listening.wait_for(lambda one: len(one.events) >= MOST_EVENTS, EVENTS_S)
            for peer, one in listening.subscriptions.items():
                yield Act(stage="listen", who=peer, what=f"the subscription: {one.state}")
            for news in listening.events[:MOST_EVENTS]:
                what = f"{news.what}: {news.detail}" if news.detail else news.what
                yield Act(stage="listen", who=news.peer, what=what, rule=news.rule)

    def _told(self, step: Step) -> None:
        self._tell(step.line())


def example_arguments(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments for an object schema: one for each property that is described."""
    described = schema.get("properties")
    fields = described if isinstance(described, dict) else {}
    return {name: _example(field) for name, field in fields.items() if isinstance(field, dict)}


def _example(field: Mapping[str, Any]) -> Any:
    offered = field.get("enum")
    if isinstance(offered, list) and offered:
        return offered[0]
    return _EXAMPLES.get(str(field.get("type")), "tea")


async def _agree(question: Elicitation) -> Elicited:
    return accept(example_arguments(question.schema))


async def _decline(question: Elicitation) -> Elicited:
    return decline()


def _first_of_each(client: MultiServerClient, subject: str) -> tuple[MenuItem, ...]:
    """Return the first tool of each peer that has one, the subject's before the others'."""
    menu = client.menu
    if menu is None:
        return ()
    peers = sorted({item.peer for item in menu.items}, key=lambda peer: (peer != subject, peer))
    return tuple(menu.items_of(peer)[0] for peer in peers)[:MOST_CALLS]


def _became(row: PeerReport) -> str:
    if row.status == "ready":
        return f"ready, {row.era} {row.version}"
    # The rule stands in a column of its own, in full.
    rule = RULES.get(row.rule or "")
    seen = (row.reason or "").removesuffix(rule.sentence if rule else "").rstrip()
    return f"unavailable. {seen}"


def _listed(listing: Listing) -> str:
    if listing.failure is not None:
        return f"no list: {listing.failure.detail}"
    names = [tool.name for tool in listing.tools]
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"{len(names)} tool{'' if len(names) == 1 else 's'}: {', '.join(names[:8])}{more}"


def _failed(stage: str, who: str, problem: WorkbenchError) -> Act:
    failure = problem.failure
    return Act(stage=stage, who=who, what=failure.detail, rule=failure.rule)
