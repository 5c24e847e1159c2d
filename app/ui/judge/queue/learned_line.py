"""The line under the queue that tells what its order was learned from, and the learning itself."""

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QWidget

from agent.errors import WorkbenchError
from app.core.queue import QueueRow
from app.core.queue.learned_orders import HeldOrder, LearnedSo, adopt, learned_so, prepare
from app.core.session.records import Change
from app.core.session.session import Session
from app.ui.session.candidate.queue_neighbours import Queue, read_neighbours
from app.ui.session.session_context import SessionContext

EVERY = 5  # verdicts from one learning to the next
AGAIN_MS = 300  # where the person was faster than the learning
LATER_MS = 3000
"""After the last change of the list or of what agents say, of which many come one by one."""


class _Made(NamedTuple):
    queue: Queue
    held: HeldOrder


class LearnedLine(QLabel):
    """Hidden in other orders. Learning runs in the background; what is on screen and next stays."""

    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._runner = context.bridge.session, context.runner
        self._current = context.current
        self._given = 0  # verdicts since it learned
        self._is_learning = False
        self.setWordWrap(True)
        self.setProperty("role", "dim")
        self.hide()
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MS)
        self._again.timeout.connect(self.learn)
        self._later = QTimer(self, singleShot=True, interval=LATER_MS)
        self._later.timeout.connect(self.learn)
        context.bridge.changed.connect(self._session_changed)
        self._current.queue_changed.connect(self._queue_changed)
        self._current.learning.connect(self._learning)
        self._current.likeness_known.connect(self.learn)

    @property
    def _is_on(self) -> bool:
        is_learned = self._current.queue.sort.key == "learned"
        return is_learned and not self._current.repeat_round.is_on

    def learn(self) -> None:
        """Order what lies behind the next candidate by all verdicts so far."""
        row = self._current.row
        if not self._is_on or row is None:
            return
        if self._is_learning:
            self._again.start()
            return
        self._is_learning, self._given = True, 0
        beside = self._current.beside()
        work = partial(_learn, self._session, self._current.queue, row, beside)
        self._runner.run(work, self._take, self._failed, owner=self)

    def _take(self, made: _Made) -> None:
        self._is_learning = False
        keep = self._current.in_sight()
        if made.queue != self._current.queue or not self._is_on:
            return
        if keep is None or not adopt(self._session, made.queue.sort, made.held, keep):
            self._again.start()
            return
        self._current.take_reordered()
        self._show(made.held.so)

    def _failed(self, error: WorkbenchError) -> None:
        self._is_learning = False
        self._current.report_error(error)

    def _session_changed(self, change: Change) -> None:
        if not self._is_on:
            return
        if change.aspect == "verdict":
            self._given += max(len(change.candidate_ids), 1)
            if self._given >= EVERY:
                self.learn()
        elif change.aspect in ("list", "inspection", "calibration"):
            self._later.start()

    def _queue_changed(self, queue: Queue) -> None:
        self.setVisible(self._is_on)
        if self._is_on:
            so = learned_so(self._session, queue.sort)
            if so is not None:
                self._show(so)
            self._again.start()  # what is left is that of this filter

    def _learning(self, on: bool) -> None:
        if on:
            self.setText(
                self.tr("Learning from your verdicts; until then the queue stays as it is")
            )
            self.show()
        else:
            self._queue_changed(self._current.queue)

    def _show(self, so: LearnedSo) -> None:
        if not so.has_both:
            self.setText(self.tr("Judge one yes and one no: the order learns from them"))
            return
        text = self.tr("Learned from {n} verdicts; of the last {last}, {yes} yes")
        if so.at_random:
            text += self.tr("; of {random} at random, {hits}")
        if so.at_most is not None:
            text += self.tr(". At most {most} more in the {left} left (95 %)")
        numbers = {
            "n": so.verdicts, "last": so.last, "yes": so.yes_of_last, "random": so.at_random,
            "hits": so.yes_at_random, "most": so.at_most or 0, "left": so.left,
        }  # fmt: skip
        for name, number in numbers.items():
            text = text.replace(f"{{{name}}}", f"{number:,}")
        self.setText(text)


def _learn(session: Session, queue: Queue, row: QueueRow, beside: list[int]) -> _Made:
    near = read_neighbours(session, queue, row.candidate.id, row.position)
    ahead = (*near.after[:1], *near.unjudged[:1])
    keep = [row.candidate.id, *(each.candidate.id for each in ahead), *beside]
    return _Made(queue, prepare(session, queue.tree, queue.sort, keep))
