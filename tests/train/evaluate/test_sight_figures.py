from __future__ import annotations

from dataclasses import replace

import pytest

from tests.train.evaluate.helpers import make_judgement
from train.evaluate.judgement import Judgement
from train.evaluate.sight_figures import (
    card_figures,
    read_sight,
    sight_figures,
    sight_json,
    sight_markdown,
)

OWN = [
    make_judgement(number, answer, answer, p_yes=p)
    for number, (answer, p) in enumerate([("YES", 0.9), ("YES", 0.8), ("NO", 0.1), ("NO", 0.2)])
]
REPLIES = {("CV", str(number)): ("look", "answer") for number in range(4)}


def shown(*answers: str) -> list[Judgement]:
    return [replace(one, shown_answer=answer) for one, answer in zip(OWN, answers, strict=True)]


def test_a_model_that_does_not_look_follows_nothing():
    found = sight_figures("other", shown("NO", "NO", "YES", "NO"), REPLIES, OWN, REPLIES)
    assert (found.same_verdicts, found.same_replies) == (1.0, 1.0)
    assert found.mean_f1.value == 1.0 and found.p_yes == pytest.approx(0.5)
    assert found.differing == 3 and found.follows is not None and found.follows.value == 0.0


def test_a_model_that_looks_follows_the_picture():
    judged = [replace(one, verdict=one.shown_answer) for one in shown("NO", "NO", "YES", "NO")]
    replies = REPLIES | {("CV", "0"): ("look", "another answer")}
    found = sight_figures("other", judged, replies, OWN, REPLIES)
    assert (found.same_verdicts, found.same_replies) == (0.25, 0.75)
    assert found.mean_f1.value == 0.0
    assert found.follows is not None and found.follows.value == 1.0 and found.follows.low < 0.5


def test_without_another_spectrum_there_is_nothing_to_follow():
    found = sight_figures("white", OWN, REPLIES, OWN, REPLIES)
    assert found.differing == 0 and found.follows is None


def test_the_table_the_file_and_the_card_say_the_same():
    rows = [
        sight_figures("own", OWN, REPLIES, OWN, REPLIES),
        sight_figures("other", shown("NO", "NO", "YES", "NO"), REPLIES, OWN, REPLIES),
    ]
    text = sight_markdown("nano", "box", rows)
    assert "nano on box" in text and "2 positives, 2 negatives" in text
    line = next(line for line in text.splitlines() if "another spectrum" in line)
    assert [cell.strip() for cell in line.split("|")[3:7]] == [
        "0.500", "100.0", "100.0", "0.0 of 3",
    ]  # fmt: skip
    assert read_sight(sight_json({"box": {"nano": rows}})) == {"box": {"nano": rows}}
    card = list(card_figures("box", rows))
    assert [one.figure for one in card] == [
        "mean F1", "mean p(YES)", "mean F1", "mean p(YES)", "same verdicts", "same replies",
        "verdicts that follow the picture",
    ]  # fmt: skip
    assert all(one.on.startswith("sight: box, 2:2, pictures ") for one in card)
    assert card[-1].value == 0.0 and "3 with another true answer" in card[-1].on
