"""Fitting the weights: a softmax over kinds of objects, and a logistic layer for each task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from agent.errors import WorkbenchError
from agent.evidence.assessment import MAX_LOG_ODDS, TaskWeights
from agent.evidence.features import FEATURES
from agent.evidence.findings import check_claims
from agent.evidence.kinds import Kinds, builtin_kinds, feature_row, softmax, steps
from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.measure.continuum import pseudo_continuum
from agent.spectra.pixel_grid import IndexArray
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum
from agent.tasks.catalogue import bundled_tasks
from agent.tasks.task import Task
from train.parallel import in_order
from train.simulate.atlas import observe_atlas
from train.simulate.campaign import CONTAMINANTS
from train.simulate.realism.transfer import Labels
from train.simulate.sky import LABELS, draw_source
from train.simulate.sky.draw import draw_balanced_kind
from train.simulate.source import GRID, Rng, Source
from train.simulate.telescope.observation import happens, log_uniform, to_spectrum
from train.simulate.telescope.pipeline_class import draw_pipeline_class
from train.simulate.telescope.telescope import observe

# Simulated candidates and their measurements, on which the weights are fitted. Every kind of object
# is drawn equally often, with every telescope. Some spectra are then tilted or normalised, as real
# spectra are in ways that no survey states.
TELESCOPES = ("LAMOST", "SDSS", "BOSS", "DESI", "ATLAS", "ATLAS")
SNR = (3.0, 100.0)
STATED_Z = 0.5  # share of the files that state the redshift of a pipeline
TILTED, TILT = 0.3, 0.6
"""Share of the spectra multiplied by a power of the wavelength, and its one sigma."""
NORMALISED = 0.05  # share of the spectra divided by their continuum, as in some releases
PIVOT = 5500.0
WITH_DONOR, DONOR_SHARE = 0.15, (0.1, 0.7)
"""Share of the CVs that get a visible donor, as in those of long period, and range of the share of
the donor in the light at PIVOT."""
EVEN = 0.5  # Share of the CVs whose subtype is drawn first, with equal odds: outbursts are rare.
DONORS = ("K", "K", "M_DWARF")


@dataclass(frozen=True, eq=False)
class Draws:
    """Measurements with a row per spectrum; `evidence` holds log-odds, task after task."""

    labels: Labels
    values: FloatArray
    errors: FloatArray
    evidence: FloatArray

    def __len__(self) -> int:
        return int(self.labels.size)

    def part(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Draws:
        return Draws(**{name: column[rows] for name, column in vars(self).items()})


def draw(
    per_label: int, seed: int, workers: int = 1, advance: Callable[[], None] = lambda: None
) -> Draws:
    """`per_label` spectra of every kind; the same seed gives the same numbers."""
    of_label = partial(_of_label, per_label=per_label, seed=seed)
    parts = []
    for part in in_order(of_label, range(len(LABELS)), workers):
        parts.append(part)
        advance()
    names = vars(parts[0])
    return Draws(**{name: np.concatenate([vars(part)[name] for part in parts]) for name in names})


def _of_label(number: int, per_label: int, seed: int) -> Draws:
    spectra = observed_of(LABELS[number], np.random.default_rng([seed, number]))
    rows = [measured(spectrum, bundled_tasks()) for spectrum, _ in islice(spectra, per_label)]
    values, errors, evidence = (np.array(column) for column in zip(*rows, strict=True))
    return Draws(np.full(per_label, LABELS[number]), values, errors, evidence)


def measured(
    spectrum: Spectrum, tasks: tuple[Task, ...]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Values and errors of the features, and the log-odds of all evidence of the tasks."""
    numbers = SpectrumMeasurements(spectrum)
    values, errors = feature_row(numbers, tuple(FEATURES))
    odds = [finding.log_odds for task in tasks for finding in check_claims(task, numbers)]
    return values, errors, np.array(odds)


