"""The rulebook is complete and readable."""

import importlib
from collections import Counter
from pathlib import Path

from workbench.core.rulebook import (
    era_rules,
    lint_rules,
    menu_rules,
    recovery_rules,
    session_rules,
    setup_rules,
)
from workbench.core.rulebook.rule import Rule
from workbench.core.rulebook.rules import RULES

CORE = Path(era_rules.__file__).parent
SMALL = {era_rules, lint_rules, menu_rules, recovery_rules, session_rules, setup_rules}
"""Files that state rules: workbench.core.rulebook.era_rules, workbench.core.rulebook.lint_rules,
workbench.core.rulebook.menu_rules, workbench.core.rulebook.recovery_rules,
workbench.core.rulebook.session_rules and workbench.core.rulebook.setup_rules."""


SOURCES = ("spec", "seed", "ours", "design", "field case", "fault matrix")


def stated() -> dict[str, tuple[Rule, ...]]:
    """Return the rules each `*_rules` file states."""
    found = {}
    for path in sorted(CORE.glob("*_rules.py")):
        module = importlib.import_module(f"workbench.core.rulebook.{path.stem}")
        rules = getattr(module, f"{path.stem.upper()}", None)
        if rules is not None:
            found[path.stem] = rules
    return found


def test_every_rule_has_a_sentence_a_source_and_a_home() -> None:
    """Ours: a refusal must make sense read aloud."""
    for rule in RULES.values():
        first = rule.sentence[0]
        assert rule.sentence.endswith(".") and (first in '-"' or first.isupper() or first.isdigit())
        assert rule.source.startswith(SOURCES), rule.id
        assert rule.hint == "" or rule.hint.endswith("."), rule.id
        importlib.import_module(f"workbench.{rule.where}")


def test_rule_ids_are_a_family_and_a_number() -> None:
    """Ours: ids can be looked up and sorted."""
    for id, rule in RULES.items():
        family, number = id.split("-")
        assert rule.id == id and family.isupper() and number.isdigit()
        assert rule.family == family


def test_no_rule_is_stated_twice() -> None:
    """Ours: the second of two rules of one id would hide the first."""
    assert {module.__name__.rpartition(".")[2] for module in SMALL} <= set(stated())
    counted = Counter(rule.id for rules in stated().values() for rule in rules)
    assert counted == Counter(RULES.keys())
    assert len({rule.sentence for rule in RULES.values()}) == len(RULES)


def test_a_file_states_its_rules_in_order() -> None:
    """Ours: a reader finds a rule by its id."""
    for rules in stated().values():
        for family in {rule.family for rule in rules}:
            ids = [rule.id for rule in rules if rule.family == family]
            assert ids == sorted(ids)
