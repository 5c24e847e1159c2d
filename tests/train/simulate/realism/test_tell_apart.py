from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from agent.spectra.measure.features import feature_names
from tests.train.simulate.realism.helpers import OF_CLASS, fake, met
from train.simulate.realism import tell_apart
from train.simulate.realism.realism import compare


def test_planted_defect_is_found_and_named(with_sodium: Path) -> None:
    pairs = met(with_sodium).pairs
    verdict = tell_apart.tell_apart(pairs, seed=1)
    assert verdict.auc > 0.95
    sodium_features = {"Na_D", "EW_NaI_D"}
    assert verdict.giveaways[0].feature in sodium_features
    assert verdict.giveaways[0].fall > 0.1
    assert abs(verdict.giveaways[0].alone - 0.5) > 0.4
    rows = compare(pairs)
    assert {row.feature for row in rows[:2]} & sodium_features
    assert rows[0].outside > 0.9 and rows[0].n_real == OF_CLASS
    assert not 3 < rows[0].median_percentile < 97
    blind = tell_apart.tell_apart(
        pairs, 1, {name for name in feature_names() if "Na" in name or "HeI_5876" in name}
    )
    assert blind.auc < verdict.auc


def test_every_large_enough_class_and_survey_is_judged() -> None:
    rng = np.random.default_rng(2)
    pairs = [fake("MG", "X", rng) for _ in range(12)] + [fake("K", "X", rng) for _ in range(9)]
    sizes = {name: len(chosen) for name, chosen in tell_apart.subsets(pairs).items()}
    assert sizes == {"all": 21, "survey X": 21, "class MG": 12}
    assert tell_apart.subsets(pairs[:9]) == {}
    with pytest.raises(WorkbenchError, match="needs 10"):
        tell_apart.tell_apart(pairs[:9], 1)


def test_noise_statistics_can_be_left_out() -> None:
    rng = np.random.default_rng(4)
    pairs = [fake("MG", "X", rng) for _ in range(20)]
    column = feature_names().index("noise_ratio")
    for pair in pairs:
        pair.real[column] += 8.0
    with_noise, without = (tell_apart.tell_apart(pairs, 1, out) for out in ((), NOISE))
    assert with_noise.auc > 0.95 > 0.75 > without.auc
    assert with_noise.giveaways[0].feature == "noise_ratio"
    assert with_noise.giveaways[0].alone > 0.99


NOISE = tell_apart.NOISE_FEATURES
