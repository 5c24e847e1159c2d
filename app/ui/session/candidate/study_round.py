"""A study in the window: one candidate after the other in the order of the plan, and nothing else.

The plan says what may be seen of the agent beside each; see app.core.sharing.study_plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from agent.errors import WorkbenchError
from app.core.queue import QueueRow, Sort, row_of
from app.core.session.session import Session
from app.ui.base.actions.actions import ACTIONS, LOOKING, MARKING, WORDS
from app.ui.base.background.runner import Runner
from app.ui.session.candidate.blind_mode import BlindMode
from app.ui.session.candidate.queue_neighbours import AHEAD, QueueNeighbours, RepeatRound

if TYPE_CHECKING:
    from app.core.sharing.study_plan import StudyPlan

ALLOWED = frozenset(
    {name for name, each in ACTIONS.items() if each.group in map(str, (LOOKING, MARKING, WORDS))}
    | {"accept", "reject", "unsure", "accept_4", "accept_3", "unsure_2", "unsure_1"}
    | {f"confidence_{number}" for number in range(5)}
    | {"take_proposal", "undo", "redo", "subclass", "subclass_previous", "step"}
    | {"escape", "help", "keys", "palette", "full_screen", "panels", "reset_panels", "tour"}
    | {"about", "crash_reports", "show_guideline", "settings", "judging_page"}
    | {"open_list", "open_folder", "open_session", "open_archive", "find_in_folder", "welcome"}
    | {"snapshot", "save_spectrum", "copy_range", "quit"}
)
"""Actions that a reader may use. What is not named here might lead to another candidate, to what
the agent says, or to what others have judged."""


class StudyRound(RepeatRound):
    """Serves the candidates that the plan has for this session's reviewer."""

    def __init__(
        self, session: Session, runner: Runner, blind_mode: BlindMode, parent: QObject
    ) -> None:
        super().__init__(session, runner, blind_mode, parent)
        self.study: StudyPlan | None = None
        self._numbers: dict[str, int] = {}
        self.total = 0

    @property
    def is_study(self) -> bool:
        """Whether the reviewer has still something to judge by a plan."""
        return self._blind_mode.in_study

    def begin_study(self) -> None:
        """Follow the plan of the session's study, if the reviewer is one of its people."""
        from app.core.sharing.study_plan import numbers_by_key, study_of

        plan = study_of(self._session)
        if plan is not None and self._session.reviewer in plan.people:
            self.study, self._numbers = plan, numbers_by_key(self._session)
            self.total = len(plan.turns[self._session.reviewer])
            self.read()

    def read(self) -> None:
        """Read again what is to be judged next; the plan may be done, or an undo may have come."""
        if self.study is None:
            return
        from app.core.sharing.study_plan import turns_left

        left = turns_left(self._session, self.study, self._numbers)
        self.index = self.total - len(left)
        self.plan = tuple(self._numbers[turn.key] for turn in left[: AHEAD + 1])
        self._blind_mode.set_turn(self.plan[0] if left else None, left[0] if left else None)
        self.changed.emit()

    def here(self) -> QueueRow | None:
        """The candidate to be judged now."""
        if not self.plan:
            return None
        return self._blind_mode.without_own_verdict(row_of(self._session, self.plan[0], self._sort))

    def refuses_undo(self) -> bool:
        """Whether the last verdict was given without the agent, whose answer is on screen now."""
        turn = self._blind_mode.turn
        is_in_a_row = self.study is not None and self.study.design == "unaided-first"
        return is_in_a_row and turn is not None and turn.reading == 2

    def next_unjudged(self, row: QueueRow) -> QueueRow | None:
        if self.study is None:
            return super().next_unjudged(row)
        try:
            self.read()
            return self.here()
        except WorkbenchError as error:
            self.failed.emit(error)
            return row

    def _ends_with(self, row: QueueRow | None) -> bool:
        return self.study is None and super()._ends_with(row)

    def _load(self) -> None:
        wanted = self._wanted
        if not self.is_study or wanted is None or self._is_closed:
            super()._load()
            return
        numbers = [number for number in self.plan[1:] if number != self.plan[0]]
        work = partial(_ahead, self._session, self.plan[0], numbers, self._sort)
        self._runner.run(work, partial(self._on_loaded, wanted), self._report, owner=self)


def _ahead(session: Session, of: int, numbers: Sequence[int], sort: Sort) -> QueueNeighbours:
    rows = tuple(row_of(session, number, sort) for number in dict.fromkeys(numbers))
    return QueueNeighbours(of=of, after=rows, unjudged=rows)
