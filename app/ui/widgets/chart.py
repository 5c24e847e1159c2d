"""A small plot of numbers in the colours of the theme, with nothing to drag."""

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.ui.base.theme.theme import CurrentTheme, Theme


class Chart(pg.PlotWidget):  # type: ignore[misc]
    """`redraw` is called anew when the theme or the font changes."""

    background_colour, line_colour, text_colour = "panel", "border", "dim"
    """Names of colours of the theme."""

    def __init__(
        self, current_theme: CurrentTheme, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, enableMenu=False)
        self._current_theme = current_theme
        self.setAccessibleName(name)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(self.Shape.NoFrame)
        self.setBackground(getattr(self.theme, self.background_colour))  # else it begins in black
        current_theme.changed.connect(self._restyle)

    @property
    def theme(self) -> Theme:
        return self._current_theme.theme

    @property
    def axis_font(self) -> QFont:
        return QFont(self.font())

    def redraw(self) -> None:
        raise NotImplementedError

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the wheel scrolls the page

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Qt also sends this while it builds the widget.
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_current_theme"):
            self._restyle()

    def _restyle(self, *_: object) -> None:
        self._style_axes()
        self.redraw()

    def _style_axes(self) -> None:
        self.setBackground(getattr(self.theme, self.background_colour))
        for side in ("left", "bottom", "top", "right"):
            axis = self.getPlotItem().getAxis(side)
            axis.setTickFont(self.axis_font)
            axis.label.setFont(self.axis_font)
            axis.setPen(pg.mkPen(getattr(self.theme, self.line_colour)))
            axis.setTextPen(pg.mkPen(getattr(self.theme, self.text_colour)))
