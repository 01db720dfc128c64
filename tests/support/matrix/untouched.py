"""What holds in every scene with one bad peer: the honest one beside it is untouched."""

from places import Place

from matrix.scene import LONG_S


async def good_is_untouched(place: Place) -> None:
    """Insist that the honest peer is there and works."""
    assert place.row("good").status == "ready"
    assert (await place.client.call("fine", timeout_s=LONG_S)).text.startswith("fine")
