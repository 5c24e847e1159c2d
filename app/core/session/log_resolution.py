"""Which opinion of a reviewer on a candidate stands, derived from the log alone.

Files that hold the same lines give the same answer, in whatever order the lines came and whatever
their ids are there. The lines form a tree: a `set` line hangs on the line it replaced, and lines of
machines that did not know each other are branches. Where it divides, the branch with the latest
line by the clock is followed, so a replacement stands even if the clock was ahead when the line
that it replaced was written. Undo and redo lines of one `set` line form such a tree of their own.
The table `judgements` stores the answer.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256

from app.core.session.stored_opinions import LogRow, damaged, have_type

CONTENT = ("action", "verdict", "confidence", "flags", "comment", "seconds", "shown")
LATER_CONTENT = ("subclass", "fields", "velocity", "order_met")
"""Counted only where there is any, so that a line has the same hash as in older programs."""

Stamp = tuple[str, str, int, bytes]
"""Time, session and number of a line where it was written, and a hash of all that it says.

The same in all files and different for all lines, so that it puts them in one order everywhere.
"""
Parents = Mapping[int, int | None]  # The line on which each line hangs; None for the root.


def resolved_line(
    lines: Iterable[LogRow],
    session_id: str,
    *,
    undone: int | None = None,
    redone: int | None = None,
) -> LogRow | None:
    """Find the line that stands among all of one reviewer's lines on one candidate.

    `lines` are in log order; `session_id` is the origin of those that were not merged. `undone` or
    `redone` is the id of a `set` line to be treated as if it were undone or redone now. None if
    there is no opinion.
    """
    by_id = _by_id(lines)
    stamps = _stamps(by_id, session_id)
    parents = _replaced(by_id)
    standing = set(parents) - (_withdrawn(by_id, parents, stamps) - {redone} | {undone})
    found = _end_of_latest_branch(parents, stamps, standing)
    return None if found is None else by_id[found]


def resolved_ends(lines: Iterable[LogRow], session_id: str) -> list[LogRow]:
    """The lines that stand at the end of each branch; several if machines did not know each other.

    The one that stands in the end is among them.
    """
    by_id = _by_id(lines)
    parents = _replaced(by_id)
    standing = set(parents) - _withdrawn(by_id, parents, _stamps(by_id, session_id))
    replaced: set[int] = set()
    for number in reversed(parents):  # a line has a higher id than the one it replaced
        parent = parents[number]
        if parent is not None and (number in standing or number in replaced):
            replaced.add(parent)
    return [by_id[number] for number in parents if number in standing - replaced]


def last_withdrawal(lines: Iterable[LogRow], session_id: str, target: int) -> int:
    """The undo or redo line that decides whether a `set` line stands; else that line itself."""
    by_id = _by_id(lines)
    events = _withdrawals(by_id, {target}).get(target, [])
    stamps = _stamps(by_id, session_id)
    return _end_of_latest_branch(_followed(events, stamps), stamps) or target


def _by_id(lines: Iterable[LogRow]) -> dict[int, LogRow]:
    by_id = {line.id: line for line in lines}
    for line in by_id.values():
        if not have_type(str, line.at, line.origin):
            raise damaged(f"line {line.id} of the log")
        if line.origin and not have_type(int, line.origin_id):
            raise damaged(f"line {line.id} of the log")
    return by_id


def _stamps(by_id: Mapping[int, LogRow], session_id: str) -> dict[int, Stamp]:
    stamps: dict[int, Stamp] = {}
    for number, line in by_id.items():
        earlier = [stamps.get(each) for each in (line.before_id, line.target_id)]
        later = {name: said for name in LATER_CONTENT if (said := getattr(line, name))}
        content = [getattr(line, name) for name in CONTENT]
        text = repr((earlier, content, later) if later else (earlier, content))
        session, there = (line.origin, line.origin_id) if line.origin else (session_id, number)
        hashed = sha256(text.encode("utf-8", "surrogatepass")).digest()
        stamps[number] = (line.at, session, there, hashed)
    return stamps


def _replaced(by_id: Mapping[int, LogRow]) -> dict[int, int | None]:
    parents: dict[int, int | None] = {}
    for number, line in by_id.items():
        if line.action == "set":
            parents[number] = line.before_id if line.before_id in parents else None
    return parents


def _withdrawn(
    by_id: Mapping[int, LogRow], set_lines: Parents, stamps: Mapping[int, Stamp]
) -> set[int | None]:
    """Ids of the `set` lines whose latest undo or redo, in any session, is an undo."""
    found: set[int | None] = set()
    for target, events in _withdrawals(by_id, set_lines).items():
        last = _end_of_latest_branch(_followed(events, stamps), stamps)
        if last is not None and by_id[last].action == "undo":
            found.add(target)
    return found


def _withdrawals(by_id: Mapping[int, LogRow], targets: Iterable[int]) -> dict[int, list[LogRow]]:
    """The undo and redo lines of each of these `set` lines."""
    wanted = set(targets)
    found: dict[int, list[LogRow]] = defaultdict(list)
    for line in by_id.values():
        if line.action != "set" and line.target_id in wanted and line.target_id < line.id:
            found[line.target_id].append(line)
    return found


def _followed(events: Iterable[LogRow], stamps: Mapping[int, Stamp]) -> Parents:
    """The line that each undo or redo of one `set` line followed.

    Older programs did not write it: there the number tells the order within one session.
    """
    parents: dict[int, int | None] = {}
    old: dict[str, list[int]] = defaultdict(list)
    for line in events:
        parents[line.id] = line.before_id if line.before_id in parents else None
        if line.before_id is None:
            old[stamps[line.id][1]].append(line.id)
    for numbers in old.values():
        numbers.sort(key=lambda number: (stamps[number][2], stamps[number]))
        parents |= dict(zip(numbers[1:], numbers, strict=False))
    return parents


def _end_of_latest_branch(
    parents: Parents, stamps: Mapping[int, Stamp], standing: set[int] | None = None
) -> int | None:
    """Follow from the root, wherever it divides, the branch with the latest line, to its end.

    Branches in which no line is in `standing` are left out; without it, all count.
    """
    children: dict[int | None, list[int]] = defaultdict(list)
    for number, parent in parents.items():
        children[parent].append(number)
    downwards = list(children[None])
    for number in downwards:  # grows while it is read
        downwards += children[number]
    latest: dict[int | None, Stamp] = {}
    following: dict[int | None, int] = {}
    for number in reversed(downwards):
        if standing is None or number in standing or number in following:
            latest[number] = max(stamps[number], latest.get(number, stamps[number]))
            parent = parents[number]
            if parent not in latest or latest[number] > latest[parent]:
                latest[parent] = latest[number]
                following[parent] = number
    end: int | None = None
    while end in following:
        end = following[end]
    return end
