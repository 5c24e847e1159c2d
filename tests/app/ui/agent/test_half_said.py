"""A turn while it is being said, cut anywhere."""

from __future__ import annotations

from app.ui.agent.card_content import MAX_PARTIAL_TEXT, visible_text

TURN = '<think>The line is broad.</think>\n<tool_call>\n{"name": "x"}\n</tool_call>'


def test_tags_never_show_wherever_it_is_cut():
    for end in range(len(TURN) + 1):
        words, is_asking = visible_text(TURN[:end])
        assert "The line is broad.".startswith(words)
        assert is_asking == ("<tool_call>" in TURN[:end])


def test_a_less_sign_is_no_tag():
    assert visible_text("S/N < 5 and 3 <")[0] == "S/N < 5 and 3"


def test_of_many_words_the_end():
    words, _ = visible_text("begin " + "on and on " * 10_000)
    assert (
        len(words) <= MAX_PARTIAL_TEXT + 2 and words.startswith("… ") and words.endswith("and on")
    )
