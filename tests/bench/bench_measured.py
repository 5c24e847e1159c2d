"""The inspector without a model: its speed, and how well it judges simulated candidates."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from agent.evidence.assessment import assess
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.measure.features import feature_vector
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import bundled_tasks, find_task
from tests.bench.measuring import figure_line, seconds_of
from train.simulate.sky import draw_source
from train.simulate.telescope.observation import to_spectrum
from train.simulate.telescope.telescope import observe
from train.weights.command import candidates
from train.weights.command import threshold_scores as figures_in

ROUNDS = 15
COUNT, SEED = 120, 909
SURVEYS = ("LAMOST", "SDSS", "DESI")
CLEAR_SNR = 10.0


def _figures_of(survey: str) -> Iterator[dict[str, object]]:
    clear_f1 = []
    for each in bundled_tasks():
        rows = candidates(each.id, survey, COUNT, SEED, workers=2)
        found = figures_in(rows, each.id)
        clear = figures_in([row for row in rows if row.snr > CLEAR_SNR], each.id)
        clear_f1.append(clear.f1)
        yield figure_line(
            f"{each.id} in {survey}", found.f1, "F1 at 1:5", f1_clear=clear.f1, brier=found.brier,
            calibration_error=found.calibration_error, candidates=found.count
        )  # fmt: skip
    title = f"mean of {len(clear_f1)} tasks in {survey}, S/N > 10"
    yield figure_line(title, float(np.nanmean(clear_f1)), "F1 at 1:5", baseline=0.85)


def figures() -> Iterator[dict[str, object]]:
    rng = np.random.default_rng(12)
    seen = to_spectrum(observe(draw_source("CV", rng), "LAMOST", rng, snr=30.0))
    cv = find_task("CV")
    ours = _median_s(lambda spectrum: assess(spectrum, cv), seen)
    features = _median_s(feature_vector, seen)
    yield figure_line(
        "assessments of CV", 1.0 / ours, "a second", baseline="feature_vector alone",
        feature_vectors_a_second=1.0 / features, times_as_long=ours / features
    )  # fmt: skip
    blind, drawing = MeasuredInspector(draw=False), MeasuredInspector()
    for name, inspector in (("without pictures", blind), ("with pictures", drawing)):
        taken = _median_s(lambda spectrum, by=inspector: run(by.inspect(spectrum, cv)), seen)
        yield figure_line(f"inspection {name}", 1000.0 * taken, "ms")
    for survey in SURVEYS:
        yield from _figures_of(survey)


def _median_s(work: Callable[[Spectrum], object], spectrum: Spectrum) -> float:
    """Each time on a copy, so that nothing is remembered."""
    work(replace(spectrum))
    copies = [replace(spectrum) for _ in range(ROUNDS)]
    return statistics.median(seconds_of(partial(work, fresh)) for fresh in copies)
