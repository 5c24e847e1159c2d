from __future__ import annotations

import numpy as np
import pytest

from train.simulate.campaign import CONTAMINANTS
from train.simulate.sky import LABELS
from train.weights.layers import candidate_weights, kind_log_odds


@pytest.mark.parametrize("task_id", ["CV", "B"])
def test_candidates_are_weighed_as_in_a_list_of_one_in_six(task_id):
    labels = np.repeat(np.array(LABELS), 10)
    counts = candidate_weights(labels, task_id)
    is_class = labels == task_id
    assert counts.mean() == pytest.approx(1.0)
    assert counts[~is_class].sum() / counts[is_class].sum() == pytest.approx(5.0)
    named = sorted(CONTAMINANTS[task_id].items(), key=lambda pair: pair[1])
    rarest, commonest = named[0][0], named[-1][0]
    assert counts[labels == commonest].sum() > counts[labels == rarest].sum()
    assert (counts > 0).all()


def test_log_odds_of_a_kind_are_against_all_others():
    scores = np.zeros((2, len(LABELS)))
    scores[1, LABELS.index("WD")] = 50.0
    odds = kind_log_odds(scores, "WD")
    assert odds[0] == pytest.approx(-np.log(len(LABELS) - 1)) and odds[1] == 12.0
