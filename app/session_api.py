"""Sessions in a script or a notebook: candidates and verdicts as tables, and new verdicts.

`from app import open_session` opens a session to read. With a `reviewer` it is opened to write, and
no other program can open that file meanwhile. Candidates hidden with a known answer, which measure
people, are in no table and are not iterated over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import select

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from app.core.database.tables import candidates, judgements, reviewers
from app.core.errors import ReadOnlyError
from app.core.exporting.export import read_catalogue
from app.core.queue.filter_parser import parse_filter
from app.core.queue.own_columns import own_columns
from app.core.queue.pages import matching
from app.core.session import session as sessions
from app.core.session.known_answers import known_ids, not_known
from app.core.session.records import Candidate, Opinion, Verdict
from app.core.session.session import Session
from app.core.session.spectra_folders import allow_folders, outside_folders, refuse_outside_folders
from app.core.session.stored_opinions import judgement_of
from app.core.spectra.packing import read_spectrum

if TYPE_CHECKING:
    from astropy.table import Table

__all__ = ["OpenSession", "open_session"]

WHO = ("candidate_id", "object_id", "reviewer")
OPINION = ("verdict", "confidence", "flags", "comment", "at")
CONFIDENCE = "from 4 (sure) to 0 (none)"
TIME = "UTC, ISO 8601"


class OpenSession:
    """An open session, from `open_session`; use it in a `with` block, or close it."""

    def __init__(self, session: sessions.Session) -> None:
        self._session = session

    @property
    def name(self) -> str:
        """The session's name."""
        return self._session.name

    @property
    def task(self) -> Task:
        """The class that is judged, with its question and guideline."""
        return self._session.task

    @property
    def reviewer(self) -> str:
        """The name under which verdicts are added; empty if the session is only read."""
        return self._session.reviewer

    @property
    def is_read_only(self) -> bool:
        """Whether it was opened without a reviewer."""
        return self._session.is_read_only

    def __len__(self) -> int:
        return self._session.count() - len(known_ids(self._session))

    def __iter__(self) -> Iterator[Candidate]:
        return self.iterate()

    def iterate(self, filter: str = "") -> Iterator[Candidate]:
        """The candidates in the order of the list, read page by page.

        `filter` is written as in the window's queue, such as "agent:yes p_yes>0.9".
        """
        tree = parse_filter(filter, [each.name for each in own_columns(self._session)])
        hidden = known_ids(self._session)
        found = (row.candidate for row in matching(self._session, tree))
        return (each for each in found if each.id not in hidden)

    def candidate(self, candidate_id: int) -> Candidate:
        """One candidate by its number."""
        return self._session.candidate(candidate_id)

    def candidates(self, filter: str = "", *, reviewer: str | None = None) -> Table:
        """An astropy Table with a row for each candidate, as an exported catalogue has it.

        It has the columns of the list, the verdict (that of `reviewer`, by default the final one),
        the agent's answer and what services said; `meta["provenance"]` tells where it comes from.
        """
        if not filter:
            return read_catalogue(self._session, reviewer=reviewer)
        found = [each.id for each in self.iterate(filter)]
        return read_catalogue(self._session, which=found, reviewer=reviewer)

    def verdicts(self) -> Table:
        """An astropy Table with a row for each reviewer's present opinion of each candidate."""
        return verdict_table(self._session)

    def history(self) -> Table:
        """An astropy Table of the log: every verdict, undo and redo, oldest first."""
        return history_table(self._session)

    def spectrum(self, candidate: Candidate | int) -> Spectrum:
        """Read the spectrum of a candidate.

        Spectra outside the session's own folder are read only if this computer was told to trust
        them, in the window or with `trust_paths`.
        """
        refuse_outside_folders(self._session)
        found = self.candidate(candidate) if isinstance(candidate, int) else candidate
        return read_spectrum(self._session, found)

    def add_verdict(
        self,
        candidate: Candidate | int,
        verdict: str,
        *,
        confidence: int | None = None,
        flags: Sequence[str] = (),
        comment: str = "",
    ) -> bool:
        """Record the reviewer's verdict ("accept", "reject" or "unsure"); it is saved at once.

        `confidence` is from 0 to 4 (sure). Returns False if it was their opinion already. Every
        verdict is kept in the log and can be undone in the window.
        """
        if self.is_read_only:
            raise ReadOnlyError("the session is only read: open it with a reviewer's name")
        if verdict.upper() not in Verdict.__members__:
            known = ", ".join(each.lower() for each in Verdict)
            raise WorkbenchError(f"there is no verdict {verdict}: use one of {known}")
        opinion = Opinion(
            verdict=Verdict[verdict.upper()],
            confidence=confidence,
            flags=tuple(flags),
            comment=comment,
        )
        number = candidate if isinstance(candidate, int) else candidate.id
        return self._session.record_verdict(number, opinion) is not None

    def close(self) -> None:
        """Close the session; its file can then be opened elsewhere."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def open_session(
    location: str | Path, reviewer: str = "", *, trust_paths: bool = False
) -> OpenSession:
    """Open a session file, or a team's database by its address.

    Without a reviewer it is only read, and stays as it is even if the window has it open.
    `trust_paths` lets it read spectra outside its own folder, now and later: for a session from
    somebody you trust.
    """
    name = " ".join(reviewer.split())
    place = location if "://" in str(location) else Path(location)
    session = sessions.open_session(place, name, read_only=not name)
    try:
        if trust_paths:
            allow_folders(session.id, outside_folders(session))
    except BaseException:
        session.close()
        raise
    return OpenSession(session)


# Opinions of people, and the log of how they came about, as astropy Tables.
def verdict_table(session: Session) -> Table:
    """A row for each reviewer's present opinion of each candidate, without known answers."""
    query = (
        select(judgements, reviewers.c.name, candidates.c.object_id)
        .join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
        .join(candidates, candidates.c.id == judgements.c.candidate_id)
        .where(not_known(judgements.c.candidate_id))
        .order_by(judgements.c.candidate_id, judgements.c.reviewer_id)
    )
    with session.database.reading() as connection:
        found = [(judgement_of(row), row.object_id) for row in connection.execute(query)]
    rows = [
        (each.candidate_id, object_id, each.reviewer, *_cells(each.opinion), each.at)
        for each, object_id in found
    ]
    return _table((*WHO, *OPINION), rows)


