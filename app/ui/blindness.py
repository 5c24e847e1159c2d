"""Blind mode: the agent's opinion stays hidden until the person has committed.

What was to be seen before a decision is written down with it, in blind mode or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.core.queue import Filter, Line, Sort
from app.core.queue.telling import tells
from app.core.session import Session

FACT = "blind"


class Blindness(QObject):
    """Of one session: the choice is kept in it."""

    changed = Signal(bool)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._revealed: set[int] = set()
        self._watched: dict[int, str] = {}

    @property
    def is_on(self) -> bool:
        return self._session.fact(FACT) == "yes"

    def turn(self, on: bool) -> None:
        if on != self.is_on:
            self._session.set_fact(FACT, "yes" if on else "no")
            self.changed.emit(on)

    def hides(self, line: Line) -> bool:
        """Whether the agent's opinion of it, and the list's label, must not be on screen."""
        has_verdict = line.mine is not None and line.mine.opinion.verdict is not None
        return self.is_on and not has_verdict and line.candidate.id not in self._revealed

    def reveal(self, candidate_id: int) -> None:
        self._revealed.add(candidate_id)

    def note_shown(self, line: Line | None) -> None:
        """It lies on the desk: what was seen there is not unseen when the verdict is undone."""
        if line is None or not self.is_on or self.hides(line):
            return
        if line.candidate.agent_verdict is not None:
            self._revealed.add(line.candidate.id)

    def watched(self, candidate_id: int, model: str) -> None:
        """The person saw a model at work on it, to whatever end."""
        self._watched[candidate_id] = model

    def shown(self, line: Line) -> Mapping[str, Any]:
        """What of the agents' opinions could be seen until now; empty: nothing."""
        seen = line.candidate
        if self.hides(line):
            return {}
        if seen.agent_verdict is None and seen.agent_p_yes is None:
            watched = self._watched.get(seen.id)
            return {} if watched is None else {"model": watched}
        return {
            "verdict": seen.agent_verdict,
            "p_yes": seen.agent_p_yes,
            "model": seen.agent_model,
            **({"revealed": True} if self.is_on else {}),
        }

    def refusal(self, tree: Filter, sort: Sort) -> str:
        """Why this filter or order is not for a blind person; empty: it is."""
        if self.is_on and tells(tree, sort):
            return self.tr("Blind mode: a filter or order by the agent's opinion would tell it")
        return ""
