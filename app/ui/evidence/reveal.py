"""What blind mode hides of the evidence: sources that give the class away, until the verdict."""

from __future__ import annotations

from app.core.inspections.seen import is_evidence_revealed, record_evidence_revealed
from app.core.queue import QueueRow
from app.core.session.session import Session
from app.services.catalogues.service import Service
from app.ui.candidate.blind_mode import BlindMode

REVEALED = "revealed"
"""Said in the log of an answer that was revealed before the verdict."""


class HiddenEvidence:
    """Asks the session once for each candidate."""

    def __init__(self, session: Session, blind_mode: BlindMode) -> None:
        self._session, self._blind_mode = session, blind_mode
        self._revealed: dict[int, bool] = {}

    def hides(self, row: QueueRow, service: Service) -> bool:
        if not service.hides_class:
            return False
        if self._blind_mode.is_repeat(row.candidate.id):
            return True
        return self._is_before_verdict(row) and not self._is_revealed(row.candidate.id)

    def reveal(self, row: QueueRow) -> None:
        """Show it all the same, and record that."""
        number = row.candidate.id
        if self._blind_mode.is_repeat(number) or self._is_revealed(number):
            return
        self._revealed[number] = True
        if not self._session.is_read_only:
            record_evidence_revealed(self._session, number)

    def was_revealed(self, row: QueueRow, service: Service) -> bool:
        """Whether an answer on screen is there because the person asked for it."""
        return (
            service.hides_class
            and self._is_before_verdict(row)
            and self._is_revealed(row.candidate.id)
        )

    def _is_before_verdict(self, row: QueueRow) -> bool:
        has_verdict = row.mine is not None and row.mine.opinion.verdict is not None
        return self._blind_mode.is_on and not has_verdict

    def _is_revealed(self, number: int) -> bool:
        if number not in self._revealed:
            self._revealed[number] = is_evidence_revealed(self._session, number)
        return self._revealed[number]
