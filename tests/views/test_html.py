"""HTML tables are accessible and take their colours from the notebook."""

import re

from workbench.core.journal.journal import Journal
from workbench.core.report import PeerReport, StartupReport
from workbench.views.html import journal_html, report_html, table


def test_a_table_has_a_caption_and_scopes() -> None:
    """Spec: WCAG 2.2 H39 and H63, captions and header scopes."""
    html = table("Two & more", ("A", "B"), [("1", "2")])
    assert ">Two &amp; more</caption>" in html
    assert html.count('scope="col"') == 2
    assert html.count('scope="row"') == 1


def test_no_colour_of_our_own_breaks_a_dark_theme() -> None:
    """Ours: every colour is a notebook variable with an inherited fallback."""
    row = PeerReport(peer="p", transport="stdio", status="ready")
    html = report_html(StartupReport(peers=(row,)))
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb|hsl|\b(black|white|red|green)\b", html)
    assert set(re.findall(r"var\(--jp-[^,]+,(\w+)\)", html)) == {"inherit", "currentColor"}


def test_a_long_journal_shows_its_end_and_says_so() -> None:
    """Ours: a saved notebook must stay small."""
    journal = Journal(capacity=5)
    for _ in range(7):
        journal.sent(3.0, "p", b"{}")
    html = journal_html(journal, limit=2)
    assert "Journal: 5 entries, 3 older ones not shown, 2 dropped" in html
    assert html.count("<tr>") == 3
    assert ">0.000<" in html


def test_a_marked_row_stands_out_and_the_id_of_a_rule_stays_whole() -> None:
    """Ours: what changed is seen at once; "RECOV-01" is not broken at its hyphen."""
    html = table("T", ("A", "B"), [("1", "RECOV-01"), ("2", "not RECOV-01")], marked={1})
    assert html.count("<tr>") == 2 and html.count('<tr style="font-weight:bold') == 1
    assert html.index("<tr style") > html.index(">1<")
    assert html.count("white-space:nowrap") == 1
