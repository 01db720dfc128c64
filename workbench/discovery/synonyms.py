"""What else people say: words that mean the same thing to somebody who looks for a tool.

Takes:  one word of a query
Gives:  other words for it, never itself
Never:  knows any particular server: these are the verbs and things of everyday computing

A tool is called `delete_message` and its reader asks how to remove one. The groups are
symmetric but for `_SHORT`, where a short form leads to its long one and back. A word found
this way counts for less than the word that was asked; see `index`. Source: ours.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

_GROUPS: Final[tuple[str, ...]] = (
    # Verbs.
    "create add new make insert",
    "create open start",
    "create provision launch",
    "create generate produce",
    "delete remove erase destroy drop clear",
    "cancel abort revoke",
    "get fetch read retrieve show view",
    "get look find",
    "list show enumerate all which browse",
    "search find query lookup look locate",
    "update edit change modify set alter",
    "rename name title",
    "send post submit deliver message",
    "reply respond answer",
    "run execute launch start invoke trigger",
    "start begin launch resume",
    "stop halt kill terminate end shut",
    "restart reboot bounce reload",
    "pause suspend hold snooze",
    "upload put attach import",
    "download export fetch save pull",
    "save store write keep",
    "copy duplicate clone fork",
    "move transfer relocate",
    "merge combine join",
    "split divide separate",
    "compare diff difference changes",
    "convert transform translate turn",
    "check verify validate test status health",
    "enable activate on",
    "disable deactivate off",
    "assign allocate give",
    "invite add",
    "join enter",
    "leave exit quit",
    "approve accept confirm",
    "reject decline deny",
    "close finish complete resolve done",
    "archive hide",
    "restore recover undo revert rollback",
    "schedule plan book reserve",
    "count number total many",
    "summarize summary overview digest",
    "compute calculate work",
    "estimate predict forecast",
    "monitor watch observe track follow",
    "subscribe follow watch",
    "notify alert remind warn",
    "resize scale",
    "shrink compress zip",
    "extract unpack unzip",
    "lock protect",
    "share publish grant",
    "print output",
    "scan inspect examine",
    "tag label categorize",
    "sort order rank",
    "draw render plot",
    "install setup",
    "deploy release ship rollout publish",
    "buy purchase order",
    "pay charge bill",
    "refund reimburse money",
    "ship deliver dispatch",
    # Things.
    "email mail",
    "message text note dm",
    "picture image photo",
    "video movie clip film",
    "audio sound music voice",
    "song track music",
    "file document",
    "folder directory",
    "page site website web url",
    "link url address",
    "user person account member people who",
    "customer client buyer",
    "employee staff colleague worker",
    "contact person",
    "team group",
    "chat conversation thread channel",
    "room channel",
    "comment note remark",
    "task todo ticket issue item",
    "issue bug ticket problem",
    "incident outage alarm alert",
    "event appointment meeting",
    "date day time when",
    "reminder alarm",
    "event log history activity audit",
    "error failure exception crash",
    "history past previous earlier",
    "recent latest last newest",
    "free available empty",
    "server machine host instance vm",
    "container docker",
    "service process daemon",
    "job task run",
    "pipeline build workflow",
    "branch version",
    "commit change revision",
    "code source program",
    "package library dependency module",
    "password secret credential key",
    "permission access right role",
    "login signin session",
    "database table",
    "row record entry",
    "column field",
    "schema structure definition",
    "backup snapshot copy",
    "bucket storage",
    "disk volume storage space",
    "memory ram",
    "cpu processor load usage",
    "usage consumption quota",
    "network traffic",
    "metric measurement statistic number",
    "chart graph plot diagram",
    "dashboard board overview",
    "report summary",
    "price cost quote rate",
    "cost spending expense bill",
    "invoice bill",
    "payment charge transaction",
    "money currency amount",
    "stock share ticker",
    "stock inventory",
    "product item article",
    "cart basket",
    "coupon discount voucher",
    "order purchase",
    "parcel package shipment delivery",
    "place location where",
    "route directions path way",
    "distance far",
    "map location",
    "weather forecast temperature rain",
    "flight plane",
    "hotel room accommodation",
    "light lamp",
    "heating thermostat temperature",
    "door lock",
    "news headline article",
    "language locale",
    "text string",
    "word term",
    "list collection",
    "setting preference configuration option",
    "flag toggle feature",
    "size length",
    "domain dns",
    "certificate tls ssl",
    "screen display",
    "screenshot capture",
    "form survey questionnaire",
    "answer response",
    "spreadsheet sheet",
    "slide presentation deck",
    "pull merge",
    "deadline due",
    "birthday born",
    "recipe cooking dish",
    "workout exercise training",
    "paper publication article",
    "currency euro dollar pound yen",
    "language english french german spanish italian portuguese chinese japanese arabic",
    "draw paint sketch illustrate generate",
    "subtitle caption transcript transcribe",
    "function lambda serverless",
    "newsletter mailing",
    "sleep night stay",
    "cook meal food dish recipe",
    "emoji reaction react like",
    "calculate evaluate expression math arithmetic sum",
    "workday working business",
    "kind type category",
    "junk spam",
    "fast speed performance velocity slow",
    "key token credential",
    "meeting conference",
    "translate say",
    # Spellings.
    "catalog catalogue",
    "color colour",
    "center centre",
    "license licence",
    "organization organisation",
)
_SHORT: Final[tuple[tuple[str, str], ...]] = (
    ("k8s", "kubernetes"),
    ("db", "database"),
    ("repo", "repository"),
    ("pr", "pull request"),
    ("mr", "merge request"),
    ("env", "environment"),
    ("var", "variable"),
    ("dir", "directory"),
    ("msg", "message"),
    ("config", "configuration"),
    ("auth", "authentication"),
    ("perms", "permissions"),
    ("info", "information"),
    ("docs", "documentation"),
    ("doc", "document"),
    ("app", "application"),
    ("img", "image"),
    ("pic", "picture"),
    ("vm", "virtual machine"),
    ("ci", "continuous integration build pipeline"),
    ("ns", "namespace"),
    ("svc", "service"),
    ("crm", "customer"),
    ("sms", "text message"),
    ("pdf", "document"),
    ("csv", "spreadsheet"),
    ("lang", "language"),
    ("temp", "temperature"),
    ("org", "organization"),
    ("admin", "administrator"),
    ("sync", "synchronize"),
    ("stats", "statistics metrics"),
    ("tz", "timezone"),
    ("addr", "address"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("ip", "address"),
    ("id", "identifier"),
    ("url", "link address"),
    ("tv", "television"),
    ("ssl", "certificate tls"),
    ("cd", "deploy"),
)
_ENDS: Final = (
    ("ies", "y"), ("es", ""), ("s", ""), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"),
)  # fmt: skip


def synonyms(word: str) -> tuple[str, ...]:
    """Return other words for a lower-case word, sorted; empty for one nobody knows here.

    Args:
        word: also in a plural or with -ed or -ing.
    """
    table = _table()
    for form in _forms(word):
        others = table.get(form)
        if others is not None:
            return tuple(sorted(others - {word, form}))
    return ()


def _forms(word: str) -> Iterator[str]:
    yield word
    for end, instead in _ENDS:
        if len(word) > len(end) + 2 and word.endswith(end):
            yield word[: -len(end)] + instead


@cache
def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _GROUPS:
        row = group.split()
        for word in row:
            found.setdefault(word, set()).update(row)
    for short, long in _SHORT:
        found.setdefault(short, set()).update(long.split())
        found.setdefault(long.split()[0], set()).add(short)
    return {word: frozenset(others) for word, others in found.items()}
