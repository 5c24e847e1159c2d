"""Reads pages of the queue, and the next and previous candidate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, literal, select

from app.core.database.tables import MIN_TARGETID, candidates, judgements, raw_sql
from app.core.errors import SessionError
from app.core.queue.column_values import is_of_opinion, read_values, value_of_opinion
from app.core.queue.filters import EVERYTHING, MAX_TEXT, UNJUDGED, Filter, FilterError, combine
from app.core.queue.sorts import LIST_ORDER, QueuePosition, Sort
from app.core.queue.walk import Plan, make_plan, position_of, start_of, walk
from app.core.session.records import NOTHING, Candidate, Judgement, Opinion
from app.core.session.session import Session, candidate_of
from app.core.session.stored_opinions import judgement_of

PAGE = 50
MAX_PAGE = 1000

OF_MINE = (
    *("candidate_id", "log_id", "verdict", "confidence"),
    *("flags", "comment", "subclass", "fields", "velocity", "at"),
)
_MINE = judgements.alias("mine")
AT_MOST = 1000
MAX_FOUND = 20
LAST_CHARACTER = "\U0010ffff"  # sorts after every text with the same prefix
MAX_NUMBER = 2**63 - 1
BLANK = Opinion()


@dataclass(frozen=True, kw_only=True)
class QueueRow:
    """A candidate in the queue with the judgement of the session's reviewer."""

    position: QueuePosition
    candidate: Candidate
    mine: Judgement | None
    evidence: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What services said, by name such as `gaia.bp_rp`, where it was read."""

    @property
    def opinion(self) -> Opinion:
        """The reviewer's; a blank one where they have none."""
        return BLANK if self.mine is None else self.mine.opinion

    def value(self, name: str) -> Any:
        """Of a column of the list, of a service, or of the reviewer's opinion as `mine.NAME`."""
        own = self.candidate.own
        if is_of_opinion(name):
            return value_of_opinion(self.mine, name)
        return own[name] if name in own else self.evidence.get(name)


@dataclass(frozen=True, kw_only=True)
class QueuePage:
    """Rows in the order of the queue, also when read backwards.

    `end` is where to continue in the same direction; None at the end of the queue. A page with an
    `end` may still be short or empty, since one call checks a limited number of candidates.
    """

    rows: tuple[QueueRow, ...]
    end: QueuePosition | None


def page(
    session: Session,
    tree: Filter = EVERYTHING,
    sort: Sort = LIST_ORDER,
    *,
    after: QueuePosition | None = None,
    limit: int = PAGE,
    backwards: bool = False,
    with_values: bool = False,
) -> QueuePage:
    """The rows after `after`, or before it if `backwards`; None starts at that end.

    What services said is read `with_values` only.
    """
    if not 0 < limit <= MAX_PAGE:
        raise FilterError(f"a page has 1 to {MAX_PAGE} rows")
    plan = make_plan(session, tree, sort)
    start = start_of(sort, backwards) if after is None else after
    with session.database.reading() as connection:
        found = walk(connection, plan, start, limit, backwards=backwards)
        rows = _read_rows(connection, plan, session.reviewer, found.positions, with_values)
    return QueuePage(rows=tuple(rows[::-1] if backwards else rows), end=found.end)


def next_unjudged(
    session: Session,
    tree: Filter = EVERYTHING,
    sort: Sort = LIST_ORDER,
    *,
    after: QueuePosition | None = None,
) -> QueueRow | None:
    """The next row without a verdict of the reviewer, or None if there is none.

    The search continues at the start of the queue. Without a suitable index it visits the whole
    queue, in several transactions, so that others can write in between.
    """
    unjudged = combine(tree, UNJUDGED)
    found = _next(session, unjudged, sort, after, backwards=False)
    if found is None and after is not None:
        found = _next(session, unjudged, sort, None, backwards=False)
    return found


def next_row(
    session: Session, tree: Filter = EVERYTHING, sort: Sort = LIST_ORDER, *, after: QueuePosition
) -> QueueRow | None:
    return _next(session, tree, sort, after, backwards=False)


def previous_row(
    session: Session, tree: Filter = EVERYTHING, sort: Sort = LIST_ORDER, *, before: QueuePosition
) -> QueueRow | None:
    return _next(session, tree, sort, before, backwards=True)


def row_of(
    session: Session, candidate_id: int, sort: Sort = LIST_ORDER, *, with_values: bool = False
) -> QueueRow:
    """The row of a candidate at its current position, whether or not it matches a filter."""
    plan = make_plan(session, EVERYTHING, sort)
    with session.database.reading() as connection:
        position = position_of(connection, plan, candidate_id)
        if position is None:
            raise SessionError(f"there is no candidate {candidate_id}")
        return _read_rows(connection, plan, session.reviewer, [position], with_values)[0]


