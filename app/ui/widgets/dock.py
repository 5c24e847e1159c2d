"""A dock of the judging page: it can be tabbed, floated, moved to another screen and hidden."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QWidget

from app.ui.base.theme.theme import CurrentTheme

GRIP_PX = 6
DOTS, DOT_PX, APART_PX = 7, 2, 6


class Dock(QDockWidget):
    """In its place it has only a grip for a title, as its content says what it is."""

    def __init__(
        self, name: str, title: str, content: QWidget, current_theme: CurrentTheme, window: QWidget
    ) -> None:
        super().__init__(title, window)
        self.setObjectName(name)
        self._grip = Grip(current_theme, self)
        self.setTitleBarWidget(self._grip)
        self.setWidget(content)
        self.part = content
        """Its content, wherever that lies: on a small window the queue is not in its dock."""
        self._is_on_top = False
        self.topLevelChanged.connect(self._show_title)
        self.visibilityChanged.connect(self._note_visibility)

    def is_seen(self) -> bool:
        """Whether it is on screen and not behind another tab."""
        return self._is_on_top and self.isVisible()

    def _note_visibility(self, is_on_top: bool) -> None:
        self._is_on_top = is_on_top

    def _show_title(self, is_floating: bool) -> None:
        """A floating dock has the usual title, with its buttons."""
        self.setTitleBarWidget(None if is_floating else self._grip)  # type: ignore[arg-type]
        self._grip.setVisible(not is_floating)


class Grip(QWidget):
    """A row of dots to drag the dock by; the dock itself handles the mouse."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.setCursor(Qt.CursorShape.SizeAllCursor)
        current_theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(40, GRIP_PX)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = QColor(self._current_theme.theme.border)
        left = (self.width() - APART_PX * (DOTS - 1)) // 2
        top = self.height() // 2 - 1
        for number in range(DOTS):
            painter.fillRect(left + APART_PX * number, top, DOT_PX, DOT_PX, colour)
