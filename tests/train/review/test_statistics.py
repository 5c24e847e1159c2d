"""Figures of ratings, against numbers counted by hand and by scipy."""

import json
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import spearmanr

from agent.confidence.scores import wilson
from agent.ratings.records import Choice, subject_of
from tests.agent.ratings.made import rating, trajectory
from tests.train.review.helpers import review
from train.review.pool import Pool, open_pool
from train.review.pool_figures import figures
from train.review.programs import CLAIMS, run_panel
from train.review.review_rules import Case
from train.review.statistics import (
    Duel,
    bradley_terry,
    distributions,
    duels_of_choices,
    duels_of_scores,
    latest_choices,
    latest_ratings,
    preference,
    rater_map,
    share_of_left,
    spearman,
)

OURS = [trajectory(f"s{n}", "ours") for n in range(8)]
THEIRS = [trajectory(f"s{n}", "theirs") for n in range(8)]


def choice(at, preferred, left="first", by="Ada"):
    first, second = subject_of(OURS[at]), subject_of(THEIRS[at])
    return Choice(first=first, second=second, preferred=preferred, left=left, by=by)


def test_the_last_word_of_each_rater_counts():
    first, again = rating(OURS[0], "Ada", 1, 1), rating(OURS[0], "Ada", 5, 4)
    model = rating(OURS[0], "Ada", 3, 3, by_model=True)
    records = [first, choice(0, "first"), model, again, choice(0, "tie")]
    assert latest_ratings(records) == [again, model]
    assert latest_choices(records) == [choice(0, "tie")]


def test_distributions_by_model():
    given = (OURS[0], "Ada", 5, 0), (OURS[1], "Ada", 3, 2), (THEIRS[0], "B", 1, 1)
    ratings = [rating(*each) for each in given]
    ours, theirs = distributions(ratings, "coherence")
    assert (ours.model, ours.counts, ours.n, ours.mean) == ("ours", (0, 0, 0, 1, 0, 1), 2, 4.0)
    assert ours.values == (3, 5) and ours.cumulative == (0, 0, 0, 0.5, 0.5, 1)
    assert (theirs.model, theirs.values) == ("theirs", (1,))
    assert distributions(ratings, "overall") == []


def test_two_models_of_one_name_are_told_apart():
    one, other = trajectory("s1", "same"), trajectory("s2", "same")
    changed = rating(other, "Ada", 1, 1)
    object.__setattr__(changed.subject, "model_sha256", "f" * 64)
    names = [each.model for each in distributions([rating(one, "Ada", 2, 2), changed], "coherence")]
    assert names == ["same ffffff", "same samesa"]


def test_the_map_of_raters_is_spearmans(rng: np.random.Generator):
    a, b = rng.integers(0, 6, (2, 8)).tolist()
    ratings = [rating(OURS[n], "Ada", a[n], 1) for n in range(8)]
    ratings += [rating(OURS[n], "Ben", b[n], 1, by_model=True) for n in range(8)]
    ratings += [rating(OURS[0], "Cleo", 2, 2)]
    found = rater_map(ratings, "coherence")
    assert found.raters == ("Ada", "Ben (model)", "Cleo")
    assert found.values[0][1] == pytest.approx(spearmanr(a, b).statistic)
    assert found.values[1][0] == found.values[0][1] and found.values[2][2] == 1.0
    assert found.values[0][2] is None and found.counts[0] == (8, 8, 1)


def test_wins_ties_and_losses_of_choices():
    given = [choice(at, preferred) for at, preferred in enumerate(("first", "second", "tie"))]
    given += [choice(3, "first", "second")]
    assert duels_of_choices(given) == [Duel("ours", "theirs", 2, 1, 1)]
    (duel,) = duels_of_choices(given)
    assert duel.share(duel.wins) == (0.5, *wilson(2, 4))
    # Left was shown: first, first, first, second; preferred of the decided: left, right, right.
    assert share_of_left(given) == (1, 3)


def test_wins_of_scores_are_of_one_rater_and_one_spectrum():
    ratings = [
        rating(OURS[0], "Ada", 5, 5), rating(THEIRS[0], "Ada", 4, 5),
        rating(OURS[1], "Ada", 2, 2), rating(THEIRS[1], "Ada", 2, 2),
        rating(OURS[2], "Ada", 5, 5), rating(THEIRS[2], "Ben", 0, 0),
    ]  # fmt: skip
    assert duels_of_scores(ratings) == [Duel("ours", "theirs", 1, 1, 0)]


def test_nothing_gives_nothing():
    assert duels_of_choices([]) == duels_of_scores([]) == distributions([], "coherence") == []
    assert rater_map([], "coherence").raters == ()


def test_spearman_agrees_with_scipy(rng: np.random.Generator) -> None:
    for _ in range(20):
        a, b = rng.integers(0, 6, (2, 40))
        assert spearman(a, b) == pytest.approx(spearmanr(a, b).statistic)


def test_spearman_is_none_for_few_or_constant_values() -> None:
    assert spearman([1, 2], [1, 2]) is None
    assert spearman([5, 5, 5], [1, 2, 3]) is None
    assert spearman([1, 2, 3], [9, 8, 7]) == pytest.approx(-1)


def test_bradley_terry_recovers_the_strengths(rng: np.random.Generator) -> None:
    truth = {"a": 0.6, "b": 0.3, "c": 0.1}
    wins = {
        (first, second): 4000 * truth[first] / (truth[first] + truth[second])
        for first, second in permutations(truth, 2)
    }
    found = bradley_terry(wins)
    assert found == pytest.approx(truth, abs=0.01)
    assert sum(found.values()) == pytest.approx(1)


def test_a_source_that_never_lost_has_a_finite_strength() -> None:
    found = bradley_terry({("a", "b"): 5.0, ("b", "a"): 0.0})
    assert 0.8 < found["a"] < 1.0


def test_preference_of_two() -> None:
    (pair,) = preference({("a", "b"): 8.0, ("b", "a"): 2.0})["pairs"]
    assert pair["rate"] == 0.8 and pair["n"] == 10
    assert pair["interval"][0] < 0.5 < 0.8 < pair["interval"][1] < 1.0
    assert preference({}) == {"pairs": [], "strengths": {}}


def case(spectrum: str, source: str, scores: dict[str, int]) -> Case:
    made = Case(f"{spectrum}-{source}", trajectory(spectrum, source))
    made.reviews = [
        review(made, by, "auditor", coherence=score, consistency=score)
        for by, score in scores.items()
    ]
    return made


def test_sources_are_compared_on_the_same_spectrum_by_the_same_rater() -> None:
    cases = [
        case("s1", "ours", {"A": 5, "B": 4}),
        case("s1", "theirs", {"A": 2, "B": 4}),
        case("s2", "ours", {"A": 5}),
        case("s3", "theirs", {"A": 0}),
    ]
    (pair,) = figures(cases)["preference"]["pairs"]
    assert (pair["first"], pair["second"], pair["n"], pair["rate"]) == ("ours", "theirs", 2, 0.75)
    assert figures(cases)["sources"]["ours"]["mean_score"] == pytest.approx(14 / 3)


def test_figures_of_a_pool(pool: Pool) -> None:
    run_panel(pool)
    found = figures(open_pool(pool.place).cases())
    assert found["stages"]["approved"] == 3 and found["approvals"]["auditor"]["n"] == 6
    assert found["scores"]["consistency"]["auditor"]["counts"][5] == 6
    assert {(row["first"], row["n"]) for row in found["agreement"]} >= {(CLAIMS, 3)}
    assert json.loads(json.dumps(found, allow_nan=False)) == found
