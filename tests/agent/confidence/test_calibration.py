"""Which calibration is fitted when, what it promises, and what is refused."""

import json
import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from agent.confidence.calibration import (
    MAX_BYTES,
    MAX_KNOTS,
    Calibration,
    advised_method,
    calibrated_out_of_fold,
    calibration_from_json,
    calibration_to_json,
    fit_calibration,
    fit_isotonic,
    fit_platt,
    smoothed_targets,
)
from agent.confidence.judged import ConfidenceError, JudgedScores, logit
from agent.confidence.reliability import expected_calibration_error, reliability_curve
from tests.agent.confidence.judged_samples import sample_judged

GRID = np.linspace(0.0, 1.0, 501)


def log_loss(judged: JudgedScores) -> float:
    return float(sklearn.metrics.log_loss(judged.label, judged.p, labels=[False, True]))


def error_of(judged: JudgedScores, p: np.ndarray) -> float:
    return expected_calibration_error(reliability_curve(JudgedScores(p, judged.label)))


@pytest.mark.parametrize(
    ("positives", "negatives", "method"),
    [(5, 15, "platt"), (99, 5000, "platt"), (100, 899, "platt"), (100, 900, "isotonic")],
)
def test_the_number_of_candidates_chooses(rng, positives, negatives, method):
    label = np.repeat([True, False], [positives, negatives])
    judged = JudgedScores(np.clip(rng.normal(0.4 + 0.2 * label, 0.1), 0, 1), label)
    assert advised_method(judged) == method
    assert fit_calibration(judged).method == method


@pytest.mark.parametrize("method", ["platt", "isotonic"])
@pytest.mark.parametrize("stretch", [0.3, 4.0])
def test_new_candidates_are_calibrated(rng, method, stretch):
    rule = fit_calibration(sample_judged(rng, 3000, 0.3, apart=1.5, stretch=stretch), method)
    new = sample_judged(rng, 40_000, 0.3, apart=1.5, stretch=stretch)
    calibrated = rule.apply(new.p)
    assert error_of(new, new.p) > 0.09
    assert error_of(new, calibrated) < 0.03
    assert log_loss(JudgedScores(calibrated, new.label)) < log_loss(new)


def test_what_it_rests_on_is_kept(rng):
    judged = sample_judged(rng, 200, 0.3)
    rule = fit_calibration(judged, model="nano", model_sha256="ab" * 32, task="CV")
    assert (rule.method, rule.n, rule.positives) == ("platt", 200, judged.positives)
    assert (rule.model, rule.model_sha256, rule.task) == ("nano", "ab" * 32, "CV")
    assert rule.prior == pytest.approx(judged.prior)
    assert rule.data_sha256 == judged.sha256()
    assert rule.is_fitted
    assert not rule.note


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_the_order_of_the_list_does_not_matter(rng, method):
    judged = sample_judged(rng, 500)
    shuffled = judged.where(rng.permutation(500))
    assert fit_calibration(shuffled, method) == fit_calibration(judged, method)


@pytest.mark.parametrize(("p", "label", "told"), [
    ([], [], "too few"),
    ([0.1, 0.9], [0, 1], "too few"),
    (np.linspace(0, 1, 40), [True] * 40, "too few"),
    (np.linspace(0, 1, 40), [False] * 40, "too few"),
    ([0.5] * 40, [True, False] * 20, "the same"),
    (np.linspace(0, 1, 40), [True] * 20 + [False] * 20, "higher"),
])  # fmt: skip
def test_where_nothing_can_be_learnt_auto_changes_nothing_and_says_why(p, label, told):
    rule = fit_calibration(JudgedScores(p, label))
    assert not rule.is_fitted
    assert told in rule.note
    assert rule.apply(0.37) == 0.37


