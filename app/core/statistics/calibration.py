"""What a model's p(YES) is worth on this list, learnt from your own verdicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import insert, select

from agent.confidence.calibration import (
    PLATT_NEEDS,
    Calibration,
    MethodChoice,
    calibrated_out_of_fold,
    fit_calibration,
)
from agent.confidence.calibration_file import calibration_from_json, calibration_to_json
from agent.confidence.judged import ConfidenceError, JudgedScores
from agent.confidence.reliability import (
    Bin,
    average_precision,
    brier_score,
    expected_calibration_error,
    reliability_curve,
    roc_auc,
)
from app.core.database.tables import calibrations, inspections
from app.core.errors import SessionError
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.session.verdict_log import now
from app.core.statistics.agents import AgentVerdicts, read_agent
from app.core.statistics.verdicts import (
    ACCEPT,
    NONE,
    UNSURE,
    FloatArray,
    Verdicts,
    common_indexes,
    read_verdicts,
    settled,
)

FOLDS = 5
FINE, COARSE = 10, 5
"""Bins of a curve, from `FINE_FROM` judged candidates on and below."""
FINE_FROM = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class CalibrationSample:
    """Your verdicts beside a model's p(YES), and what had to be left out."""

    model: str
    model_sha256: str
    judged: JudgedScores
    unjudged: FloatArray
    """p(YES) of the candidates without a verdict."""
    unsure: int
    """Candidates left out: unsure, or people differ."""
    shown: int
    """Left out: judged only after something of an agent's opinion had been seen."""
    without_p: int
    """Left out: judged, but the model tells no p(YES)."""


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """Does 0.7 mean seven in ten? `calibrated` is out of fold, None where nothing can be fitted."""

    raw: tuple[Bin, ...]
    raw_error: float
    raw_brier: float
    calibrated: tuple[Bin, ...] | None
    calibrated_error: float | None
    calibrated_brier: float | None
    roc_auc: float | None
    average_precision: float | None
    note: str = ""
    """Why there is no calibrated curve."""


@dataclass(frozen=True, kw_only=True)
class Shortage:
    """Verdicts that are missing before anything can be fitted; 0: enough of that kind."""

    verdicts: int
    accept: int
    reject: int
    """Of each kind that many more, at the least."""


def gather(
    session: Session, model: str, model_sha256: str | None = None, *, blind_only: bool = True
) -> CalibrationSample:
    """Of a model by name, and by hash or in the version that inspected last."""
    sha256 = newest_version(session, model) if model_sha256 is None else model_sha256
    agent = read_agent(session, model, sha256)
    return calibration_sample(read_verdicts(session), agent, blind_only=blind_only)


def calibration_sample(
    verdicts: Verdicts, agent: AgentVerdicts, *, blind_only: bool = True
) -> CalibrationSample:
    """`blind_only`: verdicts as they were before the agent's opinion was seen; what a person says
    after that flatters the agent, and the calibration with it."""
    every = settled(verdicts)
    used = settled(verdicts, blind=True) if blind_only else every
    told = ~np.isnan(agent.p_yes)
    number, p = agent.candidate[told], agent.p_yes[told]
    mine, its = common_indexes(used.candidate, number)
    code = used.verdict[mine]
    sure = (code != NONE) & (code != UNSURE)
    has_verdict = np.zeros(number.size, dtype=np.bool_)
    has_verdict[common_indexes(every.candidate, number)[1]] = True
    return CalibrationSample(
        model=agent.model,
        model_sha256=agent.model_sha256,
        judged=JudgedScores(p[its[sure]], code[sure] == ACCEPT),
        unjudged=p[~has_verdict],
        unsure=int(np.sum(~sure)),
        shown=int(np.sum(has_verdict)) - its.size,
        without_p=len(every) - int(np.sum(has_verdict)),
    )


