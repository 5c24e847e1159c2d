"""Blind mode: the agent's opinion stays hidden until the person has judged.

What the person could see before a verdict is recorded with it, in blind mode or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from agent.errors import WorkbenchError
from app.core.inspections.seen import SeenResult, read_seen, record_seen
from app.core.queue import Filter, QueueRow, Sort
from app.core.queue.blind_filters import FACT, breaks_blind_mode
from app.core.session.records import Candidate
from app.core.session.session import Session

if TYPE_CHECKING:
    from app.core.sharing.study_plan import Turn


class BlindMode(QObject):
    """Blind mode of one session, which stores the choice and what was seen.

    Call `save` before closing the session.
    """

    changed = Signal(bool)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._seen: dict[int, SeenResult | None] = {}  # cache of `read_seen` by candidate id
        self._unsaved: dict[int, SeenResult] = {}
        """Seen outside blind mode; saved when blind mode changes or the session closes."""
        self._repeats: frozenset[int] = frozenset()
        self.turn: Turn | None = None  # what the plan of a study has on screen
        self._turn_number: int | None = None

    @property
    def is_on(self) -> bool:
        return self.in_study or self._session.fact(FACT) == "yes"

    @property
    def in_study(self) -> bool:
        """Whether a study says what may be seen: nothing of any other candidate."""
        return self.turn is not None

    def set_turn(self, number: int | None, turn: Turn | None) -> None:
        """Show of this candidate, and of no other, what the turn allows; None: no study."""
        self._turn_number, self.turn = number, turn

    def shows_verdict_alone(self, row: QueueRow) -> bool:
        """Whether a study shows the agent's verdict on this one without its reasons and p(YES)."""
        is_here = row.candidate.id == self._turn_number
        return is_here and self.turn is not None and self.turn.arm == "verdict"

    def set_on(self, on: bool) -> None:
        if on != self.is_on:
            self._session.set_fact(FACT, "yes" if on else "no")
            self.save()
            self.changed.emit(on)

    def hides(self, row: QueueRow) -> bool:
        """Whether the agent's opinion and the list's label must not be on screen."""
        number = row.candidate.id
        if self.turn is not None:
            return number != self._turn_number or self.turn.arm != "advice"
        if number in self._repeats:
            return True
        return self.is_on and hidden_in_blind(row, self._seen_of(number))

    def reveal(self, row: QueueRow) -> str:
        """Reveal the agent's opinion; return why that is not possible, or an empty string."""
        if not self.hides(row):
            return self.tr("Nothing is hidden here")
        if self.in_study:
            return self.tr("The plan of the study says what is shown")
        if self.is_repeat(row.candidate.id):
            return self.tr("This is a repeat: judge it again first")
        self._note(row.candidate.id)
        return ""

    def note_shown(self, row: QueueRow | None) -> None:
        """Note that the agent's opinion was on screen; undoing a verdict does not change that."""
        if row is None or row.candidate.agent_verdict is None or self.hides(row):
            return
        self._note(row.candidate.id)

    def note_listed(self, rows: Iterable[QueueRow], seen: Mapping[int, SeenResult | None]) -> None:
        """Note that the agent's opinions on these stand beside their spectra, outside blind mode.

        `seen` is what the session knows, which is read beforehand: there are many.
        """
        for number in (row.candidate.id for row in rows if row.candidate.agent_p_yes is not None):
            if number not in self._seen:
                self._seen[number] = seen.get(number)
            if self._seen[number] is None:
                self._seen[number] = self._unsaved[number] = SeenResult()

    def note_watched(self, candidate_id: int, model: str) -> None:
        """Note that the person watched this model inspect the candidate."""
        self._note(candidate_id, model)

    def mark_recorded(self, candidate_id: int) -> None:
        """Forget unsaved notes: the verdict log now holds what was seen."""
        self._unsaved.pop(candidate_id, None)

    def seen_opinion(self, row: QueueRow) -> Mapping[str, Any]:
        """Return what the person has seen of the agent's opinion, even if it is hidden now.

        In a study: what is on screen in this turn, whatever was in an earlier one.
        """
        if self.in_study:
            one = row.candidate
            if self.shows_verdict_alone(row):
                return {"verdict": one.agent_verdict, "model": one.agent_model}
            seen = None if self.hides(row) else SeenResult()
            return what_was_seen(one, seen, is_hidden=self.hides(row), is_blind=False)
        seen = self._seen_of(row.candidate.id)
        return what_was_seen(row.candidate, seen, is_hidden=self.hides(row), is_blind=self.is_on)

    def refusal(self, tree: Filter, sort: Sort) -> str:
        """Return why blind mode forbids this filter or order; empty: it is allowed."""
        if self.is_on and breaks_blind_mode(tree, sort):
            return self.tr("Blind mode: this filter or order would reveal the agent's opinion")
        return ""

    def save(self) -> None:
        """Write what was seen to the session, unless it is read-only."""
        unsaved, self._unsaved = self._unsaved, {}
        if unsaved and not self._session.is_read_only:
            with suppress(WorkbenchError):  # on a full disk the next verdict reports the error
                record_seen(self._session, unsaved)

    def set_repeats(self, candidate_ids: Collection[int]) -> None:
        """Hide all opinions of these candidates, the person's own included; empty: end that."""
        self._repeats = frozenset(candidate_ids)

    def is_repeat(self, candidate_id: int) -> bool:
        """Whether it is judged again: in a round of repeats, or a second time in a study."""
        if self.turn is not None:
            return candidate_id == self._turn_number and self.turn.reading == 2
        return candidate_id in self._repeats

    def without_own_verdict(self, row: QueueRow) -> QueueRow:
        """Return the row as it must be shown: without the person's verdict for a repeat."""
        return replace(row, mine=None) if self.is_repeat(row.candidate.id) else row

    def _seen_of(self, number: int) -> SeenResult | None:
        if number not in self._seen:
            self._seen[number] = None
            with suppress(WorkbenchError):
                self._seen[number] = read_seen(self._session, number)
        return self._seen[number]

    def _note(self, number: int, model: str = "") -> None:
        before = self._seen_of(number) or SeenResult()
        now = SeenResult(model or before.model, self.is_on or before.in_blind)
        if now != self._seen[number]:
            self._seen[number] = self._unsaved[number] = now
            if self.is_on:
                self.save()


def hidden_in_blind(row: QueueRow, seen: SeenResult | None) -> bool:
    """Whether blind mode hides the agent's opinion on a candidate that is no repeat."""
    return row.opinion.verdict is None and (seen is None or not seen.in_blind)


def what_was_seen(
    candidate: Candidate, seen: SeenResult | None, *, is_hidden: bool, is_blind: bool
) -> Mapping[str, Any]:
    """The agent's opinion as the log stores it with a verdict; empty if it was not seen."""
    if seen is None and is_hidden:
        return {}
    if candidate.agent_verdict is None and candidate.agent_p_yes is None:
        return {"model": seen.model} if seen is not None and seen.model else {}
    return {
        "verdict": candidate.agent_verdict,
        "p_yes": candidate.agent_p_yes,
        "model": candidate.agent_model,
        **({"revealed": True} if is_blind else {}),
    }
