"""Quality of the measured inspector on new simulated candidates and on real spectra."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import brier_score, expected_calibration_error, reliability_curve
from agent.errors import ReadError, WorkbenchError
from agent.evidence.assessment import assess_measurements
from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.readers import read
from agent.tasks.catalogue import find_task
from train.parallel import in_order
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum
from train.simulate.realism.library import Library
from train.simulate.telescope.observation import to_spectrum

CHUNK = 50


@dataclass(frozen=True)
class JudgedCandidate:
    """One candidate with its true label and its result."""

    name: str
    label: str
    snr: float
    p_yes: float
    likeliest: str
    """The most probable kind of object."""


@dataclass(frozen=True)
class ThresholdScores:
    """Scores of a list at a threshold of one half."""

    f1: float
    precision: float
    recall: float
    brier: float
    calibration_error: float
    """Mean distance of stated and true shares of YES, over bins of equal width."""
    count: int


def candidates(
    task_id: str,
    survey: str,
    count: int,
    seed: int,
    workers: int = 1,
    advance: Callable[[], None] = lambda: None,
) -> list[JudgedCandidate]:
    """Judge a simulated list of members and contaminants of a task at odds of 1:5."""
    settings = Settings(seed=seed, count=count, task=task_id, survey=survey, snr=(3.0, 100.0))
    starts = range(0, count, CHUNK)
    judged: list[JudgedCandidate] = []
    for part in in_order(partial(_chunk, settings), starts, workers):
        judged += part
        advance()
    return judged


def _chunk(settings: Settings, start: int) -> list[JudgedCandidate]:
    found = []
    for assignment in assignments(settings)[start : start + CHUNK]:
        made = simulate_spectrum(settings, assignment)
        spectrum = to_spectrum(made.entry.observation, made.entry.pipeline_class)
        name = f"{assignment.survey} {assignment.index}"
        found.append(judged(SpectrumMeasurements(spectrum), settings.task, name, made.source.label))
    return found


def judged(numbers: SpectrumMeasurements, task_id: str, name: str, label: str) -> JudgedCandidate:
    found = assess_measurements(numbers, find_task(task_id))
    return JudgedCandidate(name, label, found.snr, found.p_yes, found.kinds.ranked()[0][0])


def library(folder: Path, task_ids: Sequence[str]) -> dict[str, list[JudgedCandidate]]:
    """Judge the labelled real spectra of a folder for every task; unreadable files are skipped."""
    found: dict[str, list[JudgedCandidate]] = {task_id: [] for task_id in task_ids}
    for base in Library(folder).bases:
        try:
            spectrum = read(base.path)
        except ReadError:
            continue
        numbers = SpectrumMeasurements(spectrum)
        for task_id in task_ids:
            found[task_id].append(judged(numbers, task_id, base.path.name, base.label))
    return found


def threshold_scores(rows: Sequence[JudgedCandidate], task_id: str) -> ThresholdScores:
    """Scores of a list; raises a WorkbenchError if it is empty."""
    truth = np.array([row.label == task_id for row in rows], dtype=np.bool_)
    chances = np.array([row.p_yes for row in rows], dtype=np.float64)
    if not rows:
        raise WorkbenchError(f"no candidates of {task_id} to judge")
    is_yes = chances >= 0.5
    hits = int((truth & is_yes).sum())
    found = JudgedScores(chances, truth)
    return ThresholdScores(
        f1=_share(2 * hits, int(truth.sum() + is_yes.sum())),
        precision=_share(hits, int(is_yes.sum())),
        recall=_share(hits, int(truth.sum())),
        brier=brier_score(found),
        calibration_error=expected_calibration_error(reliability_curve(found)),
        count=len(rows),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
