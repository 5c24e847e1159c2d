"""The order of a rater and the sides of pairs: by chance, and the same in every run."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.agent.ratings.made import rating, trajectory
from train.review import rounds
from train.review.rounds import in_order, pairs_of, ratings_by, unique

MANY = [trajectory(f"s{n}", model) for n in range(40) for model in ("ours", "theirs")]


def test_the_order_depends_on_seed_and_rater_alone():
    first = in_order(MANY, 0, "Ada")
    assert first == in_order(list(reversed(MANY)), 0, "Ada")
    assert sorted(map(id, first)) == sorted(map(id, MANY))
    assert first != in_order(MANY, 1, "Ada") and first != in_order(MANY, 0, "Ben")


def test_pairs_are_of_one_spectrum_and_two_models():
    twice = [trajectory("s1", "ours", "no"), trajectory("s1", "ours", "maybe")]
    pairs = pairs_of([*MANY, *twice], 0, "Ada")
    assert all(pair.first.spectrum == pair.second.spectrum for pair in pairs)
    assert all(pair.first.model != pair.second.model for pair in pairs)
    assert len(pairs) == 42 and pairs == pairs_of([*MANY, *twice], 0, "Ada")
    assert pairs != pairs_of([*MANY, *twice], 1, "Ada")


def test_either_model_is_on_the_left_about_half_the_time():
    lefts = Counter(pair.shown[0].model.name for pair in pairs_of(MANY, 3, "Ada"))
    assert sum(lefts.values()) == 40 and min(lefts.values()) >= 12


def test_what_was_pressed_is_stored_by_trajectory():
    for pair in pairs_of(MANY, 0, "Ada"):
        left, right = pair.shown
        chosen = pair.choice("left", "Ada")
        better = chosen.first if chosen.preferred == "first" else chosen.second
        assert better.model == left.model.name
        assert pair.choice("right", "Ada").preferred != chosen.preferred
        assert pair.choice("tie", "Ada").preferred == "tie" and right.model != left.model


def test_a_trajectory_of_two_files_is_rated_once():
    assert len(unique([MANY[0], MANY[1], MANY[0]])) == 2


def test_a_model_of_the_same_name_is_another_rater():
    given = [rating(MANY[0], "Ada", 1, 1), rating(MANY[1], "Ada", 2, 2, by_model=True)]
    assert [each.coherence for each in ratings_by(given, "Ada").values()] == [1]


def test_very_many_pairs_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = len(pairs_of(MANY, 0, "Ada"))
    monkeypatch.setattr(rounds, "MAX_PAIRS", 5)
    assert 0 < len(pairs_of(MANY, 0, "Ada")) <= 5 < whole
