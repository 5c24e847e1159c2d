"""What tests of the controls share: clicks, typing, and dragging a handle."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, Qt


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def tick(qtbot, box):
    """Click on the square: space to the right of the text does not react."""
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))


def type_in(qtbot, box, text, key=Qt.Key.Key_Return):
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, text)
    if key is not None:
        qtbot.keyClick(box, key)


def drag(qtbot, slider, value, to):
    """Press the mouse on one value and release it on another."""
    left = Qt.MouseButton.LeftButton
    start, end = (QPoint(round(slider.position(v)), slider.height() // 2) for v in (value, to))
    qtbot.mousePress(slider, left, pos=start)
    qtbot.mouseMove(slider, end)
    qtbot.mouseRelease(slider, left, pos=end)


def write_table(path):
    wavelength = np.linspace(4000.0, 8000.0, 400)
    fluxes = np.sin(wavelength / 300) + 2
    rows = (f"{at:.3f} {flux:.4f}" for at, flux in zip(wavelength, fluxes, strict=True))
    path.write_text("\n".join(rows), encoding="utf-8")
    return str(path)
