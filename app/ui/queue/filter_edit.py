"""The line edit for filters, with suggestions; a fault is underlined where it occurs.

A valid filter is applied while it is typed, after a short pause; a fault is told on Enter only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLineEdit, QWidget

from app.core.queue import Filter, FilterError, parse_filter
from app.core.queue.filter_parser import FIELDS, MAX_LENGTH, VERDICT_WORDS
from app.core.queue.filters import ANSWERS, BETWEEN, NUMBER_FIELDS, TEXT_FIELDS, THINGS
from app.ui.judging.flag_menu import FLAGS, STAR
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.suggestions import Suggestions

# A name or a value in quotes belongs to the word, with the blanks in it.
LAST_WORD = re.compile(
    r"""(?:-?(?:own\.)?"[^"]*"[:=~](?:"[^"]*|[^\s()"]*)|[^\s()":=~]*[:=~]"[^"]*|[^\s()"]*)$"""
)
LAST_CONDITION = re.compile(
    r"""-?(?P<own>own\.)?(?:"(?P<quoted>[^"]*)"|(?P<name>[^\s()":=~<>!]+))[:=~]"""
    r"""(?P<value>"[^"]*|[^\s()"]*)$"""
)
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
PAUSE_MS = 400
"""After the last key, before what was typed is applied."""


def completions(text: str, cursor: int, own_columns: Sequence[str] = ()) -> tuple[str, ...]:
    """Suggestions for the word before the cursor."""
    word = last_word(text, cursor).lower().removeprefix("-")
    if not word:
        return ()
    short = [_quoted(name) for name in own_columns if name.lower() not in FIELDS]
    choices = (*CHOICES, *short, *[f"own.{_quoted(name)}" for name in own_columns])
    found = [each for each in choices if each.lower().startswith(word) and each.lower() != word]
    inside = [each for each in choices if word in each.lower()[1:] and each not in found]
    return (*found, *inside)[:MAX_SUGGESTIONS] if found or len(word) > 1 else ()


def completed(text: str, cursor: int, choice: str) -> tuple[str, int]:
    """The text with the word before the cursor replaced, and the new cursor position."""
    word = last_word(text, cursor)
    minus = "-" if word.startswith("-") else ""
    start = text[: cursor - len(word)] + minus + choice
    return start + text[cursor:], len(start)


def column_before(
    text: str, cursor: int, own_columns: Sequence[str]
) -> tuple[str, str, str] | None:
    """The own column whose value is being typed, the word up to the value, and its beginning."""
    word = LAST_CONDITION.search(text[:cursor])
    if word is None:
        return None
    name = (word["quoted"] or word["name"]).lower()
    if word["own"] is None and name in FIELDS:
        return None
    found = next((each for each in own_columns if each.lower() == name), None)
    beginning = word["value"].removeprefix('"')
    start = word.group()[: len(word.group()) - len(word["value"])].removeprefix("-")
    return None if found is None else (found, start, beginning)


def last_word(text: str, cursor: int) -> str:
    match = LAST_WORD.search(text[:cursor])
    return match.group() if match else ""


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f'"{name}"'


class FilterEdit(QLineEdit):
    submitted = Signal(object)
    """A Filter, when Enter was pressed and the text is valid."""
    typed = Signal(object)
    """A Filter, when the person paused and the text is valid."""
    values_wanted = Signal(str, str)
    """The own column whose value is being typed, and its beginning."""
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
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._apply_typed)
        self.textEdited.connect(self._text_edited)
        self.returnPressed.connect(self._submit)
        self.textChanged.connect(self._submit_if_cleared)

    def tree(self) -> Filter | None:
        """The filter as far as it is typed; None if it is not valid."""
        try:
            return parse_filter(self.text(), self.own_columns)
        except FilterError:
            return None

    def offer_values(self, column: str, beginning: str, values: Sequence[str]) -> None:
        """Suggest values of a column, unless something else is being typed by now."""
        found = column_before(self.text(), self.cursorPosition(), self.own_columns)
        if found is None or (found[0], found[2]) != (column, beginning):
            return
        offered = [found[1] + _quoted(value) for value in values if value != beginning]
        self.suggestions.show(offered[:MAX_SUGGESTIONS])

    def show_text(self, text: str) -> None:
        self._pause.stop()
        if text != self.text():
            self.setText(text)
        self._fault_at = None
        self.fault_changed.emit("")

    def parse(self) -> Filter | None:
        """The typed filter; None if it is not valid."""
        try:
            tree = parse_filter(self.text(), self.own_columns)
        except FilterError as error:
            self._fault_at = error.position
            self.fault_changed.emit(translate_message(str(error)))
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
        left = self.cursorRect().center().x() - before + metrics.horizontalAdvance(text[:at])
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
        self._pause.start()
        cursor = self.cursorPosition()
        wanted = column_before(text, cursor, self.own_columns)
        if wanted is not None:
            self.suggestions.hide()
            self.values_wanted.emit(wanted[0], wanted[2])
        else:
            self.suggestions.show(completions(text, cursor, self.own_columns))

    def _apply_typed(self) -> None:
        tree = self.tree()
        if tree is not None and self.text():
            self.typed.emit(tree)

    def _choose(self, choice: str) -> None:
        text, cursor = completed(self.text(), self.cursorPosition(), choice)
        self.setText(text)
        self.setCursorPosition(cursor)
        self._pause.start()
        if not last_word(text, cursor).endswith((":", "<", ">")):
            self.parse()

    def _submit(self) -> None:
        self.suggestions.hide()
        self._pause.stop()
        if (tree := self.parse()) is not None:
            self.submitted.emit(tree)

    def _submit_if_cleared(self, text: str) -> None:
        """Remove the filter when the clear button was pressed."""
        if not text and self.isModified():
            self._submit()
