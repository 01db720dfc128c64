"""A menu's tools in a full-text index, and the order a query puts them in.

Takes:  tools once, then any number of queries
Gives:  positions and scores, best first: the same ones for the same tools and query
Never:  hands a query's own operators to SQLite, or writes anything to a disk

The index is SQLite's FTS5 in memory, its measure BM25. A word of the query counts once for a
tool: by itself or, at a discount, by its best synonym or a longer word that begins with it.
Whoever asks for a tool by its exact name gets it first. Source: design section 8.
"""

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.tool import Tool
from workbench.discovery.document import COLUMNS, document_of
from workbench.discovery.query import SYNONYM_COUNTS, Question, ask
from workbench.discovery.words import joined

MOST_RANKED: Final = 100
"""Tools in one ranking; nobody reads further, and no budget reaches further."""
_MOST_SCORED: Final = 500
"""Tools scored for the words of one query, unless a single word has more; see `_total`."""
_MOST_ALIKE: Final = 300
"""The same for other words of the same meaning."""
_FULL: Final = 500
"""Documents a menu has at least, as far as the weight of a word goes."""
_NOBODYS: Final = "\ue000"
"""A character for private use: a word to the index, and to no query."""
_MOST_COUNTS: Final = 20_000
"""Terms whose frequency is remembered."""

WEIGHTS: Final = {
    "name": 8.0,
    "title": 5.0,
    "description": 3.0,
    "parameters": 1.5,
    "details": 1.0,
    "peer": 2.0,
}
"""How much a column's words count; `tests/benchmarks/discovery.py` says what it gives."""
_EXACT: Final = 1_000.0
"""Added for the exact name; no sum of words comes near it."""

Scores: TypeAlias = dict[int, float]
"""Row of a tool -> what it is worth."""
Term: TypeAlias = tuple[str, float, int]
"""An FTS5 expression, what it counts for, and the place of its word in the query."""


class Indexed(Protocol):
    """What is needed of an item."""

    @property
    def canonical(self) -> str:
        """The name it is called by."""

    @property
    def peer(self) -> str:
        """Who offers it."""

    @property
    def tool(self) -> Tool:
        """The declaration."""


class Ranked(NamedTuple):
    """One tool that answers a query."""

    position: int
    """Place among the tools, from 0."""
    score: float
    """Higher is better; comparable within one query alone."""


class Index:
    """An index that is built at once and never changes.

    It may be asked from several threads, one at a time.

    Args:
        items: the tools, in the order that breaks ties.

    Raises:
        MisuseError: if this Python's SQLite has no FTS5.
    """

    def __init__(self, items: Iterable[Indexed]) -> None:
        self._lock = threading.Lock()
        self._names: dict[str, list[int]] = {}
        self._counts: dict[str, int] = {}
        self._connection = _opened()
        weakref.finalize(self, self._connection.close)
        self._fill(items)

    def rank(self, query: str, most: int = MOST_RANKED) -> tuple[Ranked, ...]:
        """Return the tools that have something of a query, best first.

        Args:
            query: words of any kind; signs and operators mean nothing.
            most: how many are returned at most.
        """
        question = ask(query)
        with self._lock:
            total = self._total(question)
        for row in self._names.get(question.name, ()):
            total[row] = total.get(row, 0.0) + _EXACT
        # Rounded, so that the last digits of a sum decide nothing.
        ranked = [Ranked(row - 1, round(score, 6)) for row, score in total.items()]
        ranked.sort(key=lambda one: (-one.score, one.position))
        return tuple(ranked[:most])

    def _total(self, question: Question) -> Scores:
        """Add up what the words of a query are worth for each tool.

        BM25 is a sum over words. So in a large menu the tools with one of the rarer words
        are scored word by word, and what frequent words and frequent synonyms add to these
        is found by asking for both at once: a tool with nothing but a word of every fifth
        tool could not come first.
        """
        asked = [(word.exactly, 1.0, place) for place, word in enumerate(question.words)]
        rare, frequent = self._split(asked, _MOST_SCORED)
        best: list[Scores] = [{} for _ in asked]
        _keep_best(best, rare, self._scored)
        known = _sums(best)
        others = [
            (term, counts, place)
            for place, word in enumerate(question.words)
            for term, counts in word.alike
        ]
        fitting, beyond = self._split(others, _MOST_ALIKE, at_least_one=not rare)
        _keep_best(best, fitting, self._scored)
        total = _sums(best)
        for more, counts in ((frequent, 1.0), (beyond, SYNONYM_COUNTS)):
            if rare and more:
                for row, score in self._scored(f"({_any(rare)}) AND ({_any(more)})").items():
                    total[row] += counts * (score - known[row])
        return total

    def _split(
        self, terms: Sequence[Term], most: int, at_least_one: bool = True
    ) -> tuple[list[Term], list[Term]]:
        """Return the terms that together are in few enough tools, and the others."""
        counted = sorted((self._count(term[0]), place) for place, term in enumerate(terms))
        rare: list[Term] = []
        frequent: list[Term] = []
        for count, place in counted:
            most -= count
            if count:
                fits = most >= 0 or (at_least_one and not rare)
                (rare if fits else frequent).append(terms[place])
        return rare, frequent

    def _count(self, term: str) -> int:
        """Return in how many tools a term is, as far as that matters here."""
        known = self._counts.get(term)
        if known is None:
            if len(self._counts) >= _MOST_COUNTS:
                self._counts.clear()
            ((known,),) = self._connection.execute(_COUNT, (term,))
            self._counts[term] = known
        return int(known)

    def _scored(self, match: str) -> Scores:
        rows = self._connection.execute(_SELECT, (match,))
        return {row: -score for row, score in rows}

    def _fill(self, items: Iterable[Indexed]) -> None:
        rows = []
        for row, item in enumerate(items, 1):
            document = document_of(item.canonical, item.peer, item.tool.definition)
            rows.append((row, *document))
            self._names.setdefault(joined(item.canonical), []).append(row)
        rows += _padding(rows)
        with self._connection:
            self._connection.executemany(_INSERT, rows)


