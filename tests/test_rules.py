"""The front door to the rulebook, and the page that is made from it."""

from pathlib import Path
from typing import Any

import pytest
from by_path import module_at

from workbench.core.errors import MisuseError
from workbench.rules import FAMILIES, RULES, rulebook

SCRIPT = Path(__file__).resolve().parents[1] / "docs" / "write_rulebook.py"


@pytest.fixture
def writer() -> Any:
    """Load the script that writes the page."""
    return module_at(SCRIPT)


def test_the_rulebook_is_all_rules_or_one_family() -> None:
    """Ours: `rulebook("ERA")` in a lesson about the probe."""
    assert len(rulebook()) == len(RULES)
    assert set(rulebook().families()) <= set(FAMILIES)
    assert all(rule.id.startswith("LEG-") for rule in rulebook("LEG"))


def test_an_unknown_family_is_answered_with_the_known_ones() -> None:
    """Design 9: a message says what the user can do."""
    with pytest.raises(MisuseError) as caught:
        rulebook("NOPE")
    assert "LEG" in caught.value.failure.hint


def test_the_page_is_up_to_date(writer: Any) -> None:
    """Ours: run `python docs/write_rulebook.py` after a rule was changed."""
    assert writer.main(["--check"]) == 0


def test_an_outdated_page_is_noticed(
    writer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check must be able to fail; writing mends it."""
    monkeypatch.setattr(writer, "PAGE", tmp_path / "rulebook.md")
    assert writer.main(["--check"]) == 1
    (tmp_path / "rulebook.md").write_text("old", encoding="utf-8")
    assert writer.main(["--check"]) == 1
    assert writer.main([]) == 0
    assert writer.main(["--check"]) == 0
