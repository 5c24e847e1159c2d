"""The line in which a filter is typed: what is wrong is underlined at its place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLineEdit, QWidget

from app.core.queue import Filter, FilterError, parse_filter
from app.core.queue.filter_parser import MAX_LENGTH
from app.ui.judging.suggestions import Suggestions
from app.ui.left.filter_words import completed, completions, last_word
from app.ui.theme import Looks


class FilterEdit(QLineEdit):
    given = Signal(object)
    """A Filter, when Enter was pressed on one that makes sense."""
    wrong = Signal(str)
    """Why it makes no sense; empty: it does."""

    def __init__(self, looks: Looks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._looks = looks
        self._fault_at: int | None = None
        self.own_columns: Sequence[str] = ()
        self.setMaxLength(MAX_LENGTH)
        self.setClearButtonEnabled(True)
        self.suggestions = Suggestions(self)
        self.suggestions.chosen.connect(self._choose)
        self.textEdited.connect(self._note)
        self.returnPressed.connect(self._give)
        self.textChanged.connect(self._give_nothing)

    def show_text(self, text: str) -> None:
        if text != self.text():
            self.setText(text)
        self._fault_at = None
        self.wrong.emit("")

    def tree(self) -> Filter | None:
        """What is typed; None: it makes no sense."""
        try:
            tree = parse_filter(self.text())
        except FilterError as error:
            self._fault_at = error.place
            self.wrong.emit(str(error))
            self.update()
            return None
        self._fault_at = None
        self.wrong.emit("")
        self.update()
        return tree

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._fault_at is None:
            return
        metrics, text = self.fontMetrics(), self.text()
        at = min(self._fault_at, max(len(text) - 1, 0))
        before = metrics.horizontalAdvance(text[: self.cursorPosition()])
        cursor = self.cursorRect().center().x()
        left = cursor - before + metrics.horizontalAdvance(text[:at])
        word = text[at:].split(" ", 1)[0] or " "
        right = left + max(metrics.horizontalAdvance(word), 6)
        painter = QPainter(self)
        painter.setPen(QPen(QColor(self._looks.theme.reject), 2.0, Qt.PenStyle.DotLine))
        bottom = self.rect().center().y() + metrics.height() / 2 + 1
        painter.drawLine(QPointF(left, bottom), QPointF(right, bottom))
        painter.end()

    def _note(self, text: str) -> None:
        """Half a word is no fault yet: said when Enter is pressed, or mended."""
        if self._fault_at is not None:
            self.tree()
        found = completions(text, self.cursorPosition(), self.own_columns)
        self.suggestions.show(found)

    def _choose(self, choice: str) -> None:
        text, cursor = completed(self.text(), self.cursorPosition(), choice)
        self.setText(text)
        self.setCursorPosition(cursor)
        if not last_word(text, cursor).endswith((":", "<", ">")):
            self.tree()

    def _give(self) -> None:
        self.suggestions.hide()
        tree = self.tree()
        if tree is not None:
            self.given.emit(tree)

    def _give_nothing(self, text: str) -> None:
        """Emptied by its button or by hand: everything again."""
        if not text and self.isModified():
            self._give()
