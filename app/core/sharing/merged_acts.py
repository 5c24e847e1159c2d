"""Merges which lines of the log were written in one act, as statistics must know of them."""

from __future__ import annotations

from sqlalchemy import Connection, select

from app.core.database.tables import log
from app.core.session.together import MAX_CANDIDATES, act_notes, write_act
from app.core.sharing.log_merge import ReviewerMap
from app.core.sharing.matching import IdMap


def merge_acts(target: Connection, source: Connection, lines: IdMap, reviewers: ReviewerMap) -> int:
    """Note the other session's acts on its lines here; returns how many are new.

    Only lines that a merge has brought are marked, and only whole acts of one person: another
    session must not take our own verdicts out of the figures.
    """
    here = {(first, last) for first, last, _ in act_notes(target)}
    added, until = 0, dict[int, int]()
    for first, last, place in sorted(act_notes(source)):
        if lines.get(first) is None or lines.get(last) is None:
            continue
        whose = select(log.c.reviewer_id).where(log.c.id == first)
        reviewer = source.execute(whose).scalar_one()
        # On a server, acts of several people may overlap; those of one person do not.
        if first <= until.get(reviewer, 0):
            continue
        until[reviewer] = last
        ends = _lines_here(source, target, (first, last), reviewer, lines, reviewers)
        if ends is not None and ends not in here:
            write_act(target, *ends, place)
            added += 1
    return added


def _lines_here(
    source: Connection,
    target: Connection,
    act: tuple[int, int],
    reviewer: int,
    lines: IdMap,
    reviewers: ReviewerMap,
) -> tuple[int, int] | None:
    """The first and last line of an act in the target; None if it is not all there, and alone."""
    query = select(log.c.id, log.c.origin).order_by(log.c.id).limit(MAX_CANDIDATES + 1)
    theirs = query.where(log.c.reviewer_id == reviewer, log.c.id.between(*act))
    numbers = [row.id for row in source.execute(theirs)]
    if not 1 < len(numbers) <= MAX_CANDIDATES or numbers[-1] != act[1]:
        return None
    merged = [lines[number] for number in numbers]
    mine = query.where(
        log.c.reviewer_id == reviewers[reviewer], log.c.id.between(merged[0], merged[-1])
    )
    rows = target.execute(mine).all()
    if [row.id for row in rows] != merged or not all(row.origin for row in rows):
        return None
    return merged[0], merged[-1]
