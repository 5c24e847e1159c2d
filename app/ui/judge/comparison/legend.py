"""The legend of the compared spectra on the plot; a click hides one, or takes it away."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsSceneMouseEvent, QStyleOptionGraphicsItem, QWidget

from app.ui.base.theme.theme import mixed
from app.ui.judge.comparison.compared_spectra import Compared
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.widgets.labels import one_line

PAD, SWATCH_PX, GAP, CROSS_PX = 6.0, 18.0, 6.0, 16.0
MARGIN_PX, TOP_PX = 8.0, 40.0  # from the edges of the plot; the names of lines are above it
MAX_NAME = 26
ALPHA = 225


class Legend(Layer):
    depth = 30.0

    toggled = Signal(int)  # id of the candidate
    removed = Signal(int)

    def __init__(self, *shared: object) -> None:
        self.compared: Sequence[Compared] = ()
        super().__init__(*shared)  # type: ignore[arg-type]
        # An item that takes the press gets the click, and pyqtgraph starts no drag.
        self.setAcceptedMouseButtons(Qt.MouseButton.LeftButton)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_compared(self, compared: Sequence[Compared]) -> None:
        self.prepareGeometryChange()
        self.compared = compared
        self.setVisible(bool(compared))
        self.update()

    def boundingRect(self) -> QRectF:
        """Only the box of the legend, so that clicks beside it are the plot's."""
        width = max(map(self._width, self.compared), default=0.0)
        height = len(self.compared) * self._step + 2.0 * PAD if self.compared else 0.0
        right = self.box.rect().width() - MARGIN_PX
        return QRectF(right - width, TOP_PX, width, height)

    def row_rect(self, number: int) -> QRectF:
        frame = self.boundingRect()
        top = frame.top() + PAD + number * self._step
        return QRectF(frame.left() + PAD, top, frame.width() - 2.0 * PAD, self._step)

    def cross_rect(self, number: int) -> QRectF:
        row = self.row_rect(number)
        return QRectF(row.right() - CROSS_PX, row.top(), CROSS_PX, row.height())

    @property
    def _step(self) -> float:
        return self.texts.height + 2.0

    def _width(self, each: Compared) -> float:
        return 2.0 * PAD + SWATCH_PX + GAP + self.texts.width(text_of(each)) + GAP + CROSS_PX

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if not self.compared:
            return
        back = QColor(self.theme.plot)
        back.setAlpha(ALPHA)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.theme.border), 1.0))
        painter.setBrush(back)
        painter.drawRoundedRect(self.boundingRect().adjusted(0.5, 0.5, -0.5, -0.5), 4.0, 4.0)
        for number, each in enumerate(self.compared):
            self._paint_row(painter, number, each)

    def _paint_row(self, painter: QPainter, number: int, each: Compared) -> None:
        row, cross = self.row_rect(number), self.cross_rect(number)
        middle = row.center().y()
        colour = getattr(self.theme, f"overlay_{each.slot + 1}")
        ink = self.theme.text if each.is_shown else mixed(self.theme.dim, self.theme.plot, 0.3)
        style = Qt.PenStyle.SolidLine if each.is_shown else Qt.PenStyle.DotLine
        painter.setPen(QPen(QColor(colour), 2.0, style))
        painter.drawLine(QPointF(row.left(), middle), QPointF(row.left() + SWATCH_PX, middle))
        painter.setPen(QColor(ink))
        left = row.left() + SWATCH_PX + GAP
        self.texts.draw(painter, left, middle - 0.5 * self.texts.height, text_of(each))
        painter.setPen(QColor(self.theme.dim))
        self.texts.draw(painter, cross.center().x(), middle - 0.5 * self.texts.height, "×", 0.5)

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        at = event.pos()
        for number, each in enumerate(self.compared):
            if self.cross_rect(number).contains(at):
                self.removed.emit(each.candidate.id)
                return
            if self.row_rect(number).contains(at):
                self.toggled.emit(each.candidate.id)
                return


def text_of(each: Compared) -> str:
    """The facts of a compared spectrum, after its name."""
    return " · ".join((one_line(each.name, MAX_NAME), *map(one_line, each.facts)))
