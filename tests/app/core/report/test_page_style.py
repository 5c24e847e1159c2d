"""Text of the page has enough contrast."""

from __future__ import annotations

from app.core.report.parts import _shade
from app.core.report.svg import ACCEPT, AGENT, INK, REJECT, SOFT, UNSURE


def contrast(one, other):
    def light(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_text_can_be_read_on_its_ground():
    for ink in (INK, SOFT, ACCEPT, REJECT, UNSURE, AGENT):
        assert contrast(ink, "#ffffff") > 4.5
    for ground in (ACCEPT, REJECT, UNSURE, INK):
        assert contrast("#ffffff", ground) > 4.5
    assert contrast(INK, _shade(1.0)) > 4.5
