"""Which verdicts and sub-classes were given to several candidates in one act.

Nobody looked at each of these spectra, so they tell nothing of how well people agree.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from sqlalchemy import select

from app.core.database.tables import log
from app.core.session.session import MAX_IDS, Session
from app.core.session.together import Acts, acts


class _Line(NamedTuple):
    before: int
    """Id of the line it replaced; 0 for none."""
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
    wanted = sorted(lines)
    query = select(log.c.id, log.c.before_id, log.c[what])
    for start in range(0, len(wanted), MAX_IDS):
        some = log.c.id.in_(wanted[start : start + MAX_IDS])
        with session.database.reading() as connection:
            for number, before, value in connection.execute(query.where(some)):
                # A log refers only to earlier lines, but a forged one may contain a loop.
                is_earlier = isinstance(before, int) and before < number
                found[number] = _Line(before if is_earlier else 0, value)
    return found
