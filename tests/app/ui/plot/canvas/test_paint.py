"""Opaque colours, and pens for every scale of the screen."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage, QPainter

from app.ui.plot.canvas.paint import blend, dots_per_pixel, hairline


def test_translucent_colours_become_opaque():
    assert blend("#80ffffff", "#000000").name() == "#808080"
    assert blend("#00ff0000", "#00ff0000", "#123456").name() == "#123456"
    assert blend("#80ffffff", "#000000").alpha() == 255


@pytest.mark.parametrize(("scale", "dots"), [(1.0, 1), (1.25, 1), (1.5, 2), (2.0, 2)])
def test_a_hairline_is_a_whole_number_of_dots(scale, dots):
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    painter = QPainter(image)
    assert dots_per_pixel(painter) == scale
    assert hairline(painter, "#000000").widthF() == dots
    painter.end()
