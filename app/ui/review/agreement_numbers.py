"""The numbers of the agreement page, computed outside the GUI thread."""

from dataclasses import dataclass
from typing import Any

from agent.confidence.calibration import Calibration
from app.core.queue import next_unjudged
from app.core.session.session import Session
from app.core.statistics.calibration import CalibrationSample, calibration_sample
from app.core.statistics.snr_bins import SnrBin
from app.core.statistics.summary import (
    AgentFigures,
    Statistics,
    read_all_verdicts,
    statistics_of,
    stored_calibration,
)
from app.ui.review.figures import FigureRow


@dataclass(frozen=True, eq=False, kw_only=True)
class AgreementModel:
    """One model's statistics, the sample they come from, and the calibration in use."""

    figures: AgentFigures
    own: CalibrationSample
    calibration: Calibration | None
    fault: str = ""  # why the stored calibration cannot be used

    @property
    def key(self) -> tuple[str, str]:
        return self.figures.model, self.figures.model_sha256


@dataclass(frozen=True, eq=False, kw_only=True)
class AgreementNumbers:
    statistics: Statistics
    models: tuple[AgreementModel, ...]  # models with the most blind verdicts first
    is_all_judged: bool
    """Whether this reviewer has judged everything, so that nothing need be hidden any more."""


def compute_numbers(session: Session) -> AgreementNumbers:
    verdicts = read_all_verdicts(session)
    statistics = statistics_of(session, verdicts)
    models = []
    for agent, figures in zip(verdicts.agents, statistics.agents, strict=True):
        stored, fault = stored_calibration(session, agent)
        own = calibration_sample(verdicts.verdicts, agent)
        models.append(AgreementModel(figures=figures, own=own, calibration=stored, fault=fault))
    return AgreementNumbers(
        statistics=statistics,
        models=tuple(sorted(models, key=lambda each: -len(each.own.judged))),
        is_all_judged=next_unjudged(session) is None,
    )


def people_rows(found: Statistics, everybody: str, repeats: str) -> list[FigureRow]:
    """Fleiss' kappa of all people, Cohen's of each pair, and of each person's repeats."""
    rows = []
    if len(found.people.pairs) > 1:
        several = found.people.several
        rows.append(FigureRow(everybody, several.kappa, several.n, "accent"))
    rows += [
        FigureRow(f"{pair.first} · {pair.second}", pair.every.kappa, pair.every.n)
        for pair in found.people.pairs
    ]
    rows += [
        FigureRow(f"{each.reviewer} · {repeats}", each.agreement.kappa, each.agreement.n, "dim")
        for each in found.repeats
    ]
    return rows


def subclass_rows(found: Statistics, level: str) -> list[FigureRow]:
    """Cohen's kappa of each pair at each level of sub-classes; `level` has the place {n}."""
    rows = []
    for each in found.subclasses.pairs:
        name = f"{each.first} · {each.second} · {level.replace('{n}', str(each.level))}"
        rows.append(FigureRow(name, each.agreement.kappa, each.agreement.n))
    return rows


def agent_rows(found: Statistics, seen: str) -> list[FigureRow]:
    """Kappa of each person with each model: of blind verdicts, and in grey of those that saw it."""
    rows = []
    for each in found.with_agents:
        name = f"{each.reviewer} · {each.model}"
        if each.blind.n:
            rows.append(FigureRow(name, each.blind.kappa, each.blind.n, "agent"))
        if each.seen.n:
            rows.append(FigureRow(f"{name} · {seen}", each.seen.kappa, each.seen.n, "dim"))
    return rows


def snr_rows(found: Statistics, people: str, *, with_agent: bool) -> list[FigureRow]:
    """Kappa by S/N: people with each other, then the person and model with most in common."""
    several = found.people.several_by_snr
    rows = [FigureRow(f"{people} · {_bin(e)}", e.found.kappa, e.found.n) for e in several]
    met = max(found.with_agents, key=lambda each: each.blind.n, default=None)
    if with_agent and met is not None:
        for each in met.by_snr:
            name, found_there = f"{met.reviewer} · {met.model} · {_bin(each)}", each.found
            rows.append(FigureRow(name, found_there.kappa, found_there.n, "agent"))
    return rows


def _bin(each: SnrBin[Any]) -> str:
    """Label of an S/N bin, in signs that need no translation."""
    if each.low is None and each.high is None:
        return "S/N ?"
    if each.low is None:
        return f"S/N < {each.high:g}"
    return f"S/N ≥ {each.low:g}" if each.high is None else f"S/N {each.low:g}–{each.high:g}"
