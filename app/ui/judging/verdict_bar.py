"""The bar above the plot: verdict buttons, saved verdict, confidence, proposal, undo and redo."""

from __future__ import annotations

from operator import attrgetter

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.core.queue import QueueRow
from app.core.session.records import Opinion, Verdict
from app.ui.judging.confidence_row import ConfidenceRow
from app.ui.judging.proposal_button import ProposalButton
from app.ui.judging.state_block import StateBlock
from app.ui.judging.verdict_commands import VerdictCommands
from app.ui.judging.verdict_text import MARKS
from app.ui.session_context import SessionContext
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.painted_button import PaintedButton, hint

HEIGHT, SMALL_HEIGHT = 36, 26
MAX_KEY_LENGTH = 7
"""Characters of a key name that fit on a small button."""
ORDER = (Verdict.ACCEPT, Verdict.REJECT, Verdict.UNSURE)
ACTIONS = {Verdict.ACCEPT: "accept", Verdict.REJECT: "reject", Verdict.UNSURE: "unsure"}


class VerdictBar(QFrame):
    """Also handles the commands that judge and navigate."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._current, self._keymap = context.current, context.keymap
        self._commands = VerdictCommands(context.current, context.commands, self)
        self.buttons = {verdict: self._verdict_button(context, verdict) for verdict in ORDER}
        self.state = StateBlock(context, self)
        self.confidence = ConfidenceRow(context.current_theme, context.keymap, self)
        self.proposal = ProposalButton(context, self)
        self.undo = _quiet(context.current_theme, self)
        self.redo = _quiet(context.current_theme, self)
        self._lay_out()
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
        texts = {
            Verdict.ACCEPT: self.tr("Accept"),
            Verdict.REJECT: self.tr("Reject"),
            Verdict.UNSURE: self.tr("Unsure"),
        }
        for verdict, button in self.buttons.items():
            name = ACTIONS[verdict]
            stay = self.tr("{key}: the same and stay here")
            stay = stay.replace("{key}", keymap.label(f"{name}_stay"))
            about = f"{hint(texts[verdict], keymap, name)}\n{stay}"
            button.set_label(texts[verdict], keymap.label(name), about)
        for name, button, text in (
            ("undo", self.undo, self.tr("Undo")),
            ("redo", self.redo, self.tr("Redo")),
        ):
            button.set_label(text, _short(keymap.labels(name)), hint(text, keymap, name))

    def _verdict_button(self, context: SessionContext, verdict: Verdict) -> PaintedButton:
        button = PaintedButton(
            context.current_theme,
            attrgetter(ACTIONS[verdict]),
            self,
            mark=MARKS[verdict],
            height=HEIGHT,
            is_bold=True,
        )
        button.setCheckable(True)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return button

    def _lay_out(self) -> None:
        group = QButtonGroup(self)
        group.setExclusive(False)
        group.idClicked.connect(self._press)
        upper, lower = QHBoxLayout(), QHBoxLayout()
        upper.setSpacing(8)
        for number, verdict in enumerate(ORDER):
            group.addButton(self.buttons[verdict], number)
            upper.addWidget(self.buttons[verdict], 1)
        upper.addWidget(self.proposal)
        lower.setSpacing(8)
        lower.addWidget(self.state, 1)
        lower.addWidget(self.confidence)
        lower.addSpacing(4)
        lower.addWidget(self.undo, 0, Qt.AlignmentFlag.AlignBottom)
        lower.addWidget(self.redo, 0, Qt.AlignmentFlag.AlignBottom)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(12, 8, 12, 8)
        whole.setSpacing(8)
        whole.addLayout(upper)
        whole.addLayout(lower)

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


def _short(keys: list[str]) -> str:
    """Return the first key that fits on the button, else the first key."""
    return next((key for key in keys if len(key) <= MAX_KEY_LENGTH), next(iter(keys), ""))


def _quiet(current_theme: CurrentTheme, parent: QWidget) -> PaintedButton:
    return PaintedButton(
        current_theme, attrgetter("accent"), parent, height=SMALL_HEIGHT, is_quiet=True
    )
