"""Helpers that add verdicts and inspections to a session."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sqlalchemy import insert, update

from app.core.database.tables import candidates, inspections
from app.core.session import verdict_log
from app.core.session.records import NOTHING, Opinion, Verdict
from app.core.session.session import Session
from app.core.statistics.agents import read_agent
from app.core.statistics.calibration import CalibrationSample, calibration_sample
from app.core.statistics.verdicts import read_verdicts

A, R, U = Verdict


def say(
    session: Session,
    reviewer: str,
    verdicts: Mapping[int, Verdict | None],
    shown: Mapping[str, Any] = NOTHING,
) -> None:
    """Record these verdicts one after the other, in one transaction for speed."""
    with session.database.writing() as connection:
        number = verdict_log.reviewer_id(connection, reviewer)
        for candidate, verdict in verdicts.items():
            opinion = Opinion(verdict=verdict)
            verdict_log.record(connection, candidate, number, opinion, shown=shown)


def inspect(
    session: Session,
    model: str,
    said: Mapping[int, tuple[str | None, float | None]],
    sha256: str = "ab" * 32,
    stopped_by: str = "answer",
) -> None:
    """Store inspections of a model: verdict and p(YES) of each candidate."""
    rows = [
        {
            "candidate_id": number, "model": model, "model_sha256": sha256,
            "at": "2026-01-01T00:00:00+00:00", "verdict": verdict, "p_yes": p_yes,
            "stopped_by": stopped_by, "well_formed": verdict is not None, "record": "{}",
        }
        for number, (verdict, p_yes) in said.items()
    ]  # fmt: skip
    with session.database.writing() as connection:
        connection.execute(insert(inspections), rows)
        for row in rows:
            newest = {
                "agent_verdict": row["verdict"], "agent_p_yes": row["p_yes"], "agent_model": model,
                "agent_stopped_by": stopped_by,
            }  # fmt: skip
            here = candidates.c.id == row["candidate_id"]
            connection.execute(update(candidates).where(here).values(newest))


def inspect_scores(session: Session, p: np.ndarray) -> None:
    """`nano` says YES to each candidate, counted from 1, whose p(YES) is above one half."""
    pairs = enumerate(p.tolist(), 1)
    inspect(session, "nano", {n: ("YES" if x > 0.5 else "NO", x) for n, x in pairs})


def set_snr(session: Session, snr: Mapping[int, float | None]) -> None:
    with session.database.writing() as connection:
        for number, value in snr.items():
            here = candidates.c.id == number
            connection.execute(update(candidates).where(here).values(snr=value))


def nano_sample(session: Session, sha256: str = "ab" * 32) -> CalibrationSample:
    return calibration_sample(read_verdicts(session), read_agent(session, "nano", sha256))


def drawn_verdicts(
    rng: np.random.Generator, truth: np.ndarray, right: float, unsure: float = 0.0
) -> dict[int, Verdict]:
    """Random verdicts with that share of correct ones; candidates count from 1."""
    is_right = rng.random(truth.size) < right
    is_unsure = rng.random(truth.size) < unsure
    said = np.where(is_right, truth, ~truth)
    return {
        number: U if doubt else (A if real else R)
        for number, (real, doubt) in enumerate(
            zip(said.tolist(), is_unsure.tolist(), strict=True), 1
        )
    }
