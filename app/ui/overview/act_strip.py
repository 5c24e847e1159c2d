"""The strip below the overview: how many are selected, what can be done with them, a question."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QLineEdit, QWidget

from app.core.session.records import MAX_COMMENT
from app.ui.actions.actions import ACTIONS
from app.ui.judging.flag_menu import STAR, FlagMenu
from app.ui.judging.verdict_text import MARKS, NAMES, mark_and_word
from app.ui.keys.text_focus import OWN_KEYS
from app.ui.overview.finer_menu import FinerMenu
from app.ui.overview.group_acts import Question
from app.ui.session_context import SessionContext
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import button, one_line, row, short_label
from app.ui.widgets.painted_button import PaintedButton, quiet_button
from app.ui.widgets.text_width import PlaceholderWidth

COUNT_PX, COMMENT_PX = 130, 200
"""Least widths."""


class ActStrip(QFrame):
    """Only requests acts; nothing is done with fewer than two selected candidates."""

    verdict_requested = Signal(object)
    flag_requested = Signal(str)
    comment_given = Signal(str)
    undo_requested = Signal()

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        self._keymap = context.keymap
        theme = context.current_theme
        self.count = short_label("")
        self.count.setMinimumWidth(COUNT_PX)
        self.buttons = {
            verdict: PaintedButton(
                theme, attrgetter(name), self, mark=MARKS[verdict], height=30, is_bold=True
            )
            for verdict, name in NAMES.items()
        }
        self.star = PaintedButton(theme, attrgetter("unsure"), self, mark="★", is_quiet=True)
        self.flag = PaintedButton(theme, attrgetter("border"), self)
        self.comment = QLineEdit(self, maxLength=MAX_COMMENT)
        self._width = PlaceholderWidth(self.comment, COMMENT_PX)
        self.undo = quiet_button(theme, self, mark="↶", height=30)
        self.menu = FlagMenu(self)
        self.finer = PaintedButton(theme, attrgetter("border"), self)
        self.finer_menu = FinerMenu(context.bridge.session, self)
        self._group = QButtonGroup(self, exclusive=False)
        layout = FlowLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.addWidget(self.count)
        for number, each in enumerate(self.buttons.values()):
            self._group.addButton(each, number)
            layout.addWidget(each)
        for part in (self.star, self.flag, self.finer, self.comment, self.undo):
            layout.addWidget(part)
        self._group.idClicked.connect(self._press)
        self.star.clicked.connect(partial(self.flag_requested.emit, STAR))
        self.flag.clicked.connect(self.open_flags)
        self.finer.clicked.connect(self.open_finer)
        self.menu.chosen.connect(self.flag_requested)
        self.comment.returnPressed.connect(self._give_comment)
        self.undo.clicked.connect(self.undo_requested)
        context.keymap.changed.connect(self._show_keys)
        self._show_keys()
        self.show_count(0, 0)

    def show_count(self, selected: int, total: int, *, can_write: bool = True) -> None:
        text = self.tr("{n} of {total} selected") if selected else self.tr("Total: {total}")
        self.count.setText(text.replace("{n}", f"{selected:,}").replace("{total}", f"{total:,}"))
        can_act = can_write and selected > 1
        for part in (*self.buttons.values(), self.star, self.flag, self.finer, self.comment):
            part.setEnabled(can_act)
        self.undo.setEnabled(can_write)
        self.finer.setVisible(self.finer_menu.is_useful)

    def open_finer(self) -> None:
        if self.finer.isEnabled() and self.finer_menu.is_useful:
            self.finer_menu.fill()
            height = self.finer_menu.sizeHint().height()
            self.finer_menu.popup(self.finer.mapToGlobal(QPoint(0, -height)))

    def open_flags(self) -> None:
        if self.flag.isEnabled():
            self.menu.show_flags(())
            self.menu.popup(self.flag.mapToGlobal(QPoint(0, -self.menu.sizeHint().height())))

    def _show_keys(self) -> None:
        keymap = self._keymap
        about = self.tr("Give all selected candidates this verdict")
        for verdict, each in self.buttons.items():
            name = NAMES[verdict]
            each.set_label(ACTIONS[name].title, keymap.label(name), about)
        self.star.set_label("", keymap.label("star"), self.tr("Star all selected candidates"))
        about = self.tr("Flag all selected candidates")
        self.flag.set_label(self.tr("Flag"), keymap.label("flags"), about)
        about = self.tr("Give all selected candidates a sub-class or the value of a field")
        self.finer.set_label(self.tr("Sub-class, field ▾"), keymap.label("subclass"), about)
        self.undo.set_label("", hint=self.tr("Undo the last act"))
        placeholder = self.tr("Comment on all selected ({key})")
        self.comment.setPlaceholderText(placeholder.replace("{key}", keymap.label("comment")))
        self._width.fit()
        self.comment.setAccessibleName(self.tr("Comment on all selected candidates"))
        self.comment.setToolTip(
            self.tr("Enter adds it to all selected. What stands here at a verdict is its reason.")
        )

    def _press(self, number: int) -> None:
        self.verdict_requested.emit(list(self.buttons)[number])

    def _give_comment(self) -> None:
        self.comment_given.emit(self.comment.text())
        self.comment.clear()


class ConfirmLine(QFrame):
    """Asks before a verdict on unopened spectra; Enter says yes, Esc no."""

    confirmed = Signal(object)
    """The `Question`."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        self.setProperty(OWN_KEYS, True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.question: Question | None = None
        self.text = short_label("", "warning")
        self.yes = button(self.tr("Yes (Enter)"))
        self.no = button(self.tr("No (Esc)"))
        row((self.text, 1), self.yes, self.no, spacing=None, margins=(12, 6, 12, 6), parent=self)
        self.yes.clicked.connect(self._confirm)
        self.no.clicked.connect(self.close_question)
        self.hide()

    def ask(self, question: Question) -> None:
        self.question = question
        text = self.tr(
            "You have not opened the spectrum of {unopened} of these {n} candidates."
            " Give all {n} this verdict: {verdict}?"
        )
        text = text.replace("{unopened}", f"{question.unopened:,}")
        text = text.replace("{n}", f"{len(question.rows):,}")
        text = text.replace("{verdict}", mark_and_word(question.verdict))
        if question.reason:
            reason = self.tr("Reason: {reason}").replace("{reason}", one_line(question.reason, 60))
            text = f"{text} {reason}"
        self.text.setText(text)
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_question(self) -> None:
        if self.question is not None:
            self.question = None
            self.hide()
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat():
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._confirm()
        elif event.key() == Qt.Key.Key_Escape:
            self.close_question()

    def _confirm(self) -> None:
        if (question := self.question) is not None:
            self.close_question()
            self.confirmed.emit(question)
