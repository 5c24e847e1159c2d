from __future__ import annotations

from train.draft.author import with_article


def test_articles() -> None:
    assert with_article("M giant") == "an M giant"
    assert with_article("S-type star") == "an S-type star"
    assert with_article("white dwarf") == "a white dwarf"
    assert with_article("A-type star") == "an A-type star"
