"""Calibration of a model's p(YES) on this list, learned from the reviewers' own verdicts."""

from dataclasses import dataclass

import numpy as np
from sqlalchemy import insert, select

from agent.confidence.calibration import (
    PLATT_NEEDS,
    Calibration,
    MethodChoice,
    calibrated_out_of_fold,
    calibration_from_json,
    calibration_to_json,
    fit_calibration,
)
from agent.confidence.judged import ConfidenceError, JudgedScores
from agent.confidence.reliability import (
    Bin,
    average_precision,
    brier_score,
    expected_calibration_error,
    reliability_curve,
    roc_auc,
)
from agent.spectra.spectrum import FloatArray
from app.core.database.tables import calibrations
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.session.verdict_log import now
from app.core.statistics.agents import AgentVerdicts
from app.core.statistics.verdicts import ACCEPT, NONE, UNSURE, Verdicts, common_indexes, settled

FOLDS = 5
FINE, COARSE = 10, 5  # bins of a curve, from `FINE_FROM` judged candidates on and below
FINE_FROM = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class CalibrationSample:
    """The reviewers' verdicts with a model's p(YES), and how many had to be excluded."""

    model: str
    model_sha256: str
    judged: JudgedScores
    unjudged: FloatArray  # p(YES) of the candidates without a verdict
    unsure: int  # Excluded: unsure, or reviewers disagree.
    shown: int  # Excluded: judged only after an agent's result had been shown.
    together: int  # Excluded: judged only with others in one act.
    without_p: int  # Excluded: judged, but the model gave no p(YES).


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """How well p(YES) works as a probability.

    The `calibrated` figures are out of fold; None if no calibration can be fitted.
    """

    raw: tuple[Bin, ...]
    raw_error: float
    raw_brier: float
    calibrated: tuple[Bin, ...] | None
    calibrated_error: float | None
    calibrated_brier: float | None
    roc_auc: float | None
    average_precision: float | None
    note: str = ""  # the reason if there is no calibrated curve


@dataclass(frozen=True, kw_only=True)
class Shortage:
    """How many more verdicts a fit needs; 0 if there are enough."""

    verdicts: int
    accept: int
    reject: int  # at least so many more of each kind


def calibration_sample(verdicts: Verdicts, agent: AgentVerdicts) -> CalibrationSample:
    """Collect the blind verdicts; later ones, given after an agent's result, would favour it."""
    alone = verdicts.one_by_one
    every, one_by_one, used = settled(verdicts), settled(alone), settled(alone, blind=True)
    has_p = ~np.isnan(agent.p_yes)
    number, p = agent.candidate[has_p], agent.p_yes[has_p]
    mine, its = common_indexes(used.candidate, number)
    code = used.verdict[mine]
    sure = (code != NONE) & (code != UNSURE)
    has_verdict = np.zeros(number.size, dtype=np.bool_)
    has_verdict[common_indexes(every.candidate, number)[1]] = True
    looked_at = common_indexes(one_by_one.candidate, number)[0].size
    return CalibrationSample(
        model=agent.model,
        model_sha256=agent.model_sha256,
        judged=JudgedScores(p[its[sure]], code[sure] == ACCEPT),
        unjudged=p[~has_verdict],
        unsure=int(np.sum(~sure)),
        shown=looked_at - its.size,
        together=int(np.sum(has_verdict)) - looked_at,
        without_p=len(every) - int(np.sum(has_verdict)),
    )


def calibrate(session: Session, sample: CalibrationSample) -> Calibration:
    """Fit a calibration and store it in the session; with too few verdicts, the note says so."""
    calibration = fit_sample(session, sample)
    if not calibration.is_fitted:
        return calibration
    made = insert(calibrations).values(
        model=sample.model, fitted_at=now(), content=calibration_to_json(calibration)
    )
    with session.database.writing() as connection:
        connection.execute(made)
    session.changed.emit(Change(aspect="calibration"))
    return calibration


def fit_sample(session: Session, sample: CalibrationSample) -> Calibration:
    """Fit a calibration without storing it."""
    return fit_calibration(
        sample.judged, model=sample.model, model_sha256=sample.model_sha256, task=session.task.id
    )


def newest_calibration(
    session: Session, model: str, model_sha256: str | None = None
) -> Calibration | None:
    """The calibration stored last for the model, or for one version of it if a hash is given."""
    query = select(calibrations).where(calibrations.c.model == model)
    for row in session.database.rows(query.order_by(calibrations.c.id.desc())):
        stored = calibration_from_json(row.content, f"calibration {row.id} of {session.location}")
        if model_sha256 is None or stored.model_sha256 == model_sha256:
            return stored
    return None


def reliability(judged: JudgedScores, method: MethodChoice = "auto") -> Reliability | None:
    """The reliability of p(YES); None without a judged candidate."""
    if not len(judged):
        return None
    bins = FINE if len(judged) >= FINE_FROM else COARSE
    raw = reliability_curve(judged, bins)
    both = judged.positives > 0 and judged.negatives > 0
    calibrated, note = _calibrated(judged, method)
    curve = None if calibrated is None else reliability_curve(calibrated, bins)
    return Reliability(
        raw=raw,
        raw_error=expected_calibration_error(raw),
        raw_brier=brier_score(judged),
        calibrated=curve,
        calibrated_error=None if curve is None else expected_calibration_error(curve),
        calibrated_brier=None if calibrated is None else brier_score(calibrated),
        roc_auc=roc_auc(judged) if both else None,
        average_precision=average_precision(judged) if both else None,
        note=note,
    )


def calibration_sentence(calibration: Calibration | None, judged: JudgedScores) -> str:
    """Describe the calibration in one sentence, for the command line and the report."""
    if calibration is not None and calibration.is_fitted:
        kind = "a straight line" if calibration.method == "platt" else "a rising curve"
        text = f"Calibrated with {kind} on {calibration.n:,} of your verdicts"
        return f"{text}, {calibration.positives:,} of them ACCEPT."
    more = shortage_sentence(judged) or "There are enough verdicts to calibrate it."
    return f"Not calibrated: p(YES) ranks candidates but is not a probability. {more}"


def shortage(judged: JudgedScores) -> Shortage | None:
    """How many verdicts are missing for a fit; None if there are enough."""
    in_all, of_each = PLATT_NEEDS
    found = Shortage(
        verdicts=max(in_all - len(judged), 0),
        accept=max(of_each - judged.positives, 0),
        reject=max(of_each - judged.negatives, 0),
    )
    return found if found.verdicts or found.accept or found.reject else None


def shortage_sentence(judged: JudgedScores) -> str:
    """The shortage as a sentence; empty if there are enough verdicts."""
    short = shortage(judged)
    if short is None:
        return ""
    kinds = ((short.accept, "ACCEPT"), (short.reject, "REJECT"))
    needed = " and ".join(f"{more} more {word}" for more, word in kinds if more)
    if short.verdicts:
        least = f", among them at least {needed}" if needed else ""
        needed = f"{short.verdicts} more verdicts{least}"
    given = f"{judged.positives} ACCEPT and {judged.negatives} REJECT"
    return f"Before an agent's result was seen you gave {given}; {needed} are needed."


def _calibrated(judged: JudgedScores, method: MethodChoice) -> tuple[JudgedScores | None, str]:
    """Calibrate each p(YES) with a fit to the other folds."""
    try:
        whole = fit_calibration(judged, method)
        if not whole.is_fitted:
            return None, whole.note
        return JudgedScores(calibrated_out_of_fold(judged, method, FOLDS), judged.label), ""
    except ConfidenceError as error:
        return None, f"not calibrated: {error}"
