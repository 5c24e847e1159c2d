"""What the desk does when it is asked by name: judging, moving, blind mode."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from agent.errors import WorkbenchError
from app.core.queue import Line
from app.core.session.records import MAX_CONFIDENCE, Verdict
from app.ui.actions.commands import Commands
from app.ui.candidate.current import Desk

PROPOSALS = {"YES": Verdict.ACCEPT, "NO": Verdict.REJECT}


def proposal(line: Line | None) -> Verdict | None:
    """What the agent's opinion comes to; None: it has none."""
    return None if line is None else PROPOSALS.get(line.candidate.agent_verdict or "")


class Answers(QObject):
    def __init__(self, desk: Desk, commands: Commands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        answers: dict[str, Callable[[], object]] = {
            "accept": partial(desk.judge, Verdict.ACCEPT),
            "reject": partial(desk.judge, Verdict.REJECT),
            "unsure": partial(desk.judge, Verdict.UNSURE),
            "accept_stay": partial(desk.judge, Verdict.ACCEPT, stay=True),
            "reject_stay": partial(desk.judge, Verdict.REJECT, stay=True),
            "unsure_stay": partial(desk.judge, Verdict.UNSURE, stay=True),
            "accept_4": partial(desk.judge, Verdict.ACCEPT, confidence=4),
            "accept_3": partial(desk.judge, Verdict.ACCEPT, confidence=3),
            "unsure_2": partial(desk.judge, Verdict.UNSURE, confidence=2),
            "unsure_1": partial(desk.judge, Verdict.UNSURE, confidence=1),
            "take_proposal": self.take_proposal,
            "undo": desk.undo,
            "redo": desk.redo,
            "next": desk.next,
            "previous": desk.previous,
            "reveal": desk.reveal,
            "blind": self._turn_blind,
        }
        for name, answer in answers.items():
            commands.add(name, answer)
        for value in range(MAX_CONFIDENCE + 1):
            commands.add(f"confidence_{value}", partial(desk.set_confidence, value))

    def take_proposal(self) -> None:
        """Say what the agent says, where that may be seen."""
        line, desk = self._desk.line, self._desk
        if line is None:
            return
        if desk.blindness.hides(line):
            desk.said.emit(self.tr("Blind mode: judge it yourself, or reveal the agent's verdict"))
            return
        verdict = proposal(line)
        if verdict is None:
            desk.said.emit(self.tr("The agent proposes nothing here"))
            return
        desk.judge(verdict)

    def _turn_blind(self) -> None:
        desk = self._desk
        try:
            desk.blindness.turn(not desk.blindness.is_on)
        except WorkbenchError as error:
            desk.tell(error)
            return
        on = self.tr("Blind mode is on: the agent's opinion stays hidden until you have judged")
        desk.said.emit(on if desk.blindness.is_on else self.tr("Blind mode is off"))
