"""The rubric has words for each score, which people and models both get."""

from __future__ import annotations

from agent.ratings.rubric import CRITERIA, HIGHEST, LOWEST, MEANINGS, QUESTIONS, SCORES, rubric_text
from app.ui.base.translation.data_texts import load_table


def test_each_score_has_its_own_meaning():
    for name in SCORES:
        assert len(set(MEANINGS[name])) == HIGHEST - LOWEST + 1 == 6


def test_a_model_reads_the_same_words():
    text = rubric_text()
    for name in CRITERIA:
        assert all(meaning in text for meaning in (QUESTIONS[name], *MEANINGS[name]))
    assert MEANINGS["overall"][0] not in text


def test_every_text_has_its_chinese():
    table = load_table("rubric", "zh")
    wanted = {*QUESTIONS.values(), *(each for name in SCORES for each in MEANINGS[name])}
    assert set(table) == wanted
    assert all(any("\u4e00" <= sign <= "\u9fff" for sign in text) for text in table.values())