def observed_of(label: str, rng: Rng) -> Iterator[tuple[Spectrum, float]]:
    """New spectra of a kind without end, by every telescope, with the velocity of each."""
    while True:
        telescope = TELESCOPES[int(rng.integers(len(TELESCOPES)))]
        with suppress(WorkbenchError):  # no flux in the range of this telescope: draw again
            yield one_observed(label, telescope, rng)


def one_observed(label: str, telescope: str, rng: Rng) -> tuple[Spectrum, float]:
    """One new spectrum as a file would provide it, and the velocity at which its lines lie."""
    source = one_source(label, rng)
    if telescope == "ATLAS":
        observed = observe_atlas(source, rng)
    else:
        observed = observe(source, telescope, rng, snr=log_uniform(rng, SNR))
    stated = draw_pipeline_class(source, observed.snr["r"], rng) if happens(rng, STATED_Z) else None
    spectrum = to_spectrum(observed, stated)
    if happens(rng, TILTED):
        tilt = TILT * float(rng.standard_normal())
        spectrum = scaled(spectrum, (spectrum.wavelength / PIVOT) ** tilt)
    if happens(rng, NORMALISED):
        spectrum = _normalised(spectrum)
    return spectrum, float(observed.parameters.get("velocity_seen_kms", np.nan))


def one_source(label: str, rng: Rng) -> Source:
    """A CV may have the light of a second star at the same velocity."""
    is_even = label == "CV" and happens(rng, EVEN)
    source = draw_balanced_kind(label, rng) if is_even else draw_source(label, rng)
    if label != "CV" or not happens(rng, WITH_DONOR):
        return source
    donor = draw_source(DONORS[int(rng.integers(len(DONORS)))], rng)
    share = float(rng.uniform(*DONOR_SHARE))
    pivot = int(np.searchsorted(GRID, PIVOT))
    scale = share / (1.0 - share) * source.flux[pivot] / max(float(donor.flux[pivot]), 1e-9)
    return replace(source, flux=source.flux + scale * donor.flux)


def scaled(spectrum: Spectrum, factor: FloatArray) -> Spectrum:
    ivar = None if spectrum.ivar is None else spectrum.ivar / factor**2
    return replace(spectrum, flux=spectrum.flux * factor, ivar=ivar)


def _normalised(spectrum: Spectrum) -> Spectrum:
    continuum = pseudo_continuum(spectrum)
    level = float(np.nanmedian(continuum))
    if not level > 0:
        return spectrum
    return scaled(spectrum, 1.0 / np.maximum(np.nan_to_num(continuum), 0.05 * level))


KNOT_QUANTILES = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
"""Quantiles of the values at which the steps are; the outer two separate strong lines from weak."""
N_COPIES = 2
LOST, SWAPPED = 0.1, 0.02
"""Mean share of features that a copy of a spectrum loses, and share that comes from another one: a
fit on such copies does not depend on a single feature and tolerates a misleading one."""
JITTER = 0.7
"""Share of the spread within a kind that is added to every value: real spectra of a class scatter
more than simulated ones, and around other means."""
MAX_ROUNDS = 400
TOLERANCE = 1e-7

N_FOLDS = 3
RIDGE = 4.0
ODDS = 5.0  # contaminants per member of the class in a candidate list
BACKGROUND = 0.1  # weight of a kind that is no listed contaminant, relative to the mean contaminant


