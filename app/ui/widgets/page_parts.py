"""Widgets shared by pages: a titled card, a scroll area for wrapped text, the logo."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget

from app.ui.program_icon import program_icon
from app.ui.widgets.labels import column, wrapped_label


class PageCard(QFrame):
    """A titled card; `body` is the layout for its content."""

    def __init__(self, title: str, note: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.body = column(wrapped_label(title, "title"), margins=(16, 12, 16, 12), parent=self)
        if note:
            self.body.addWidget(wrapped_label(note, "dim"))


class PageScrollArea(QScrollArea):
    """A scroll area that keeps wrapped text whole, in the place of what is in it.

    QScrollArea squeezes labels that wrap before it scrolls. With `max_height` (pixels) the area is
    as high as its content, up to that height, and less where room is short.
    """

    def __init__(self, inner: QWidget, max_height: int | None = None) -> None:
        super().__init__(inner.parentWidget())
        self._max_height, self._wanted = max_height, 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inner)
        QApplication.instance().focusChanged.connect(self._show_focused)  # type: ignore[union-attr]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_handled = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self._fit()
        return is_handled

    def _show_focused(self, _: QWidget | None, now: QWidget | None) -> None:
        """QScrollArea shows what Tab focuses only where it comes from within."""
        inner = self.widget()
        is_click = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        if now is not None and inner is not None and inner.isAncestorOf(now) and not is_click:
            self.ensureWidgetVisible(now)

    def _fit(self) -> None:
        inner = self.widget()
        layout = None if inner is None else inner.layout()
        if inner is None or layout is None:
            return
        wrapped = layout.totalHeightForWidth(self.viewport().width())
        height = max(wrapped, layout.totalMinimumSize().height())
        inner.setMinimumHeight(height)
        if self._max_height is not None:
            self._wanted = min(height, self._max_height)
            self.setMinimumHeight(min(self._wanted, self._max_height // 2))
            self.setMaximumHeight(self._wanted)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return hint if self._max_height is None else QSize(hint.width(), self._wanted)


class Logo(QWidget):
    def __init__(self, side: int = 64) -> None:
        super().__init__()
        self._icon = program_icon()
        self.setFixedSize(QSize(side, side))
        self.setAccessibleName(self.tr("Program logo"))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._icon.paint(painter, self.rect())
