"""Appends the log of another session to ours.

A line is identified by the session in which it was written, its id there and all that it says,
with the lines to which it refers; the id alone is not enough, since copies of a session continue
with the same ids. So a line is added only once, even if it comes twice or by way of a third file.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, literal_column, select, update

from app.core.database.tables import MERGED, log, reviewers
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged, entry_from
from app.core.session.verdict_log import find_reviewer, reviewer_id
from app.core.sharing.matching import IdMap

COPIED = (
    *("at", "action", "verdict", "confidence", "flags", "comment", "seconds", "shown"),
    *("evidence", "subclass", "fields", "velocity", "order_met"),
)
POINTERS = ("before_id", "below_id", "target_id", "undo_top_id", "redo_top_id")

Place = tuple[str, int]
"""Where a line was written: the session's id, and the line's id in that session."""


class ReviewerMap:
    """Maps reviewer ids of the source to the target; the same name is the same person."""

    def __init__(self, target: Connection, source: Connection) -> None:
        self.new: list[str] = []
        self.names: dict[int, str] = {}
        self._target_ids: dict[int, int] = {}
        for row in source.execute(select(reviewers).order_by(reviewers.c.id)):
            if not isinstance(row.name, str):
                raise damaged(f"reviewer {row.id}")
            is_new = find_reviewer(target, " ".join(row.name.split())) is None
            self._target_ids[row.id] = reviewer_id(target, row.name)
            self.names[row.id] = row.name
            if is_new:
                self.new.append(row.name)

    def __getitem__(self, source_id: int) -> int:
        if source_id not in self._target_ids:
            raise damaged(f"reviewer {source_id}")
        return self._target_ids[source_id]


class LogMerge:
    """Merges a log page by page; `numbers` maps the line ids of the source to the target."""

    def __init__(
        self,
        target: Connection,
        source: Connection,
        sessions: tuple[str, str],
        reviewer_map: ReviewerMap,
        numbers: IdMap,
    ) -> None:
        """`sessions` are the ids of the target and the source."""
        self.numbers = IdMap("line of the log")
        self.touched: set[tuple[int, int]] = set()
        """Candidate and reviewer ids (of the target) with new lines."""
        self.added = 0
        self._target = target
        self._source = source
        self._id, self._other_id = sessions
        self._highest = target.execute(select(func.max(log.c.id))).scalar() or 0
        self._reviewer_map = reviewer_map
        self._candidates = numbers

    def is_new(self, line_id: int) -> bool:
        """Whether this merge has added that line of the target."""
        return line_id > self._highest

    def pages(self) -> Iterator[int]:
        query, after = select(log).order_by(log.c.id).limit(MAX_IDS), 0
        while rows := self._source.execute(query.where(log.c.id > after)).all():
            self._merge(rows)
            after = rows[-1].id
            yield len(rows)

    def _merge(self, rows: Sequence[Row[Any]]) -> None:
        places = {row.id: self._place_of(row) for row in rows}
        known = self._known(set(places.values()))
        new: list[Row[Any]] = []
        here: dict[int, int | None] = {}  # None: new
        for row in rows:
            here[row.id] = self._find(row, known[places[row.id]], here)
            if here[row.id] is None:
                new.append(row)
        values = [self._values(row, places[row.id]) for row in new]
        if values:
            made = insert(log).returning(log.c.id, sort_by_parameter_order=True)
            numbers = self._target.execute(made, values).scalars().all()
            here |= {row.id: number for row, number in zip(new, numbers, strict=True)}
        for number, found in here.items():
            assert found is not None
            self.numbers.add(number, found)
        self._set_pointers(new)
        self.added += len(new)
        self.touched |= {(each["candidate_id"], each["reviewer_id"]) for each in values}

    def _place_of(self, row: Row[Any]) -> Place:
        """Where a line was written. Raises SessionError if the line is invalid."""
        entry_from(row, self._reviewer_map.names.get(row.reviewer_id, ""))
        if not is_timestamp(row.at) or not isinstance(row.origin, str):
            raise damaged(f"line {row.id} of the other log")
        session, number = (row.origin, row.origin_id) if row.origin else (self._other_id, row.id)
        if not isinstance(number, int):
            raise damaged(f"line {row.id} of the other log")
        return session, number

    def _known(self, places: Collection[Place]) -> dict[Place, list[Row[Any]]]:
        """The target's lines from these places, its own or from earlier merges.

        Copies of one session may have written several lines at the same place.
        """
        found: dict[Place, list[Row[Any]]] = defaultdict(list)
        by_session: dict[str, list[int]] = defaultdict(list)
        for session, number in places:
            by_session[session].append(number)
        for session, numbers in by_session.items():
            merged = select(log).where(
                log.c.origin == session, log.c.origin_id.in_(numbers), literal_column(MERGED)
            )
            for row in self._target.execute(merged):
                found[session, row.origin_id].append(row)
            if session == self._id:
                own = select(log).where(log.c.origin == "", log.c.id.in_(numbers))
                for row in self._target.execute(own):
                    found[session, row.id].append(row)
        return found

    def _find(
        self, row: Row[Any], known: Sequence[Row[Any]], here: Mapping[int, int | None]
    ) -> int | None:
        """The target's id of this line; None if it is new. `here` has the page's earlier lines."""
        pointers = {name: self._mapped(row, name, here) for name in POINTERS}
        if any(getattr(row, name) is not None and pointers[name] is None for name in POINTERS):
            return None  # it refers to a new line
        pointers["candidate_id"] = self._candidates[row.candidate_id]
        pointers["reviewer_id"] = self._reviewer_map[row.reviewer_id]
        for each in known:
            has_same_words = all(repr(getattr(each, n)) == repr(getattr(row, n)) for n in COPIED)
            if has_same_words and all(getattr(each, n) == pointers[n] for n in pointers):
                return int(each.id)
        return None

    def _values(self, row: Row[Any], place: Place) -> dict[str, Any]:
        same = {name: getattr(row, name) for name in COPIED}
        return same | {
            "candidate_id": self._candidates[row.candidate_id],
            "reviewer_id": self._reviewer_map[row.reviewer_id],
            "origin": place[0],
            "origin_id": place[1],
        }

    def _set_pointers(self, rows: Sequence[Row[Any]]) -> None:
        """Set the references between the new lines, now that all have ids in the target."""
        some = [row for row in rows if any(getattr(row, name) is not None for name in POINTERS)]
        if some:
            here = log.c.id == bindparam("line")
            values: dict[str, Any] = {name: bindparam(f"new_{name}") for name in POINTERS}
            self._target.execute(
                update(log).where(here).values(values), [self._pointers(row) for row in some]
            )

    def _pointers(self, row: Row[Any]) -> dict[str, Any]:
        moved = {f"new_{name}": self._mapped(row, name, {}) for name in POINTERS}
        return {"line": self.numbers[row.id], **moved}

    def _mapped(self, row: Row[Any], name: str, here: Mapping[int, int | None]) -> int | None:
        """The target's id of the line to which a pointer refers; None if it is new in `here`."""
        source_id = getattr(row, name)
        if source_id is None:
            return None
        if not isinstance(source_id, int) or source_id >= row.id:
            raise damaged(f"line {row.id} of the other log")
        if source_id in here:
            return here[source_id]
        found = self.numbers.get(source_id)
        if found is None:
            raise damaged(f"line {row.id} of the other log")
        return found


def is_timestamp(at: str) -> bool:
    """Whether it has the format of `verdict_log.now`, as times are compared as text."""
    try:
        return datetime.fromisoformat(at).utcoffset() == timedelta(0) and at.endswith("+00:00")
    except ValueError:
        return False
