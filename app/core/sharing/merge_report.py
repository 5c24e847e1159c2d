"""The result of a merge, and what people should look at afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.session.records import Judgement
from app.core.statistics.adjudication import Dispute


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Two opinions of one reviewer on one candidate, from machines that did not know each other.

    One stands, which `app.core.session.log_resolution` chooses; both are in the log.
    """

    candidate_id: int
    object_id: str
    reviewer: str
    kept: Judgement
    set_aside: Judgement


@dataclass(frozen=True, kw_only=True)
class MergeReport:
    """Numbers of new things; they are 0 if the same session is merged again."""

    matched: int
    """Candidates of the other session that already existed here."""
    candidates: int
    lists: int
    reviewers: tuple[str, ...]
    """New reviewers."""
    lines: int
    """Log lines."""
    inspections: int
    repeats: int
    measurements: int
    """Lines measured by hand."""
    seen: int
    """Facts about agents' results that reviewers had seen."""
    evidence: int
    """Answers of services."""
    known_answers: int = 0
    """Hidden candidates with a known answer."""
    assignments: int = 0
    second_opinions: int = 0
    """Those that the rule of the merged session asks for by now."""
    conflicts: tuple[Conflict, ...]
    disagreements: tuple[Dispute, ...]
    """Unsettled disagreements between reviewers, with all opinions."""
