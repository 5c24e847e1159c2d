"""Fitting the first look: everything is made, and trees are read as their library reads them."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from agent.evidence.quick import Trees, read_quick_weights
from train.weights import quick
from train.weights.draws import one_observed


def test_our_trees_say_what_the_library_says():
    rng = np.random.default_rng(3)
    numbers = rng.standard_normal((800, 6))
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    is_odd = np.nan_to_num(numbers[:, 0] * numbers[:, 1]) > 0.3
    arrays = quick.odd_trees(numbers, is_odd, 2)
    trees = Trees(*(arrays[f"odd_{name}"] for name in Trees._fields))
    model = HistGradientBoostingClassifier(
        max_iter=quick.N_TREES, learning_rate=0.06, l2_regularization=1.0, random_state=2
    ).fit(numbers, is_odd)
    ours = [trees.score(row) for row in numbers[:100]]
    np.testing.assert_allclose(ours, model.decision_function(numbers[:100]), atol=1e-3)


def test_a_small_fit_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(quick, "CHUNK", 1)
    monkeypatch.setattr(quick, "MORE", 1)
    monkeypatch.setattr(quick, "N_ORDINARY", 120)
    monkeypatch.setattr(quick, "N_COMPONENTS", 8)
    monkeypatch.setattr(quick, "N_REFERENCE", 60)
    monkeypatch.setattr(quick, "TEMPLATE_SOURCES", 2)
    monkeypatch.setattr(quick, "N_TREES", 5)
    monkeypatch.setattr(quick, "N_MEMBERS", 40)
    quick.quick_weights(per_label=2, seed=1, workers=1, out=tmp_path)
    weights = read_quick_weights(tmp_path / "quick.npz")
    spectrum, _ = one_observed("CV", "LAMOST", np.random.default_rng(1))
    look = weights.look(spectrum)
    assert look.p.sum() == np.float64(look.p.sum()) and np.isfinite(look.oddness)
    with np.load(tmp_path / "members.npz") as members:
        assert {name.partition("_")[0] for name in members} == {
            "CV", "CS", "SS", "MG", "WD", "O", "B", "A",
        }  # fmt: skip