def knots_of(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Quantiles of the known values, (features, steps), and widths with which the steps overlap."""
    knots = np.zeros((values.shape[1], len(KNOT_QUANTILES)))
    for feature in range(values.shape[1]):
        known = values[np.isfinite(values[:, feature]), feature]
        if known.size:
            knots[feature] = np.quantile(known, KNOT_QUANTILES)
    gaps = np.diff(knots, axis=1)
    middle = np.maximum(gaps[:, :-1], gaps[:, 1:])
    widths = np.column_stack([gaps[:, 0], middle, gaps[:, -1]])
    return knots, np.maximum(widths, 1e-6)


def fit_kinds(
    values: FloatArray,
    errors: FloatArray,
    labels: NDArray[np.str_],
    ridge: float,
    names: tuple[str, ...],
    seed: int,
    kept: Kinds | None = None,
    features: tuple[str, ...] = tuple(FEATURES),
) -> Kinds:
    """Softmax regression with an L2 penalty of `ridge` times the squared weights, in nats.

    `values` has a column for each of the features. The steps of those that `kept` has are taken
    from it.
    """
    knots, scales = knots_of(values)
    for row, feature in enumerate(features):
        if kept is not None and feature in kept.features:
            place = kept.features.index(feature)
            knots[row], scales[row] = kept.knots[place], kept.scales[place]
    classes = np.array([names.index(label) for label in labels.tolist()])
    spread = JITTER * spread_within(values, classes)
    rng = np.random.default_rng(seed)
    copies = []
    for _ in range(N_COPIES):
        shaken = values + spread * rng.standard_normal(values.shape)
        terms = steps(shaken, errors, knots, scales)
        copies.append(with_features_lost(terms, len(features), rng))
    terms, places = np.concatenate(copies), np.tile(classes, N_COPIES)
    weights, intercepts = fit_softmax(terms, places, len(names), ridge)
    return Kinds(names, features, knots, scales, weights, intercepts)


def spread_within(values: FloatArray, classes: IndexArray) -> FloatArray:
    """Half the central 68 % range within a kind, median over kinds; (features,)."""
    found = np.full((int(classes.max()) + 1, values.shape[1]), np.nan)
    for index in np.unique(classes).tolist():
        here = values[classes == index]
        for feature in range(values.shape[1]):
            known = here[np.isfinite(here[:, feature]), feature]
            if known.size:
                low, high = np.quantile(known, (0.16, 0.84))
                found[index, feature] = 0.5 * (high - low)
    known = np.isfinite(found).any(axis=0)
    spread = np.zeros(values.shape[1])
    spread[known] = np.nanmedian(found[:, known], axis=0)
    return spread


def with_features_lost(terms: FloatArray, n_features: int, rng: np.random.Generator) -> FloatArray:
    """A copy of (spectra, features * steps) terms, whole features lost or from another spectrum."""
    rows = terms.shape[0]
    copy = terms.reshape(rows, n_features, -1).copy()
    swapped = rng.random((rows, n_features)) < SWAPPED
    copy[swapped] = copy[rng.permutation(rows)][swapped]
    copy[rng.random((rows, n_features)) < 2.0 * LOST * rng.random((rows, 1))] = 0.0
    return np.asarray(copy.reshape(rows, -1))


def fit_softmax(
    terms: FloatArray, classes: IndexArray, n_labels: int, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """Maximum-likelihood weights, (terms, labels), and intercepts with a mean of zero."""
    rows, width = terms.shape
    truth = np.zeros((rows, n_labels))
    truth[np.arange(rows), classes] = 1.0
    design = np.ascontiguousarray(terms)

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        weights = flat.reshape(width + 1, n_labels)
        scores = design @ weights[:-1] + weights[-1]
        chances = softmax(scores)
        likely = np.log(np.maximum(chances[np.arange(rows), classes], 1e-300))
        rest = chances - truth
        slope = np.empty_like(weights)
        slope[:-1] = design.T @ rest
        slope[:-1] += 2 * ridge * weights[:-1]
        slope[-1] = rest.sum(axis=0)
        value = -float(likely.sum()) + ridge * float((weights[:-1] ** 2).sum())
        return value / rows, (slope / rows).ravel()

    start = np.zeros((width + 1) * n_labels)
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B",
        options={"maxiter": MAX_ROUNDS, "ftol": TOLERANCE, "maxcor": 20},
    )  # fmt: skip
    weights = found.x.reshape(width + 1, n_labels)
    return weights[:-1], weights[-1] - weights[-1].mean()


LEAST_CLAIM = 0.1  # Least weight of a claim: none is ignored or counts in the wrong direction.


@dataclass(frozen=True)
class Prior:
    """Prior of the weights of a task, with a penalty of `ridge` nats per squared distance."""

    claim: float = 0.35
    kind: float = 0.8
    ridge: float = 10.0


def fit_task(
    claims: FloatArray, kind: FloatArray, is_class: BoolArray, counts: FloatArray, prior: Prior
) -> tuple[float, float, FloatArray]:
    """Intercept, weight of the kind (0 or more) and weight of each claim (LEAST_CLAIM or more).

    `claims` (spectra, claims) and `kind` (spectra,) are log-odds; `counts` are sample weights.
    """
    design = np.column_stack([kind, claims])
    towards = np.array([prior.kind, *np.full(claims.shape[1], prior.claim)])
    sign = np.where(is_class, 1.0, -1.0)

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        margin = sign * (design @ flat[1:] + flat[0])
        value = float((counts * np.logaddexp(0.0, -margin)).sum())
        pull = -counts * sign / (1.0 + np.exp(np.clip(margin, -500, 500)))
        away = flat[1:] - towards
        slope = np.concatenate([[pull.sum()], design.T @ pull + 2 * prior.ridge * away])
        return value + prior.ridge * float(away @ away), slope

    bounds = [(None, None), (0.0, 20.0), *[(LEAST_CLAIM, 20.0)] * claims.shape[1]]
    start = np.concatenate([[0.0], towards])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return float(found.x[0]), float(found.x[1]), np.asarray(found.x[2:])


# Fitting all weights on one set of draws: those of the kinds and those of the tasks.
def fit_all(
    draws: Draws, tasks: tuple[Task, ...], seed: int
) -> tuple[Kinds, dict[str, TaskWeights]]:
    """The weights of the kinds, and of every task on out-of-fold scores of the kinds.

    The steps stay those in the box: what models were taught to say are ranks among them.
    """
    kept = builtin_kinds()
    scores = out_of_fold(draws, seed, kept)
    found = {}
    start = 0
    for task in tasks:
        claims = draws.evidence[:, start : start + len(task.evidence)]
        start += len(task.evidence)
        kind = kind_log_odds(scores, task.id)
        counts = candidate_weights(draws.labels, task.id)
        is_class = draws.labels == task.id
        intercept, kind_weight, weights = fit_task(claims, kind, is_class, counts, Prior())
        named = {e.id: float(w) for e, w in zip(task.evidence, weights, strict=True)}
        found[task.id] = TaskWeights(
            intercept=intercept, kind=kind_weight, claims=MappingProxyType(named)
        )
    kinds = fit_kinds(draws.values, draws.errors, draws.labels, RIDGE, LABELS, seed, kept)
    return kinds, found


def out_of_fold(draws: Draws, seed: int, kept: Kinds | None = None) -> FloatArray:
    """Scores of every spectrum from a fit without it; (spectra, labels)."""
    fold = np.random.default_rng(seed).integers(N_FOLDS, size=len(draws))
    scores = np.empty((len(draws), len(LABELS)))
    for number in range(N_FOLDS):
        rest = draws.part(fold != number)
        kinds = fit_kinds(rest.values, rest.errors, rest.labels, RIDGE, LABELS, seed, kept)
        in_fold = fold == number
        scores[in_fold] = kinds.scores(kinds.terms(draws.values[in_fold], draws.errors[in_fold]))
    return scores


def kind_log_odds(scores: FloatArray, label: str) -> FloatArray:
    index = LABELS.index(label)
    others = np.delete(scores, index, axis=1)
    odds = scores[:, index] - np.logaddexp.reduce(others, axis=1)
    return np.asarray(np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS))


def candidate_weights(labels: NDArray[np.str_], task_id: str) -> FloatArray:
    """Relative frequency of each spectrum in a candidate list of the class, with a mean of 1."""
    named = CONTAMINANTS[task_id]
    background = BACKGROUND * sum(named.values()) / len(named)
    share = {label: named.get(label, background) for label in LABELS if label != task_id}
    total = sum(share.values())
    count = {task_id: 1.0} | {label: ODDS * part / total for label, part in share.items()}
    counts = np.array([count[label] for label in labels.tolist()])
    return np.asarray(counts / counts.mean())
