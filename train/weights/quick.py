"""`spec-o3-train quick-weights`: fit the first look that `spec-o3 find` takes at every spectrum.

Everything is fitted on simulated spectra: templates for the velocity, what ordinary stars look
like, kinds of objects from features that need no fitted line, and the members of each class that
are planted among the spectra of a survey to see how many of them are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from importlib.resources import files
from io import BytesIO
from itertools import islice, product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from agent.atomic_file import write_file
from agent.errors import WorkbenchError, write_errors
from agent.evidence.assessment import assess_measurements
from agent.evidence.feature_numbers import BOTH, PROFILES
from agent.evidence.features import FEATURES
from agent.evidence.kinds import Kinds, feature_row
from agent.evidence.measurements import measurements_of
from agent.evidence.ordinary import BINS, LEFT_NUMBERS, Lines, OrdinarySpectra, lines_of
from agent.evidence.quick import KINDS_ARRAYS, QuickWeights, Trees, from_arrays
from agent.spectra.instrument import terrestrial_range
from agent.spectra.lines import builtin_lines
from agent.spectra.pixel_grid import LIGHT_KMS, doppler
from agent.spectra.rebinning import measurable
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum
from agent.tasks.catalogue import bundled_tasks, find_task
from app.core.finding.plant import MEMBER_GRID, MEMBER_R, blurred
from train.parallel import counted, in_order
from train.simulate.campaign import CONTAMINANTS
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import GRID, STEP_KMS, Rng, Source
from train.simulate.telescope.observation import log_uniform, to_spectrum
from train.simulate.telescope.telescope import observe
from train.weights.command import OutOption, SeedOption, WorkersOption
from train.weights.fit import (
    RIDGE,
    SNR,
    TELESCOPES,
    fit_kinds,
    observed_of,
    one_observed,
    one_source,
    scaled,
)

ORDINARY = {"A": 0.12, "B": 0.04, "F": 0.26, "G": 0.26, "K": 0.2, "M_DWARF": 0.08, "MG": 0.04}
"""Kinds that a survey has by the thousand, and their shares; nothing else counts as ordinary."""
N_ORDINARY, N_COMPONENTS, N_REFERENCE = 3000, 40, 500
TEMPLATE_SOURCES = 40  # of which the template of a kind is the mean
NO_TEMPLATE = ("QSO", "GALAXY", "ARTEFACT")  # their lines lie anywhere, or they have none
RESOLUTION = 1800.0
JITTER_KMS = 15.0  # the usual error of a first velocity: the components have to take it up
SNR_STEPS = np.array([3.0, 6.0, 10.0, 16.0, 25.0, 40.0, 70.0, 100.0])
LEAST_FLOOR, FLOOR_SNR = 0.004, 40.0
FEWEST = 25  # spectra in a step of S/N
N_MEMBERS, MEMBER_COMPONENTS = 300, 32
CHUNK = 50


Looks = dict[str, NDArray[Any]]
Job = tuple[int, int]  # the number of a kind, and of the first of CHUNK spectra
ODD = -1  # in place of a kind: ordinary spectra with something odd done to them


def quick_weights(
    per_label: Annotated[
        int, typer.Option(min=40, max=100_000, help="Simulated spectra per kind of object.")
    ] = 1000,
    seed: SeedOption = 1,
    workers: WorkersOption = 2,
    out: OutOption = None,
) -> None:
    """Fit the first look of `spec-o3 find` on simulated spectra, and make members to plant."""
    folder = out or Path(str(files("resources") / "weights"))
    arrays = start_arrays(seed)
    numbers = range(len(LABELS))
    starts = range(0, per_label, CHUNK)
    looks = partial(first_looks, arrays, seed, per_label)
    arrays |= fitted(arrays, _each("first looks", looks, product(numbers, starts), workers), seed)
    # Other spectra than those of the fit: what a member has at least is not told by these.
    again = partial(second_looks, arrays, seed, per_label)
    jobs = list(product(numbers, starts))
    # Ordinary spectra at the odds of a survey, to know its tails, and odd ones beside them.
    most = max(NOT_ODD.values())
    for label, share in {**NOT_ODD, "ODD": most}.items():
        number = ODD if label == "ODD" else LABELS.index(label)
        more = range(0, round(MORE * per_label * share / most), CHUNK)
        jobs += ((number, per_label + start) for start in more)
    arrays |= odd_arrays(_each("second looks", again, jobs, workers), seed)
    with write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _save(folder / "quick.npz", arrays)
        _save(folder / "members.npz", members(seed))
    Console().print(f"weights of a first look written to {folder}", markup=False)


def _each(
    what: str, look: Callable[[Job], Looks], jobs: Iterable[Job], workers: int
) -> list[Looks]:
    todo, parts = list(jobs), []
    with counted(what, len(todo), transient=True) as done:
        for part in in_order(look, todo, workers):
            parts.append(part)
            done()
    return parts


# What half a precision is enough for.
HALF = ("mean", "components", "templates", "floor", "members", "weights")


def _save(path: Path, arrays: dict[str, Any]) -> None:
    small = {
        name: array.astype(np.float16) if name in HALF or name.endswith("_fluxes") else array
        for name, array in arrays.items()
    }
    content = BytesIO()
    np.savez_compressed(content, **small)
    write_file(path, content.getvalue())


def quick_features() -> tuple[str, ...]:
    """The features that need no fitted line."""
    fitted = {f"{line}_{what}" for line in PROFILES for what in ("peak", "em_fwhm", "abs_fwhm")}
    both = {name for name, (_, *pair) in BOTH.items() if fitted & set(pair)}
    return tuple(name for name in FEATURES if name not in fitted | both)


def start_arrays(seed: int) -> dict[str, Any]:
    """Templates and components, from sources without noise; all else is a placeholder."""
    rng = np.random.default_rng([seed, 1000])
    templates = []
    for label in LABELS:
        if label not in NO_TEMPLATE:
            lines = [_noiseless(draw_source(label, rng), 0.0) for _ in range(TEMPLATE_SOURCES)]
            templates.append(np.mean([each.values for each in lines], axis=0))
    names = rng.choice(list(ORDINARY), N_ORDINARY)
    rows = np.array(
        [
            _noiseless(draw_source(str(name), rng), JITTER_KMS * rng.standard_normal()).values
            for name in names
        ]
    )
    mean = rows.mean(axis=0)
    left, sizes, right = np.linalg.svd(rows - mean, full_matrices=False)
    spread = sizes[:N_COMPONENTS] / np.sqrt(len(rows))
    features, n = quick_features(), len(LABELS)
    one, no_weights = np.ones((len(features), 1)), np.zeros((len(features), n))
    unfitted = Kinds(LABELS, features, 0 * one, one, no_weights, np.zeros(n))
    return {
        "templates": np.array(templates), "error_scale": np.array(1.0), "mean": mean,
        "components": right[:N_COMPONENTS], "spread": spread, "floor": np.full(BINS, 0.01),
        "members": left[:N_REFERENCE, :N_COMPONENTS] * np.sqrt(len(rows)),
        "snr": SNR_STEPS, "usual": np.zeros((SNR_STEPS.size, len(LEFT_NUMBERS))),
        "scatter": np.ones((SNR_STEPS.size, len(LEFT_NUMBERS))),
        "cuts": np.zeros(n),
        **_kinds_arrays(unfitted),
        **{f"odd_{name}": np.full((1, 1), -1, np.int16) for name in Trees._fields},
    }  # fmt: skip


def _kinds_arrays(kinds: Kinds) -> dict[str, Any]:
    names = {"labels": np.array(kinds.labels), "features": np.array(kinds.features)}
    return names | {name: getattr(kinds, name) for name in KINDS_ARRAYS}


def _noiseless(source: Source, velocity_kms: float) -> Lines:
    flux = _seen_at(RESOLUTION, source)
    lines = lines_of(Spectrum(wavelength=GRID * doppler(velocity_kms), flux=flux))
    assert lines is not None  # GRID covers all bins
    return lines


def _seen_at(resolution: float, source: Source) -> FloatArray:
    return blurred(source.flux, LIGHT_KMS / resolution / STEP_KMS)


def first_looks(arrays: dict[str, Any], seed: int, per_label: int, job: Job) -> Looks:
    """What a first look finds in some spectra of a kind, and how far off the velocity is."""
    number, start = job
    quick = from_arrays(arrays, "")
    drawn = observed_of(LABELS[number], np.random.default_rng([seed, number, start]))
    rows = [
        _first_look(quick, measurable(spectrum), true_kms)
        for spectrum, true_kms in islice(drawn, min(CHUNK, per_label - start))
    ]
    names = ("values", "errors", "snr", "off", "stated", "lines", "sigma", "known")
    found = {
        name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
    found["labels"] = np.full(len(rows), LABELS[number])
    if LABELS[number] not in ORDINARY:
        for name in ("lines", "sigma", "known"):
            del found[name]
    return found


def _first_look(quick: QuickWeights, spectrum: Spectrum, true_kms: float) -> tuple[Any, ...]:
    numbers, _ = quick.measured(spectrum)
    velocity = numbers.velocity
    values, errors = feature_row(numbers, quick.kinds.features, profiles=False)
    rest = lines_of(spectrum, doppler(velocity.kms))
    nothing = Lines(np.zeros(BINS), np.zeros(BINS), np.zeros(BINS, dtype=np.bool_))
    rest = rest or nothing
    off = velocity.kms - true_kms if velocity.source else np.nan
    return (
        values, errors, numbers.overall_snr, off, velocity.error_kms,
        rest.values.astype(np.float32), rest.errors.astype(np.float32), rest.known,
    )  # fmt: skip


def fitted(arrays: dict[str, Any], parts: list[Looks], seed: int) -> dict[str, Any]:
    """All weights, from the looks at every kind."""
    names = ("values", "errors", "snr", "off", "stated", "labels")
    looks = {name: np.concatenate([part[name] for part in parts]) for name in names}
    ordinary = [part for part in parts if "lines" in part]
    kinds = fit_kinds(
        looks["values"], looks["errors"], looks["labels"], RIDGE, LABELS, seed,
        features=tuple(arrays["features"].tolist()),
    )  # fmt: skip
    is_clear = (looks["snr"] > 5) & np.isfinite(looks["off"]) & (looks["stated"] > 0)
    is_star = ~np.isin(looks["labels"], NO_TEMPLATE)
    ratios = np.abs(looks["off"]) / np.maximum(looks["stated"], 1e-9)
    arrays = arrays | _kinds_arrays(kinds)
    arrays["error_scale"] = np.array(np.quantile(ratios[is_clear & is_star], 0.683))
    return arrays | ordinary_arrays(arrays, ordinary)


def ordinary_arrays(arrays: dict[str, Any], parts: list[Looks]) -> dict[str, Any]:
    """The floor of each bin, and what is usual at each S/N, from simulated ordinary stars."""
    shares = {label: ORDINARY[label] / max(ORDINARY.values()) for label in ORDINARY}
    kept: list[tuple[Lines, float]] = []
    rng = np.random.default_rng(5)
    for part in parts:
        for row in range(len(part["snr"])):
            if part["known"][row].sum() > BINS / 4 and rng.random() < shares[part["labels"][row]]:
                lines = Lines(
                    part["lines"][row].astype(np.float64), part["sigma"][row].astype(np.float64),
                    part["known"][row],
                )  # fmt: skip
                kept.append((lines, float(part["snr"][row])))
    ordinary = from_arrays(arrays, "").ordinary
    ordinary = replace(ordinary, floor=_floor(ordinary, kept))
    numbers = np.array([ordinary.numbers(lines) for lines, _ in kept])
    snr = np.array([snr for _, snr in kept])
    edges = np.sqrt(SNR_STEPS[1:] * SNR_STEPS[:-1])
    step = np.searchsorted(edges, snr)
    usual, scatter = [], []
    for number in range(SNR_STEPS.size):
        here = numbers[step == number]
        if len(here) < FEWEST:
            here = numbers
        middle = np.nanmedian(here, axis=0)
        above = np.where(here > middle, here - middle, np.nan)
        usual.append(middle)
        # Only what is odder than usual is asked for, and few numbers are Gaussian above it.
        scatter.append(np.maximum(np.nanquantile(above, 0.9, axis=0) / 1.645, 0.02))
    return {"floor": ordinary.floor, "usual": np.array(usual), "scatter": np.array(scatter)}


def _floor(ordinary: OrdinarySpectra, kept: list[tuple[Lines, float]]) -> FloatArray:
    """What clear ordinary stars differ by beyond their errors, bin by bin."""
    excess = np.full((len(kept), BINS), np.nan)
    for row, (lines, snr) in enumerate(kept):
        if snr > FLOOR_SNR:
            weights = np.where(lines.known, 1.0 / (lines.errors**2 + 0.01**2), 0.0)
            _, left = ordinary.fitted(lines.values, weights)
            excess[row, lines.known] = (left**2 - lines.errors**2)[lines.known]
    found = np.nan_to_num(np.nanquantile(excess, 0.75, axis=0))
    return np.asarray(np.sqrt(np.maximum(found, LEAST_FLOOR**2)))


CUT = 0.004
"""Share of the members below the cut of their class; of those that a whole inspection finds, as
others would not be found above it."""
MARGIN = 0.5  # times the cut: real spectra are less alike than simulated ones
HIGHEST_CUT = 0.03
NAMED = tuple(CONTAMINANTS)  # classes are found by their own p: neither odd nor ordinary
MORE = 8  # times as many of the most frequent kind as of each before
NOT_ODD = ORDINARY | {"ARTEFACT": 0.05}  # a fibre on nothing is common
N_TREES = 400
TREE_KINDS = {
    "feature": np.int16, "threshold": np.float64, "missing_left": np.bool_, "left": np.int16,
    "right": np.int16, "value": np.float32,
}  # fmt: skip


def second_looks(arrays: dict[str, Any], seed: int, per_label: int, job: Job) -> Looks:
    """For new spectra: the probability of each kind, and the numbers that oddness is told from."""
    number, start = job
    rng = np.random.default_rng([seed, 3000, number + 1, start])
    quick = from_arrays(arrays, "")
    rows: list[tuple[Any, ...]] = []
    while len(rows) < CHUNK:
        try:
            if number == ODD:
                spectrum = odd_spectrum(rng)
            else:
                spectrum, _ = one_observed(LABELS[number], _survey_telescope(rng), rng)
        except WorkbenchError:
            continue
        spectrum = measurable(spectrum)
        numbers, peak = quick.measured(spectrum)
        if peak is None:
            continue
        p, _ = quick.kinds_of(numbers)
        is_yes = False
        if number != ODD and LABELS[number] in NAMED and start < per_label:
            task = find_task(LABELS[number])
            is_yes = assess_measurements(measurements_of(spectrum), task).p_yes >= 0.5
        rows.append((p, quick.odd_numbers(numbers, peak, p), is_yes))
    p, odd, yes = (np.array(column) for column in zip(*rows, strict=True))
    label = "ODD" if number == ODD else LABELS[number]
    return {
        "p": p, "odd": odd, "is_yes": yes, "labels": np.full(CHUNK, label),
        "at_odds": np.full(CHUNK, start >= per_label),
    }  # fmt: skip


def _survey_telescope(rng: Rng) -> str:
    return TELESCOPES[int(rng.integers(len(TELESCOPES) - 2))]  # the last two are of no survey


def odd_arrays(parts: list[Looks], seed: int) -> dict[str, Any]:
    """The cut of each class, and the model of what is odd."""
    looks = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    cuts = np.zeros(len(LABELS))
    for place, label in enumerate(LABELS):
        own = looks["p"][(looks["labels"] == label) & looks["is_yes"], place]
        if own.size:
            cuts[place] = min(MARGIN * float(np.quantile(own, CUT)), HIGHEST_CUT)
    is_odd = ~np.isin(looks["labels"], list(NOT_ODD))
    # Of ordinary spectra those at the odds of a survey; of the odd all but those that are found by
    # their class.
    is_kept = np.where(is_odd, ~np.isin(looks["labels"], NAMED), looks["at_odds"])
    return {"cuts": cuts, **odd_trees(looks["odd"][is_kept], is_odd[is_kept], seed)}


def odd_trees(numbers: FloatArray, is_odd: BoolArray, seed: int) -> dict[str, Any]:
    """Fit gradient-boosted trees that tell odd spectra from ordinary ones, as arrays of nodes."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        max_iter=N_TREES, learning_rate=0.06, l2_regularization=1.0, random_state=seed
    ).fit(numbers, is_odd)
    # The nodes of its trees are private; tests/train/weights/test_command.py compares what we read
    # from them with what the model says.
    trees = [each[0].nodes for each in model._predictors]
    size = max(map(len, trees))
    arrays: Looks = {name: np.zeros((len(trees), size), kind) for name, kind in TREE_KINDS.items()}
    for number, nodes in enumerate(trees):
        leaf = nodes["is_leaf"].astype(bool)
        columns = {
            "feature": np.where(leaf, -1, nodes["feature_idx"]),
            "threshold": nodes["num_threshold"], "missing_left": nodes["missing_go_to_left"],
            "left": nodes["left"], "right": nodes["right"], "value": nodes["value"],
        }  # fmt: skip
        for name, column in columns.items():
            arrays[name][number, : len(nodes)] = column
    arrays["value"][0] += float(np.ravel(model._baseline_prediction)[0])
    return {f"odd_{name}": array for name, array in arrays.items()}


