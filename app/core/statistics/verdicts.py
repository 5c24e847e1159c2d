"""The current verdicts of all reviewers as arrays, the basis of all agreement figures."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Row, case, select

from agent.spectra.spectrum import BoolArray, FloatArray
from app.core.database.paging import pages
from app.core.database.tables import candidates, judgements, log, reviewers
from app.core.session.group_acts import Acts, acts
from app.core.session.known_answers import not_known
from app.core.session.records import Verdict
from app.core.session.session import MAX_IDS, Session
from app.core.session.stored_opinions import damaged
from app.core.session.verdict_log import MAX_REVIEWERS

IntArray = NDArray[np.int64]
CodeArray = NDArray[np.int8]

VERDICTS: tuple[Verdict, ...] = tuple(Verdict)  # the code of a verdict is its index here
NONE = -1  # no verdict: not given blind, or reviewers disagree
CODE: Mapping[str, int] = {str(word): code for code, word in enumerate(VERDICTS)}
ACCEPT, REJECT, UNSURE = range(3)

PAGE = 20_000
MAX_ID = 2**53  # as a float, an integer is exact up to this
MAX_SNR = 1e9
NOTHING_SHOWN = "{}"  # `shown` of a log line if no agent's result had been shown
ADJUDICATOR = "adjudicator"  # the fact that names the reviewer whose verdict settles disagreements


@dataclass(frozen=True, eq=False, kw_only=True)
class Verdicts:
    """Parallel arrays with one element per verdict, sorted by candidate, then by reviewer."""

    candidate: IntArray
    reviewer: IntArray
    line: IntArray  # id of the log line in which the verdict was given
    verdict: CodeArray
    blind: CodeArray  # the last verdict before an agent's result was shown, or NONE
    snr: FloatArray  # NaN if the list has none
    together: BoolArray  # whether it was given to several candidates in one act
    names: Mapping[int, str]
    adjudicator: int | None = None

    def __len__(self) -> int:
        return int(self.candidate.size)

    @cached_property
    def reviewers(self) -> tuple[int, ...]:
        """Ids of the reviewers with a verdict."""
        return tuple(np.flatnonzero(np.bincount(self.reviewer)).tolist())

    @cached_property
    def one_by_one(self) -> Verdicts:
        """Those not given in an act: the ones that measure agreement and calibrate."""
        if not self.together.any():
            return self
        kept = ~self.together
        columns: dict[str, Any] = {
            each.name: value[kept]
            for each in fields(self)
            if isinstance(value := getattr(self, each.name), np.ndarray)
        }
        return replace(self, **columns)

    def of(self, reviewer: int) -> BoolArray:
        return np.equal(self.reviewer, reviewer)


@dataclass(frozen=True, eq=False)
class Settled:
    """One verdict per candidate, sorted by id; NONE where reviewers disagree."""

    candidate: IntArray
    verdict: CodeArray
    snr: FloatArray

    def __len__(self) -> int:
        return int(self.candidate.size)


def read_verdicts(session: Session) -> Verdicts:
    """Read all verdicts.

    Those on hidden candidates with a known answer measure the person, and are left out.
    """
    table = np.concatenate([np.empty((0, 7)), *_pages(session)])
    candidate, reviewer, line, code, seen, before = table[:, :6].astype(np.int64).T
    newest = _Opinions(line, code.astype(np.int8), seen > 0, before)
    whose = dict(zip(newest.line.tolist(), reviewer.tolist(), strict=True))
    given = given_together(session, whose, "verdict")
    names = {row.id: row.name for row in session.database.rows(select(reviewers)) if row.name}
    if not names.keys() >= set(reviewer.tolist()):
        raise damaged("the reviewer of a judgement")
    wanted = session.fact(ADJUDICATOR)
    return Verdicts(
        candidate=candidate,
        reviewer=reviewer,
        line=newest.line,
        verdict=newest.code,
        blind=_blind(session, newest),
        snr=table[:, 6],
        together=np.isin(newest.line, sorted(given)),
        names=names,
        adjudicator=next((number for number, name in names.items() if name == wanted), None),
    )


def settled(verdicts: Verdicts, *, blind: bool = False) -> Settled:
    """Reduce to one verdict per candidate: the adjudicator's, otherwise a unanimous one."""
    code = verdicts.blind if blind else verdicts.verdict
    given = code != NONE
    candidate, code, snr = verdicts.candidate[given], code[given], verdicts.snr[given]
    if not candidate.size:
        return Settled(candidate, code, snr)
    starts = np.flatnonzero(np.diff(candidate, prepend=candidate[0] - 1))
    numbers = candidate[starts]
    lowest, highest = np.minimum.reduceat(code, starts), np.maximum.reduceat(code, starts)
    found = np.where(lowest == highest, lowest, NONE).astype(np.int8)
    if verdicts.adjudicator is not None:
        decides = verdicts.reviewer[given] == verdicts.adjudicator
        found[np.searchsorted(numbers, candidate[decides])] = code[decides]
    return Settled(numbers, found, snr[starts])


def common_indexes(some: IntArray, rising: IntArray) -> tuple[IntArray, IntArray]:
    """Indexes of the common numbers in each of two arrays without duplicates."""
    at = np.searchsorted(rising, some)
    there = np.flatnonzero(at < rising.size)
    there = there[rising[at[there]] == some[there]]
    return there, at[there]


class _Opinions(NamedTuple):
    """Log lines with verdict, whether an agent's result had been shown, and the replaced line."""

    line: IntArray
    code: CodeArray
    seen: BoolArray
    before: IntArray  # Id of the replaced line; 0 for none.


