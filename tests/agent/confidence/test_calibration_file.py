"""Calibrations on disk: round trips, and files nobody vouches for."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.confidence.calibration import MAX_KNOTS, fit_calibration
from agent.confidence.calibration_file import MAX_BYTES, calibration_from_json, calibration_to_json
from agent.confidence.judged import ConfidenceError, JudgedScores
from tests.agent.confidence.judged_samples import sample_judged


@pytest.mark.parametrize("method", ["identity", "platt", "isotonic"])
def test_a_rule_comes_back_as_it_was(rng, method):
    rule = fit_calibration(
        sample_judged(rng, 400), method, model="naïve 模型", model_sha256="0" * 64, task="CV"
    )
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


@pytest.mark.parametrize(
    ("text", "told"),
    [
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
    ],
)
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
