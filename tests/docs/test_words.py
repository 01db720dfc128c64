"""The pages name what there is: every kind of error, and rules that exist."""

import re
from pathlib import Path
from typing import Final

import pytest

from workbench import RULES, WorkbenchError
from workbench.core import errors

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"
PAGES: Final = sorted([*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
FAMILIES: Final = "|".join(sorted({rule.family for rule in RULES.values()}))
ID: Final = re.compile(rf"\b(?:{FAMILIES})-\d{{2}}\b")
FENCE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
SPAN: Final = re.compile(rf"\b({FAMILIES})-(\d\d) to (?:{FAMILIES})-(\d\d)\b")


def no_rules(text: str) -> list[str]:
    """Return the ids in a text, but for its code, that no rule has."""
    return sorted(set(ID.findall(FENCE.sub("", text))) - set(RULES))


def kinds() -> set[str]:
    """Return the names of the exceptions that are raised: those that stand for a kind."""
    return {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, WorkbenchError) and "kind" in vars(value)
    }


def told(page: str) -> set[str]:
    """Return the names of the errors that a page has a section about."""
    return set(re.findall(r"^### (\w+)$", page, re.MULTILINE))


def named(page: str) -> set[str]:
    """Return every rule that a page names, one by one or as a span."""
    spans = {
        f"{family}-{number:02}"
        for family, first, last in SPAN.findall(page)
        for number in range(int(first), int(last) + 1)
    }
    return set(ID.findall(page)) | spans


def quoted_by_errors() -> set[str]:
    """Return the rules that come with something to do for whoever is refused."""
    silent = {"LINT", "SUB", "CACHE"}
    return {rule.id for rule in RULES.values() if rule.hint and rule.family not in silent}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_rule_that_a_page_names_exists(path: Path) -> None:
    """Ours: a rule that went leaves no reference behind."""
    assert no_rules(path.read_text(encoding="utf-8")) == []


def test_every_error_has_its_section() -> None:
    """Ours: a new exception is asked for its section by this very test."""
    page = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    assert told(page) == kinds() - {"WorkbenchError"}


def test_every_rule_that_tells_what_to_do_is_explained() -> None:
    """Ours: whoever is refused finds the rule under the error that quotes it."""
    page = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    assert sorted(quoted_by_errors() - named(page)) == []


def out_of_order(page: str) -> list[str]:
    """Return the entries of a glossary that stand before an earlier letter."""
    entries = re.findall(r"^## (.+)$", page, re.MULTILINE)
    return [one for one, following in zip(entries, entries[1:], strict=False) if one > following]


def test_the_glossary_is_in_order_and_has_the_words_of_the_field() -> None:
    """Ours: a word is found where the alphabet has it."""
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    assert out_of_order(page) == []
    wanted = (
        "canonical name, capability, discover, era, fake, frame, journal, local name, lock, menu, "
        "peer, revision, rule, transport, verdict"
    )
    assert set(wanted.split(", ")) <= set(re.findall(r"^## (.+)$", page, re.MULTILINE))


def test_a_rule_or_an_error_that_is_not_there_is_found() -> None:
    """Ours: a check must be able to fail."""
    assert no_rules("ERA-10 and ERA-99\n```\nERA-98\n```\n") == ["ERA-99"]
    assert told("### Refused\n\n#### Deeper\n") == {"Refused"}
    assert named("LEG-03 to LEG-05, PIN-01") == {"LEG-03", "LEG-04", "LEG-05", "PIN-01"}
    assert out_of_order("## a\n\n## c\n\n## b\n") == ["c"]
    assert "EraUnknown" in kinds() and "EraError" not in kinds()
