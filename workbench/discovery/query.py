"""What somebody typed, as two questions for the index.

Takes:  a query as a person or a model wrote it
Gives:  the words that were asked, and the words that mean or begin the same
Never:  lets a sign of the query act: every word is quoted

Source: ours.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from workbench.discovery.synonyms import synonyms
from workbench.discovery.words import joined, pairs, words

MOST_ASKED: Final = 24
"""Different words of one query; the rest is left out."""
_MOST_TYPED: Final = 400
SYNONYM_COUNTS: Final = 0.7
"""What a synonym counts for, beside the word itself."""
START_COUNTS: Final = 0.3
"""What a longer word counts for that begins with the word that was asked."""
_SHORTEST_START: Final = 4
"""Letters a word needs so that longer words beginning with it count."""

FILLERS: Final = frozenset(
    "a an the this that these those it its of for to in on at by with from into about as and or "
    "i me my we us our you your they them he she his her is are be was were been am do does did "
    "can could will would should shall may might must please want wants wanted need needs needed "
    "like how what whats which who whom where why there here some any all out up so if then than "
    "just only also let lets have has had tool tools help way using use".split()
)
"""Words that say nothing about a tool, unless a query has no others."""


class Asked(NamedTuple):
    """One word of a query, ready to be asked."""

    exactly: str
    """The FTS5 expression for the word itself."""
    alike: tuple[tuple[str, float], ...]
    """Expressions for what may be meant as well, each with what it counts for, below 1."""


class Question(NamedTuple):
    """One query, ready to be asked."""

    words: tuple[Asked, ...]
    name: str
    """The query as if it were a name: all its words in one."""


def ask(query: str) -> Question:
    """Return the questions a query comes to.

    Args:
        query: any text; control characters, quotes and operators are not looked at.
    """
    typed = words(query, _MOST_TYPED)
    telling = [word for word in typed if word not in FILLERS] or typed
    asked = list(dict.fromkeys(telling))[:MOST_ASKED]
    row = [Asked(f'"{word}"', tuple(_alike(word, asked))) for word in asked]
    row += [Asked(f'"{pair}"', ()) for pair in dict.fromkeys(pairs(asked)) if pair not in asked]
    return Question(words=tuple(row), name=joined(query))


def _alike(word: str, asked: Sequence[str]) -> Iterator[tuple[str, float]]:
    for other in synonyms(word):
        if other not in asked:
            yield f'"{other}"', SYNONYM_COUNTS
    if len(word) >= _SHORTEST_START:
        yield f'"{word}"*', START_COUNTS
