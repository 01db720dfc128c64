"""Leads every id of a rule on the site to its row in the rulebook.

Takes:  the pages, with ids such as ERA-10 in their sentences and tables
Gives:  links; and a place in the rulebook for each of them
Never:  touches code, headings, or what is a link already

Source: ours. In a repository browser the ids are plain text; there is nothing to keep in step.
"""

import re
from typing import Any, ClassVar, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from workbench import RULES

BOOK: Final = "rulebook"
"""The page with the rules, by its name."""
_ID: Final = re.compile(r"\b[A-Z]{2,6}-\d{2}\b")
_LEFT_ALONE: Final = (nodes.reference, nodes.literal, nodes.FixedTextElement, nodes.title)


def give_places(app: Sphinx, doctree: nodes.document) -> None:
    """Make a place of each row of the rulebook that begins with an id."""
    if app.env.docname != BOOK:
        return
    for row in doctree.findall(nodes.row):
        first = row[0]
        if isinstance(first, nodes.entry) and first.astext() in RULES:
            first["ids"].append(first.astext())


class LinkRules(SphinxPostTransform):
    """Put a link in place of each id."""

    default_priority: ClassVar[int] = 800
    formats: ClassVar[tuple[str, ...]] = ("html",)

    def run(self, **options: Any) -> None:
        """Go through the words of one page."""
        if self.env.docname == BOOK:
            return
        book = self.app.builder.get_relative_uri(self.env.docname, BOOK)
        for text in list(self.document.findall(nodes.Text)):
            if _ID.search(text) and not _is_left_alone(text):
                text.parent.replace(text, list(pieces(text.astext(), book)))


def _is_left_alone(node: nodes.Node) -> bool:
    above = node.parent
    while above is not None and not isinstance(above, _LEFT_ALONE):
        above = above.parent
    return above is not None


def pieces(text: str, book: str) -> Any:
    """Yield a text in pieces, with a link for each id of a rule.

    Args:
        text: the words.
        book: where the rulebook is, seen from their page.
    """
    done = 0
    for found in _ID.finditer(text):
        if found.group() in RULES:
            yield nodes.Text(text[done : found.start()])
            where = f"{book}#{found.group()}"
            said = RULES[found.group()].sentence
            yield nodes.reference(
                "", found.group(), refuri=where, internal=True, reftitle=said, classes=["rule"]
            )
            done = found.end()
    yield nodes.Text(text[done:])


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx of both."""
    app.connect("doctree-read", give_places)
    app.add_post_transform(LinkRules)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