@pytest.mark.parametrize("method", ["platt", "isotonic"])
@pytest.mark.parametrize(("p", "label", "told"), [
    ([], [], "one class"),
    ([0.1, 0.2, 0.3], [1, 1, 1], "one class"),
    ([0.5, 0.5], [0, 1], "the same"),
    ([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0], "higher"),
])  # fmt: skip
def test_a_method_asked_for_by_name_is_refused(method, p, label, told):
    with pytest.raises(ConfidenceError, match=told):
        fit_calibration(JudgedScores(p, label), method)


def test_unknown_methods_are_refused_and_identity_asked_for_is_no_failure(rng):
    with pytest.raises(ConfidenceError, match="unknown calibration method"):
        fit_calibration(sample_judged(rng, 50), "temperature")
    rule = fit_calibration(sample_judged(rng, 50), "identity")
    assert (rule.method, rule.note) == ("identity", "")


def test_isotonic_is_never_certain_and_one_is_a_float_and_many_keep_their_shape(rng):
    rule = fit_calibration(sample_judged(rng, 2000, 0.3, apart=6.0))
    assert rule.method == "isotonic"
    assert 0.0 < rule.apply(0.0) < 0.002
    assert 0.99 < rule.apply(1.0) < 1.0
    rule = fit_calibration(sample_judged(rng, 100, 0.3))
    assert isinstance(rule.apply(0.5), float)
    assert rule.apply(rng.random((3, 4))).shape == (3, 4)
    with pytest.raises(ConfidenceError, match="from 0 to 1"):
        rule.apply(float("nan"))


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60),
    st.lists(st.floats(0, 1), min_size=2, max_size=30),
    st.sampled_from(["auto", "platt", "isotonic"]),
)
def test_it_rises_and_stays_a_probability(pairs, asked, method):
    try:
        rule = fit_calibration(JudgedScores(*zip(*pairs, strict=True)), method)
    except ConfidenceError:
        return
    applied = rule.apply(np.sort(asked))
    assert np.all((applied >= 0) & (applied <= 1))
    assert np.all(np.diff(applied) >= -1e-15)
    assert rule.apply(float(asked[0])) in rule.apply(np.array(asked))


def test_a_curve_from_the_fitted_candidates_flatters_and_out_of_fold_does_not(rng):
    judged = sample_judged(rng, 400, 0.4, apart=0.7)
    new = sample_judged(rng, 40_000, 0.4, apart=0.7)
    rule = fit_calibration(judged, "isotonic")
    seen = log_loss(JudgedScores(rule.apply(judged.p), judged.label))
    held = log_loss(JudgedScores(calibrated_out_of_fold(judged, "isotonic"), judged.label))
    true = log_loss(JudgedScores(rule.apply(new.p), new.label))
    assert seen < true - 0.02
    assert abs(held - true) < 0.6 * abs(seen - true)


def test_no_candidate_is_calibrated_on_itself():
    p = np.linspace(0.02, 0.98, 60)
    label = p > 0.5
    odd = np.append(label, True)  # a real one where all others are not
    held = calibrated_out_of_fold(JudgedScores(np.append(p, 0.25), odd), "isotonic")
    with_it = fit_calibration(JudgedScores(np.append(p, 0.25), odd), "isotonic").apply(0.25)
    assert held[-1] < with_it


@pytest.mark.parametrize("folds", [0, 1, 31])
def test_impossible_folds_are_refused(rng, folds):
    with pytest.raises(ConfidenceError, match="folds"):
        calibrated_out_of_fold(sample_judged(rng, 30), folds=folds)


@pytest.mark.parametrize("wrong", [
    {"method": "spline"},
    {"method": "platt", "slope": -1.0},
    {"method": "platt", "slope": float("nan")},
    {"method": "platt", "intercept": float("inf")},
    {"method": "isotonic"},
    {"method": "platt", "knots": ((0.0, 0.0),)},
    {"method": "isotonic", "knots": ((0.0, 0.5), (1.0, 0.4))},
    {"method": "isotonic", "knots": ((0.5, 0.1), (0.5, 0.4))},
    {"method": "isotonic", "knots": ((0.5, 0.1), (0.6, 1.4))},
    {"method": "isotonic", "knots": ((0.5, float("nan")), (0.6, 1.0))},
    {"method": "identity", "n": 3, "positives": 4},
    {"method": "identity", "prior": 1.5},
    {"method": "identity", "model": "x" * 501},
])  # fmt: skip
def test_a_rule_checks_itself(wrong):
    with pytest.raises(ConfidenceError):
        Calibration(**wrong)


