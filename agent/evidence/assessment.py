"""The judgement itself: velocity, quality, kind of object, every claim, and what they add up to."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from agent.evidence.findings import Finding, find
from agent.evidence.kinds import KindJudgement, builtin_kinds
from agent.evidence.numbers import SpectrumMeasurements, numbers_of
from agent.evidence.weights import TaskWeights, weights_for
from agent.protocol.reply import Verdict
from agent.spectra.measure.noise import Quality
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task

SUREST = 12.0
"""Nats: no spectrum alone proves more."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Assessment:
    """What the measurements say about one spectrum and one task.

    The log-odds of a finding are as they entered the judgement, in nats.
    """

    task: Task
    log_odds: float
    findings: tuple[Finding, ...]
    kinds: KindJudgement
    kind_log_odds: float
    """What the kind of object brought; 0 where the task is none of the kinds."""
    quality: Quality
    snr: float
    """Median per pixel of the whole spectrum."""
    numbers: SpectrumMeasurements

    @property
    def p_yes(self) -> float:
        return 1.0 / (1.0 + math.exp(-self.log_odds))

    @property
    def verdict(self) -> Verdict:
        return "YES" if self.p_yes >= 0.5 else "NO"

    @property
    def untestable(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if not finding.is_testable)


def assess(spectrum: Spectrum, task: Task) -> Assessment:
    """Judge a spectrum. The same spectrum and task always give the same answer."""
    return assess_numbers(numbers_of(spectrum), task)


def assess_numbers(numbers: SpectrumMeasurements, task: Task) -> Assessment:
    """The same from numbers that may have served other tasks before."""
    kinds = builtin_kinds().judge(numbers)
    weights = weights_for(task)
    findings = tuple(
        replace(finding, log_odds=weights.claims[finding.evidence.id] * finding.log_odds)
        for finding in find(task, numbers)
    )
    kind_log_odds = _kind_log_odds(kinds, task, weights)
    total = weights.intercept + kind_log_odds + math.fsum(each.log_odds for each in findings)
    return Assessment(
        task=task,
        log_odds=min(max(total, -SUREST), SUREST),
        findings=findings,
        kinds=kinds,
        kind_log_odds=kind_log_odds,
        quality=numbers.quality,
        snr=numbers.overall_snr,
        numbers=numbers,
    )


def _kind_log_odds(kinds: KindJudgement, task: Task, weights: TaskWeights) -> float:
    if not weights.kind or task.id not in kinds.labels:
        return 0.0
    return weights.kind * min(max(kinds.log_odds(task.id), -SUREST), SUREST)
