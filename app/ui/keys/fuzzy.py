"""Finding by a few letters of a name, as they come to mind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

Thing = TypeVar("Thing")
_MATCH, _FOLLOWS, _BEGINS_WORD, _BEGINS = 1, 4, 6, 3
LONGEST = 80


def found(query: str, things: Iterable[tuple[Thing, Sequence[str]]]) -> list[Thing]:
    """Those of which one of the names fits, the best first; all of them for no query."""
    wanted = " ".join(query.split())[:LONGEST]
    scored = []
    for place, (thing, names) in enumerate(things):
        fits = [fit for name in names if (fit := fit_of(wanted, name)) is not None]
        if fits:
            scored.append((-max(fits), place, thing))
    return [thing for *_, thing in sorted(scored, key=lambda each: each[:2])]


def fit_of(query: str, name: str) -> int | None:
    """How well the letters of `query`, in their order, are found in a name; None: not all are."""
    letters = [letter for letter in query.casefold() if not letter.isspace()]
    text = name.casefold()[: 2 * LONGEST]
    if not letters:
        return 0
    best: dict[int, int] = {-1: 0}
    # best[place]: of all ways to put the letters so far with the last of them at `place`.
    for letter in letters:
        places = [place for place, sign in enumerate(text) if sign == letter]
        best = _next(best, places, text)
        if not best:
            return None
    return max(best.values()) * 100 - len(text)


def _next(best: dict[int, int], places: list[int], text: str) -> dict[int, int]:
    following: dict[int, int] = {}
    for place in places:
        before = [
            fit + (_FOLLOWS if last == place - 1 and last >= 0 else 0)
            for last, fit in best.items()
            if last < place
        ]
        if before:
            following[place] = max(before) + _worth(text, place)
    return following


def _worth(text: str, place: int) -> int:
    if place == 0:
        return _MATCH + _BEGINS_WORD + _BEGINS
    return _MATCH + (0 if text[place - 1].isalnum() else _BEGINS_WORD)
