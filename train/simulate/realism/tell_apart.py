"""A classifier that tries to tell real spectra from simulated ones by their measurements."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from agent.errors import WorkbenchError
from agent.spectra.measure.features import feature_names
from agent.spectra.spectrum import BoolArray, FloatArray
from train.simulate.realism.realism import SpectrumPair, ranks_among
from train.simulate.realism.transfer import NOISE_FEATURES, require_classifier
from train.simulate.sky import LABELS

FOLDS = 5
MIN_REAL = 10  # two real spectra per fold
MIN_OF_SURVEY = 20
MIN_DISTINCT = 20  # columns with fewer values are nearly constant and not used
LEVELS = 250
GIVEAWAYS = 12
Advance = Callable[[], None]


@dataclass(frozen=True)
class TellingFeature:
    feature: str
    fall: float  # Fall of the AUC when the feature is shuffled; correlated features share it.
    alone: float
    """Probability that a real value is higher than a simulated one; 0.5: no information."""


@dataclass(frozen=True)
class ClassifierResult:
    """How well a classifier tells real from simulated in one set of spectra."""

    of: str
    noise_statistics: bool
    n_real: int
    auc: float
    error: float  # standard error of `auc` from the number of real spectra
    giveaways: tuple[TellingFeature, ...]


def subsets(pairs: Sequence[SpectrumPair]) -> dict[str, list[SpectrumPair]]:
    """All spectra, and each survey and class with enough of them.

    Single classes are the stricter test: all classes together can hide a wrong one.
    """
    sets = {"all": list(pairs)}
    for survey in sorted({pair.survey for pair in pairs} - {""}):
        sets[f"survey {survey}"] = [m for m in pairs if m.survey == survey]
    for label in LABELS:
        sets[f"class {label}"] = [m for m in pairs if m.label == label]
    fewest = {name: MIN_OF_SURVEY if name.startswith("survey") else MIN_REAL for name in sets}
    return {name: chosen for name, chosen in sets.items() if len(chosen) >= fewest[name]}


def judge_all(
    pairs: Sequence[SpectrumPair], seed: int, advance: Advance
) -> Iterator[ClassifierResult]:
    """Classify each subset with and without the features that only measure noise."""
    for name, chosen in subsets(pairs).items():
        for without in (frozenset[str](), NOISE_FEATURES):
            yield tell_apart(chosen, seed, without, name)
            advance()


def tell_apart(
    pairs: Sequence[SpectrumPair], seed: int, without: Collection[str] = (), of: str = "all"
) -> ClassifierResult:
    """Cross-validated AUC of boosted trees; a real spectrum and its counterparts share a fold."""
    require_classifier("telling real from simulated")
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import StratifiedGroupKFold
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    if len(pairs) < MIN_REAL:
        raise WorkbenchError(f"a classifier needs {MIN_REAL} real spectra; {of} has {len(pairs)}")
    rows = np.concatenate([np.vstack([m.real[None], m.simulated]) for m in pairs])
    truth = np.concatenate([[1] + [0] * len(m.simulated) for m in pairs])
    groups = np.repeat(np.arange(len(pairs)), [1 + len(m.simulated) for m in pairs])
    keep = _usable_columns(rows, without)
    rows = _as_levels(rows[:, keep])
    if not keep:
        raise WorkbenchError(f"no measurement varies among the spectra of {of}")
    placements, falls = [], np.zeros(len(keep))
    folds = StratifiedGroupKFold(n_splits=FOLDS, shuffle=True, random_state=seed)
    for train, test in folds.split(rows, truth, groups):
        real = np.asarray(truth[test] == 1, dtype=np.bool_)
        model = HistGradientBoostingClassifier(
            max_iter=80,
            min_samples_leaf=5,  # a class may have only ten real spectra
            early_stopping=False,
            class_weight="balanced",
            random_state=seed,
        )
        rng = np.random.default_rng([seed, 7])
        # One thread: in fits this small, threads spend most time waiting for each other, up to
        # minutes where another process uses the same cores.
        with threadpool_limits(1, user_api="openmp"):
            model.fit(rows[train], truth[train])
            placed = _placements(model.predict_proba(rows[test])[:, 1], real)
            scores = model.predict_proba(_each_shuffled(rows[test], rng))[:, 1]
        placements.append(placed)
        shuffled = [_placements(part, real).mean() for part in np.split(scores, len(keep))]
        falls += (placed.mean() - np.array(shuffled)) * real.sum() / truth.sum()
    placed = np.concatenate(placements)
    order = [int(i) for i in np.argsort(falls)[::-1][:GIVEAWAYS] if falls[i] > 0]
    return ClassifierResult(
        of=of,
        noise_statistics=not without,
        n_real=placed.size,
        auc=float(placed.mean()),
        error=float(placed.std(ddof=1) / np.sqrt(placed.size)),
        giveaways=tuple(
            TellingFeature(feature_names()[keep[i]], float(falls[i]), alone(rows[:, i], truth))
            for i in order
        ),
    )


def _usable_columns(rows: FloatArray, without: Collection[str]) -> list[int]:
    return [
        column
        for column, name in enumerate(feature_names())
        if name not in without
        and np.unique(rows[np.isfinite(rows[:, column]), column]).size >= MIN_DISTINCT
    ]


def _as_levels(rows: FloatArray) -> FloatArray:
    """Each column as levels of its ranks, since trees only use the order of values.

    The classifier would otherwise bin the values by quantiles, which takes most of its time.
    """
    levels = np.full(rows.shape, np.nan)
    for column, values in enumerate(rows.T):
        finite = np.isfinite(values)
        ranks = ranks_among(np.sort(values[finite]), values[finite])
        levels[finite, column] = np.floor(ranks * LEVELS)
    return levels


def _placements(scores: FloatArray, real: BoolArray) -> FloatArray:
    """Share of the simulated spectra that score below each real one; the mean is the AUC.

    This is computed within a fold, because scores of two models are not on one scale.
    """
    return ranks_among(np.sort(scores[~real]), scores[real])


def _each_shuffled(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Stacked copies of `rows`, each with one column shuffled."""
    copies = np.repeat(rows[None], rows.shape[1], axis=0)
    for column, copy in enumerate(copies):
        copy[:, column] = rng.permutation(copy[:, column])
    return copies.reshape(-1, rows.shape[1])


def alone(values: FloatArray, truth: FloatArray) -> float:
    """Probability that a real value is higher than a simulated one."""
    finite = np.isfinite(values)
    real, made = values[finite & (truth == 1)], values[finite & (truth == 0)]
    if not (real.size and made.size):
        return float("nan")
    return float(ranks_among(np.sort(made), real).mean())
