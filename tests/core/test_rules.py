"""The rulebook is complete and readable."""

import importlib
from collections import Counter

from workbench.core.era_rules import ERA_RULES
from workbench.core.menu_rules import MENU_RULES
from workbench.core.rules import RULES
from workbench.core.session_rules import SESSION_RULES
from workbench.core.setup_rules import SETUP_RULES


def test_every_rule_has_a_sentence_a_source_and_a_home() -> None:
    """Ours: a refusal must make sense read aloud."""
    for rule in RULES.values():
        assert rule.sentence.endswith(".") and rule.sentence[0] in '-"ABCDEFGHIJKLMNOPQRSTUVWXYZ'
        assert rule.source.startswith(("spec", "seed", "ours", "design", "field")), rule.id
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
    stated = Counter(rule.id for rule in (*SETUP_RULES, *ERA_RULES, *SESSION_RULES, *MENU_RULES))
    assert stated == Counter(RULES.keys())
    assert len({rule.sentence for rule in RULES.values()}) == len(RULES)


def test_a_family_stands_in_one_file() -> None:
    """Ours: a reader finds the rules of a stage together."""
    files = (SETUP_RULES, ERA_RULES, SESSION_RULES, MENU_RULES)
    families = [{rule.family for rule in rules} for rules in files]
    assert sum(map(len, families)) == len(set().union(*families))
