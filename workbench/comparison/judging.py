"""A client's answer held against what the specification says.

Takes:  what the specification says of a peer, and what was seen of a client there
Gives:  the id of one category
Never:  compares clients with each other, or with this one
"""

from workbench.comparison.expected import Expected
from workbench.comparison.seen import Seen


def category_of(expected: Expected, seen: Seen) -> str:
    """Return the category of one answer; an earlier one in this list wins.

    Whether the client was heard of again, whether it took back a proof, whether its verdict
    is one of the specification's, and only then how it differs.
    """
    if seen.verdict in ("hang", "crash"):
        return "hangs" if seen.verdict == "hang" else "crashes"
    if expected.modern and seen.initialize:
        return "downgrades"
    if seen.verdict in expected.allows:
        return "as-specified"
    if seen.verdict in expected.malformed:
        return "accepts-malformed"
    if seen.verdict == "refused":
        # Where legacy is a guess, not guessing is a policy; where nothing is unclear, it is not.
        return "stricter" if "legacy" in expected.allows else "refuses-valid"
    return "differs"
