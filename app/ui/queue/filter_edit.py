"""The line edit for filters, with suggestions; a fault is underlined where it occurs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLineEdit, QWidget

from app.core.queue import Filter, FilterError, parse_filter
from app.core.queue.filter_parser import MAX_LENGTH, VERDICT_WORDS
from app.core.queue.filters import ANSWERS, BETWEEN, NUMBER_FIELDS, TEXT_FIELDS, THINGS
from app.ui.judging.flag_menu import FLAGS, STAR
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.suggestions import Suggestions

LAST_WORD = re.compile(r'[^\s()"]*$')
VERDICTS = ("unjudged", *VERDICT_WORDS)
CHOICES = (
    *(f"verdict:{each}" for each in VERDICTS),
    *(f"any:{each}" for each in VERDICTS),
    *(f"agent:{each}" for each in ANSWERS),
    *(f"disagree:{each}" for each in BETWEEN),
    *(f"has:{each}" for each in THINGS),
    *(f"flag:{each}" for each in (STAR, *FLAGS)),
    *(f"{each}>" for each in NUMBER_FIELDS),
    *(f"{each}<" for each in NUMBER_FIELDS),
    *(f"{each}:" for each in TEXT_FIELDS),
)
MAX_SUGGESTIONS = 12


def completions(text: str, cursor: int, own_columns: Sequence[str] = ()) -> tuple[str, ...]:
    """Suggestions for the word before the cursor."""
    word = last_word(text, cursor).lower().removeprefix("-")
    if not word:
        return ()
    own = [f"own.{_quoted(name)}" for name in own_columns]
    choices = (*CHOICES, *own)
    found = [each for each in choices if each.lower().startswith(word) and each.lower() != word]
    inside = [each for each in choices if word in each.lower()[1:] and each not in found]
    return (*found, *inside)[:MAX_SUGGESTIONS] if found or len(word) > 1 else ()


def completed(text: str, cursor: int, choice: str) -> tuple[str, int]:
    """The text with the word before the cursor replaced, and the new cursor position."""
    word = last_word(text, cursor)
    minus = "-" if word.startswith("-") else ""
    start = text[: cursor - len(word)] + minus + choice
    return start + text[cursor:], len(start)


def last_word(text: str, cursor: int) -> str:
    match = LAST_WORD.search(text[:cursor])
    return match.group() if match else ""


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f'"{name}"'


class FilterEdit(QLineEdit):
    submitted = Signal(object)
    """A Filter, when Enter was pressed and the text is valid."""
    fault_changed = Signal(str)
    """What is wrong with the text; empty if it is valid."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self._fault_at: int | None = None
        self.own_columns: Sequence[str] = ()
        self.setMaxLength(MAX_LENGTH)
        self.setClearButtonEnabled(True)
        self.suggestions = Suggestions(self)
        self.suggestions.chosen.connect(self._choose)
        self.textEdited.connect(self._text_edited)
        self.returnPressed.connect(self._submit)
        self.textChanged.connect(self._submit_if_cleared)

    def show_text(self, text: str) -> None:
        if text != self.text():
            self.setText(text)
        self._fault_at = None
        self.fault_changed.emit("")

    def parse(self) -> Filter | None:
        """The typed filter; None if it is not valid."""
        try:
            tree = parse_filter(self.text())
        except FilterError as error:
            self._fault_at = error.position
            self.fault_changed.emit(str(error))
            self.update()
            return None
        self._fault_at = None
        self.fault_changed.emit("")
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
        painter.setPen(QPen(QColor(self._current_theme.theme.reject), 2.0, Qt.PenStyle.DotLine))
        bottom = self.rect().center().y() + metrics.height() / 2 + 1
        painter.drawLine(QPointF(left, bottom), QPointF(right, bottom))
        painter.end()

    def _text_edited(self, text: str) -> None:
        # Unfinished text is no fault: faults appear on Enter, and are updated until corrected.
        if self._fault_at is not None:
            self.parse()
        self.suggestions.show(completions(text, self.cursorPosition(), self.own_columns))

    def _choose(self, choice: str) -> None:
        text, cursor = completed(self.text(), self.cursorPosition(), choice)
        self.setText(text)
        self.setCursorPosition(cursor)
        if not last_word(text, cursor).endswith((":", "<", ">")):
            self.parse()

    def _submit(self) -> None:
        self.suggestions.hide()
        tree = self.parse()
        if tree is not None:
            self.submitted.emit(tree)

    def _submit_if_cleared(self, text: str) -> None:
        """Remove the filter when the clear button was pressed."""
        if not text and self.isModified():
            self._submit()
