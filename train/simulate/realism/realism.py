"""How far simulated spectra are from real ones: `spec-o3-train realism DIR`.

Each labelled real spectrum is paired with simulated ones of its class that are observed in the same
way: the same wavelengths, resolution and signal-to-noise. The measurements of the real spectra of a
class are then compared with the simulated distribution of that class. A classifier shows whether
the two can be told apart.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d, percentile_filter

from agent.errors import WorkbenchError
from agent.spectra.measure.features import feature_names, feature_vector
from agent.spectra.measure.noise import signal_to_noise
from agent.spectra.readers import read
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum, between
from train.simulate.realism.library import Library
from train.simulate.realism.transfer import NOISE_FEATURES, require_classifier
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import GRID, Rng, Source
from train.simulate.telescope.instrument import chebyshev
from train.simulate.telescope.observation import log_uniform, to_spectrum
from train.simulate.telescope.optics import blur, integrate, pixel_edges, sigma_pixels
from train.simulate.telescope.surveys import SURVEYS
from train.simulate.telescope.telescope import observe

DEFAULT_RESOLUTION = {"MILES": 2200.0, "PICKLES": 500.0, "CALSPEC": 900.0, "STELIB": 2000.0}
NEIGHBOURS = 13
"""Windows of 300 angstrom from which the noise of a spectrum without errors is taken."""
WARP = 0.03
RIPPLE = (0.001, 0.006)
RIPPLE_PIXELS = (3.0, 25.0)
MIN_PIXELS = 100
MIN_REAL = 3  # least number of measured real spectra of a class for a comparison of distributions
MIN_SIMULATED = 30


@dataclass(frozen=True)
class SpectrumPair:
    """Features of a real spectrum, (features,), and of its counterparts, (spectra, features)."""

    name: str
    survey: str
    label: str
    real: FloatArray
    simulated: FloatArray


@dataclass(frozen=True)
class PairedLibrary:
    """The spectra of a library with their counterparts, and those that could not be used."""

    pairs: tuple[SpectrumPair, ...]
    excluded: tuple[tuple[str, str], ...]
    """File and reason; labels that are not simulated are excluded, never mapped to similar ones."""


@dataclass(frozen=True)
class FeatureComparison:
    """Real values of one measurement within the simulated distribution of their class."""

    label: str
    feature: str
    n_real: int
    n_simulated: int
    measured_real: float  # share of the real spectra on which it could be measured
    measured_simulated: float
    median_percentile: float
    """Percentile of the median real value among the simulated ones; 50 where they are alike."""
    outside: float  # share of the real values beyond the simulated 1st to 99th percentile
    expected_outside: float
    """The same share where real and simulated are alike: 0.02, and more for small samples."""
    real: tuple[float, float, float]  # 5th, 50th and 95th percentile
    simulated: tuple[float, float, float]

    @property
    def excess(self) -> float:
        """Excess of real values outside, scaled so that classes of few spectra do not dominate."""
        return float((self.outside - self.expected_outside) * np.sqrt(self.n_real))


def on_grid(real: Spectrum) -> Spectrum:
    first, last = np.searchsorted(real.wavelength, (GRID[0] + 20, GRID[-1] - 20))
    if last - first < MIN_PIXELS:
        raise WorkbenchError("too few pixels in the range of the simulated spectra")
    return between(real, GRID[0] + 20, GRID[-1] - 20)


def observe_like(source: Source, real: Spectrum, rng: Rng) -> Spectrum:
    """The source observed like the real spectrum: with its pixels, resolution and noise level.

    `real` must lie inside GRID. Library stars are at rest, so the velocity is ignored.
    """
    wavelength = real.wavelength
    resolution = real.resolution or DEFAULT_RESOLUTION.get(real.survey.upper(), 1800.0)
    blurred = blur(source.flux, sigma_pixels(resolution, source.resolution))
    seen = integrate(blurred, pixel_edges(wavelength), 0.0)
    shape = chebyshev(wavelength.size, 8)
    seen *= np.exp(shape @ rng.normal(0.0, WARP, shape.shape[1]))
    seen *= 1 + rng.uniform(*RIPPLE) * _ripple(wavelength.size, rng)
    sigma = np.maximum(seen, 1e-3 * np.median(seen)) / _snr_along(real)
    return Spectrum(
        wavelength=wavelength,
        flux=seen + sigma * rng.standard_normal(wavelength.size),
        ivar=None if real.ivar is None else np.where(real.good, sigma**-2.0, 0.0),
        mask=~real.good,
        resolution=real.resolution,
        survey=real.survey,
        simulated=True,
    )


def _ripple(pixels: int, rng: Rng) -> FloatArray:
    """Residual of flat fields and flux standards, of unit variance."""
    ripple = gaussian_filter1d(rng.standard_normal(pixels), log_uniform(rng, RIPPLE_PIXELS))
    return np.asarray(ripple / ripple.std())


def _snr_along(real: Spectrum) -> FloatArray:
    """S/N along the real spectrum, interpolated between windows of 300 angstrom."""
    centres = np.arange(real.wavelength[0] + 150, real.wavelength[-1], 300.0)
    levels = np.array([signal_to_noise(real, at - 150, at + 150).number for at in centres])
    known = np.isfinite(levels)
    if not known.any():
        return np.full(len(real), 50.0)
    levels = levels[known]
    if real.ivar is None:
        # Estimated from the scatter, in which lines count as noise: windows without any know best.
        levels = percentile_filter(levels, 80, NEIGHBOURS)
    return np.interp(real.wavelength, centres[known], np.clip(levels, 1.0, 1000.0))


def counterpart(label: str, real: Spectrum, rng: Rng) -> tuple[Spectrum, Source]:
    """A simulated spectrum of the class, observed by the survey itself where that is simulated."""
    source = draw_source(label, rng)
    if real.survey not in SURVEYS:
        return observe_like(source, real, rng), source
    survey = "BOSS" if real.survey == "SDSS" and real.range[1] > 9500 else real.survey
    snr = real.snr or signal_to_noise(real, 6000, 6800).number
    level = float(np.clip(snr, 4.0, 150.0)) if np.isfinite(snr) else None
    seen = observe(source, survey, rng, snr=level)
    return to_spectrum(replace(seen, errors_known=real.ivar is not None)), source


def pair_library(
    library: Library, per_real: int, seed: int, advance: Callable[[], None] = lambda: None
) -> PairedLibrary:
    """Pair every usable spectrum of the library with `per_real` simulated ones."""
    pairs, excluded = [], []
    for number, base in enumerate(library.bases):
        if base.label in LABELS:
            rng = np.random.default_rng([seed, number])
            try:
                pairs.append(_pair(base.label, base.path, per_real, rng))
            except WorkbenchError as error:
                excluded.append((base.path.name, str(error)))
        else:
            excluded.append((base.path.name, f"{base.label} is not simulated"))
        advance()
    return PairedLibrary(tuple(pairs), tuple(excluded))


def _pair(label: str, path: Path, per_real: int, rng: Rng) -> SpectrumPair:
    real = on_grid(read(path))
    drawn = (counterpart(label, real, rng)[0] for _ in range(per_real))
    simulated = np.array([list(feature_vector(each).values()) for each in drawn])
    own = np.array(list(feature_vector(real).values()))
    return SpectrumPair(path.name, real.survey, label, own, simulated)


def compare(pairs: Sequence[SpectrumPair]) -> list[FeatureComparison]:
    """Comparisons of every class and feature with enough real values, worst first."""
    rows = []
    for label in sorted({pair.label for pair in pairs}):
        of_class = [pair for pair in pairs if pair.label == label]
        real = np.array([pair.real for pair in of_class])
        simulated = np.concatenate([pair.simulated for pair in of_class])
        for column, feature in enumerate(feature_names()):
            row = _compare(label, feature, real[:, column], simulated[:, column])
            if row is not None:
                rows.append(row)
    return sorted(rows, key=lambda row: (-row.excess, -abs(row.median_percentile - 50)))


def _compare(
    label: str, feature: str, real: FloatArray, simulated: FloatArray
) -> FeatureComparison | None:
    known, drawn = real[np.isfinite(real)], np.sort(simulated[np.isfinite(simulated)])
    if known.size < MIN_REAL or drawn.size < MIN_SIMULATED:
        return None
    low, p5, p50, p95, high = (float(value) for value in np.percentile(drawn, (1, 5, 50, 95, 99)))
    r5, r50, r95 = (float(value) for value in np.percentile(known, (5, 50, 95)))
    return FeatureComparison(
        label=label,
        feature=feature,
        n_real=int(known.size),
        n_simulated=int(drawn.size),
        measured_real=known.size / real.size,
        measured_simulated=drawn.size / simulated.size,
        median_percentile=100 * float(np.median(ranks_among(drawn, known))),
        outside=float(((known < low) | (known > high)).mean()),
        expected_outside=expected_outside(drawn.size),
        real=(r5, r50, r95),
        simulated=(p5, p50, p95),
    )


def ranks_among(simulated: FloatArray, values: FloatArray) -> FloatArray:
    """Share of sorted `simulated` below each value; equal ones count half."""
    below = np.searchsorted(simulated, values, side="left")
    return (below + np.searchsorted(simulated, values, side="right")) / (2.0 * simulated.size)


def expected_outside(n_simulated: int) -> float:
    """Probability that another draw lies beyond the 1st or 99th percentile of `n_simulated`."""
    return 2 * (0.01 * (n_simulated - 1) + 1) / (n_simulated + 1)


@dataclass(frozen=True)
class ClassSummary:
    label: str
    n_real: int
    n_values: int  # Number of real values compared; 0 where the class has too few spectra.
    outside: float
    expected_outside: float


def summarise(
    pairs: Sequence[SpectrumPair], rows: Sequence[FeatureComparison]
) -> list[ClassSummary]:
    """A summary per class, in the order of LABELS."""
    lines = []
    for label in LABELS:
        n_real = sum(pair.label == label for pair in pairs)
        of_class = [row for row in rows if row.label == label]
        weights = [row.n_real for row in of_class]
        if n_real:
            outside = _mean([row.outside for row in of_class], weights)
            expected = _mean([row.expected_outside for row in of_class], weights)
            lines.append(ClassSummary(label, n_real, sum(weights), outside, expected))
    return lines


def _mean(values: Sequence[float], weights: Sequence[int]) -> float:
    return float(np.average(values, weights=weights)) if values else float("nan")


# Tests whether a classifier tells real spectra from simulated ones by their features.
FOLDS = 5
FEWEST_REAL = 10  # two real spectra per fold
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
    fewest = {name: MIN_OF_SURVEY if name.startswith("survey") else FEWEST_REAL for name in sets}
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

    if len(pairs) < FEWEST_REAL:
        raise WorkbenchError(
            f"a classifier needs {FEWEST_REAL} real spectra; {of} has {len(pairs)}"
        )
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
