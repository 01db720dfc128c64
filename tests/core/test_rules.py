"""The rulebook is complete and readable."""

import importlib

from workbench.core.rules import RULES


def test_every_rule_has_a_sentence_a_source_and_a_home() -> None:
    """Ours: a refusal must make sense read aloud."""
    for rule in RULES.values():
        assert rule.sentence.endswith(".") and rule.sentence[0] in '-"ABCDEFGHIJKLMNOPQRSTUVWXYZ'
        assert rule.source.startswith(("spec", "seed", "ours", "design", "field")), rule.id
        importlib.import_module(f"workbench.{rule.where}")


def test_rule_ids_are_a_family_and_a_number() -> None:
    """Ours: ids can be looked up and sorted."""
    for id, rule in RULES.items():
        family, number = id.split("-")
        assert rule.id == id and family.isupper() and number.isdigit()
