"""What a merge has brought, and what people have to look at after it."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.session.records import Judgement
from app.core.statistics.adjudication import Dispute


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """One person said two things about one candidate, in two sessions, without knowing of the
    other. The later one stands; both are in the log."""

    candidate_id: int
    object_id: str
    reviewer: str
    kept: Judgement
    set_aside: Judgement


@dataclass(frozen=True, kw_only=True)
class MergeReport:
    """All numbers are of what is new: merging the same again brings nothing."""

    matched: int
    """Candidates of the other session that were here already."""
    candidates: int
    lists: int
    reviewers: tuple[str, ...]
    """People who had not written anything here."""
    lines: int
    """Of the log."""
    inspections: int
    repeats: int
    seen: int
    """Candidates beside which a reviewer had seen what an agent says."""
    conflicts: tuple[Conflict, ...]
    disagreements: tuple[Dispute, ...]
    """Candidates on which people differ and nobody has settled it, with everybody's opinion."""
