"""A small plot of a card: nothing to drag, and the wheel scrolls the panel."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QFont, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.ui.theme.theme import CurrentTheme, Theme

SHRUNK_PT = 1.5
"""How much smaller than the panel's the text of the axes is."""


class CardPlot(pg.PlotWidget):  # type: ignore[misc]
    """`draw` is called anew when the theme changes."""

    def __init__(
        self, current_theme: CurrentTheme, title: str, height_px: int, parent: QWidget
    ) -> None:
        super().__init__(parent, background=current_theme.theme.plot, enableMenu=False)
        self._current_theme = current_theme
        self.setFixedHeight(height_px)
        self.setAccessibleName(title)
        self.setFrameShape(self.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plotItem.hideButtons()
        self.plotItem.vb.setMouseEnabled(False, False)
        self.plotItem.vb.disableAutoRange()
        for side in ("top", "right"):
            self.plotItem.showAxis(side)
            self.plotItem.getAxis(side).setStyle(showValues=False, tickLength=0)
        self._style()
        current_theme.changed.connect(self._restyle)

    @property
    def theme(self) -> Theme:
        return self._current_theme.theme

    def draw(self) -> None:
        """Draw what is shown."""
        raise NotImplementedError

    def name_axes(self, x: str, y: str) -> None:
        for side, text in (("bottom", x), ("left", y)):
            self.plotItem.getAxis(side).setLabel(text)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._style()

    def _restyle(self, theme: Theme) -> None:
        self.setBackground(theme.plot)
        self._style()
        self.draw()

    def _style(self) -> None:
        font = QFont(self.font())
        if font.pointSizeF() > 0.0:
            font.setPointSizeF(max(font.pointSizeF() - SHRUNK_PT, 6.0))
        for side in ("left", "bottom", "top", "right"):
            axis = self.plotItem.getAxis(side)
            axis.setPen(QPen(QColor(self.theme.axis), 1.0))
            axis.setTextPen(QColor(self.theme.axis))
            axis.setTickFont(font)
            axis.label.setFont(font)


def pen(colour: str, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    made = QPen(QColor(colour), width, style)
    made.setCosmetic(True)
    return made
