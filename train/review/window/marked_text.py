"""A text of a draft, as high as its lines, in which unsupported sentences are marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QTextEdit, QWidget

from app.ui.theme.theme import CurrentTheme, Theme
from train.review.live_check import Span

TINT_ALPHA = 38
MOST_LINES = 30


class MarkedText(QPlainTextEdit):
    """Plain text only; Tab goes on to the next field."""

    def __init__(
        self, name: str, text: str, current_theme: CurrentTheme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self._spans: tuple[Span, ...] = ()
        self.setPlainText(text)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        current_theme.changed.connect(self._follow)
        self._fit()

    @property
    def spans(self) -> tuple[Span, ...]:
        """Start and end of each marked sentence."""
        return self._spans

    def mark(self, spans: Sequence[Span]) -> None:
        self._spans = tuple(spans)
        colour = QColor(self._current_theme.theme.reject)
        tint = QColor(colour)
        tint.setAlpha(TINT_ALPHA)
        marks = []
        for start, end in spans:
            cursor = QTextCursor(self.document())
            cursor.setPosition(min(start, self.document().characterCount() - 1))
            most = self.document().characterCount() - 1
            cursor.setPosition(min(end, most), QTextCursor.MoveMode.KeepAnchor)
            kind = QTextCharFormat()
            kind.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            kind.setUnderlineColor(colour)
            kind.setBackground(tint)
            mark = QTextEdit.ExtraSelection()
            mark.cursor, mark.format = cursor, kind
            marks.append(mark)
        self.setExtraSelections(marks)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)

    def _fit(self) -> None:
        lines = min(max(round(self.document().size().height()), 1), MOST_LINES)
        margins = self.contentsMargins()
        inner = 2 * round(self.document().documentMargin())
        height = lines * self.fontMetrics().lineSpacing() + inner
        height += margins.top() + margins.bottom() + 2 * self.frameWidth()
        if height != self.height() or height != self.minimumHeight():
            self.setFixedHeight(height)

    def _follow(self, _: Theme) -> None:
        self.mark(self._spans)
