"""Whether p(YES) can be believed, on candidates that the calibration has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.confidence.abstention import cut_for_precision
from agent.confidence.calibration import fit_calibration
from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import expected_calibration_error, reliability_curve
from train.evaluate.figures import judged_of
from train.evaluate.judgement import Judgement
from train.evaluate.tables import Rows, percent

PRECISION = 0.95
FEWEST = 40
"""Candidates with a p(YES), below which nothing is said."""


@dataclass(frozen=True, kw_only=True)
class CalibrationFigures:
    """Each half judged by what was fitted on the other. Shares are of all candidates with a
    p(YES)."""

    n: int
    error: float
    """Expected calibration error of p(YES) as it is."""
    error_calibrated: float
    accepted: float
    """Share above the cut from which on `PRECISION` is promised."""
    precision: float | None
    """Of those."""
    recall: float
    """Real ones among all real ones."""


def believing(said: Sequence[Judgement], seed: int = 0) -> CalibrationFigures | None:
    """None where there is too little to say."""
    whole = judged_of(said)
    if len(whole) < FEWEST or not (whole.positives and whole.negatives):
        return None
    half = np.zeros(len(whole), dtype=np.bool_)
    half[np.random.default_rng(seed).permutation(len(whole))[: len(whole) // 2]] = True
    calibrated, accepted = np.empty(len(whole)), np.zeros(len(whole), dtype=np.bool_)
    for fitted in (half, ~half):
        learnt, other = whole.where(fitted), ~fitted
        calibrated[other] = fit_calibration(learnt).apply(whole.p[other])
        cut = cut_for_precision(learnt, PRECISION).threshold
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


def believing_markdown(title: str, rows: Rows, seed: int) -> list[str]:
    found = {name: one for name, said in rows.items() if (one := believing(said, seed)) is not None}
    if not found:
        return []
    wanted = f"{100 * PRECISION:g}"
    lines = [
        f"#### {title}",
        "",
        f"ECE in points; accepted without a person so that {wanted} % of the accepted are real.",
        "Calibration and cut are fitted on one half of the candidates and judged by the other.",
        "",
        "| judge | ECE | ECE calibrated | accepted | of these real | of the real accepted |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, one in found.items():
        shares = (one.error, one.error_calibrated, one.accepted, one.precision, one.recall)
        lines.append(f"| {name} | " + " | ".join(map(percent, shares)) + " |")
    return [*lines, ""]
