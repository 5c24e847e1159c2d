"""Which opinion of a reviewer on a candidate stands, from the lines of the log alone.

In a session that was never merged it is the newest `set` line that is not undone. Merging brings in
lines of other sessions: then the later one stands, by the clock, but never before what its author
had seen when they wrote it: a clock may be wrong, a line that follows another is later all the
same. The tables keep the answer ready in `judgements`; this is what it must be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.core.session.stored_opinions import damaged, have_type

Line = Any
"""A row of `log`."""
Moment = tuple[str, int]
"""When, and its number, which tells apart what the clock does not."""


def standing(
    lines: Iterable[Line], *, undone: int | None = None, redone: int | None = None
) -> Line | None:
    """Of all lines of one reviewer on one candidate, in the order of the log; None: no opinion.

    `undone` or `redone`: as if this `set` line were taken back, or done again, now.
    """
    lines = list(lines)
    if wrong := [line.id for line in lines if not have_type(str, line.at, line.origin)]:
        raise damaged(f"line {wrong[0]} of the log")
    given = {line.id: line for line in lines if line.action == "set"}
    moments = _moments(given)
    withdrawn = _withdrawn(lines, moments) - {redone} | {undone}
    held = [number for number in given if number not in withdrawn]
    return given[max(held, key=moments.__getitem__)] if held else None


def _moments(given: Mapping[int, Line]) -> dict[int, Moment]:
    """Of each `set` line: not before the line it replaced."""
    moments: dict[int, Moment] = {}
    for number, line in given.items():
        before = moments.get(line.before_id)
        moments[number] = (line.at if before is None else max(line.at, before[0]), number)
    return moments


def _withdrawn(lines: Iterable[Line], moments: Mapping[int, Moment]) -> set[int | None]:
    """The `set` lines whose last word is an undo, in whatever session that was."""
    last: dict[tuple[int, str], Moment] = {}
    words: dict[int, tuple[Moment, bool]] = {}
    for line in lines:
        target = line.target_id
        if line.action == "set" or target not in moments:
            continue
        # Within one session the order of the lines is that of what happened.
        earlier = last.get((target, line.origin), moments[target])
        moment = (max(line.at, earlier[0]), line.id)
        last[target, line.origin] = moment
        word = (moment, line.action == "undo")
        words[target] = max(words.get(target, word), word)
    return {target for target, (_, is_undo) in words.items() if is_undo}