def history_table(session: Session) -> Table:
    """A row for each line of the log, oldest first, without those on known answers."""
    hidden = known_ids(session)
    rows = [
        (
            *(each.id, each.action, each.candidate_id, each.reviewer),
            *(*_cells(each.opinion), each.at, each.seconds),
        )
        for each in session.history()
        if each.candidate_id not in hidden
    ]
    return _table(("id", "action", "candidate_id", "reviewer", *OPINION, "seconds"), rows)


def _cells(opinion: Opinion) -> tuple[Any, ...]:
    verdict = None if opinion.verdict is None else str(opinion.verdict)
    return verdict, opinion.confidence, ", ".join(opinion.flags), opinion.comment


NUMBERS = {"candidate_id": int, "id": int, "confidence": int, "seconds": float}


def _table(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Table:
    """The rows as a table; cells that are None are masked."""
    from astropy.table import MaskedColumn, Table  # slow to import

    about = {"confidence": CONFIDENCE, "at": TIME, "seconds": "time spent on the candidate"}
    units = {"seconds": "s"}
    made = []
    for number, name in enumerate(names):
        cells = [row[number] for row in rows]
        kind = NUMBERS.get(name, str)
        made.append(
            MaskedColumn(
                [kind() if cell is None else cell for cell in cells],
                name=name,
                dtype=kind,
                mask=[cell is None for cell in cells],
                description=about.get(name),
                unit=units.get(name),
            )
        )
    return Table(made)
