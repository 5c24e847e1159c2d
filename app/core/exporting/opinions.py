"""The verdicts about one page of candidates, as cells of a catalogue."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, bindparam, select

from app.core.database.tables import judgements, log, reviewers
from app.core.exporting.selection import Selection
from app.core.session.stored_opinions import judgement_of, opinion_of
from app.core.session.subclass_and_fields import values_text
from app.core.session.velocity import velocity_json
from app.core.statistics.adjudication import final_opinion

NOTHING_SHOWN = "{}"


class OpinionCells(NamedTuple):
    """The cells of OPINION and SEEN, in their order, then the further ones as they are kept."""

    verdict: str | None = None
    confidence: int | None = None
    flags: str | None = None
    comment: str | None = None
    reviewer: str | None = None
    decided_at: str | None = None
    seconds_spent: float | None = None
    agent_seen_before: bool = False
    subclass: str | None = None
    fields: str | None = None
    velocity: str | None = None
    order_met: str | None = None


NO_OPINION = OpinionCells()


def opinion_cells(
    connection: Connection, ids: Sequence[int], selection: Selection, adjudicator: str | None
) -> list[OpinionCells]:
    """For each id the opinion of the selected reviewer, or the final one of all reviewers."""
    by_candidate: dict[int, list[Row[Any]]] = defaultdict(list)
    for row in _rows(connection, judgements, ids, selection):
        if selection.reviewer_id in (None, row.reviewer_id):
            by_candidate[row.candidate_id].append(row)
    if not by_candidate:
        return [NO_OPINION] * len(ids)
    log_rows = _LogRows(_rows(connection, log, ids, selection))
    cells = {
        number: _opinion_of_several(rows, log_rows, adjudicator)
        for number, rows in by_candidate.items()
    }
    return [cells.get(number, NO_OPINION) for number in ids]


def flags_text(flags: Sequence[str]) -> str:
    """The flags separated by ;, with ; and % in a flag encoded as %3B and %25."""
    return ";".join(flag.replace("%", "%25").replace(";", "%3B") for flag in flags)


def time_text(at: str) -> str:
    """A UTC time with Z instead of +00:00."""
    return at.removesuffix("+00:00") + "Z" if at.endswith("+00:00") else at


def _judgement_query(condition: ColumnElement[bool]) -> Select[Any]:
    query = select(judgements, reviewers.c.name).where(condition)
    query = query.join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
    return query.order_by(judgements.c.candidate_id, judgements.c.reviewer_id)


def _verdict_log_query(condition: ColumnElement[bool]) -> Select[Any]:
    numbers = log.c.id, log.c.candidate_id, log.c.reviewer_id, log.c.before_id
    query = select(*numbers, log.c.verdict, log.c.shown, log.c.seconds, log.c.order_met)
    return query.where(condition, log.c.action == "set")


_RANGE_QUERIES = {
    table: query(table.c.candidate_id.between(bindparam("first"), bindparam("last")))
    for table, query in ((judgements, _judgement_query), (log, _verdict_log_query))
}
"""Built once, because building a query takes as long as running it for a page."""


def _rows(
    connection: Connection, table: Table, ids: Sequence[int], selection: Selection
) -> Sequence[Row[Any]]:
    if selection.ids is None:  # the ids of a page are consecutive
        return connection.execute(_RANGE_QUERIES[table], {"first": ids[0], "last": ids[-1]}).all()
    query = _judgement_query if table is judgements else _verdict_log_query
    return connection.execute(query(table.c.candidate_id.in_(ids))).all()


class _LogRows:
    def __init__(self, rows: Sequence[Row[Any]]) -> None:
        self._by_id = {row.id: row for row in rows}
        self._seconds: dict[tuple[int, int], float] = defaultdict(float)
        for row in self._by_id.values():
            if isinstance(row.seconds, float | int):
                self._seconds[row.candidate_id, row.reviewer_id] += row.seconds

    def seconds(self, judgement: Row[Any]) -> float | None:
        """Total time the reviewer spent on the candidate, over all visits, to the millisecond."""
        spent = self._seconds.get((judgement.candidate_id, judgement.reviewer_id))
        return None if spent is None else round(spent, 3)

    def order_met(self, judgement: Row[Any]) -> str:
        entry = self._by_id.get(judgement.log_id)
        return "" if entry is None or judgement.verdict is None else str(entry.order_met)

    def had_seen_agent(self, judgement: Row[Any]) -> bool:
        """Whether the agent's opinion was shown before this verdict was first given."""
        entry = self._by_id.get(judgement.log_id)
        while entry is not None:
            before = self._by_id.get(entry.before_id) if entry.before_id is not None else None
            if before is None or before.verdict != entry.verdict or before.id >= entry.id:
                return bool(entry.shown != NOTHING_SHOWN)
            entry = before
        return False


def _opinion_of_several(
    rows: list[Row[Any]], log_rows: _LogRows, adjudicator: str | None
) -> OpinionCells:
    if len(rows) == 1:
        return _opinion_of_one(rows[0], log_rows)
    final = final_opinion([judgement_of(row) for row in rows], adjudicator)
    authors = [row for row in rows if row.name in final.reviewers]
    spent = [each for each in map(log_rows.seconds, authors) if each is not None]
    opinion = final.opinion
    return OpinionCells(
        verdict=None if opinion.verdict is None else str(opinion.verdict),
        confidence=opinion.confidence,
        flags=flags_text(opinion.flags) or None,
        comment=opinion.comment or None,
        reviewer=flags_text([row.name for row in authors]) or None,
        decided_at=time_text(final.at) if final.at else None,
        seconds_spent=round(sum(spent), 3) if spent else None,
        agent_seen_before=any(map(log_rows.had_seen_agent, authors)),
        subclass=opinion.subclass,
        fields=values_text(opinion.fields),
        velocity=velocity_json(opinion.velocity),
        order_met=flags_text([each for each in map(log_rows.order_met, authors) if each]),
    )


def _opinion_of_one(row: Row[Any], log_rows: _LogRows) -> OpinionCells:
    """The fast path for a single opinion, the common case; the stored values are not checked."""
    return OpinionCells(
        row.verdict,
        row.confidence,
        None if row.flags == "[]" else flags_text(opinion_of(row).flags),
        row.comment or None,
        flags_text([str(row.name)]),
        None if row.verdict is None else time_text(str(row.at)),
        log_rows.seconds(row),
        log_rows.had_seen_agent(row),
        row.subclass,
        row.fields,
        row.velocity,
        log_rows.order_met(row),
    )
