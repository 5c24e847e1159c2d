"""Records go through JSON unchanged, and what is not one is refused with its reason."""

import json
from dataclasses import replace

import pytest

from agent.errors import WorkbenchError
from agent.ratings.records import Choice, Rating, record_from, subject_of, to_json, trajectory_id
from agent.ratings.rubric import CRITERIA, HIGHEST, LOWEST, MEANINGS, QUESTIONS, SCORES, rubric_text
from app.ui.base.translation.data_texts import load_table
from tests.agent.ratings.made import rating, trajectory

ABOUT = {"trajectory": "a1", "spectrum": "s1", "task": "CV", "model": "ours"}
OTHER = {**ABOUT, "trajectory": "b2"}
RATING = {"kind": "rating", "subject": ABOUT, "by": "Ada", "coherence": 3, "consistency": 0}
CHOICE = {
    "kind": "choice", "first": ABOUT, "second": OTHER, "preferred": "tie", "left": "second",
    "by": "Ada",
}  # fmt: skip


def test_records_come_back_as_they_were():
    one = rating(
        trajectory(), "Ada", 0, 5, note="A slip: 6563 → 6653", at="2026-01-02", by_model=True
    )
    passing = Rating(subject=subject_of(trajectory()), by="Ben", overall=0)
    choice = Choice(
        first=subject_of(trajectory()), second=subject_of(trajectory(model="theirs")),
        preferred="second", left="first", by="Ada",
    )  # fmt: skip
    for each in (one, passing, choice):
        assert record_from(json.loads(json.dumps(to_json(each)))) == each
    wrong = replace(one, coherence=6), replace(choice, by=" "), replace(one, note="x" * 4001)
    for spoilt in wrong:
        with pytest.raises(WorkbenchError):
            to_json(spoilt)
    assert one.scores == (0, 5) and one.lowest == 0 and passing.scores == (0,)


def test_a_trajectory_is_named_by_what_was_said():
    assert trajectory_id(trajectory()) != trajectory_id(trajectory(said="no"))


@pytest.mark.parametrize(("change", "why"), [
    ({"coherence": 6}, "coherence should be a whole number from 0 to 5"),
    ({"coherence": True}, "coherence should be a whole number"),
    ({"consistency": 4.0}, "consistency should be a whole number"),
    ({"consistency": None}, "coherence and consistency, or overall"),
    ({"by": " "}, "by should be a text of 1 to 200"),
    ({"by": 5}, "by should be a text"),
    ({"note": "x" * 4001}, "note should be a text of 0 to 4000"),
    ({"by_model": "yes"}, "by_model should be true or false"),
    ({"subject": "a1"}, "subject should be an object"),
    ({"subject": {**ABOUT, "truth": "YES"}}, 'a subject has no "truth"'),
    ({"subject": {**ABOUT, "trajectory": ""}}, "trajectory should be a text of 1"),
    ({"verdict": "YES"}, 'a rating has no "verdict"'),
    ({"kind": "vote"}, "kind should be"),
])  # fmt: skip
def test_what_is_no_rating(change, why):
    with pytest.raises(WorkbenchError, match=why):
        record_from({**RATING, **change})


@pytest.mark.parametrize(("change", "why"), [
    ({"second": ABOUT}, "different trajectories"),
    ({"preferred": "left"}, "preferred should be one of first, second, tie"),
    ({"preferred": ["first"]}, "preferred should be one of"),
    ({"left": "tie"}, "left should be one of"),
    ({"coherence": 3}, 'a choice has no "coherence"'),
])  # fmt: skip
def test_what_is_no_choice(change, why):
    assert isinstance(record_from(CHOICE), Choice)
    with pytest.raises(WorkbenchError, match=why):
        record_from({**CHOICE, **change})


def test_what_is_no_object():
    for each in (None, [], "rating", 5):
        with pytest.raises(WorkbenchError):
            record_from(each)


# The rubric has words for each score, which people and models both get.
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
