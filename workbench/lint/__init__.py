"""Lint: a record of frames, held against the protocol, rule by rule.

One check is one small function of one `Life`; `checks.CHECKS` is the table of them.
"""

from workbench.lint.checks import CHECKS, lint_entries, lint_journal
from workbench.lint.findings import Finding, Findings
from workbench.lint.reading import read_record

__all__ = ["CHECKS", "Finding", "Findings", "lint_entries", "lint_journal", "read_record"]
