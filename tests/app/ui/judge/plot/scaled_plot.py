"""A plot on a screen of another scale, in a process of its own: what its pixels show, as JSON.

`QT_SCALE_FACTOR=1.5 python -m tests.app.ui.judge.plot.scaled_plot`
"""

import json
import sys

import numpy as np
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from agent.spectra.spectrum import FloatArray, Spectrum
from app.ui.base.theme.theme import LIGHT
from app.ui.judge.plot.plot_view import PlotView
from app.ui.judge.plot.trace import trace

WHOLE = (4000.0, 9000.0)
WINDOWS = (WHOLE, (6000.0, 6200.0), (6000.0, 6050.0), (6000.0, 6010.0))
"""From many pixels in a column to many columns in a pixel."""


def grey(image: QImage) -> FloatArray:
    """Darkness by row and column: 0 is the background of the plot, 1 the colour of the curve."""
    image = image.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    paper, ink = (float(QColor(colour).lightness()) for colour in (LIGHT.plot, LIGHT.flux))
    return np.asarray((paper - rows[:, : image.width()]) / (paper - ink))


def edges(image: QImage, plot: PlotView) -> list[int]:
    """How many lines next to each side of the box have the colour of the frame all along."""
    scale, box, colour = image.devicePixelRatio(), plot.stage.geometry(), QColor(LIGHT.axis)
    left, top, right, bottom = (round(edge * scale) for edge in box.getCoords())
    columns, rows = range(image.width()), range(image.height())
    frame = np.array([[image.pixelColor(x, y) == colour for x in columns] for y in rows])
    sides = (frame[top:bottom, x - 4 : x + 4].all(axis=0) for x in (left, right))
    ends = (frame[max(y - 4, 0) : y + 4, left:right].all(axis=1) for y in (top, bottom))
    return [int(lines.sum()) for lines in (*sides, *ends)]


def line_width(plot: PlotView, window: tuple[float, float]) -> float:
    """Width of a level curve in pixels of the layout."""
    plot.show_range(window, autoscale=False)
    plot.show_flux(0.0, 2.003)  # not on a boundary of two pixels
    image = plot.grab().toImage()
    scale, box = float(image.devicePixelRatio()), plot.stage.geometry()
    middle = round(box.center().y() * scale)
    left, right = (round(edge * scale) for edge in (box.left() + 20.0, box.right() - 20.0))
    dark = grey(image)[middle - 12 : middle + 12, left:right]
    return float(np.median(dark.sum(axis=0))) / scale


def main() -> None:
    application = QApplication([])
    plot = PlotView(LIGHT)
    plot.resize(503, 307)
    plot.show()
    wavelength = np.linspace(*WHOLE, 20_000)
    plot.show_trace(trace(Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size))))
    plot.grid.hide()
    widths = [line_width(plot, window) for window in WINDOWS]
    image = plot.grab().toImage()
    said = {"scale": image.devicePixelRatio(), "edges": edges(image, plot), "widths": widths}
    sys.stdout.write(json.dumps(said) + "\n")
    plot.deleteLater()
    application.processEvents()


if __name__ == "__main__":
    main()
