"""What the desk does when it is asked by name: judging, moving, blind mode."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from agent.errors import WorkbenchError
from app.core.queue import QueueRow
from app.core.session.records import MAX_CONFIDENCE, Verdict
from app.ui.actions.commands import Commands
from app.ui.candidate.current import CurrentCandidate

PROPOSALS = {"YES": Verdict.ACCEPT, "NO": Verdict.REJECT}


def proposal(line: QueueRow | None) -> Verdict | None:
    """What the agent's opinion comes to; None: it has none."""
    return None if line is None else PROPOSALS.get(line.candidate.agent_verdict or "")


class VerdictCommands(QObject):
    def __init__(
        self, current: CurrentCandidate, commands: Commands, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._current = current
        answers: dict[str, Callable[[], object]] = {
            "accept": partial(current.judge, Verdict.ACCEPT),
            "reject": partial(current.judge, Verdict.REJECT),
            "unsure": partial(current.judge, Verdict.UNSURE),
            "accept_stay": partial(current.judge, Verdict.ACCEPT, stay=True),
            "reject_stay": partial(current.judge, Verdict.REJECT, stay=True),
            "unsure_stay": partial(current.judge, Verdict.UNSURE, stay=True),
            "accept_4": partial(current.judge, Verdict.ACCEPT, confidence=4),
            "accept_3": partial(current.judge, Verdict.ACCEPT, confidence=3),
            "unsure_2": partial(current.judge, Verdict.UNSURE, confidence=2),
            "unsure_1": partial(current.judge, Verdict.UNSURE, confidence=1),
            "take_proposal": self.take_proposal,
            "undo": current.undo,
            "redo": current.redo,
            "next": current.next,
            "previous": current.previous,
            "reveal": current.reveal,
            "blind": self._turn_blind,
        }
        for name, answer in answers.items():
            commands.add(name, answer)
        for value in range(MAX_CONFIDENCE + 1):
            commands.add(f"confidence_{value}", partial(current.set_confidence, value))

    def take_proposal(self) -> None:
        """Say what the agent says, where that may be seen."""
        line, current = self._current.line, self._current
        if line is None:
            return
        if current.blind_mode.hides(line):
            current.said.emit(
                self.tr("Blind mode: judge it yourself, or reveal the agent's verdict")
            )
            return
        verdict = proposal(line)
        if verdict is None:
            current.said.emit(self.tr("The agent proposes nothing here"))
            return
        current.judge(verdict)

    def _turn_blind(self) -> None:
        current = self._current
        try:
            current.blind_mode.turn(not current.blind_mode.is_on)
        except WorkbenchError as error:
            current.tell(error)
            return
        on = self.tr("Blind mode is on: the agent's opinion stays hidden until you have judged")
        current.said.emit(on if current.blind_mode.is_on else self.tr("Blind mode is off"))