def matching(
    session: Session,
    tree: Filter = EVERYTHING,
    sort: Sort = LIST_ORDER,
    *,
    at_once: int = 200,
) -> Iterator[QueueRow]:
    """Iterate over all matching rows in order, reading pages on demand.

    Later pages show changes made meanwhile; a row comes twice only if its position moves ahead.
    """
    after: QueuePosition | None = None
    while True:
        found = page(session, tree, sort, after=after, limit=at_once)
        yield from found.rows
        if found.end is None:
            return
        after = found.end


def matching_ids(
    session: Session, tree: Filter = EVERYTHING, sort: Sort = LIST_ORDER
) -> Iterator[int]:
    """Iterate over the ids of all matching candidates in order, without reading their rows."""
    plan, after = make_plan(session, tree, sort), start_of(sort, False)
    while True:
        with session.database.reading() as connection:
            found = walk(connection, plan, after, MAX_PAGE)
        yield from (position.id for position in found.positions)
        if found.end is None:
            return
        after = found.end


def _next(
    session: Session, tree: Filter, sort: Sort, start: QueuePosition | None, *, backwards: bool
) -> QueueRow | None:
    while True:
        found = page(session, tree, sort, after=start, limit=1, backwards=backwards)
        if found.rows:
            return found.rows[0]
        if found.end is None:
            return None
        start = found.end


def _read_rows(
    connection: Connection,
    plan: Plan,
    reviewer: str,
    positions: Sequence[QueuePosition],
    with_values: bool,
) -> list[QueueRow]:
    if not positions:
        return []
    reviewer_id = plan.context.reviewer_or_0
    whose = (_MINE.c.candidate_id == candidates.c.id) & (_MINE.c.reviewer_id == reviewer_id)
    query = (
        select(candidates, *(_MINE.c[name] for name in OF_MINE), literal(reviewer).label("name"))
        .select_from(candidates.outerjoin(_MINE, whose))
        .where(candidates.c.id.in_([position.id for position in positions]))
    )
    rows = {row.id: row for row in connection.execute(query)}
    said = read_values(connection, list(rows)) if with_values else {}
    return [
        QueueRow(
            position=position,
            candidate=candidate_of(row),
            mine=None if row.log_id is None else judgement_of(row),
            evidence=said.get(position.id, NOTHING),
        )
        for position, row in ((each, rows[each.id]) for each in positions)
    ]


@dataclass(frozen=True)
class Count:
    """An exact number, or a lower bound."""

    number: int
    is_exact: bool

    def __str__(self) -> str:
        return f"{self.number:,}" if self.is_exact else f"{self.number:,}+"


def count(session: Session, tree: Filter = EVERYTHING, at_most: int = AT_MOST) -> Count:
    """Count the matching candidates up to `at_most`, or as far as one walk looks."""
    plan = make_plan(session, tree, LIST_ORDER)
    with session.database.reading() as connection:
        found = walk(connection, plan, start_of(LIST_ORDER, False), at_most + 1)
    number = min(len(found.positions), at_most)
    return Count(number, is_exact=found.end is None and len(found.positions) <= at_most)


def find(session: Session, text: str, limit: int = MAX_FOUND) -> list[Candidate]:
    """Candidates with this name, number or TARGETID, then those whose name begins with the text.

    Names are tried as typed, in capitals and in lower case, so that an index can be used.
    """
    text = "".join(each for each in text if each.isprintable()).strip()[:MAX_TEXT]
    if not text:
        return []
    # Each reads one range of an index.
    number = int(text) if text.isascii() and text.isdecimal() else MAX_NUMBER + 1
    name, query = candidates.c.object_id, select(candidates.c.id)
    spellings = list(dict.fromkeys([text, text.upper(), text.lower()]))
    queries = [query.where(name == each).order_by(candidates.c.id) for each in spellings]
    if MIN_TARGETID <= number <= MAX_NUMBER:
        # The second condition is redundant, but needed for SQLite to use the partial index.
        is_target = (candidates.c.row == number) & raw_sql(f'"row" >= {MIN_TARGETID}')
        queries.append(query.where(is_target).order_by(candidates.c.id))
    elif number <= MAX_NUMBER:
        queries.append(query.where(candidates.c.id == number))
    for each in spellings:
        has_prefix = (name >= each) & (name < each + LAST_CHARACTER)
        queries.append(query.where(has_prefix).order_by(name, candidates.c.id))
    found: dict[int, None] = {}
    with session.database.reading() as connection:
        for query in queries:
            if len(found) < limit:
                found.update(dict.fromkeys(connection.execute(query.limit(limit)).scalars()))
    return session.candidates(list(found)[:limit])
