"""A study in the window: one candidate after the other in the order of the plan, and nothing else.

The plan says what may be seen of the agent beside each; see app.core.sharing.study_plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject

from agent.errors import WorkbenchError
from app.core.queue import QueueRow, Sort, row_of
from app.core.session.session import Session
from app.ui.base.actions.actions import ACTIONS, LOOKING, MARKING, WORDS
from app.ui.base.background.runner import Runner
from app.ui.session.candidate.blind_mode import BlindMode
from app.ui.session.candidate.queue_neighbours import AHEAD, Queue, QueueNeighbours, RepeatRound

if TYPE_CHECKING:
    from app.core.sharing.study_plan import StudyPlan, Turn

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
        self._left: list[Turn] = []  # what is still to be judged, next one first
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

        self._take(turns_left(self._session, self.study, self._numbers))

    def _take(self, left: list[Turn]) -> None:
        self._left = left
        self.index = self.total - len(left)
        self.plan = tuple(self._numbers[turn.key] for turn in left[: AHEAD + 1])
        self._blind_mode.set_turn(self.plan[0] if left else None, left[0] if left else None)
        self.changed.emit()

    def here(self, known: Sequence[QueueRow] = ()) -> QueueRow | None:
        """The row of the candidate to be judged now: one of the known rows, else read."""
        if not self.plan:
            return None
        found = next((row for row in known if row.candidate.id == self.plan[0]), None)
        found = found or row_of(self._session, self.plan[0], self._sort)
        return self._blind_mode.without_own_verdict(found)

    def refuses_undo(self) -> bool:
        """Whether the last verdict was given without the agent, whose answer is on screen now."""
        turn = self._blind_mode.turn
        is_in_a_row = self.study is not None and self.study.design == "unaided-first"
        return is_in_a_row and turn is not None and turn.reading == 2

    def next_unjudged(self, row: QueueRow) -> QueueRow | None:
        """Go to the next turn at once; the turns after it are read again in the background."""
        if self.study is None:
            return super().next_unjudged(row)
        try:
            known = row, *self.neighbours_of(row).unjudged
            self._take(self._left[1:])
            return self.here(known)
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
        assert self.study is not None
        work = partial(_ahead, self._session, self.study, self._numbers, self._left[0], self._sort)
        self._runner.run(work, partial(self._on_read, wanted), self._report, owner=self)

    def _on_read(self, wanted: tuple[Queue, QueueRow], found: _Ahead) -> None:
        if wanted is self._wanted and self._left and not self._is_closed:
            if found.left != self._left:
                self._take(found.left)
            self._on_loaded(wanted, found.rows)


class _Ahead(NamedTuple):
    left: list[Turn]
    rows: QueueNeighbours


def _ahead(
    session: Session, study: StudyPlan, numbers: dict[str, int], now: Turn, sort: Sort
) -> _Ahead:
    """The turn on screen, and those left after it; what others retired meanwhile is left out."""
    from app.core.sharing.study_plan import turns_left

    left = [now, *(turn for turn in turns_left(session, study, numbers) if turn != now)]
    of, *coming = dict.fromkeys(numbers[turn.key] for turn in left[: AHEAD + 1])
    rows = tuple(row_of(session, number, sort) for number in coming)
    return _Ahead(left, QueueNeighbours(of=of, after=rows, unjudged=rows))
