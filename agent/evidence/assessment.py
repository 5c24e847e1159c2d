"""Assessment of a spectrum: combines the kind of object and every claim into log-odds of YES."""

import math
from dataclasses import dataclass, replace

from agent.evidence.findings import Finding, check_claims
from agent.evidence.kinds import KindJudgement, builtin_kinds
from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.evidence.weights import weights_for
from agent.protocol.reply import Verdict
from agent.spectra.measure.noise import Quality
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task

MAX_LOG_ODDS = 12.0  # nats, 160,000 to 1; no single spectrum proves more


@dataclass(frozen=True, eq=False, kw_only=True)
class Assessment:
    """Result for one spectrum and one task.

    All log-odds are in nats, those of the findings already multiplied by the fitted weights.
    """

    task: Task
    log_odds: float
    findings: tuple[Finding, ...]
    kinds: KindJudgement
    kind_log_odds: float
    """Contribution of the kind of object; 0 if the task is not one of the kinds."""
    quality: Quality
    snr: float  # median per pixel over the whole spectrum
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
    """Assess a spectrum; the result is deterministic."""
    return assess_measurements(measurements_of(spectrum), task)


def assess_measurements(numbers: SpectrumMeasurements, task: Task) -> Assessment:
    """Assess from measurements, which several tasks may share."""
    kinds = builtin_kinds().judge(numbers)
    weights = weights_for(task)
    findings = tuple(
        replace(finding, log_odds=weights.claims[finding.evidence.id] * finding.log_odds)
        for finding in check_claims(task, numbers)
    )
    kind_log_odds = 0.0
    if weights.kind and task.id in kinds.labels:
        kind_log_odds = weights.kind * _bounded(kinds.log_odds(task.id))
    total = weights.intercept + kind_log_odds + math.fsum(each.log_odds for each in findings)
    return Assessment(
        task=task, log_odds=_bounded(total), findings=findings, kinds=kinds,
        kind_log_odds=kind_log_odds, quality=numbers.quality, snr=numbers.overall_snr,
        numbers=numbers,
    )  # fmt: skip


def _bounded(log_odds: float) -> float:
    return min(max(log_odds, -MAX_LOG_ODDS), MAX_LOG_ODDS)
