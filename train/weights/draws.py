"""Simulated candidates and their measurements, on which the weights are fitted.

Every kind of object is drawn equally often, with every telescope. Some spectra are then tilted or
normalised, as real spectra are in ways that no survey states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from agent.errors import WorkbenchError
from agent.evidence.features import FEATURES
from agent.evidence.findings import check_claims
from agent.evidence.kinds import feature_row
from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.measure.continuum import pseudo_continuum
from agent.spectra.spectrum import FloatArray, Spectrum
from agent.tasks.catalogue import bundled_tasks
from agent.tasks.task import Task
from train.parallel import in_order
from train.simulate.atlas import observe_atlas
from train.simulate.realism.transfer import Labels
from train.simulate.sky import LABELS, draw_source
from train.simulate.sky.draw import draw_balanced_kind
from train.simulate.source import GRID, Rng, Source
from train.simulate.telescope.observation import happens, log_uniform, to_spectrum
from train.simulate.telescope.pipeline_class import draw_pipeline_class
from train.simulate.telescope.telescope import observe

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