def _pages(session: Session) -> Iterator[FloatArray]:
    """Pages of rows: candidate, reviewer, log line, code, seen, replaced line, S/N."""
    query = (
        select(
            candidates.c.id.label("candidate_id"),
            judgements.c.reviewer_id,
            log.c.id,
            case(CODE, value=judgements.c.verdict),
            case((log.c.shown == NOTHING_SHOWN, 0), else_=1),
            number_in_range(log.c.before_id, 1, MAX_ID),
            number_in_range(candidates.c.snr, -MAX_SNR, MAX_SNR),
        )
        .join(candidates, candidates.c.id == judgements.c.candidate_id)
        .join(log, log.c.id == judgements.c.log_id)
        .where(judgements.c.verdict.in_(VERDICTS))
        # The sum keeps SQLite from using an index on reviewers: we need the order of the key.
        .where((judgements.c.reviewer_id + 0).between(1, MAX_REVIEWERS))
        .where(candidates.c.id.between(1, MAX_ID), log.c.id.between(1, MAX_ID))
        .where(not_known(judgements.c.candidate_id))
    )
    key = judgements.c.candidate_id, judgements.c.reviewer_id
    for rows in pages(session.database, query, *key, at_once=PAGE):
        table = np.array(list(zip(*rows, strict=True)), dtype=np.float64).T
        table[:, 5] = np.nan_to_num(table[:, 5])
        yield table


def _blind(session: Session, newest: _Opinions) -> CodeArray:
    """For each opinion, follow the replaced lines to the last verdict before anything was shown."""
    found = np.full(newest.line.size, NONE, dtype=np.int8)
    is_found = np.zeros(newest.line.size, dtype=np.bool_)
    at, opinions = np.arange(newest.line.size), newest
    while at.size:
        found[at[opinions.seen]], is_found[at[opinions.seen]] = NONE, False
        news = ~opinions.seen & ~is_found[at]
        found[at[news]], is_found[at[news]] = opinions.code[news], True
        # A log refers only to earlier lines, but a forged one may contain a loop.
        older = (opinions.before > 0) & (opinions.before < opinions.line)
        at, opinions = at[older], _read_opinions(session, opinions.before[older])
    return found


def _read_opinions(session: Session, lines: IntArray) -> _Opinions:
    """Read these log lines, each once."""
    code = np.full(lines.size, NONE, dtype=np.int8)
    seen, before = np.zeros(lines.size, dtype=np.bool_), np.zeros(lines.size, dtype=np.int64)
    index_of = {line: at for at, line in enumerate(lines.tolist())}
    for row in _log_lines(session, lines.tolist(), log.c.verdict, log.c.shown):
        at = index_of[row.id]
        code[at] = NONE if row.verdict is None else CODE.get(row.verdict, NONE)
        seen[at], before[at] = row.shown != NOTHING_SHOWN, row.before_id or 0
    return _Opinions(lines, code, seen, before)


def _log_lines(
    session: Session, lines: Sequence[int], *columns: ColumnElement[Any]
) -> Iterator[Row[Any]]:
    """These lines of the log with the ids of the lines that they replaced, and these columns."""
    query = select(log.c.id, log.c.before_id, *columns)
    for start in range(0, len(lines), MAX_IDS):
        some = query.where(log.c.id.in_(lines[start : start + MAX_IDS]))
        yield from session.database.rows(some)


def number_in_range(column: ColumnElement[Any], low: float, high: float) -> ColumnElement[Any]:
    """The column in a range, else NULL; in an untrusted session it may even contain text."""
    return case((column.between(low, high), column))


# Which verdicts and sub-classes were given to several candidates in one act. Nobody looked at
# each of these spectra, so they tell nothing of how well people agree.
class _Line(NamedTuple):
    before: int  # Id of the line it replaced; 0 for none.
    value: object


def given_together(
    session: Session, lines: Mapping[int, int], what: Literal["verdict", "subclass"]
) -> set[int]:
    """Those of these log lines, given with their reviewers, whose `what` came in an act.

    An act may have changed only the flags of an opinion whose verdict was given before.
    """
    with session.database.reading() as connection:
        known = acts(connection)
    found = {line for line, reviewer in lines.items() if _is_in(known, reviewer, line)}
    rows = _read(session, found, what)
    at = {line: line for line in found if line in rows}  # a forged opinion may name no line
    while at:
        rows |= _read(session, {rows[line].before for line in at.values()}, what)
        older: dict[int, int] = {}
        for line, number in at.items():
            before = rows[number].before
            if before not in rows or rows[before].value != rows[number].value:
                continue
            if _is_in(known, lines[line], before):
                older[line] = before
            else:
                found.discard(line)
        at = older
    return found


def _is_in(known: Acts, reviewer: int, line: int) -> bool:
    mine = known.get(reviewer, ())
    place = bisect_right(mine, line, key=lambda act: act[0]) - 1
    return place >= 0 and line <= mine[place][1]


def _read(session: Session, lines: Iterable[int], what: str) -> dict[int, _Line]:
    found: dict[int, _Line] = {}
    for row in _log_lines(session, sorted(lines), log.c[what]):
        # A log refers only to earlier lines, but a forged one may contain a loop.
        is_earlier = isinstance(row.before_id, int) and row.before_id < row.id
        found[row.id] = _Line(row.before_id if is_earlier else 0, row._mapping[what])
    return found
