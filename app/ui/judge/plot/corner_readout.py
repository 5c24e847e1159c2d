"""The values under the mouse, in a lower corner of the plot where the mouse is not."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel

from app.ui.judge.plot.plot_view import PlotView
from app.ui.widgets.text_width import first_that_fits

BETWEEN = "   "  # stands between those values
PAD_PX, EDGE_PX = 6, 3


class CornerReadout(QLabel):
    """Placed by hand: in a layout each new text would recompute the sizes of the whole window."""

    def __init__(self, plot: PlotView) -> None:
        super().__init__(plot)
        self._plot = plot
        self.setProperty("role", "number")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAutoFillBackground(True)
        self.setAccessibleName(self.tr("Wavelength and flux under the mouse"))
        self.hide()

    def show_values(self, text: str, at: QPointF | None) -> None:
        """Where they have no room, the first of them are left out; `at` is where the mouse is."""
        stage, metrics = self._plot.stage.geometry().toRect(), self.fontMetrics()
        parts = text.split(BETWEEN)
        ends = [parts[number:] for number in range(len(parts))]
        texts = [between.join(end) for end in ends for between in (BETWEEN, " ")]
        text = first_that_fits(texts, metrics, stage.width() - 2 * (PAD_PX + EDGE_PX))
        width, height = metrics.horizontalAdvance(text) + 2 * PAD_PX, metrics.height() + 2
        # As wide as before if that is wider, so that it does not flicker from place to place.
        width = max(width, min(self.width(), stage.width())) if not self.isHidden() else width
        corner = QRect(0, 0, width, height)
        corner.moveBottomRight(stage.bottomRight())
        corner.translate(-EDGE_PX, -EDGE_PX)
        if at is not None and corner.adjusted(-height, -height, height, height).contains(
            (at + self._plot.stage.geometry().topLeft()).toPoint()
        ):
            corner.moveLeft(stage.left() + EDGE_PX)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor(self._plot.theme.plot))
        self.setPalette(palette)
        self.setText(text)
        self.setGeometry(corner)
        self.setVisible(bool(text))
