"""A small plot of a card, framed by its axes."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPen
from PySide6.QtWidgets import QWidget

from app.ui.base.theme.theme import CurrentTheme
from app.ui.widgets.chart import Chart

SHRUNK_PT = 1.5  # how much smaller than the panel's the text of the axes is


class CardPlot(Chart):
    background_colour, line_colour, text_colour = "plot", "axis", "axis"

    def __init__(self, current_theme: CurrentTheme, height_px: int, parent: QWidget) -> None:
        super().__init__(current_theme, "", parent)
        self.setFixedHeight(height_px)
        self.plotItem.vb.disableAutoRange()
        for side in ("top", "right"):
            self.plotItem.showAxis(side)
            self.plotItem.getAxis(side).setStyle(showValues=False, tickLength=0)
        self._style_axes()

    @property
    def axis_font(self) -> QFont:
        font = QFont(self.font())
        if font.pointSizeF() > 0.0:
            font.setPointSizeF(max(font.pointSizeF() - SHRUNK_PT, 6.0))
        return font

    def name_axes(self, x: str, y: str) -> None:
        for side, text in (("bottom", x), ("left", y)):
            self.plotItem.getAxis(side).setLabel(text)


def pen(colour: str, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    made = QPen(QColor(colour), width, style)
    made.setCosmetic(True)
    return made
