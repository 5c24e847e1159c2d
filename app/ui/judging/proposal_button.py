"""What the agent proposes, one key away; in blind mode only the way to it."""

from __future__ import annotations

from operator import attrgetter

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from app.ui.agent.words import chance
from app.ui.judging.verdict_commands import proposal
from app.ui.judging.verdict_words import MARKS
from app.ui.session_context import SessionContext
from app.ui.widgets.painted_button import PaintedButton, hint

WIDTH = 172
HEIGHT = 36


class ProposalButton(PaintedButton):
    """As wide as ever, whatever it says: nothing beside it moves."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(context.current_theme, attrgetter("agent"), parent, height=HEIGHT)
        self._current, self._commands = context.current, context.commands
        self._keymap = context.keymap
        self._action = "take_proposal"
        self.clicked.connect(self._take)
        self._current.moved.connect(self._show)
        self._current.row_changed.connect(self._show)
        self._current.blind_mode.changed.connect(self._show)
        self._current.spectrum_changed.connect(self._show)
        self._current.unreadable.connect(self._show)
        context.keymap.changed.connect(self._show)
        self._show()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, HEIGHT)

    def _take(self) -> None:
        self._commands.run(self._action)

    def _show(self, _: object = None) -> None:
        line = self._current.line
        verdict = proposal(line)
        self.mark = ""
        self._action = "take_proposal"
        can_judge = not self._current.session.is_read_only and not self._current.fault
        if line is not None and self._current.blind_mode.hides(line):
            self._action = "reveal"
            told = self.tr("Reveal agent")
            self.setEnabled(True)
            self.say(told, self._keymap.label("reveal"), hint(told, self._keymap, "reveal"))
            return
        if line is None or verdict is None:
            self.setEnabled(False)
            self.say(self.tr("No proposal"), hint=self.tr("The agent proposes nothing here"))
            return
        self.mark = MARKS[verdict]
        p_yes = line.candidate.agent_p_yes
        said = self.tr("Agent: {answer}").replace("{answer}", line.candidate.agent_verdict or "")
        self.setEnabled(can_judge)
        about = hint(self.tr("Take the agent's proposal"), self._keymap, "take_proposal")
        if p_yes is not None:
            about += f" · p(YES) {chance(p_yes)}"
        self.say(said, self._keymap.label("take_proposal"), about)
