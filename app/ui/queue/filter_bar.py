"""Which candidates are walked through, and in which order."""

from __future__ import annotations

import zlib
from operator import attrgetter

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from app.core.queue import EVERYTHING, Filter, filter_text, parse_filter, parse_sort
from app.core.queue import sort_text as text_of_sort
from app.ui.candidate.queue_neighbours import Queue
from app.ui.queue.filter_edit import FilterEdit
from app.ui.session_context import SessionContext
from app.ui.widgets.painted_button import PaintedButton, hint

COLUMNS = 3
SEEDS = 10_000


class FilterBar(QWidget):
    """Says what is wanted; the desk decides."""

    wanted = Signal(object, object)
    """A Filter and a Sort."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        current_theme, session_id = context.current_theme, context.bridge.session.id
        self._current_theme, self._keymap = current_theme, context.keymap
        self._queue: Queue | None = None
        self._random = f"random:{zlib.crc32(session_id.encode()) % SEEDS}"
        self.edit = FilterEdit(current_theme, self)
        self.fault = QLabel(self)
        self.fault.setTextFormat(Qt.TextFormat.PlainText)
        self.fault.setWordWrap(True)
        self.fault.hide()
        self.order = PaintedButton(
            current_theme, attrgetter("accent"), self, height=28, is_quiet=True
        )
        self.menu = QMenu(self)
        self._orders = QActionGroup(self)
        self.quick = {
            text: PaintedButton(current_theme, attrgetter("accent"), self, height=22, is_quiet=True)
            for text in self._quick_words()
        }
        self._lay_out()
        self._show_keys()
        context.keymap.changed.connect(self._show_keys)
        self.edit.given.connect(self._give)
        self.edit.wrong.connect(self._show_fault)
        self.order.clicked.connect(self._open_menu)
        self._orders.triggered.connect(self._choose_order)
        current_theme.changed.connect(self._restyle)

    def _show_keys(self) -> None:
        told = self.tr("Filter ({key})").replace("{key}", self._keymap.label("filter"))
        self.edit.setPlaceholderText(told)
        self.edit.setAccessibleName(self.tr("Filter the list"))
        title = hint(self.tr("Filter the list"), self._keymap, "filter")
        about = self.tr(
            "For example: verdict:unjudged snr>10 flag:star. Conditions side by side must all hold;"
            " or, not and brackets work as well. Enter shows what is meant."
        )
        self.edit.setToolTip(f"{title}\n{about}")

    def begin(self) -> None:
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def show_queue(self, queue: Queue) -> None:
        """What is walked through now."""
        self._queue = queue
        self.edit.show_text(filter_text(queue.tree))
        for text, button in self.quick.items():
            button.setChecked(parse_filter(text) == queue.tree)
        word = text_of_sort(queue.sort)
        for action in self._orders.actions():
            if action.data() == word:
                action.setChecked(True)
                about = self.tr("In which order the list is walked")
                self.order.say(f"{action.text()} ▾", hint=about)

    def _quick_words(self) -> dict[str, str]:
        return {
            "verdict:unjudged": self.tr("unjudged"),
            "verdict:accept": self.tr("accepted"),
            "verdict:unsure": self.tr("unsure"),
            "disagree:agent": self.tr("disagree"),
            "has:flag": self.tr("flagged"),
            "has:fault": self.tr("faults"),
        }

    def _order_words(self) -> dict[str, str]:
        return {
            "list": self.tr("as listed"),
            "score": self.tr("best score"),
            "snr": self.tr("best S/N"),
            "p_yes": self.tr("highest p(YES)"),
            "uncertain": self.tr("most uncertain"),
            "surprising": self.tr("most surprising"),
            "disagreeing": self.tr("agents differ first"),
            "ra": self.tr("along the sky"),
            self._random: self.tr("random"),
        }

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setSpacing(4)
        group = QButtonGroup(self)
        group.setExclusive(False)
        group.idClicked.connect(self._press)
        words = self._quick_words()
        for number, (text, button) in enumerate(self.quick.items()):
            button.setCheckable(True)
            button.say(words[text], hint=text)
            button.setSizePolicy(self.edit.sizePolicy())
            group.addButton(button, number)
            grid.addWidget(button, number // COLUMNS, number % COLUMNS)
        for text, said in self._order_words().items():
            action = QAction(said, self, checkable=True)
            action.setData(text_of_sort(parse_sort(text)))
            self._orders.addAction(action)
            self.menu.addAction(action)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.edit, 1)
        row.addWidget(self.order)
        whole.addLayout(row)
        whole.addWidget(self.fault)
        whole.addLayout(grid)

    def _press(self, number: int) -> None:
        """A second press shows everything again."""
        text = list(self.quick)[number]
        tree = parse_filter(text)
        is_on = self._queue is not None and self._queue.tree == tree
        self._give(EVERYTHING if is_on else tree)

    def _give(self, tree: Filter) -> None:
        if self._queue is not None:
            self.wanted.emit(tree, self._queue.sort)

    def _choose_order(self, action: QAction) -> None:
        if self._queue is not None:
            self.wanted.emit(self._queue.tree, parse_sort(str(action.data())))

    def _open_menu(self) -> None:
        self.menu.popup(self.order.mapToGlobal(QPoint(0, self.order.height() + 2)))

    def _show_fault(self, words: str) -> None:
        self.fault.setText(words)
        self.fault.setVisible(bool(words))
        self._restyle()

    def _restyle(self) -> None:
        self.fault.setStyleSheet(f"color: {self._current_theme.theme.reject};")
