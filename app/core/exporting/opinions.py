"""What people say of the candidates of one page, as the cells of a catalogue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, bindparam, select

from app.core.database.tables import judgements, log, reviewers
from app.core.exporting.selection import Selection
from app.core.session.stored_opinions import judgement_of, opinion_of
from app.core.statistics.adjudication import final_of

UNSEEN = "{}"


class OpinionCells(NamedTuple):
    """The cells of OPINION and SEEN, in their order."""

    verdict: str | None = None
    confidence: int | None = None
    flags: str | None = None
    comment: str | None = None
    reviewer: str | None = None
    decided_at: str | None = None
    seconds_spent: float | None = None
    agent_seen_before: bool = False


NOTHING_SAID = OpinionCells()


def said_of(
    connection: Connection, ids: Sequence[int], chosen: Selection, adjudicator: str | None
) -> list[OpinionCells]:
    """In the order of `ids`: what the chosen reviewer says, or what all of them come to."""
    given: dict[int, list[Row[Any]]] = defaultdict(list)
    for row in _rows(connection, judgements, ids, chosen):
        if chosen.reviewer_id in (None, row.reviewer_id):
            given[row.candidate_id].append(row)
    if not given:
        return [NOTHING_SAID] * len(ids)
    lines = _Lines(_rows(connection, log, ids, chosen))
    said = {number: _said(rows, lines, adjudicator) for number, rows in given.items()}
    return [said.get(number, NOTHING_SAID) for number in ids]


def flags_text(flags: Sequence[str]) -> str:
    """With ; between them; a ; or % of a flag's own as %3B and %25."""
    return ";".join(flag.replace("%", "%25").replace(";", "%3B") for flag in flags)


def time_text(at: str) -> str:
    """With the Z that catalogues know."""
    return at.removesuffix("+00:00") + "Z" if at.endswith("+00:00") else at


def _held(here: ColumnElement[bool]) -> Select[Any]:
    columns = judgements.c.candidate_id, judgements.c.reviewer_id
    names = reviewers.c.id == judgements.c.reviewer_id
    return (
        select(judgements, reviewers.c.name).join(reviewers, names).where(here).order_by(*columns)
    )


def _set(here: ColumnElement[bool]) -> Select[Any]:
    columns = ("id", "candidate_id", "reviewer_id", "verdict", "shown", "before_id", "seconds")
    return select(*(log.c[name] for name in columns)).where(here, log.c.action == "set")


_BETWEEN = {
    table: query(table.c.candidate_id.between(bindparam("first"), bindparam("last")))
    for table, query in ((judgements, _held), (log, _set))
}
"""Made once: to make them for each page takes as long as to ask them."""


def _rows(
    connection: Connection, table: Table, ids: Sequence[int], chosen: Selection
) -> Sequence[Row[Any]]:
    """Those about the candidates."""
    if chosen.ids is None:  # then they follow one another
        return connection.execute(_BETWEEN[table], {"first": ids[0], "last": ids[-1]}).all()
    query = _held if table is judgements else _set
    return connection.execute(query(table.c.candidate_id.in_(ids))).all()


class _Lines:
    """The log of some candidates."""

    def __init__(self, rows: Sequence[Row[Any]]) -> None:
        self._by_id = {row.id: row for row in rows}
        self._seconds: dict[tuple[int, int], float] = defaultdict(float)
        for row in self._by_id.values():
            if isinstance(row.seconds, float | int):
                self._seconds[row.candidate_id, row.reviewer_id] += row.seconds

    def seconds(self, judgement: Row[Any]) -> float | None:
        """All that the reviewer spent on it, however often they came back."""
        return self._seconds.get((judgement.candidate_id, judgement.reviewer_id))

    def had_seen(self, judgement: Row[Any]) -> bool:
        """Before the verdict was given; what was only added to it later does not count."""
        line = self._by_id.get(judgement.log_id)
        while line is not None:
            before = self._by_id.get(line.before_id) if line.before_id is not None else None
            if before is None or before.verdict != line.verdict or before.id >= line.id:
                return bool(line.shown != UNSEEN)
            line = before
        return False


def _said(rows: list[Row[Any]], lines: _Lines, adjudicator: str | None) -> OpinionCells:
    if len(rows) == 1:
        return _said_by_one(rows[0], lines)
    final = final_of([judgement_of(row) for row in rows], adjudicator)
    whose = [row for row in rows if row.name in final.reviewers]
    spent = [each for each in map(lines.seconds, whose) if each is not None]
    opinion = final.opinion
    return OpinionCells(
        verdict=None if opinion.verdict is None else str(opinion.verdict),
        confidence=opinion.confidence,
        flags=flags_text(opinion.flags) or None,
        comment=opinion.comment or None,
        reviewer=flags_text([row.name for row in whose]) or None,
        decided_at=time_text(final.at) if final.at else None,
        seconds_spent=sum(spent) if spent else None,
        agent_seen_before=any(map(lines.had_seen, whose)),
    )


def _said_by_one(row: Row[Any], lines: _Lines) -> OpinionCells:
    """The same without the detour: the common case, a million times. Whatever lies there is
    written as it is."""
    return OpinionCells(
        row.verdict,
        row.confidence,
        None if row.flags == "[]" else flags_text(opinion_of(row).flags),
        row.comment or None,
        flags_text([str(row.name)]),
        None if row.verdict is None else time_text(str(row.at)),
        lines.seconds(row),
        lines.had_seen(row),
    )
