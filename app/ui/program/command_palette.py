"""Command palette: finds a command by a few letters and shows its keys."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.commands import Commands
from app.ui.base.keys.keymap import Keymap
from app.ui.base.keys.text_focus import OWN_KEYS
from app.ui.widgets.labels import column
from app.ui.widgets.page_parts import cast_shadow

WIDTH, ROWS = 600, 11  # least pixels, and the number of rows visible at once
PADDING_PX = 90  # around the texts of a row
_HIDDEN = frozenset({"palette", "escape"})
_MOVES = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})
_NAME = Qt.ItemDataRole.UserRole

Item = TypeVar("Item")
# Score of a matched letter, and bonuses: next to the last match, at the start of a word or name.
_MATCH, _ADJACENT, _WORD_START, _NAME_START = 1, 4, 6, 3
MAX_LENGTH = 80


class CommandPalette(QFrame):
    """Shown over the upper part of its window. `allows` tells which actions are available now."""

    # Emitted before the chosen command runs, because some commands take the focus.
    closed = Signal()

    def __init__(
        self, commands: Commands, keymap: Keymap, window: QWidget, allows: Callable[[str], bool]
    ) -> None:
        super().__init__(window)
        self._commands, self._keymap, self._window = commands, keymap, window
        self._allows = allows
        self.setProperty("role", "card")
        self.setProperty(OWN_KEYS, True)
        self.query = QLineEdit(placeholderText=self.tr("Find a command"), maxLength=MAX_LENGTH)
        self.query.setAccessibleName(self.tr("Find a command"))
        self.query.textChanged.connect(self._find)
        self.query.installEventFilter(self)
        self.list = _list_of_commands()
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.itemClicked.connect(self._run_chosen)
        column(self.query, self.list, margins=12, parent=self)
        cast_shadow(self)
        window.installEventFilter(self)
        QApplication.instance().focusChanged.connect(self._focus_moved)  # type: ignore[union-attr]
        self.hide()

    def toggle(self) -> None:
        if self.isVisible():
            self._close()
            return
        self.query.clear()
        self._find("")
        self._fit_window()
        self.show()
        self.raise_()
        self.query.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window:
            if event.type() == QEvent.Type.Resize and self.isVisible():
                self._fit_window()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = Qt.Key(event.key())
            is_control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
            if key in _MOVES:
                QApplication.sendEvent(self.list, event)
            elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if not event.isAutoRepeat():
                    self._run_chosen()
            elif key == Qt.Key.Key_Escape or (is_control and key == Qt.Key.Key_K):
                self._close()
            elif key not in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
                return False
            return True
        return False

    def _find(self, query: str) -> None:
        names = [name for name in ACTIONS if self._is_offered(name)]
        searched = ((name, (ACTIONS[name].title, ACTIONS[name].text)) for name in names)
        items = [self._item(name) for name in best_matches(query, searched)]
        self.list.clear()
        nothing = QTreeWidgetItem([self.tr("No matching command"), ""])
        nothing.setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.addTopLevelItems(items or [nothing])
        if items:
            self.list.setCurrentItem(items[0])

    def _is_offered(self, name: str) -> bool:
        can_run = self._commands.can(name) and not self._commands.has_end(name)
        return can_run and name not in _HIDDEN and self._allows(name)

    def _item(self, name: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([ACTIONS[name].title, "  ".join(self._keymap.labels(name))])
        item.setData(0, _NAME, name)
        item.setForeground(1, self.palette().placeholderText())
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return item

    def _run_chosen(self) -> None:
        item = self.list.currentItem()
        name = None if item is None else item.data(0, _NAME)
        if name is not None:
            self._close()
            self._commands.run(name)

    def _close(self) -> None:
        self.hide()
        self.closed.emit()

    def _focus_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        """Close after a click elsewhere in this window, but stay open behind another window."""
        if self.isVisible() and new is not None and not self.isAncestorOf(new):
            self.hide()

    def _fit_window(self) -> None:
        self.ensurePolished()
        self.list.setFixedHeight(max(self.list.sizeHintForRow(0), 20) * ROWS + 4)
        items = map(self.list.topLevelItem, range(self.list.topLevelItemCount()))
        texts = [(item.text(0), item.text(1)) for item in items if item is not None]
        titles, keys = zip(*texts, strict=True)
        advance = self.list.fontMetrics().horizontalAdvance
        # Large text makes the commands with their keys wider than usual.
        needed = max(map(advance, titles)) + max(map(advance, keys)) + PADDING_PX
        width = min(max(WIDTH, needed), self._window.width() - 32)
        self.resize(width, self.sizeHint().height())
        self.move((self._window.width() - width) // 2, max(self._window.height() // 10, 8))


def _list_of_commands() -> QTreeWidget:
    tree = QTreeWidget()
    tree.setRootIsDecorated(False)
    tree.setUniformRowHeights(True)
    tree.setHeaderHidden(True)
    tree.setProperty("role", "plain")
    tree.setColumnCount(2)
    tree.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    tree.header().setStretchLastSection(False)
    tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
    return tree


# Fuzzy search: the letters of a query must appear in a name in the same order.
def best_matches(query: str, items: Iterable[tuple[Item, Sequence[str]]]) -> list[Item]:
    """The items with a matching name, best match first; all items for an empty query."""
    query = " ".join(query.split())[:MAX_LENGTH]
    scored = []
    for number, (item, names) in enumerate(items):
        scores = [score for name in names if (score := match_score(query, name)) is not None]
        if scores:
            scored.append((-max(scores), number, item))
    return [item for *_, item in sorted(scored, key=lambda each: each[:2])]


def match_score(query: str, name: str) -> int | None:
    """How well `query` matches a name, or None if a letter is missing."""
    letters = [letter for letter in query.casefold() if not letter.isspace()]
    text = name.casefold()[: 2 * MAX_LENGTH]
    if not letters:
        return 0
    # best[i]: highest score of the letters so far with the last of them at index i of the name.
    best: dict[int, int] = {-1: 0}
    for letter in letters:
        indices = [index for index, sign in enumerate(text) if sign == letter]
        best = _extended(best, indices, text)
        if not best:
            return None
    return max(best.values()) * 100 - len(text)


def _extended(best: dict[int, int], indices: list[int], text: str) -> dict[int, int]:
    extended: dict[int, int] = {}
    for index in indices:
        scores = [
            score + (_ADJACENT if last == index - 1 and last >= 0 else 0)
            for last, score in best.items()
            if last < index
        ]
        if scores:
            extended[index] = max(scores) + _letter_score(text, index)
    return extended


def _letter_score(text: str, index: int) -> int:
    if index == 0:
        return _MATCH + _WORD_START + _NAME_START
    return _MATCH + (0 if text[index - 1].isalnum() else _WORD_START)
