"""The rules of staying in touch: families SUB (what is listened to) and RECOV (a peer lost).

Takes:  nothing
Gives:  `RECOVERY_RULES`, in the order a reader meets them
"""

from typing import Final

from workbench.core.rulebook.rule import Rule, rule

_LISTEN: Final = "spec: basic/patterns/subscriptions"
_RELISTEN: Final = "Close the listening, or look at why the peer ends it."

RECOVERY_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "SUB-01",
        "What a peer acknowledges is compared with what was asked for; the difference is shown, "
        "and a subscription of nothing is closed.",
        f"{_LISTEN}, acknowledgment; field case L04",
        "core.subscription",
        "C12-partial-ack",
        "The peer does not announce this; list again when you need to know.",
    ),
    rule(
        "SUB-02",
        "An announcement belongs to the subscription whose id it carries; one with an id that "
        "nobody holds is recorded and told to nobody. The list it names is asked for anew all "
        "the same: an old one could be wrong.",
        f"{_LISTEN}, receiving notifications; fault matrix C08",
        "drivers.subscriptions",
        "C12-wrong-id",
    ),
    rule(
        "SUB-03",
        "A subscription that ends, with or without a result, is opened again with a new id and "
        "the same filter after a growing pause; what it covers is read anew, because nothing "
        "is replayed.",
        f"{_LISTEN}, cancellation; seed lesson: subscriptions; field cases L01 and L02",
        "core.subscription",
        "C12-ends-without-result",
        _RELISTEN,
    ),
    rule(
        "SUB-04",
        "A peer that does not know subscriptions/listen has no subscriptions; the connection "
        "stays.",
        f"{_LISTEN}; field case L04",
        "core.subscription",
        "C12-refused",
        "List again when you need to know; the peer stays usable.",
    ),
    rule(
        "SUB-05",
        "A subscription that is not acknowledged in time is cancelled and opened again.",
        f"{_LISTEN}, acknowledgment; ours: nothing waits for ever",
        "core.subscription",
        "C12-no-ack",
        _RELISTEN,
    ),
    rule(
        "SUB-06",
        "A subscription that fails too often in a row is given up, visibly.",
        "ours: every loop is bounded; field case L02",
        "core.subscription",
        "C12-ends-with-result",
        "Call listen() again once the peer is well.",
    ),
    rule(
        "SUB-07",
        "What a peer announces and was not asked for is recorded; it still makes a list stale.",
        f"{_LISTEN}, opening a stream",
        "core.subscription",
    ),
    rule(
        "SUB-08",
        "However many changes are announced, at most one reading of a list runs and one waits; "
        "a list that changes whenever it is read is read ever less often.",
        "ours: fault matrix C08; field case of a list_changed storm",
        "drivers.refresh",
        "C08-every-list",
    ),
    rule(
        "SUB-09",
        "A change of the menu is shown; a name that changed its owner is not called before the "
        "menu is accepted again.",
        "seed skill: refusal rules; fault matrix M08",
        "core.menu.menu_change",
        "",
        "Look at menu_change, then call merge().",
    ),
    rule(
        "RECOV-01",
        "A ready peer that is lost is started again after a pause that doubles up to 30 s, with "
        "jitter, and is negotiated, listed and subscribed to anew.",
        "design: recovery; spec: basic/transports/stdio",
        "core.recovery.restart",
        "C04-dies-before",
    ),
    rule(
        "RECOV-02",
        "A start counts as good only when the peer stayed up for a while; answering is not enough.",
        "ours: field case of a respawn storm",
        "core.recovery.restart",
    ),
    rule(
        "RECOV-03",
        "A client starts a peer only so often within a time window, whoever asks; then its "
        "circuit is open until the oldest start is out of the window. Another client counts for "
        "itself.",
        "ours: field case of a respawn storm",
        "core.recovery.restart",
        "",
        "Wait, or call restart() with the peer's name.",
    ),
    rule(
        "RECOV-04",
        "A peer that fails again and again, or in a way that a new start cannot mend, is left "
        "alone.",
        "ours: every loop is bounded",
        "core.recovery.restart",
        "",
        "Mend the cause, then call restart() with the peer's name.",
    ),
)
