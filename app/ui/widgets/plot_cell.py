"""A button with a small plot of a spectrum between two lines of text."""

from functools import cached_property

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.ui.base.theme.theme import CurrentTheme
from app.ui.widgets.painted_button import smooth_painter

RADIUS, PAD, EDGE_PX = 5.0, 7, 4  # room beside texts, and above and below them
TEXT_SCALE = 0.85


class PlotCell(QAbstractButton):
    width_px, min_width_px, plot_px = 150, 96, 54

    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        current_theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(self.width_px, 2 * (self._line_px() + EDGE_PX) + self.plot_px)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.min_width_px, self.sizeHint().height())

    @cached_property
    def text_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * TEXT_SCALE)
        return font

    @cached_property
    def metrics(self) -> QFontMetrics:
        return QFontMetrics(self.text_font)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            for name in ("text_font", "metrics"):
                vars(self).pop(name, None)

    def _framed(self, colour: str, edge: float, on: QPixmap | None = None) -> QPainter:
        """A painter with the font of the texts, after the frame."""
        theme, painter = self._current_theme.theme, smooth_painter(on or self)
        painter.setPen(QPen(QColor(colour), edge))
        painter.setBrush(QColor(theme.border if self.isDown() else theme.plot))
        inset = edge / 2
        frame = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(frame, RADIUS, RADIUS)
        painter.setFont(self.text_font)
        return painter

    def _line_px(self) -> int:
        return self.metrics.height() + 1
