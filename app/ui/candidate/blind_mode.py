"""Blind mode: the agent's opinion stays hidden until the person has committed.

What was to be seen before a decision is written down with it, in blind mode or not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from agent.errors import WorkbenchError
from app.core.inspections.seen import SeenResult, note_seen, was_seen
from app.core.queue import Filter, QueueRow, Sort
from app.core.queue.telling import tells
from app.core.session.session import Session

FACT = "blind"


class BlindMode(QObject):
    """Of one session: the choice is kept in it, and what has been seen. `keep` it at the end."""

    changed = Signal(bool)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._seen: dict[int, SeenResult | None] = {}
        """Candidates asked for, as `was_seen` tells of them."""
        self._unkept: dict[int, SeenResult] = {}
        """Seen outside blind mode: written down when it matters."""
        self._again: frozenset[int] = frozenset()

    @property
    def is_on(self) -> bool:
        return self._session.fact(FACT) == "yes"

    def turn(self, on: bool) -> None:
        if on != self.is_on:
            self._session.set_fact(FACT, "yes" if on else "no")
            self.keep()
            self.changed.emit(on)

    def hides(self, line: QueueRow) -> bool:
        """Whether the agent's opinion of it, and the list's label, must not be on screen."""
        number = line.candidate.id
        if number in self._again:
            return True
        has_verdict = line.mine is not None and line.mine.opinion.verdict is not None
        if has_verdict or not self.is_on:
            return False
        seen = self._seen_of(number)
        return seen is None or not seen.in_blind

    def reveal(self, line: QueueRow) -> str:
        """Let it be seen; or why not."""
        if not self.hides(line):
            return self.tr("Nothing is hidden here")
        if self.is_again(line.candidate.id):
            return self.tr("It is shown again: first judge it anew")
        self._note(line.candidate.id)
        return ""

    def note_shown(self, line: QueueRow | None) -> None:
        """It lies on the desk: what was seen there is not unseen when the verdict is undone."""
        if line is None or line.candidate.agent_verdict is None or self.hides(line):
            return
        self._note(line.candidate.id)

    def watched(self, candidate_id: int, model: str) -> None:
        """The person saw a model at work on it, to whatever end."""
        self._note(candidate_id, model)

    def written(self, candidate_id: int) -> None:
        """A verdict was written down with all that had been seen: the log tells it from now on."""
        self._unkept.pop(candidate_id, None)

    def shown(self, line: QueueRow) -> Mapping[str, Any]:
        """What of the agents' opinions could be seen until now, hidden again or not; empty:
        nothing."""
        candidate = line.candidate
        seen = self._seen_of(candidate.id)
        if seen is None and self.hides(line):
            return {}
        if candidate.agent_verdict is None and candidate.agent_p_yes is None:
            return {"model": seen.model} if seen is not None and seen.model else {}
        return {
            "verdict": candidate.agent_verdict,
            "p_yes": candidate.agent_p_yes,
            "model": candidate.agent_model,
            **({"revealed": True} if self.is_on else {}),
        }

    def refusal(self, tree: Filter, sort: Sort) -> str:
        """Why this filter or order is not for a blind person; empty: it is."""
        if self.is_on and tells(tree, sort):
            return self.tr("Blind mode: a filter or order by the agent's opinion would tell it")
        return ""

    def keep(self) -> None:
        """Into the session, where it can be written to."""
        unkept, self._unkept = self._unkept, {}
        if unkept and not self._session.is_read_only:
            with suppress(WorkbenchError):  # a full disk: the next verdict says so
                note_seen(self._session, unkept)

    # Objects that are shown again

    def show_again(self, candidate_ids: Collection[int]) -> None:
        """These are met as if nobody had ever said anything of them; none: that is over."""
        self._again = frozenset(candidate_ids)

    def is_again(self, candidate_id: int) -> bool:
        return candidate_id in self._again

    def as_met(self, line: QueueRow) -> QueueRow:
        """Without the person's own verdict, where it is shown again."""
        return replace(line, mine=None) if line.candidate.id in self._again else line

    def _seen_of(self, number: int) -> SeenResult | None:
        if number not in self._seen:
            self._seen[number] = None
            with suppress(WorkbenchError):
                self._seen[number] = was_seen(self._session, number)
        return self._seen[number]

    def _note(self, number: int, model: str = "") -> None:
        before = self._seen_of(number) or SeenResult()
        now = SeenResult(model or before.model, self.is_on or before.in_blind)
        if now != self._seen[number]:
            self._seen[number] = self._unkept[number] = now
            if self.is_on:
                self.keep()
