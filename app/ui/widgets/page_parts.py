"""Pieces that the review pages share."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.ui.widgets.labels import words


class PageCard(QFrame):
    """A titled box; `body` is a column to put things into."""

    def __init__(self, title: str, note: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(16, 12, 16, 12)
        self.body.setSpacing(8)
        self.body.addWidget(words(title, "title"))
        if note:
            self.body.addWidget(words(note, "dim"))


class Scrolling(QScrollArea):
    """Qt's own squeezes what is inside before it scrolls, where words wrap. With `most` it is as
    high as what it holds, up to there."""

    def __init__(self, inner: QWidget, most: int | None = None) -> None:
        super().__init__()
        self._most = most
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inner)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_handled = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self._fit()
        return is_handled

    def _fit(self) -> None:
        inner = self.widget()
        layout = None if inner is None else inner.layout()
        if inner is None or layout is None:
            return
        wrapped = layout.totalHeightForWidth(self.viewport().width())
        height = max(wrapped, layout.totalMinimumSize().height())
        inner.setMinimumHeight(height)
        if self._most is not None:
            self.setFixedHeight(min(height, self._most))
