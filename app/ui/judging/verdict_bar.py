"""The strip below the plot: verdict, confidence, proposal, star, flags, comment, undo and redo."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QWidget

from agent.tasks.look import has_class
from app.core.queue import QueueRow
from app.core.session.records import Opinion, Verdict
from app.ui.actions.actions import ACTIONS
from app.ui.judging.comment_box import CommentBox
from app.ui.judging.confidence_row import ConfidenceRow
from app.ui.judging.flag_row import CHIPS_PX
from app.ui.judging.previous_object import PreviousObject
from app.ui.judging.proposal_button import ProposalButton
from app.ui.judging.state_block import StateBlock
from app.ui.judging.verdict_commands import VerdictCommands
from app.ui.judging.verdict_text import MARKS, NAMES
from app.ui.session_context import SessionContext
from app.ui.widgets import labels
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.painted_button import PaintedButton, hint, quiet_button

HEIGHT, SIDE_PX = 30, 8
ORDER = (Verdict.ACCEPT, Verdict.REJECT, Verdict.UNSURE)


class VerdictBar(QFrame):
    """Also handles the commands that judge and navigate."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        self._current, self._keymap = context.current, context.keymap
        self._commands = VerdictCommands(context.current, context.commands, self)
        self.buttons = {verdict: self._verdict_button(context, verdict) for verdict in ORDER}
        self.state = StateBlock(context, self)
        self.confidence = ConfidenceRow(context.current_theme, context.keymap, self)
        self.proposal = ProposalButton(context, self)
        self.comment = CommentBox(context, self)
        self.previous = PreviousObject(context, self.comment, self)
        theme = context.current_theme
        self.undo = quiet_button(theme, self, mark="↶", height=HEIGHT)
        self.redo = quiet_button(theme, self, mark="↷", height=HEIGHT)
        self.choose_class = labels.button(self.tr("Choose a class to judge"), "")
        self.choose_class.clicked.connect(partial(context.commands.run, "other_class"))
        self._lay_out()
        # Chips are not made while Qt lays the strip out.
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit_flags)
        self._show_keys()
        context.keymap.changed.connect(self._show_keys)
        self.confidence.chosen.connect(self._current.set_confidence)
        self.undo.clicked.connect(self._current.undo)
        self.redo.clicked.connect(self._current.redo)
        self._current.candidate_changed.connect(self._show_row)
        self._current.opinion_changed.connect(self._show_opinion)
        self._current.row_changed.connect(self._show_row)
        self._current.spectrum_changed.connect(self._enable_buttons)
        self._current.spectrum_failed.connect(self._enable_buttons)
        self._show_row(self._current.row)

    def _show_keys(self) -> None:
        keymap = self._keymap
        for verdict, button in self.buttons.items():
            name = NAMES[verdict]
            title, stay = ACTIONS[name].title, self.tr("{key}: the same and stay here")
            stay = stay.replace("{key}", keymap.label(f"{name}_stay"))
            about = f"{hint(title, keymap, name)}\n{stay}"
            button.set_label(title, keymap.label(name), about)
        for name, button, text in (
            ("undo", self.undo, self.tr("Undo")),
            ("redo", self.redo, self.tr("Redo")),
        ):
            button.set_label("", hint=hint(text, keymap, name))
            button.setAccessibleName(text)

    def _verdict_button(self, context: SessionContext, verdict: Verdict) -> PaintedButton:
        theme, tone, mark = context.current_theme, attrgetter(NAMES[verdict]), MARKS[verdict]
        button = PaintedButton(theme, tone, self, mark=mark, height=HEIGHT, is_bold=True)
        button.setCheckable(True)
        return button

    def _lay_out(self) -> None:
        group = QButtonGroup(self, exclusive=False)
        group.idClicked.connect(self._press)
        strip = self._strip = FlowLayout(self)
        strip.setContentsMargins(SIDE_PX, 4, SIDE_PX, 4)
        for number, verdict in enumerate(ORDER):
            group.addButton(self.buttons[verdict], number)
        told = labels.short_label(self.tr("No class to judge"), "title")
        no_class: list[QWidget] = [told, self.choose_class]
        to_judge: list[QWidget] = [*self.buttons.values(), self.confidence, self.proposal]
        is_judged = has_class(self._current.session.task)
        shown, hidden = (to_judge, no_class) if is_judged else (no_class, to_judge)
        for part in [*shown, self.comment, self.state, self.undo, self.redo]:
            strip.addWidget(part)
        self._row: list[QWidget] = [*shown, self.state, self.undo, self.redo]
        for part in hidden:
            part.setParent(self)
            part.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fitting.start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_fitting"):
            self._fitting.start()

    def _fit_flags(self) -> None:
        """Let flags take what one row leaves them; where there are more rows, all they need."""
        flags = self.comment.flags
        others = [part for part in self._row if not part.isHidden()]
        bare = self.comment.minimumSizeHint().width() - flags.minimumSizeHint().width()
        needed = bare + flags.bare_px + sum(part.minimumSizeHint().width() for part in others)
        left = self.width() - 2 * SIDE_PX - needed - self._strip.spacing() * len(others)
        flags.set_room(left if left >= 0 else CHIPS_PX)

    def _press(self, number: int) -> None:
        self._mark_saved()  # changed once it is saved
        self._current.judge(ORDER[number])

    def _show_row(self, _: QueueRow | None) -> None:
        self._show_opinion(self._current.opinion)
        self._enable_buttons()

    def _show_opinion(self, opinion: Opinion) -> None:
        self._mark_saved()
        self.confidence.show_value(opinion.confidence)

    def _mark_saved(self) -> None:
        mine = self._current.row.mine if self._current.row is not None else None
        saved = None if mine is None else mine.opinion.verdict
        for verdict, button in self.buttons.items():
            button.setChecked(verdict == saved)

    def _enable_buttons(self, _: object = None) -> None:
        can_write = not self._current.session.is_read_only
        can_judge = self._current.row is not None and can_write
        for button in self.buttons.values():
            button.setEnabled(can_judge and not self._current.fault)
        self.confidence.setEnabled(can_judge)
        self.undo.setEnabled(can_write)
        self.redo.setEnabled(can_write)
