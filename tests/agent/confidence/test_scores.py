"""Agreement and scores against scikit-learn, and their intervals against what they promise."""

from collections import Counter

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import binom, binomtest
from sklearn.calibration import calibration_curve

from agent.confidence.judged import ConfidenceError, JudgedScores, logit, sigmoid
from agent.confidence.reliability import (
    average_precision,
    brier_score,
    expected_calibration_error,
    reliability_curve,
    roc_auc,
)
from agent.confidence.scores import (
    agreement,
    binary_scores,
    binomial_tail,
    cohen_kappa,
    confusion_matrix,
    f1_score,
    fleiss_agreement,
    lower_limit,
    upper_limit,
    wilson,
)
from tests.agent.confidence.judged_samples import fleiss_by_definition, sample_judged

WORDS = ("ACCEPT", "REJECT", "UNSURE")
PAIRS = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), max_size=60)


@given(PAIRS)
def test_matrix_and_kappa_are_scikit_learns(pairs):
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    counts = confusion_matrix(first, second, WORDS)
    if not pairs:
        assert counts.sum() == 0
        return
    expected = sklearn.metrics.confusion_matrix(first, second, labels=WORDS)
    np.testing.assert_array_equal(counts, expected)
    kappa = float(cohen_kappa(counts))
    if np.isnan(kappa):
        assert len({*first, *second}) == 1
    else:
        assert kappa == pytest.approx(sklearn.metrics.cohen_kappa_score(first, second), abs=1e-12)
        mirrored = cohen_kappa(confusion_matrix(second, first, WORDS))
        assert kappa == pytest.approx(float(mirrored))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_binary_scores_are_scikit_learns(pairs):
    truth, said = [one for one, _ in pairs], [two for _, two in pairs]
    scores = binary_scores(confusion_matrix(truth, said, (False, True)))
    for figure, theirs in (
        (scores.precision, sklearn.metrics.precision_score),
        (scores.recall, sklearn.metrics.recall_score),
        (scores.f1, sklearn.metrics.f1_score),
    ):
        expected = theirs(truth, said, zero_division=np.nan)
        if np.isnan(expected):
            assert figure.value is None
        else:
            assert figure.value == pytest.approx(expected)
            assert 0.0 <= figure.low <= figure.value <= figure.high <= 1.0
    assert scores.accuracy.value == pytest.approx(sklearn.metrics.accuracy_score(truth, said))


def test_agreement_of_people_at_work_of_few_and_of_one_word():
    first = ["ACCEPT"] * 45 + ["REJECT"] * 50 + ["UNSURE"] * 5
    second = ["ACCEPT"] * 40 + ["REJECT"] * 52 + ["UNSURE"] * 8
    found = agreement(first, second, WORDS)
    assert found.n == 100
    assert found.counts[0] == (40, 5, 0)
    assert found.observed.value == pytest.approx(0.92)
    assert found.kappa.low < found.kappa.value < found.kappa.high
    assert found == agreement(first, second, WORDS)
    first = ["ACCEPT", "REJECT"] * 5
    found = agreement(first, first, WORDS[:2])
    assert found.kappa.value == found.kappa.high == 1.0
    assert found.kappa.low < 0.9
    assert found.observed.low < 0.8
    found = agreement(["REJECT"] * 9, ["REJECT"] * 9, WORDS)
    assert found.kappa.value is None
    assert found.observed.value == 1.0
    assert agreement([], [], WORDS).observed.value is None


@pytest.mark.parametrize("n", [40, 200])
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_intervals_hold_the_truth_as_often_as_they_say(rng, n, share):
    chances = np.array([[(1 - share) * 0.93, (1 - share) * 0.07], [share * 0.15, share * 0.85]])
    kappa, f1 = float(cohen_kappa(chances)), float(f1_score(chances))
    held = []
    for seed in range(300):
        counts = rng.multinomial(n, chances.ravel()).reshape(2, 2)
        first = np.repeat([0, 0, 1, 1], counts.ravel()).tolist()
        second = np.repeat([0, 1, 0, 1], counts.ravel()).tolist()
        found = agreement(first, second, (0, 1), seed=seed).kappa
        score = binary_scores(counts, seed=seed).f1
        held.append((found.low <= kappa <= found.high, score.low <= f1 <= score.high))
    assert np.all(np.abs(np.mean(held, axis=0) - 0.95) < 0.045)


