"""Which opinion of a reviewer on a candidate stands, derived from the log alone.

In a session that was never merged it is the newest `set` line that is not undone. With lines merged
from other sessions it is the latest by the clock; but a line that replaces another always counts as
later, since a clock may be wrong. The table `judgements` stores this answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.core.session.stored_opinions import LogRow, damaged, have_type

Moment = tuple[str, int]
"""A line's time and id; the id orders lines of the same time."""


def standing_line(
    lines: Iterable[LogRow], *, undone: int | None = None, redone: int | None = None
) -> LogRow | None:
    """Find the line that stands among all of one reviewer's lines on one candidate.

    `lines` are in log order. `undone` or `redone` is the id of a `set` line to be treated as if it
    were undone or redone now. None if there is no opinion.
    """
    lines = list(lines)
    if damaged_ids := [line.id for line in lines if not have_type(str, line.at, line.origin)]:
        raise damaged(f"line {damaged_ids[0]} of the log")
    set_lines = {line.id: line for line in lines if line.action == "set"}
    moments = _moments(set_lines)
    withdrawn = _withdrawn(lines, moments) - {redone} | {undone}
    standing_ids = [number for number in set_lines if number not in withdrawn]
    return set_lines[max(standing_ids, key=moments.__getitem__)] if standing_ids else None


def _moments(set_lines: Mapping[int, LogRow]) -> dict[int, Moment]:
    """The moment of each `set` line, never earlier than that of the line it replaced."""
    moments: dict[int, Moment] = {}
    for number, line in set_lines.items():
        before = moments.get(line.before_id)
        moments[number] = (line.at if before is None else max(line.at, before[0]), number)
    return moments


def _withdrawn(lines: Iterable[LogRow], moments: Mapping[int, Moment]) -> set[int | None]:
    """Ids of the `set` lines whose latest undo or redo, in any session, is an undo."""
    last: dict[tuple[int, str], Moment] = {}
    latest: dict[int, tuple[Moment, bool]] = {}
    for line in lines:
        target = line.target_id
        if line.action == "set" or target not in moments:
            continue
        # Lines of one session are in the order in which things happened.
        earlier = last.get((target, line.origin), moments[target])
        moment = (max(line.at, earlier[0]), line.id)
        last[target, line.origin] = moment
        entry = (moment, line.action == "undo")
        latest[target] = max(latest.get(target, entry), entry)
    return {target for target, (_, is_undo) in latest.items() if is_undo}
