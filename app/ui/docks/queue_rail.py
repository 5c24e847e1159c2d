"""On a small window the queue is a narrow rail; pressed, the queue slides over the plot."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.ui.session_context import SessionContext
from app.ui.widgets.painted_button import hint
from app.ui.widgets.text_width import how_much_larger

RAIL_PX = 30
SHEET_PX = 340
"""In text of the usual size."""


class QueueRail(QAbstractButton):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme, self._keymap = context.current_theme, context.keymap
        self.setText(self.tr("Queue"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        context.current_theme.changed.connect(self._restyle)
        context.keymap.changed.connect(self._show_key)
        self._show_key()

    def sizeHint(self) -> QSize:
        return QSize(max(RAIL_PX, self.fontMetrics().height() + 8), 200)

    def _show_key(self) -> None:
        self.setToolTip(hint(self.text(), self._keymap, "queue"))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._current_theme.theme, QPainter(self)
        is_lit = self.underMouse() or self.isDown()
        painter.fillRect(self.rect(), QColor(theme.border if is_lit else theme.window))
        painter.setPen(QColor(theme.text))
        line = self.fontMetrics().height()
        painter.drawText(QRect(0, 8, self.width(), line), Qt.AlignmentFlag.AlignCenter, "☰")
        painter.translate(self.width() / 2, line + 18)
        painter.rotate(90)
        width = self.fontMetrics().horizontalAdvance(self.text())
        room = QRect(0, -self.width() // 2, width + 4, self.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, self.text())

    def _restyle(self) -> None:
        self.update()


class QueueSheet(QFrame):
    """The queue over the plot; it goes when the person presses elsewhere."""

    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.inside = QVBoxLayout(self)
        self.inside.setContentsMargins(4, 4, 4, 4)
        self.hide()

    def open_beside(self, rail: QWidget) -> None:
        owner = self.parentWidget()
        assert owner is not None
        left = rail.mapTo(owner, QPoint(rail.width(), 0)).x()
        width = min(round(SHEET_PX * how_much_larger(self)), owner.width() - left)
        self.setGeometry(left, 0, width, rail.height())
        self.show()
        self.raise_()
        application = QApplication.instance()
        assert application is not None
        application.installEventFilter(self)

    def close_sheet(self) -> None:
        application = QApplication.instance()
        assert application is not None
        application.removeEventFilter(self)
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.MouseButtonPress or not isinstance(event, QMouseEvent):
            return False
        at = event.globalPosition().toPoint()
        is_inside = self.rect().contains(self.mapFromGlobal(at))
        is_popup = QApplication.activePopupWidget() is not None
        if isinstance(watched, QWidget) and not is_inside and not is_popup:
            self.close_sheet()
        return False
