"""Button that takes the agent's proposal; in blind mode it reveals the agent's opinion."""

from __future__ import annotations

from operator import attrgetter

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QWidget

from agent.trajectory.p_yes import probability_text
from app.ui.judging.verdict_commands import proposed_verdict
from app.ui.judging.verdict_text import MARKS
from app.ui.session_context import SessionContext
from app.ui.widgets.painted_button import PaintedButton, hint

WIDTH = 150
HEIGHT = 30


class ProposalButton(PaintedButton):
    """Has a fixed width, which also hides the length of the proposal in blind mode."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(context.current_theme, attrgetter("agent"), parent, height=HEIGHT)
        self._current, self._commands = context.current, context.commands
        self._keymap = context.keymap
        self._action = "take_proposal"
        self._widest: int | None = None
        """Width of the widest label in the present text; computed when it is asked for."""
        self.clicked.connect(self._run)
        self._current.candidate_changed.connect(self._show)
        self._current.row_changed.connect(self._show)
        self._current.blind_mode.changed.connect(self._show)
        self._current.spectrum_changed.connect(self._show)
        self._current.spectrum_failed.connect(self._show)
        context.keymap.changed.connect(self._keys_changed)
        self._show()

    def sizeHint(self) -> QSize:
        if self._widest is None:
            mark = max(MARKS.values(), key=self.fontMetrics().horizontalAdvance)
            answers = (
                ("", self.tr("No proposal"), ""),
                ("", self.tr("Reveal agent"), self._keymap.label("reveal")),
                (mark, self._answer("YES"), self._keymap.label("take_proposal")),
            )
            self._widest = max(WIDTH, *(self.width_of(*each) for each in answers))
        return QSize(self._widest, self.height_hint)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._widest = None
        super().changeEvent(event)

    def _keys_changed(self) -> None:
        self._widest = None
        self._show()

    def _run(self) -> None:
        self._commands.run(self._action)

    def _answer(self, verdict: str) -> str:
        return self.tr("Agent: {answer}").replace("{answer}", verdict)

    def _show(self, _: object = None) -> None:
        row = self._current.row
        verdict = proposed_verdict(row)
        self.mark = ""
        self._action = "take_proposal"
        can_judge = not self._current.session.is_read_only and not self._current.fault
        if row is not None and self._current.blind_mode.hides(row):
            self._action = "reveal"
            text = self.tr("Reveal agent")
            self.setEnabled(True)
            self.set_label(text, self._keymap.label("reveal"), hint(text, self._keymap, "reveal"))
            return
        if row is None or verdict is None:
            self.setEnabled(False)
            self.set_label(self.tr("No proposal"), hint=self.tr("The agent has no proposal"))
            return
        self.mark = MARKS[verdict]
        p_yes = row.candidate.agent_p_yes
        text = self._answer(row.candidate.agent_verdict or "")
        self.setEnabled(can_judge)
        about = hint(self.tr("Use the agent's proposal"), self._keymap, "take_proposal")
        if p_yes is not None:
            about += f" · p(YES) {probability_text(p_yes)}"
        self.set_label(text, self._keymap.label("take_proposal"), about)