def test_kappa_of_many_matrices_at_once(rng):
    many = rng.integers(0, 30, size=(20, 3, 3))
    np.testing.assert_allclose(cohen_kappa(many), [float(cohen_kappa(one)) for one in many])


def test_a_matrix_of_very_many_classes_is_refused():
    with pytest.raises(ConfidenceError, match="categories"):
        confusion_matrix([], [], tuple(range(101)))


# What is let in as judged candidates, and the odds everything is computed with.
PROBABILITY = st.floats(0.0, 1.0)


def test_lists_and_ones_for_labels_will_do_and_arrays_are_copied():
    judged = JudgedScores([0.1, 0.9, 0.5, 0.6], [0, 1, 1, 1])
    assert (len(judged), judged.positives, judged.negatives) == (4, 3, 1)
    assert judged.prior == pytest.approx(0.75)
    p = np.array([0.2, 0.8])
    judged = JudgedScores(p, np.array([False, True]))
    p[0] = 0.9
    assert judged.p[0] == 0.2
    with pytest.raises(ValueError, match="read-only"):
        judged.p[0] = 0.5


@pytest.mark.parametrize(("p", "label", "problem"), [
    ([0.1, np.nan], [0, 1], "from 0 to 1"),
    ([0.1, 1.1], [0, 1], "from 0 to 1"),
    ([-0.1, 1.0], [0, 1], "from 0 to 1"),
    ([0.1, 0.2], [0, 2], "true or false"),
    ([0.1, 0.2], [0.0, np.nan], "true or false"),
    ([0.1], [0, 1], "one p"),
    ([[0.1, 0.2]], [[0, 1]], "one p"),
    (["a", "b"], [0, 1], "a list of numbers"),
    ([0.1, 0.2], ["YES", "NO"], "a list of numbers"),
])  # fmt: skip
def test_anything_else_is_refused(p, label, problem):
    with pytest.raises(ConfidenceError, match=problem):
        JudgedScores(p, label)


def test_the_hash_sees_every_number_and_not_the_order(rng):
    p, label = rng.random(50).round(1), rng.random(50) < 0.5
    order = rng.permutation(50)
    judged = JudgedScores(p, label)
    assert judged.where(order).sha256() == judged.sha256()
    assert JudgedScores([0.0, 0.5], [0, 1]).sha256() == JudgedScores([-0.0, 0.5], [0, 1]).sha256()
    judged = JudgedScores([0.1, 0.2], [0, 1])
    others = JudgedScores([0.1, 0.21], [0, 1]), JudgedScores([0.1, 0.2], [1, 1])
    assert len({judged.sha256(), *(one.sha256() for one in others)}) == 3


@given(st.lists(st.floats(-800.0, 800.0), min_size=1, max_size=20))
def test_sigmoid_is_scipys(log_odds):
    np.testing.assert_allclose(sigmoid(log_odds), expit(log_odds), rtol=1e-14, atol=1e-300)


@given(PROBABILITY)
def test_log_odds_are_finite_and_lead_back(p):
    assert np.isfinite(logit(p))
    assert float(sigmoid(logit(p))) == pytest.approx(p, abs=1e-11)


# Fleiss' kappa against its definition, a published table, and what its intervals promise.


ROWS = st.lists(st.lists(st.sampled_from(range(3)), min_size=0, max_size=6), max_size=25)

FOURTEEN_JUDGES = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
"""Ten subjects, five categories: the worked example met in most texts on this kappa."""


def counted(verdicts):
    return [[each.count(word) for word in range(3)] for each in verdicts]


def test_the_published_example():
    patterns = Counter(map(tuple, FOURTEEN_JUDGES))
    found = fleiss_agreement(patterns, "abcde")
    assert found.observed.value == pytest.approx(0.37802, abs=5e-6)
    assert found.kappa.value == pytest.approx(0.20993, abs=5e-6)
    assert (found.n, found.verdicts) == (10, 140)


@given(ROWS)
def test_it_is_what_it_is_defined_as(verdicts):
    found = fleiss_agreement(Counter(map(tuple, counted(verdicts))), WORDS)
    assert found.n == sum(len(each) > 1 for each in verdicts)
    if len({word for each in verdicts if len(each) > 1 for word in each}) < 2:
        assert found.kappa.value is None
    else:
        assert found.kappa.value == pytest.approx(fleiss_by_definition(verdicts), abs=1e-12)
        assert found.kappa.low <= found.kappa.value <= found.kappa.high <= 1.0


