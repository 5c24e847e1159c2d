"""Fuzzy search: the letters of a query must appear in a name in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
# Score of a matched letter, and bonuses: next to the last match, at the start of a word or name.
_MATCH, _ADJACENT, _WORD_START, _NAME_START = 1, 4, 6, 3
MAX_LENGTH = 80


def best_matches(query: str, items: Iterable[tuple[Item, Sequence[str]]]) -> list[Item]:
    """The items with a matching name, best match first; all items for an empty query."""
    query = " ".join(query.split())[:MAX_LENGTH]
    scored = []
    for number, (item, names) in enumerate(items):
        scores = [score for name in names if (score := match_score(query, name)) is not None]
        if scores:
            scored.append((-max(scores), number, item))
    return [item for *_, item in sorted(scored, key=lambda each: each[:2])]


def match_score(query: str, name: str) -> int | None:
    """How well `query` matches a name, or None if a letter is missing."""
    letters = [letter for letter in query.casefold() if not letter.isspace()]
    text = name.casefold()[: 2 * MAX_LENGTH]
    if not letters:
        return 0
    # best[i]: highest score of the letters so far with the last of them at index i of the name.
    best: dict[int, int] = {-1: 0}
    for letter in letters:
        indices = [index for index, sign in enumerate(text) if sign == letter]
        best = _extended(best, indices, text)
        if not best:
            return None
    return max(best.values()) * 100 - len(text)


def _extended(best: dict[int, int], indices: list[int], text: str) -> dict[int, int]:
    extended: dict[int, int] = {}
    for index in indices:
        scores = [
            score + (_ADJACENT if last == index - 1 and last >= 0 else 0)
            for last, score in best.items()
            if last < index
        ]
        if scores:
            extended[index] = max(scores) + _letter_score(text, index)
    return extended


def _letter_score(text: str, index: int) -> int:
    if index == 0:
        return _MATCH + _WORD_START + _NAME_START
    return _MATCH + (0 if text[index - 1].isalnum() else _WORD_START)
