from __future__ import annotations

import numpy as np
import pytest

from tests.train.evaluate.helpers import make_judgement
from train.evaluate.calibration_figures import (
    MIN_CANDIDATES,
    calibration_figures,
    calibration_markdown,
)
from train.evaluate.judgement import Judgement


def judged(count: int, *, too_sure: float = 1.0, seed: int = 5) -> list[Judgement]:
    """Judgements with calibrated p, reported with `too_sure` times its log odds."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(-1.0, 2.5, count)
    p, told = (1.0 / (1.0 + np.exp(-each)) for each in (odds, too_sure * odds))
    real = rng.random(count) < p
    return [
        make_judgement(
            n, "YES" if real[n] else "NO", "YES" if told[n] > 0.5 else "NO", p_yes=float(told[n])
        )
        for n in range(count)
    ]


def test_calibrated_probabilities_have_no_error():
    found = calibration_figures(judged(4000))
    assert found.n == 4000
    assert found.error < 0.02 and found.error_calibrated < 0.03


def test_overconfidence_is_corrected_by_the_other_half():
    found = calibration_figures(judged(4000, too_sure=3.0))
    assert found.error > 0.08
    assert found.error_calibrated < 0.03


def test_the_cut_keeps_its_precision_on_unseen_candidates():
    found = calibration_figures(judged(4000, too_sure=3.0))
    assert found.precision == pytest.approx(0.95, abs=0.035)
    assert 0.02 < found.accepted < 0.3 and 0.1 < found.recall < 0.9


def test_a_guesser_accepts_nothing():
    rng = np.random.default_rng(1)
    answers = ("YES", *["NO"] * 5) * 100
    rows = [make_judgement(n, one, "YES", p_yes=rng.random()) for n, one in enumerate(answers)]
    found = calibration_figures(rows)
    assert found.accepted == 0.0 and found.precision is None and found.recall == 0.0
    assert found.error > 0.2


def test_too_few_candidates_give_no_figures():
    one_answer = [make_judgement(n, "NO", "NO", p_yes=0.1) for n in range(200)]
    silent = [make_judgement(n, "YES" if n % 2 else "NO", "NO") for n in range(200)]
    for few in (judged(MIN_CANDIDATES - 1), one_answer, silent):
        assert calibration_figures(few) is None
    assert calibration_markdown("none", {"x": judged(10)}, 0) == []


def test_the_table_has_a_line_per_judge():
    silent = [make_judgement(1, "YES", "NO")]
    rows = {"nano": judged(300), "silent": silent, "sure": judged(300, too_sure=4)}
    lines = calibration_markdown("test: calibration of p(YES)", rows, 0)
    assert lines[0] == "#### test: calibration of p(YES)"
    first = [line.split("|")[1].strip() for line in lines if line.startswith("|")]
    assert first == ["judge", "---", "nano", "sure"]
