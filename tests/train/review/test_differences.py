from __future__ import annotations

from train.review.differences import former_turns, word_differences
from train.review.revision import DraftTurn


def test_words_that_are_gone_stand_before_those_in_their_place() -> None:
    pieces = word_differences("Hα is absorbed, 3 Å", "Hα is in emission, 3 Å")
    assert (
        "".join(piece.text for piece in pieces if piece.kind != "gone") == "Hα is in emission, 3 Å"
    )
    assert "".join(piece.text for piece in pieces if piece.kind != "new") == "Hα is absorbed, 3 Å"
    kinds = [piece.kind for piece in pieces]
    assert kinds.index("gone") < kinds.index("new")
    assert word_differences("same", "same")[0].kind == "same"
    assert word_differences("", "") == ()


def test_very_long_texts_differ_as_a_whole() -> None:
    pieces = word_differences("a " * 5000, "b " * 5000)
    assert [piece.kind for piece in pieces] == ["gone", "new"]


def look(low: float, thought: str) -> DraftTurn:
    return DraftTurn(thought=thought, range=(low, low + 100), label="x")


def test_turns_are_compared_with_those_they_were_made_from() -> None:
    before = [look(1000, "first"), look(2000, "second"), DraftTurn(thought="so", verdict="YES")]
    after = [look(2000, "second now"), look(1010, "first"), DraftTurn(thought="s", verdict="YES")]
    assert former_turns(before, after) == [before[1], before[0], before[2]]
    new = look(8000, "quite another matter altogether, with other words")
    assert former_turns(before[2:], [new, after[2]]) == [None, before[2]]