@pytest.mark.parametrize("decimals", [None, 2, 1])
@pytest.mark.parametrize("limits", [(0.0, 1.0), (0.01, 0.97)])
def test_knots_and_predictions_are_scikit_learns(rng, decimals, limits):
    judged = sample_judged(rng, 3000, decimals=decimals)
    x, y = fit_isotonic(judged, *limits)
    model = IsotonicRegression(y_min=limits[0], y_max=limits[1], out_of_bounds="clip")
    model.fit(judged.p, judged.label.astype(float))
    np.testing.assert_allclose(x, model.X_thresholds_, atol=1e-12)
    np.testing.assert_allclose(y, model.y_thresholds_, atol=1e-9)
    np.testing.assert_allclose(np.interp(GRID, x, y), model.predict(GRID), atol=1e-9)


@given(st.lists(st.tuples(st.sampled_from(GRID[::50].tolist()), st.booleans()), min_size=1))
def test_the_curve_never_falls_and_keeps_the_mean(pairs):
    p, label = zip(*pairs, strict=True)
    judged = JudgedScores(p, label)
    x, y = fit_isotonic(judged)
    assert np.all(np.diff(x) > 0)
    assert np.all(np.diff(y) >= 0)
    assert np.all((y >= 0) & (y <= 1))
    assert np.interp(judged.p, x, y).mean() == pytest.approx(judged.prior, abs=1e-9)


# The line through the log odds against scikit-learn's fits.
def reference(judged: JudgedScores) -> tuple[float, float]:
    """A soft target is one candidate in part real and in part not."""
    low, high = smoothed_targets(judged)
    target = np.where(judged.label, high, low)
    x = np.tile(logit(judged.p), 2)[:, None]
    share = np.concatenate([target, 1 - target])
    y = np.repeat([1, 0], len(judged))
    fit = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    fit.fit(x, y, sample_weight=share)
    return float(fit.coef_[0, 0]), float(fit.intercept_[0])


@pytest.mark.parametrize(
    ("n", "prior", "stretch"),
    [(30, 0.5, 1.0), (200, 1 / 6, 2.5), (2000, 0.02, 0.4), (20_000, 1 / 6, 1.0)],
)
def test_the_fit_is_scikit_learns(rng, n, prior, stretch):
    judged = sample_judged(rng, n, prior, stretch=stretch)
    assert fit_platt(judged) == pytest.approx(reference(judged), rel=1e-5, abs=1e-6)


def test_overconfidence_is_undone_and_equal_p_gives_no_line(rng):
    slope, intercept = fit_platt(sample_judged(rng, 50_000, 0.3, apart=2.0, stretch=4.0))
    assert slope == pytest.approx(0.25, rel=0.04)
    assert intercept == pytest.approx(0.0, abs=0.05)
    with pytest.raises(ConfidenceError, match="the same"):
        fit_platt(JudgedScores([0.4] * 30, [0, 1] * 15))


@pytest.mark.parametrize("p", [(0.0, 1.0), (0.4, 0.6), (0.5, 0.5 + 1e-5)])
def test_classes_that_do_not_overlap_stay_finite(p):
    judged = JudgedScores(np.repeat(p, 50), np.repeat([False, True], 50))
    slope, intercept = fit_platt(judged)
    assert np.isfinite([slope, intercept]).all()
    low, high = smoothed_targets(judged)
    fitted = 1 / (1 + np.exp(-(slope * logit(p) + intercept)))
    np.testing.assert_allclose(fitted, [low, high], rtol=1e-3)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=4, max_size=40))