def test_of_two_judges_of_the_same_habits_it_is_cohens():
    first, second = [0] * 6 + [1] * 6, [0] * 5 + [1] * 6 + [0]
    both = [[a, b] for a, b in zip(first, second, strict=True)]
    cohen = float(cohen_kappa(confusion_matrix(first, second, (0, 1, 2))))
    found = fleiss_agreement(Counter(map(tuple, counted(both))), WORDS)
    assert found.kappa.value == pytest.approx(cohen)


def test_the_same_seed_draws_the_same_interval():
    patterns = {(3, 0, 0): 20, (2, 1, 0): 5, (0, 3, 0): 30}
    found = fleiss_agreement(patterns, WORDS, seed=1)
    assert found == fleiss_agreement(dict(reversed(patterns.items())), WORDS, seed=1)
    assert found.kappa != fleiss_agreement(patterns, WORDS, seed=2).kappa


def test_complete_agreement_over_few_is_not_certain():
    found = fleiss_agreement({(3, 0, 0): 5, (0, 3, 0): 5}, WORDS)
    assert found.kappa.value == found.kappa.high == 1.0
    assert found.kappa.low < 0.9
    assert found.observed.low < 1.0


@pytest.mark.parametrize("patterns", [{}, {(1, 0, 0): 9}, {(3, 0, 0): 0}])
def test_without_two_verdicts_on_anything_there_is_no_agreement(patterns):
    found = fleiss_agreement(patterns, WORDS)
    assert (found.n, found.observed.value, found.kappa.value) == (0, None, None)


def test_one_word_for_everything_has_no_kappa():
    found = fleiss_agreement({(0, 3, 0): 9}, WORDS)
    assert found.kappa.value is None
    assert found.observed.value == 1.0


@pytest.mark.parametrize("n", [40, 200])
@pytest.mark.parametrize("judges", [2, 4])
def test_intervals_of_fleiss_hold_the_truth_as_often_as_they_say(rng, n, judges):
    """Three in ten are real; each judge sees that in 85 of a hundred."""
    real, right = 0.3, 0.85

    def drawn(size):
        truth = rng.random(size) < real
        accepts = rng.binomial(judges, np.where(truth, right, 1 - right))
        return np.column_stack([accepts, judges - accepts, np.zeros(size, dtype=int)])

    kappa = fleiss_agreement(Counter(map(tuple, drawn(400_000).tolist())), WORDS).kappa.value
    held = []
    for seed in range(300):
        patterns = Counter(map(tuple, drawn(n).tolist()))
        found = fleiss_agreement(patterns, WORDS, seed=seed).kappa
        held.append(found.low <= kappa <= found.high)
    assert abs(np.mean(held) - 0.95) < 0.045


# Figures of calibration and ranking against scikit-learn's.
JUDGED = st.lists(
    st.tuples(st.floats(0, 1).map(lambda p: round(p, 3)), st.booleans()), min_size=2, max_size=80
)


def of(pairs) -> JudgedScores:
    return JudgedScores(*zip(*pairs, strict=True))


@pytest.mark.parametrize("bins", [1, 7, 10])
@pytest.mark.parametrize("decimals", [None, 3])
def test_the_curve_is_scikit_learns(rng, bins, decimals):
    judged = sample_judged(rng, 1000, stretch=2.0, decimals=decimals)
    curve = reliability_curve(judged, bins)
    share, mean_p = calibration_curve(judged.label, judged.p, n_bins=bins)
    np.testing.assert_allclose([one.share for one in curve], share)
    np.testing.assert_allclose([one.mean_p for one in curve], mean_p)


@given(JUDGED, st.integers(1, 20))
def test_bins_hold_every_candidate_once(pairs, bins):
    judged = of(pairs)
    curve = reliability_curve(judged, bins)
    assert sum(one.n for one in curve) == len(judged)
    assert sum(one.positives for one in curve) == judged.positives
    for one in curve:
        assert one.n > 0
        assert one.low <= one.share <= one.high
        assert one.left - 1e-12 <= one.mean_p <= one.right + 1e-12


