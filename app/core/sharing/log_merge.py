"""Lines of another session's log, written into this one behind its own.

A line is known again by the session it was first written in, its number there, its author and its
moment: two copies of one session go on counting from the same number. So merging twice, or by way
of a third session, brings it in once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, literal_column, select, update

from app.core.database.tables import MERGED, log, reviewers
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged, entry_from
from app.core.session.verdict_log import find_reviewer, reviewer_id
from app.core.sharing.matching import NumberMap

COPIED = ("at", "action", "verdict", "confidence", "flags", "comment", "seconds", "shown")
POINTERS = ("before_id", "below_id", "target_id", "undo_top_id", "redo_top_id")

Mark = tuple[str, int, str, int]
"""Session, number there, moment, author's number here."""


class ReviewerMap:
    """The reviewers there as reviewers here: the same name is the same person."""

    def __init__(self, target: Connection, source: Connection) -> None:
        self.new: list[str] = []
        self.names: dict[int, str] = {}
        self._here: dict[int, int] = {}
        for row in source.execute(select(reviewers).order_by(reviewers.c.id)):
            if not isinstance(row.name, str):
                raise damaged(f"reviewer {row.id}")
            is_new = find_reviewer(target, " ".join(row.name.split())) is None
            self._here[row.id] = reviewer_id(target, row.name)
            self.names[row.id] = row.name
            if is_new:
                self.new.append(row.name)

    def __getitem__(self, there: int) -> int:
        if there not in self._here:
            raise damaged(f"reviewer {there}")
        return self._here[there]


class LogMerge:
    """Fill it page by page; then `numbers` says which line there is which here."""

    def __init__(
        self,
        target: Connection,
        source: Connection,
        sessions: tuple[str, str],
        people: ReviewerMap,
        numbers: NumberMap,
    ) -> None:
        """`sessions`: the ids of this one and of the other."""
        self.numbers = NumberMap("line of the log")
        self.touched: set[tuple[int, int]] = set()
        """Candidates here, and who says something new of them."""
        self.added = 0
        self._target = target
        self._source = source
        self._id, self._other_id = sessions
        self._people = people
        self._candidates = numbers

    def pages(self) -> Iterator[int]:
        query, after = select(log).order_by(log.c.id).limit(MAX_IDS), 0
        while rows := self._source.execute(query.where(log.c.id > after)).all():
            self._merge(rows)
            after = rows[-1].id
            yield len(rows)

    def _merge(self, rows: Sequence[Row[Any]]) -> None:
        marks = {row.id: self._mark(row) for row in rows}
        known = self._known(list(marks.values()))
        new = [row for row in rows if marks[row.id] not in known]
        values = [self._values(row, marks[row.id]) for row in new]
        here = {row.id: known[marks[row.id]] for row in rows if marks[row.id] in known}
        if values:
            made = insert(log).returning(log.c.id, sort_by_parameter_order=True)
            numbers = self._target.execute(made, values).scalars().all()
            here |= {row.id: number for row, number in zip(new, numbers, strict=True)}
        for row in rows:
            self.numbers.add(row.id, here[row.id])
        self._point(new)
        self.added += len(new)
        self.touched |= {(each["candidate_id"], each["reviewer_id"]) for each in values}

    def _mark(self, row: Row[Any]) -> Mark:
        """Raises a SessionError where the line is none that we write."""
        entry_from(row, self._people.names.get(row.reviewer_id, ""))
        if not _is_moment(row.at) or not isinstance(row.origin, str):
            raise damaged(f"line {row.id} of the other log")
        session, number = (row.origin, row.origin_id) if row.origin else (self._other_id, row.id)
        if not isinstance(number, int):
            raise damaged(f"line {row.id} of the other log")
        return session, number, row.at, self._people[row.reviewer_id]

    def _known(self, marks: Sequence[Mark]) -> dict[Mark, int]:
        """Those that are here already, as lines of our own or merged in before."""
        found: dict[Mark, int] = {}
        by_session: dict[str, list[int]] = defaultdict(list)
        for session, number, _, _ in marks:
            by_session[session].append(number)
        columns = (log.c.id, log.c.origin_id, log.c.at, log.c.reviewer_id)
        for session, numbers in by_session.items():
            merged = select(*columns).where(
                log.c.origin == session, log.c.origin_id.in_(numbers), literal_column(MERGED)
            )
            for row in self._target.execute(merged):
                found[session, row.origin_id, row.at, row.reviewer_id] = row.id
            if session == self._id:
                own = select(*columns).where(log.c.origin == "", log.c.id.in_(numbers))
                for row in self._target.execute(own):
                    found[session, row.id, row.at, row.reviewer_id] = row.id
        return {mark: found[mark] for mark in marks if mark in found}

    def _values(self, row: Row[Any], mark: Mark) -> dict[str, Any]:
        same = {name: getattr(row, name) for name in COPIED}
        return same | {
            "candidate_id": self._candidates[row.candidate_id],
            "reviewer_id": mark[3],
            "origin": mark[0],
            "origin_id": mark[1],
        }

    def _point(self, rows: Sequence[Row[Any]]) -> None:
        """Let the new lines point at what they pointed at there, now that it has numbers here."""
        some = [row for row in rows if any(getattr(row, name) is not None for name in POINTERS)]
        if some:
            here = log.c.id == bindparam("line")
            places: dict[str, Any] = {name: bindparam(f"new_{name}") for name in POINTERS}
            self._target.execute(
                update(log).where(here).values(places), [self._pointers(row) for row in some]
            )

    def _pointers(self, row: Row[Any]) -> dict[str, Any]:
        moved = {f"new_{name}": self._pointed(row, name) for name in POINTERS}
        return {"line": self.numbers[row.id], **moved}

    def _pointed(self, row: Row[Any], name: str) -> int | None:
        there = getattr(row, name)
        if there is None:
            return None
        here = self.numbers.get(there) if isinstance(there, int) and there < row.id else None
        if here is None:
            raise damaged(f"line {row.id} of the other log")
        return here


def _is_moment(at: str) -> bool:
    """As `verdict_log.now` writes it: what is compared as text must look alike."""
    try:
        return datetime.fromisoformat(at).utcoffset() == timedelta(0) and at.endswith("+00:00")
    except ValueError:
        return False