def test_any_candidates_give_finite_numbers(pairs):
    p, label = zip(*pairs, strict=True)
    judged = JudgedScores(p, label)
    try:
        slope, intercept = fit_platt(judged)
    except ConfidenceError:
        assert np.ptp(logit(judged.p)) < 1e-6
        return
    assert np.isfinite([slope, intercept]).all()


# Calibrations on disk: round trips, and files nobody vouches for.


@pytest.mark.parametrize("method", ["identity", "platt", "isotonic"])
def test_a_rule_comes_back_as_it_was(rng, method):
    about = {"model": "naïve 模型", "model_sha256": "0" * 64, "task": "CV"}
    rule = fit_calibration(sample_judged(rng, 400), method, **about)
    again = calibration_from_json(calibration_to_json(rule))
    assert again == rule
    assert np.array_equal(again.apply(np.linspace(0, 1, 99)), rule.apply(np.linspace(0, 1, 99)))


def test_a_rule_that_was_not_fitted_keeps_its_note_and_a_missing_field_is_named():
    rule = fit_calibration(JudgedScores([0.5], [1]))
    assert calibration_from_json(calibration_to_json(rule)) == rule
    fields = json.loads(record())
    del fields["knots"]
    with pytest.raises(ConfidenceError, match="'knots'"):
        calibration_from_json(json.dumps(fields))


def record(**changes: object) -> str:
    rule = fit_calibration(sample_judged(np.random.default_rng(3), 300), "isotonic")
    return json.dumps({**json.loads(calibration_to_json(rule)), **changes})


@pytest.mark.parametrize(("text", "told"), [
    ("", "not valid JSON"),
    ("[" * 100_000, "not valid JSON"),
    ("[1]", "not a calibration"),
    ("{}", "another version"),
    (record(version=2), "another version"),
    (record(slope=math.nan), "not valid JSON"),
    (record(slope=math.inf), "not valid JSON"),
    ('{"version": 1, "slope": ' + "9" * 6000 + "}", "not valid JSON"),
    (record(slope=10**400), "too large"),
    (record(slope="1"), "slope must be a number"),
    (record(slope=True), "slope must be a number"),
    (record(slope=-2.0), "slope"),
    (record(intercept=None), "intercept must be a number"),
    (record(n=1.5), "n must be a count"),
    (record(n=True), "n must be a count"),
    (record(n=-1), "n must be a count"),
    (record(positives=10**9), "cannot be real"),
    (record(method=["platt"]), "method must be a text"),
    (record(method="pickle"), "unknown calibration method"),
    (record(method="platt"), "knots"),
    (record(note="x" * 600), "longer than 500"),
    (record(prior=2.0), "prior must be"),
    (record(knots="0 1"), "knots must be a list"),
    (record(knots=[[0, 1, 2]]), "pairs"),
    (record(knots=[[0, "1"]]), "a knot must be a number"),
    (record(knots=[[0.0, 0.9], [1.0, 0.1]]), "must rise"),
    (record(knots=[[0.0, 0.1], [0.0, 0.2]]), "must rise"),
    (record(knots=[[0.0, 0.1], [2.0, 0.2]]), "must rise"),
    (record(knots=[[0, 0]] * (MAX_KNOTS + 1)), "at most"),
    (record(extra=1), "'extra'"),
    (" " * (MAX_BYTES + 1), "longer"),
])  # fmt: skip
def test_bad_files_are_refused_in_one_line(text, told):
    with pytest.raises(ConfidenceError, match=told) as caught:
        calibration_from_json(text, "cv.json")
    assert str(caught.value).startswith("cv.json: ")
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(st.sampled_from(sorted(json.loads(record()))), JSON)
def test_any_value_in_any_field_is_read_or_refused(name, value):
    try:
        rule = calibration_from_json(record(**{name: value}))
    except ConfidenceError:
        return
    applied = rule.apply(np.linspace(0, 1, 11))
    assert np.all((applied >= 0) & (applied <= 1) & (np.diff(applied, prepend=0) >= 0))