def test_the_intervals_of_a_calibrated_judge_hold_its_p(rng):
    curves = (reliability_curve(sample_judged(rng, 500, 0.5, apart=1.0)) for _ in range(60))
    held = [one.low <= one.mean_p <= one.high for curve in curves for one in curve if one.n >= 10]
    assert 0.92 < np.mean(held) < 0.98


def test_calibration_error_by_hand():
    judged = JudgedScores([0.1, 0.1, 0.9, 0.9], [0, 1, 1, 1])
    assert expected_calibration_error(reliability_curve(judged)) == pytest.approx(0.25)


def test_calibration_error_of_a_known_stretch(rng):
    honest, sure = (sample_judged(rng, 50_000, 0.3, 1.5, stretch=stretch) for stretch in (1.0, 3.0))
    assert expected_calibration_error(reliability_curve(honest)) < 0.01
    assert expected_calibration_error(reliability_curve(sure)) > 0.08


@given(JUDGED)
def test_scores_are_scikit_learns(pairs):
    judged = of(pairs)
    expected = sklearn.metrics.brier_score_loss(judged.label, judged.p, labels=[False, True])
    assert brier_score(judged) == pytest.approx(expected, abs=1e-12)
    if judged.positives and judged.negatives:
        ranks_as_scikit_learn(judged)


@pytest.mark.parametrize("prior", [0.5, 1 / 100])
def test_rankings_of_a_long_list_are_scikit_learns(rng, prior):
    ranks_as_scikit_learn(sample_judged(rng, 20_000, prior, apart=1.5, decimals=3))


def ranks_as_scikit_learn(judged):
    expected = sklearn.metrics.roc_auc_score(judged.label, judged.p)
    assert roc_auc(judged) == pytest.approx(expected, abs=1e-12)
    expected = sklearn.metrics.average_precision_score(judged.label, judged.p)
    assert average_precision(judged) == pytest.approx(expected, abs=1e-12)


def test_one_class_has_no_ranking():
    for figure in (roc_auc, average_precision):
        with pytest.raises(ConfidenceError, match="both classes"):
            figure(JudgedScores([0.1, 0.2], [1, 1]))


@pytest.mark.parametrize("figure", [reliability_curve, brier_score, roc_auc, average_precision])
def test_empty_lists_are_refused(figure):
    with pytest.raises(ConfidenceError, match="no judged candidates"):
        figure(JudgedScores([], []))


# Intervals of a share against scipy's, and against what they promise.


PARTS = st.integers(0, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(PARTS, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_wilson_is_scipys(part, confidence):
    hits, n = part
    if n == 0:
        assert wilson(hits, n, confidence) == (0.0, 1.0)
        return
    theirs = binomtest(hits, n).proportion_ci(confidence, method="wilson")
    assert wilson(hits, n, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(PARTS, st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_one_sided_bounds_are_scipys_exact_ones(part, delta):
    hits, n = part
    if n == 0:
        assert (lower_limit(hits, n, delta), upper_limit(hits, n, delta)) == (0.0, 1.0)
        return
    theirs = binomtest(hits, n, alternative="greater").proportion_ci(1 - delta, method="exact")
    assert lower_limit(hits, n, delta) == pytest.approx(theirs.low, abs=1e-9)
    theirs = binomtest(hits, n, alternative="less").proportion_ci(1 - delta, method="exact")
    assert upper_limit(hits, n, delta) == pytest.approx(theirs.high, abs=1e-9)


@given(PARTS, st.floats(0.01, 0.99))
def test_the_tail_is_scipys(part, share):
    mistakes, n = part
    expected = binom.cdf(mistakes, n, 1.0 - share)
    assert float(binomial_tail(mistakes, n, share)) == pytest.approx(expected, abs=1e-11)


def test_the_lower_bound_fails_in_no_more_than_delta_of_samples(rng):
    hits = rng.binomial(40, 0.9, size=4000)
    bounds = {k: lower_limit(k, 40, 0.1) for k in np.unique(hits).tolist()}
    failed = np.mean([bounds[k] > 0.9 for k in hits.tolist()])
    assert 0.02 < failed <= 0.1 + 3 * np.sqrt(0.09 / 4000)


@pytest.mark.parametrize("value", [0.0, 1.0, float("nan"), -1.0])
def test_impossible_levels_are_refused(value):
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        wilson(1, 2, value)
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        lower_limit(1, 2, value)
