"""Contrast as in WCAG 2.2: of an element's text against the first background behind it."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Locator

READABLE: Final = 4.5
"""The least contrast of success criterion 1.4.3, level AA."""

CONTRAST: Final = """element => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  let behind = element, back;
  do {
    back = parts(getComputedStyle(behind).backgroundColor);
    behind = behind.parentElement;
  } while (behind && back.length === 4 && back[3] === 0);
  const both = [light(parts(getComputedStyle(element).color)), light(back)];
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}"""
"""A function of an element, for the browser."""


def assert_readable(place: "Locator", *parts: str) -> None:
    """The first visible element of each kind can be read against what is behind it.

    Args:
        place: where they are.
        parts: a CSS selector each.
    """
    for part in parts:
        shown = place.locator(part).locator("visible=true").first
        assert shown.evaluate(CONTRAST) >= READABLE, part
