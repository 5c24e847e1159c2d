"""Calibration of p(YES), measured on candidates that were not used to fit it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.confidence.abstention import cut_for_precision
from agent.confidence.calibration import fit_calibration
from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import expected_calibration_error, reliability_curve
from train.evaluate.figures import judged_scores
from train.evaluate.judgement import Judgement
from train.evaluate.tables import Rows, percent

PRECISION = 0.95
MIN_CANDIDATES = 40  # Minimum number of candidates with a p(YES)


@dataclass(frozen=True, kw_only=True)
class CalibrationFigures:
    """Figures of each half under the calibration and cut fitted on the other half."""

    n: int
    error: float  # expected calibration error of the raw p(YES)
    error_calibrated: float
    accepted: float  # share of the candidates above the cut that promises `PRECISION`
    precision: float | None  # share of real ones among the accepted
    recall: float  # share of accepted ones among the real


def calibration_figures(
    judgements: Sequence[Judgement], seed: int = 0
) -> CalibrationFigures | None:
    """Calibration of one judge; None for too few candidates."""
    whole = judged_scores(judgements)
    if len(whole) < MIN_CANDIDATES or not (whole.positives and whole.negatives):
        return None
    half = np.zeros(len(whole), dtype=np.bool_)
    half[np.random.default_rng(seed).permutation(len(whole))[: len(whole) // 2]] = True
    calibrated, accepted = np.empty(len(whole)), np.zeros(len(whole), dtype=np.bool_)
    for used in (half, ~half):
        fitted, other = whole.where(used), ~used
        calibrated[other] = fit_calibration(fitted).apply(whole.p[other])
        cut = cut_for_precision(fitted, PRECISION).threshold
        if cut is not None:
            accepted[other] = whole.p[other] >= cut
    hits = int(np.sum(accepted & whole.label))
    return CalibrationFigures(
        n=len(whole),
        error=_error(whole.p, whole.label),
        error_calibrated=_error(calibrated, whole.label),
        accepted=float(np.mean(accepted)),
        precision=hits / int(accepted.sum()) if accepted.any() else None,
        recall=hits / whole.positives,
    )


def _error(p: NDArray[Any], label: NDArray[np.bool_]) -> float:
    return expected_calibration_error(reliability_curve(JudgedScores(p, label)))


def calibration_markdown(title: str, rows: Rows, seed: int) -> list[str]:
    every = ((name, calibration_figures(judged, seed)) for name, judged in rows.items())
    found = {name: figures for name, figures in every if figures is not None}
    if not found:
        return []
    lines = [
        f"#### {title}",
        "",
        f"Expected calibration error (ECE) in points. The cut accepts candidates so that "
        f"{100 * PRECISION:g} % of them are real.",
        "Calibration and cut are fitted on one half of the candidates and measured on the other.",
        "",
        "| judge | ECE | ECE calibrated | accepted | precision | recall |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, figures in found.items():
        shares = astuple(figures)[1:]  # all but the number of candidates
        lines.append(f"| {name} | " + " | ".join(map(percent, shares)) + " |")
    return [*lines, ""]
