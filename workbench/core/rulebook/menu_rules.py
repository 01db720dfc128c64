"""The rules of names: families MERGE (many listings to one menu) and ROUTE (one name).

Takes:  nothing
Gives:  `MENU_RULES`, in the order a reader meets them
"""

from typing import Final

from workbench.core.rulebook.rule import Rule, rule

_MERGE: Final = "seed skill: namespace merge"

MENU_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "MERGE-01",
        "Of several peers that offer one name, the first in sorted order keeps it and the "
        "others carry their peer's name in front of it.",
        f"{_MERGE}; seed lesson: collision-safe namespaces",
        "core.menu.merge",
        "colliding",
    ),
    rule(
        "MERGE-02",
        "A name that somebody has is never given a second time; the later tool is refused.",
        f"{_MERGE}; design: never a silent overwrite",
        "core.menu.merge",
        "colliding",
        "Rename one of the peers, or merge with another policy.",
    ),
    rule(
        "MERGE-03",
        "Under the policy “reject” a contested name is offered by nobody, and the merge "
        "fails with the names of all its peers.",
        "seed lesson, exercise 4",
        "core.menu.merge",
        "colliding",
        "Leave one of the peers out, or merge with another policy.",
    ),
    rule(
        "MERGE-04",
        "A name that one listing holds twice is not offered at all.",
        "ours: no declaration is better than the other",
        "core.menu.merge",
    ),
    rule(
        "MERGE-05",
        "A merge follows one of the three declared policies, and nothing else.",
        "design: the public interface",
        "core.menu.merge",
        "",
        "Use prefix-on-collision, reject or prefix-always.",
    ),
    rule(
        "MERGE-06",
        "A reserved name is taken by no peer: a tool of that name carries its peer's name, or "
        "under “reject” has none.",
        "ours: the application's own tools keep their names",
        "core.menu.merge",
        "",
        "Rename the tool at its server, or take the name out of reserved_names.",
    ),
    rule(
        "DRIFT-01",
        "A tool whose definition is not what was accepted is reported with the difference as "
        "soon as it is listed; first sight, a merge and a lock accept.",
        "fault matrix: C13",
        "core.pins.drift_watch",
        "C13-description",
        "Look at the change; merge again, or accept the tool by name.",
    ),
    rule(
        "DRIFT-02",
        "Under the drift policy “pin” a changed tool is not called until it is accepted; a "
        "merge does not accept against a lock.",
        "fault matrix: C13",
        "core.pins.drift_watch",
        "",
        "Look at the change, then call accept with the tool's name, or pin again.",
    ),
    rule(
        "ROUTE-01",
        "A call goes to a name of the accepted menu, matched exactly; a name is never taken apart.",
        "seed lesson: routing a call",
        "core.menu.route",
        "",
        "Call one of the nearest names, or look the name up in the report.",
    ),
    rule(
        "ROUTE-02",
        "A name without a single owner is not routed.",
        "seed skill: refusal rules",
        "core.menu.route",
        "",
        "Call one of the canonical names, or merge with another policy.",
    ),
    rule(
        "ROUTE-03",
        "A name that now leads to another peer than the accepted one is not routed.",
        "seed skill: refusal rules",
        "core.menu.route",
        "",
        "Look at the change, then accept the menu again.",
    ),
    rule(
        "ROUTE-04",
        "A call to a peer that is not ready is not sent.",
        "design: route",
        "core.menu.route",
        "",
        "The report says why; call again once the peer is ready.",
    ),
)