def members(seed: int) -> dict[str, Any]:
    """Members of each class without noise, as components and their shares, to be planted."""
    arrays: dict[str, Any] = {}
    for number, task in enumerate(bundled_tasks()):
        rng = np.random.default_rng([seed, 2000, number])
        rows: list[FloatArray] = []
        velocities = []
        while len(rows) < N_MEMBERS:
            source = one_source(task.id, rng)
            flux = np.interp(MEMBER_GRID, GRID, _seen_at(MEMBER_R, source))
            level = float(np.median(flux))
            if level > 0:
                rows.append(flux / level)
                velocities.append(source.velocity_kms)
        left, sizes, right = np.linalg.svd(np.array(rows), full_matrices=False)
        scale = np.abs(right[:MEMBER_COMPONENTS]).max(axis=1)
        arrays[f"{task.id}_fluxes"] = right[:MEMBER_COMPONENTS] / scale[:, None]
        arrays[f"{task.id}_coefficients"] = (left * sizes)[:, :MEMBER_COMPONENTS] * scale
        arrays[f"{task.id}_velocities"] = np.array(velocities, dtype=np.float32)
    return arrays


# Ordinary spectra with something odd done to them, of what no kind of object is.
def odd_spectrum(rng: Rng) -> Spectrum:
    """An ordinary spectrum with something odd done to it."""
    telescope = _survey_telescope(rng)
    what = rng.choice(["two", "two", "step", "step", "lines", "sky", "sky", "stretched", "waves"])
    first = one_source(str(rng.choice(list(ORDINARY))), rng)
    if what == "two":
        second = one_source(str(rng.choice([*ORDINARY, "WD", "SDB"])), rng)
        flux = np.roll(second.flux, round(rng.uniform(-500.0, 500.0) / STEP_KMS))
        pivot = int(rng.integers(GRID.size // 5, 4 * GRID.size // 5))
        share = log_uniform(rng, (0.3, 2.0)) * first.flux[pivot] / max(flux[pivot], 1e-9)
        first = replace(first, flux=first.flux + share * flux)
    if what == "lines":
        flux = first.flux.copy()
        for _ in range(int(rng.integers(1, 7))):
            centre, width = rng.uniform(3800.0, 9000.0), log_uniform(rng, (100.0, 6000.0))
            depth = float(rng.choice([-0.5, 1.0])) * log_uniform(rng, (0.1, 1.5))
            flux *= 1.0 + depth * np.exp(-0.5 * (LIGHT_KMS * np.log(GRID / centre) / width) ** 2)
        first = replace(first, flux=np.maximum(flux, 0.0))
    if what == "stretched":
        stretch = 1.0 + float(rng.choice([-1.0, 1.0])) * log_uniform(rng, (3e-3, 3e-2))
        first = replace(first, flux=np.interp(GRID, GRID * stretch, first.flux))
    observed = observe(first, telescope, rng, snr=log_uniform(rng, SNR))
    spectrum = to_spectrum(observed)
    wavelength, factor = spectrum.wavelength, np.ones(len(spectrum))
    if what == "step":
        at = rng.choice([rng.uniform(4500.0, 8000.0), rng.uniform(5600.0, 6000.0)])
        factor[wavelength > at] *= np.exp(rng.choice([-1.0, 1.0]) * rng.uniform(0.2, 1.0))
    if what == "waves":
        period, phase = log_uniform(rng, (20.0, 400.0)), rng.uniform(0.0, 6.3)
        factor += rng.uniform(0.1, 0.4) * np.sin(wavelength / period + phase)
    if what == "sky":
        for line in builtin_lines().terrestrial:
            if line.kind == "sky":
                low, high = terrestrial_range(line)
                inside = (wavelength > low) & (wavelength < high)
                factor[inside] += rng.normal(0.0, log_uniform(rng, (0.2, 1.0)), int(inside.sum()))
    return scaled(spectrum, factor)
