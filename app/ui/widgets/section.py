"""A section of a panel, folded by clicking its header."""

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.ui.base.theme.theme import CurrentTheme
from app.ui.widgets.labels import column

ARROW_PX = 16  # width of the arrow and of the space behind it
MARGIN_PX = 4
NOTE_GAP_PX = 12  # at least, between title and note


class SectionHeader(QAbstractButton):
    """An arrow, a title, and on the right a note that is shown while the section is folded.

    It never takes the focus, so that keys stay with the plot.
    """

    def __init__(self, title: str, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.note = ""
        self.setText(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(title)
        current_theme.changed.connect(self.update)

    def set_note(self, note: str) -> None:
        """Set the note that is drawn while the section is folded."""
        self.note = note
        self.setAccessibleDescription(note)
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._title_font())
        width = ARROW_PX + metrics.horizontalAdvance(self.text()) + 2 * MARGIN_PX
        return QSize(width, metrics.height() + MARGIN_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(ARROW_PX, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._current_theme.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _draw_arrow(painter, self.height() / 2.0, self.isChecked(), QColor(theme.dim))
        painter.setFont(self._title_font())
        painter.setPen(QColor(theme.accent if self.underMouse() else theme.text))
        room = self.rect().adjusted(ARROW_PX, 0, -2, 0)
        centre = Qt.AlignmentFlag.AlignVCenter
        title = painter.boundingRect(room, centre | Qt.AlignmentFlag.AlignLeft, self.text())
        painter.drawText(room, centre | Qt.AlignmentFlag.AlignLeft, self.text())
        if not self.isChecked():
            self._draw_note(painter, room.adjusted(title.width() + NOTE_GAP_PX, 0, 0, 0))

    def _draw_note(self, painter: QPainter, room: QRect) -> None:
        painter.setFont(self.font())
        painter.setPen(QColor(self._current_theme.theme.dim))
        elide = Qt.TextElideMode.ElideRight
        note = painter.fontMetrics().elidedText(self.note, elide, max(room.width(), 0))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, note)

    def _title_font(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.Medium)
        return font


class Section(QWidget):
    """A header with a foldable part; `body` is the layout for its content."""

    def __init__(self, title: str, current_theme: CurrentTheme, *, is_open: bool = True) -> None:
        super().__init__()
        self.header = SectionHeader(title, current_theme, self)
        content = QWidget(self)
        self.body = column(spacing=4, margins=(ARROW_PX, 0, 0, 4), parent=content)
        column(self.header, content, spacing=2, parent=self)
        self.header.setChecked(is_open)
        content.setVisible(is_open)
        self.header.toggled.connect(content.setVisible)


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
