"""Calibration with a session's own verdicts, compared with scikit-learn."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from agent.confidence.calibration import PLATT_NEEDS, fit_calibration
from agent.confidence.judged import ConfidenceError, JudgedScores, logit
from agent.confidence.reliability import brier_score
from app.core.session.records import Opinion
from app.core.session.session import open_session
from app.core.statistics.calibration import (
    calibrate,
    calibration_sentence,
    newest_calibration,
    reliability,
    shortage_sentence,
)
from tests.agent.confidence.judged_samples import sample_judged
from tests.app.core.judged_sessions import A, R, U, inspect, nano_sample, say
from tests.app.core.sessions import change, made

SEEN = {"verdict": "YES"}


def filled(location, judged, unjudged=()):
    """Candidates from 1 on: those of `judged`, then some only the model has seen."""
    p = [*judged.p.tolist(), *unjudged]
    session = made(location, len(p))
    inspect(session, "nano", {n: ("YES" if x > 0.5 else "NO", x) for n, x in enumerate(p, 1)})
    say(session, "Ada", {n: A if real else R for n, real in enumerate(judged.label.tolist(), 1)})
    return session


def test_what_is_gathered(location):
    with made(location, 20) as session:
        told = {n: ("YES", n / 20) for n in range(1, 11)} | {11: ("YES", None), 12: (None, None)}
        inspect(session, "nano", told)
        say(session, "Ada", {1: A, 2: R, 3: U, 4: A, 5: A, 11: R, 15: A})
        say(session, "Ben", {4: R, 6: A})
        say(session, "Ada", {5: R, 7: A}, SEEN)
        own = nano_sample(session)
        found = dict(zip(own.judged.p, own.judged.label, strict=True))
        assert found == {0.05: True, 0.1: False, 0.25: True, 0.3: True}
        assert own.unjudged.tolist() == [0.4, 0.45, 0.5]
        assert (own.unsure, own.shown, own.without_p) == (2, 1, 2)


def test_each_version_of_a_model_has_its_own_sample(location):
    with made(location, 5) as session:
        inspect(session, "nano", {1: ("YES", 0.9), 2: ("NO", 0.1)}, sha256="1" * 64)
        inspect(session, "nano", {1: ("YES", 0.8)}, sha256="2" * 64)
        say(session, "Ada", {1: A, 2: R})
        assert nano_sample(session, "2" * 64).judged.p.tolist() == [0.8]
        assert nano_sample(session, "1" * 64).judged.p.tolist() == [0.9, 0.1]


def test_a_fit_is_scikit_learns(location, rng):
    judged = sample_judged(rng, 200, prior=0.3, apart=2.0, stretch=2.0)
    with filled(location, judged) as session:
        calibration = calibrate(session, nano_sample(session))
    assert calibration.method == "platt"
    x = np.concatenate([logit(judged.p)] * 2)[:, None]
    no, yes = 1 / (judged.negatives + 2), (judged.positives + 1) / (judged.positives + 2)
    target = np.where(judged.label, yes, no)
    label = np.repeat([1, 0], len(judged))
    theirs = LogisticRegression(C=np.inf, tol=1e-10).fit(
        x, label, np.concatenate([target, 1 - target])
    )
    assert calibration.slope == pytest.approx(theirs.coef_[0, 0], rel=1e-4)
    assert calibration.intercept == pytest.approx(theirs.intercept_[0], rel=1e-3, abs=1e-4)


def test_what_is_kept_comes_back(location, rng):
    judged = sample_judged(rng, 80, prior=0.4)
    with filled(location, judged) as session:
        told = []
        session.changed.connect(told.append)
        assert newest_calibration(session, "nano") is None
        kept = calibrate(session, nano_sample(session))
        assert [change.aspect for change in told] == ["calibration"]
        assert (kept.model, kept.model_sha256, kept.task, kept.n) == ("nano", "ab" * 32, "CV", 80)
        session.record_verdict(1, Opinion(verdict=U))
        second = calibrate(session, nano_sample(session))
        assert second.n == 79
    with open_session(location, "Ben", read_only=True) as session:
        assert newest_calibration(session, "nano") == second
        assert newest_calibration(session, "nano", "ab" * 32) == second
        assert newest_calibration(session, "nano", "cd" * 32) is None
        assert newest_calibration(session, "other") is None


def test_too_few_are_not_calibrated_and_told_what_is_missing(location):
    judged = JudgedScores([0.9, 0.8, 0.3, 0.2], [True, True, False, False])
    with filled(location, judged) as session:
        own = nano_sample(session)
        found = calibrate(session, own)
        assert not found.is_fitted and "too few" in found.note
        assert newest_calibration(session, "nano") is None
        words = calibration_sentence(None, own.judged)
        assert "Not calibrated" in words
        assert "16 more verdicts, among them at least 3 more ACCEPT and 3 more REJECT" in words
        with pytest.raises(ConfidenceError):
            fit_calibration(JudgedScores([0.9, 0.8], [True, True]), "platt")


@pytest.mark.parametrize("positives", [0, 3, 5, 12])
@pytest.mark.parametrize("negatives", [0, 4, 5, 15])
def test_with_what_is_said_to_be_missing_it_can_be_fitted(rng, positives, negatives):
    judged = JudgedScores(
        rng.random(positives + negatives), [True] * positives + [False] * negatives
    )
    enough = len(judged) >= PLATT_NEEDS[0] and min(positives, negatives) >= PLATT_NEEDS[1]
    assert (shortage_sentence(judged) == "") == enough
    assert ("too few" in fit_calibration(judged).note) == (not enough)


def test_words_of_what_is_fitted_and_reliability_of_few(rng):
    judged = sample_judged(rng, 80, prior=0.4)
    words = calibration_sentence(fit_calibration(judged), judged)
    assert words.startswith("Calibrated with a straight line on 80 of your verdicts, ")
    assert words.endswith(f"{judged.positives} of them ACCEPT.")
    assert "enough verdicts to calibrate" in calibration_sentence(None, judged)
    many = sample_judged(rng, 2000, prior=0.4)
    assert "a rising curve" in calibration_sentence(fit_calibration(many), many)
    assert reliability(JudgedScores([], [])) is None
    found = reliability(JudgedScores([0.9, 0.1], [True, False]))
    assert (found.calibrated, found.roc_auc) == (None, 1.0) and "too few" in found.note
    assert reliability(JudgedScores([0.9], [True])).average_precision is None
    level = reliability(JudgedScores([0.5] * 40, [True, False] * 20))
    assert level.calibrated is None and "every p(YES) is the same" in level.note


def test_reliability_is_scikit_learns(rng):
    judged = sample_judged(rng, 400, prior=0.3, stretch=3.0)
    found = reliability(judged)
    share, mean = calibration_curve(judged.label, judged.p, n_bins=10)
    np.testing.assert_allclose([b.share for b in found.raw], share)
    np.testing.assert_allclose([b.mean_p for b in found.raw], mean)
    assert found.raw_brier == pytest.approx(brier_score_loss(judged.label, judged.p))
    assert found.roc_auc == pytest.approx(roc_auc_score(judged.label, judged.p))
    expected = average_precision_score(judged.label, judged.p)
    assert found.average_precision == pytest.approx(expected)
    assert found.calibrated_error < found.raw_error and found.calibrated_brier < found.raw_brier
    assert sum(one.n for one in found.calibrated) == 400


def test_a_curve_out_of_fold_does_not_flatter(rng):
    flattered, honest = [], []
    for _ in range(20):
        judged = JudgedScores(rng.random(60), rng.random(60) < 0.5)
        found = reliability(judged, "isotonic")
        if found.calibrated_brier is not None:
            own = JudgedScores(fit_calibration(judged, "isotonic").apply(judged.p), judged.label)
            flattered.append(brier_score(own))
            honest.append(found.calibrated_brier)
    assert np.mean(honest) > np.mean(flattered) + 0.02


def test_a_forged_calibration_is_refused(location, rng):
    with filled(location, sample_judged(rng, 60, prior=0.4)) as session:
        calibrate(session, nano_sample(session))
        change(session, "UPDATE calibrations SET content = '{\"version\": 1}'")
        with pytest.raises(ConfidenceError, match="calibration 1 of"):
            newest_calibration(session, "nano")
