"""What the agreement page shows, worked out away from the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agent.confidence.calibration import Calibration
from app.core.queue import next_unjudged
from app.core.session.session import Session
from app.core.statistics.calibration import CalibrationSample, calibrate, own_verdicts
from app.core.statistics.snr_bins import InBin
from app.core.statistics.summary import (
    AgentFigures,
    Statistics,
    kept_calibration,
    read_said,
    statistics_of,
)
from app.ui.review.figures import FigureRow


@dataclass(frozen=True, eq=False, kw_only=True)
class AgreementModel:
    """One model's figures, what they rest on, and the calibration in use."""

    figures: AgentFigures
    own: CalibrationSample
    calibration: Calibration | None
    fault: str = ""
    """Why the calibration that is kept cannot be used."""

    @property
    def key(self) -> tuple[str, str]:
        return self.figures.model, self.figures.model_sha256


@dataclass(frozen=True, eq=False, kw_only=True)
class AgreementNumbers:
    statistics: Statistics
    models: tuple[AgreementModel, ...]
    """Those with most blind verdicts beside them first."""
    is_all_judged: bool
    """By this reviewer: what the agent said can steer nobody any more."""


def numbers(session: Session) -> AgreementNumbers:
    said = read_said(session)
    found = statistics_of(session, said)
    models = []
    for agent, figures in zip(said.agents, found.agents, strict=True):
        kept, fault = kept_calibration(session, agent)
        own = own_verdicts(said.verdicts, agent)
        models.append(AgreementModel(figures=figures, own=own, calibration=kept, fault=fault))
    return AgreementNumbers(
        statistics=found,
        models=tuple(sorted(models, key=lambda each: -len(each.own.judged))),
        is_all_judged=next_unjudged(session) is None,
    )


def fit(session: Session, own: CalibrationSample) -> Calibration:
    """From verdicts given blind; kept in the session where it could be fitted."""
    return calibrate(session, own)


def people_rows(found: Statistics, everybody: str, again: str) -> list[FigureRow]:
    """Fleiss' kappa of all, Cohen's of each pair, and of each person with themselves."""
    rows = []
    if len(found.people.pairs) > 1:
        several = found.people.several
        rows.append(FigureRow(everybody, several.kappa, several.n, "accent"))
    for pair in found.people.pairs:
        name = f"{pair.first} · {pair.second}"
        rows.append(FigureRow(name, pair.every.kappa, pair.every.n))
    rows += [
        FigureRow(f"{each.reviewer} · {again}", each.agreement.kappa, each.agreement.n, "dim")
        for each in found.repeats
    ]
    return rows


def agent_rows(found: Statistics) -> list[FigureRow]:
    """Verdicts given blind alone: the others are not a person's own."""
    return [
        FigureRow(f"{each.reviewer} · {each.model}", each.blind.kappa, each.blind.n, "agent")
        for each in found.with_agents
        if each.blind.n
    ]


def snr_rows(found: Statistics, people: str, *, with_agent: bool) -> list[FigureRow]:
    """People among themselves, then the person and agent that met most often."""
    several = found.people.several_by_snr
    rows = [FigureRow(f"{people} · {_bin(e)}", e.found.kappa, e.found.n) for e in several]
    met = max(found.with_agents, key=lambda each: each.blind.n, default=None)
    if with_agent and met is not None:
        name = f"{met.reviewer} · {met.model}"
        rows += [
            FigureRow(f"{name} · {_bin(e)}", e.found.kappa, e.found.n, "agent") for e in met.by_snr
        ]
    return rows


def _bin(each: InBin[Any]) -> str:
    """In signs, which need no translation and little room."""
    if each.low is None and each.high is None:
        return "S/N ?"
    if each.low is None:
        return f"S/N < {each.high:g}"
    return f"S/N ≥ {each.low:g}" if each.high is None else f"S/N {each.low:g}–{each.high:g}"