def calibrate(
    session: Session, own: CalibrationSample, method: MethodChoice = "auto"
) -> Calibration:
    """Fit and keep in the session. Too few candidates: nothing is kept, and the note says why."""
    calibration = fit_sample(session, own, method)
    if not calibration.is_fitted:
        return calibration
    values = {
        "model": own.model,
        "fitted_at": now(),
        "content": calibration_to_json(calibration),
    }
    with session.database.writing() as connection:
        connection.execute(insert(calibrations).values(values))
    session.changed.emit(Change(aspect="calibration"))
    return calibration


def fit_sample(
    session: Session, own: CalibrationSample, method: MethodChoice = "auto"
) -> Calibration:
    """As `calibrate`, to look at only."""
    return fit_calibration(
        own.judged,
        method,
        model=own.model,
        model_sha256=own.model_sha256,
        task=session.task.id,
    )


def newest_calibration(
    session: Session, model: str, model_sha256: str | None = None
) -> Calibration | None:
    """The last one kept for that model, of that very version where a hash is given."""
    query = select(calibrations).where(calibrations.c.model == model)
    with session.database.reading() as connection:
        rows = connection.execute(query.order_by(calibrations.c.id.desc())).all()
    for row in rows:
        kept = calibration_from_json(row.content, f"calibration {row.id} of {session.location}")
        if model_sha256 is None or kept.model_sha256 == model_sha256:
            return kept
    return None


def newest_version(session: Session, model: str) -> str:
    """The hash of the model by which the last inspection under that name was made."""
    query = (
        select(inspections.c.model_sha256)
        .where(inspections.c.model == model)
        .order_by(inspections.c.id.desc())
        .limit(1)
    )
    with session.database.reading() as connection:
        found: str | None = connection.execute(query).scalar()
    if found is None:
        raise SessionError(f"nothing has been inspected by a model named {model[:80]!r} here")
    return found


def reliability(judged: JudgedScores, method: MethodChoice = "auto") -> Reliability | None:
    """None without a judged candidate."""
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
    """The state of p(YES) in one line, for the window and the report."""
    if calibration is not None and calibration.is_fitted:
        kind = "a straight line" if calibration.method == "platt" else "a rising curve"
        told = f"Calibrated with {kind} on {calibration.n:,} of your verdicts"
        return f"{told}, {calibration.positives:,} of them ACCEPT."
    more = shortage_sentence(judged)
    if more:
        return f"Not calibrated: p(YES) ranks, but is no probability. {more}"
    return "Not calibrated: p(YES) ranks, but is no probability. There are verdicts enough to fit."


def shortage(judged: JudgedScores) -> Shortage | None:
    """None where nothing is missing."""
    in_all, of_each = PLATT_NEEDS
    found = Shortage(
        verdicts=max(in_all - len(judged), 0),
        accept=max(of_each - judged.positives, 0),
        reject=max(of_each - judged.negatives, 0),
    )
    return found if found.verdicts or found.accept or found.reject else None


def shortage_sentence(judged: JudgedScores) -> str:
    """The same in words; empty where nothing is missing."""
    short = shortage(judged)
    if short is None:
        return ""
    kinds = ((short.accept, "ACCEPT"), (short.reject, "REJECT"))
    told = " and ".join(f"{more} more {word}" for more, word in kinds if more)
    if short.verdicts:
        told = f"{short.verdicts} more verdicts" + (f", among them at least {told}" if told else "")
    return f"You have {judged.positives} ACCEPT and {judged.negatives} REJECT; {told} are needed."


def _calibrated(judged: JudgedScores, method: MethodChoice) -> tuple[JudgedScores | None, str]:
    """Each p(YES) by what the others teach."""
    try:
        whole = fit_calibration(judged, method)
        if not whole.is_fitted:
            return None, whole.note
        return JudgedScores(calibrated_out_of_fold(judged, method, FOLDS), judged.label), ""
    except ConfidenceError as error:
        return None, f"not calibrated: {error}"
