"""The line in which a filter is typed: what is wrong is underlined at its place."""

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
MOST = 12


def completions(text: str, cursor: int, own_columns: Sequence[str] = ()) -> tuple[str, ...]:
    """For the word in front of the cursor; none for an empty one."""
    word = last_word(text, cursor).lower().removeprefix("-")
    if not word:
        return ()
    own = [f"own.{_quoted(name)}" for name in own_columns]
    every = (*CHOICES, *own)
    found = [each for each in every if each.lower().startswith(word) and each.lower() != word]
    inside = [each for each in every if word in each.lower()[1:] and each not in found]
    return (*found, *inside)[:MOST] if found or len(word) > 1 else ()


def completed(text: str, cursor: int, choice: str) -> tuple[str, int]:
    """The text with the word in front of the cursor replaced, and where the cursor is then."""
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
    given = Signal(object)
    """A Filter, when Enter was pressed on one that makes sense."""
    wrong = Signal(str)
    """Why it makes no sense; empty: it does."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
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
        painter.setPen(QPen(QColor(self._current_theme.theme.reject), 2.0, Qt.PenStyle.DotLine))
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
