"""Contrast as in WCAG 2.2: of an element's text against the first background behind it."""

from typing import Final

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
  const [low, high] = [light(parts(getComputedStyle(element).color)), light(back)].sort();
  return (Math.max(low, high) + 0.05) / (Math.min(low, high) + 0.05);
}"""
"""A function of an element, for the browser."""
