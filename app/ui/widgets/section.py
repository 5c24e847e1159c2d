"""A section of a panel, folded by clicking its header."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from app.ui.theme.theme import CurrentTheme

ARROW_PX = 16
MARGIN = 4


class SectionHeader(QAbstractButton):
    """An arrow, a title, and on the right a note that is shown while the section is folded.

    It never takes the focus, so that keys stay with the plot.
    """

    def __init__(
        self, title: str, current_theme: CurrentTheme, *, small: bool, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self._note = ""
        self._small = small
        self.setText(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(title)
        current_theme.changed.connect(self._restyle)

    @property
    def note(self) -> str:
        return self._note

    def set_note(self, note: str) -> None:
        """Set the note that is drawn while the section is folded."""
        self._note = note
        self.setAccessibleDescription(note)
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        width = ARROW_PX + metrics.horizontalAdvance(self.text()) + 2 * MARGIN
        return QSize(width, metrics.height() + (MARGIN if self._small else 2 * MARGIN))

    def minimumSizeHint(self) -> QSize:
        return QSize(ARROW_PX, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._current_theme.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _draw_arrow(painter, self.height() / 2.0, self.isChecked(), QColor(theme.dim))
        painter.setFont(self._font())
        painter.setPen(QColor(theme.accent if self.underMouse() else theme.text))
        room = self.rect().adjusted(ARROW_PX, 0, -2, 0)
        centre = Qt.AlignmentFlag.AlignVCenter
        title = painter.boundingRect(room, centre | Qt.AlignmentFlag.AlignLeft, self.text())
        painter.drawText(room, centre | Qt.AlignmentFlag.AlignLeft, self.text())
        if not self.isChecked():
            self._draw_note(painter, room.adjusted(title.width() + 12, 0, 0, 0))

    def _draw_note(self, painter: QPainter, room: QRect) -> None:
        painter.setFont(self.font())
        painter.setPen(QColor(self._current_theme.theme.dim))
        elide = Qt.TextElideMode.ElideRight
        note = painter.fontMetrics().elidedText(self._note, elide, max(room.width(), 0))
        side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(room, side, note)

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.Medium if self._small else QFont.Weight.DemiBold)
        return font

    def _restyle(self) -> None:
        self.update()


class Section(QWidget):
    """A header with a foldable part; `body` is the layout for its content."""

    folded = Signal(bool)

    def __init__(
        self,
        title: str,
        current_theme: CurrentTheme,
        *,
        is_open: bool = True,
        small: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.header = SectionHeader(title, current_theme, small=small, parent=self)
        self._content = QWidget(self)
        self.body = QVBoxLayout(self._content)
        self.body.setContentsMargins(ARROW_PX, 0, 0, 4 if small else 8)
        self.body.setSpacing(4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.header)
        layout.addWidget(self._content)
        self.header.setChecked(is_open)
        self._content.setVisible(is_open)
        self.header.toggled.connect(self._fold)

    @property
    def is_open(self) -> bool:
        return self.header.isChecked()

    def set_open(self, is_open: bool) -> None:
        self.header.setChecked(is_open)

    def set_note(self, note: str) -> None:
        self.header.set_note(note)

    def _fold(self, is_open: bool) -> None:
        self._content.setVisible(is_open)
        self.folded.emit(not is_open)


def _draw_arrow(painter: QPainter, middle: float, is_open: bool, colour: QColor) -> None:
    """Draw an arrow that points down if open, right if folded."""
    if is_open:
        points = (QPointF(2, middle - 2), QPointF(6, middle + 2), QPointF(10, middle - 2))
    else:
        points = (QPointF(4, middle - 4), QPointF(8, middle), QPointF(4, middle + 4))
    pen = painter.pen()
    pen.setColor(colour)
    pen.setWidthF(1.5)
    painter.setPen(pen)
    painter.drawPolyline(QPolygonF(points))