_CREATE: Final = (
    f"CREATE VIRTUAL TABLE tools USING fts5({', '.join(COLUMNS)}, content='', "
    "tokenize='porter unicode61 remove_diacritics 2')"
)
_INSERT: Final = f"INSERT INTO tools(rowid, {', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)"
_SELECT: Final = (
    f"SELECT rowid, bm25(tools, {', '.join(str(WEIGHTS[one]) for one in COLUMNS)}) "
    "FROM tools WHERE tools MATCH ?"
)
_COUNT: Final = (
    f"SELECT count(*) FROM (SELECT 1 FROM tools WHERE tools MATCH ? LIMIT {_MOST_SCORED + 1})"
)


def _padding(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return documents of a word nobody can ask for, as long as the others on average.

    BM25 takes a word of every second document for worthless. In a menu of five tools most
    words are of that kind, so a small menu is weighed as if it were part of a larger one.
    """
    missing = _FULL - len(rows)
    if missing <= 0 or not rows:
        return []
    length = sum(len(" ".join(row[1:]).split()) for row in rows) // len(rows)
    return [
        (-number, " ".join([_NOBODYS] * length), *[""] * (len(COLUMNS) - 1))
        for number in range(1, missing + 1)
    ]


def _keep_best(best: list[Scores], terms: Iterable[Term], scored: Callable[[str], Scores]) -> None:
    """Let each word count once for a tool: by the best of its terms."""
    # A rare synonym of a frequent word is no better sign than the word itself.
    most = [max(scores.values(), default=inf) for scores in best]
    for term, counts, place in terms:
        here = best[place]
        for row, score in scored(term).items():
            here[row] = max(here.get(row, 0.0), counts * min(score, most[place]))


def _sums(best: Iterable[Scores]) -> Scores:
    total: Scores = {}
    for scores in best:
        for row, score in scores.items():
            total[row] = total.get(row, 0.0) + score
    return total


def _any(terms: Iterable[Term]) -> str:
    return " OR ".join(term for term, _, _ in terms)


def _opened() -> Any:
    connection = None
    try:
        import sqlite3

        connection = sqlite3.connect(":memory:", check_same_thread=False)
        connection.execute(_CREATE)
    except Exception as problem:
        if connection is not None:
            connection.close()
        raise MisuseError(
            Failure(
                kind=Kind.MISUSE,
                stage="discover",
                detail=f"tools cannot be searched: SQLite has no FTS5 here ({problem})",
                hint="Use a Python whose sqlite3 module was built with FTS5.",
            )
        ) from problem
    return connection
