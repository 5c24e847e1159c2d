"""Commands that judge, navigate and switch blind mode."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from agent.errors import WorkbenchError
from agent.tasks.look import has_class
from app.core.queue import QueueRow
from app.core.session.records import MAX_CONFIDENCE, Verdict
from app.ui.actions.commands import Commands
from app.ui.candidate.current import CurrentCandidate

PROPOSALS = {"YES": Verdict.ACCEPT, "NO": Verdict.REJECT}


def proposed_verdict(row: QueueRow | None) -> Verdict | None:
    """Return the verdict that follows from the agent's answer, if it has one."""
    return None if row is None else PROPOSALS.get(row.candidate.agent_verdict or "")


class VerdictCommands(QObject):
    def __init__(
        self, current: CurrentCandidate, commands: Commands, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._current = current
        handlers: dict[str, Callable[[], object]] = {
            "accept": partial(self._judge, Verdict.ACCEPT),
            "reject": partial(self._judge, Verdict.REJECT),
            "unsure": partial(self._judge, Verdict.UNSURE),
            "accept_stay": partial(self._judge, Verdict.ACCEPT, stay=True),
            "reject_stay": partial(self._judge, Verdict.REJECT, stay=True),
            "unsure_stay": partial(self._judge, Verdict.UNSURE, stay=True),
            "accept_4": partial(self._judge, Verdict.ACCEPT, confidence=4),
            "accept_3": partial(self._judge, Verdict.ACCEPT, confidence=3),
            "unsure_2": partial(self._judge, Verdict.UNSURE, confidence=2),
            "unsure_1": partial(self._judge, Verdict.UNSURE, confidence=1),
            "take_proposal": self.take_proposal,
            "undo": current.undo,
            "redo": current.redo,
            "next": current.next,
            "previous": current.previous,
            "reveal": current.reveal,
            "blind": self._toggle_blind_mode,
        }
        for name, handler in handlers.items():
            commands.add(name, handler)
        for value in range(MAX_CONFIDENCE + 1):
            commands.add(f"confidence_{value}", partial(current.set_confidence, value))

    def _judge(
        self, verdict: Verdict, *, stay: bool = False, confidence: int | None = None
    ) -> None:
        if has_class(self._current.session.task):
            self._current.judge(verdict, stay=stay, confidence=confidence)
        else:
            self._current.message.emit(self.tr("There is no class to judge: choose one first"))

    def take_proposal(self) -> None:
        """Judge as the agent proposes, unless blind mode hides the proposal."""
        row, current = self._current.row, self._current
        if row is None:
            return
        if current.blind_mode.hides(row):
            text = self.tr("Blind mode: judge it yourself or reveal the agent's verdict first")
            current.message.emit(text)
            return
        verdict = proposed_verdict(row)
        if verdict is None:
            current.message.emit(self.tr("The agent has no proposal"))
            return
        self._judge(verdict)

    def _toggle_blind_mode(self) -> None:
        current = self._current
        try:
            current.blind_mode.set_on(not current.blind_mode.is_on)
        except WorkbenchError as error:
            current.report_error(error)
            return
        on = self.tr("Blind mode is on: the agent's opinion stays hidden until you judge")
        current.message.emit(on if current.blind_mode.is_on else self.tr("Blind mode is off"))
