"""What changed between two wordings of a draft, turn by turn and word by word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from train.review.revision import DraftTurn

Kind = Literal["same", "new", "gone"]

WORDS = re.compile(r"\s+|[^\s]+")
MAX_WORDS = 4000
"""More would take seconds to compare; such texts differ as a whole."""
LEAST_ALIKE = 0.3


class Piece(NamedTuple):
    """A run of words that both texts have, that is new, or that is gone."""

    kind: Kind
    text: str


def word_differences(before: str, after: str) -> tuple[Piece, ...]:
    """The pieces of both texts in order; those that are gone stand before those in their place."""
    old, new = WORDS.findall(before), WORDS.findall(after)
    pieces = [Piece("gone", before), Piece("new", after)]
    if max(len(old), len(new)) <= MAX_WORDS:
        pieces = []
        for what, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if what == "equal":
                pieces.append(Piece("same", "".join(new[k:m])))
            else:
                pieces += [Piece("gone", "".join(old[i:j])), Piece("new", "".join(new[k:m]))]
    return tuple(piece for piece in pieces if piece.text)


def former_turns(before: Sequence[DraftTurn], after: Sequence[DraftTurn]) -> list[DraftTurn | None]:
    """For each turn the one it was made from: of the same call, or else the most alike."""
    left = list(before)
    found: list[DraftTurn | None] = []
    for turn in after:
        found.append(next((each for each in left if _is_same_call(each, turn)), None))
        left = [each for each in left if each is not found[-1]]
    for place, turn in enumerate(after):
        if found[place] is None and left:
            best = max(left, key=lambda each: _likeness(each, turn))
            if _likeness(best, turn) >= LEAST_ALIKE:
                left.remove(best)
                found[place] = best
    return found


def _is_same_call(first: DraftTurn, second: DraftTurn) -> bool:
    if first.range is None and second.range is None:
        return first.verdict == second.verdict
    return (first.range, first.label) == (second.range, second.label)


def _likeness(first: DraftTurn, second: DraftTurn) -> float:
    if (first.range is None) != (second.range is None):
        return 0.0
    one, two = (f"{each.range} {each.label} {each.thought}"[:2000] for each in (first, second))
    return SequenceMatcher(None, one, two, autojunk=False).ratio()
