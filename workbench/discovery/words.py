"""Text and names as words, the same way for what is searched and for what is asked.

Takes:  any string, identifiers such as `getPodCount` or `list_pods` among it
Gives:  lower-case words in order, without marks, at most as many as asked for
Never:  keeps an operator, a quote or a control character: what comes out can be asked for
        and written anywhere

Scripts that leave no room between words (Chinese, Japanese, Korean, Thai) are cut into
overlapping pairs, so that a part of a phrase is found in it. Source: ours.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

MOST_WORDS: Final = 2_000
"""Words looked at of one text; a description with more is no description."""
_MOST_CHARS: Final = 20_000
"""Characters looked at of one text."""
LONGEST_WORD: Final = 64

# Between a small letter and a capital, a digit and a capitalized word, a row of capitals
# and a capitalized word: get|Pod, S3|Bucket, HTTP|Server.
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9A-Z])(?=[A-Z][a-z])")
_PIECE: Final = re.compile(r"[^\W_]+")
_SPACELESS: Final = re.compile(
    "[\u0e00-\u0e7f\u0e80-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+"
)


def words(text: str, most: int = MOST_WORDS) -> list[str]:
    """Return the words of a text or a name, in order, repetitions kept.

    Args:
        text: of any length; only its beginning counts when it is very long.
        most: words returned.
    """
    text = text[:_MOST_CHARS]
    if not text.isascii():
        text = _plain(text)
    found: list[str] = []
    for piece in _PIECE.findall(_HUMP.sub(" ", text)):
        found += _cut(piece) if not piece.isascii() else (piece.lower()[:LONGEST_WORD],)
        if len(found) >= most:
            break
    return found[:most]


def spaced(text: str) -> str:
    """Return a text in which a tokenizer that knows words sees those that `words` sees."""
    if not text.isascii():
        return " ".join(words(text))
    return _HUMP.sub(" ", text[:_MOST_CHARS].replace("\0", " "))


def pairs(found: Iterable[str]) -> list[str]:
    """Return each word joined to the next: "file system" is also asked for as "filesystem"."""
    row = list(found)
    return [f"{one}{two}"[:LONGEST_WORD] for one, two in zip(row, row[1:], strict=False)]


def joined(text: str) -> str:
    """Return all words of a name as one, so that `list_pods`, `listPods`, "List pods" are one."""
    return "".join(words(text))


def _plain(text: str) -> str:
    """Compose what looks the same into the same, and drop accents: São is sao."""
    parts = unicodedata.normalize("NFKD", text)
    bare = "".join(char for char in parts if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare).replace("ß", "ss")


def _cut(piece: str) -> list[str]:
    found: list[str] = []
    at = 0
    for run in _SPACELESS.finditer(piece):
        if run.start() > at:
            found.append(piece[at : run.start()].lower()[:LONGEST_WORD])
        found += _overlapping(run.group())
        at = run.end()
    if at < len(piece):
        found.append(piece[at:].lower()[:LONGEST_WORD])
    return found


def _overlapping(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
