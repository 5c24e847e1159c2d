"""Checks the claims of a task on one spectrum.

A claim's log-odds are scaled from 0 to 1 by the quality of the data. Claims of one group, which
repeat each other, together count little more than the best of them.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.evidence.measurements import SpectrumMeasurements, is_hot_line
from agent.spectra.measure.measurement import Measurement, refused
from agent.tasks.task import Evidence, Task

GROUP_CAP = 1.5  # times the best claim of a group, at most, for the whole group
MIN_SNR_FRACTION = 0.5  # of the claim's minimum S/N, below which it is not testable
CLEAR_SIGMA = 6.0  # a detection this strong counts in full, however noisy the continuum
HALVING_ERROR = 1.5  # times the claim's scale; an error of this size halves its log-odds
MIN_TRUST = 0.02
MEANING = re.compile(r"(?:: |, (?=as in ))(.+)$")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One claim checked on one spectrum.

    `log_odds` is in nats. If the claim is not testable, it is 0 and `reason` says why. `value` and
    `error` are in the claim's unit, NaN if not measured.
    """

    evidence: Evidence
    value: float = math.nan
    error: float = math.nan
    snr: float = 0.0  # median per pixel in the claim's window
    log_odds: float = 0.0
    reason: str = ""
    lacks: str = ""
    """The label of the claim that it needs and that is not found."""

    @property
    def is_testable(self) -> bool:
        return not self.reason

    @property
    def is_found(self) -> bool:
        is_known = math.isfinite(self.value) and not self.lacks
        return is_known and self.evidence.is_found(self.value)

    @property
    def is_borderline(self) -> bool:
        """Whether the value is within its error of the threshold, so that neither side is shown."""
        return abs(self.evidence.excess(self.value)) <= self.error

    @property
    def significance(self) -> float:
        is_known = math.isfinite(self.value) and math.isfinite(self.error) and self.error > 0
        return abs(self.value) / self.error if is_known else 0.0

    @property
    def meaning(self) -> str:
        """What the claim's text concludes from its numbers; empty if it concludes nothing."""
        evidence = self.evidence
        template = evidence.text_found if self.is_found else evidence.text_absent
        tail = MEANING.search(template)
        return "" if tail is None or "{" in tail.group(1) else tail.group(1)

    @property
    def text(self) -> str:
        """The claim's text with its numbers filled in."""
        error = self.error if math.isfinite(self.error) else None
        return self.evidence.text(self.value, error=error, snr=self.snr)


def check_claims(task: Task, numbers: SpectrumMeasurements) -> tuple[Finding, ...]:
    """Check every claim of the task, in the order of the file."""
    findings: dict[str, Finding] = {}
    for evidence in task.evidence:
        findings[evidence.id] = _check(evidence, task, numbers, findings)
    return _capped(list(findings.values()))


def _check(
    evidence: Evidence, task: Task, numbers: SpectrumMeasurements, earlier: dict[str, Finding]
) -> Finding:
    snr = numbers.snr(task.window(evidence.window).range)
    value = _measured(evidence, numbers)
    if value.value is None:
        return Finding(evidence=evidence, snr=snr, reason=value.reason or "not measurable")
    is_hot = evidence.expect != "emission" and all(map(is_hot_line, evidence.target))
    if is_hot and value.value > 0 and numbers.is_late_type:
        return Finding(evidence=evidence, snr=snr, reason="in a cool star metals absorb there")
    error = value.error or 0.0
    finding = Finding(evidence=evidence, value=value.value, error=error, snr=snr)
    missing = [earlier[name] for name in evidence.needs if not earlier[name].is_found]
    if missing:
        label = missing[0].evidence.label
        return replace(finding, lacks=label, reason=f"it needs {label} to be found first")
    trust = _trust(finding)
    if trust < MIN_TRUST:
        why = f"the signal-to-noise ratio of {snr:.0f} is below {evidence.min_snr:g}"
        return replace(finding, reason=why)
    return replace(finding, log_odds=trust * evidence.log_odds(value.value, error))


def _trust(finding: Finding) -> float:
    """Factor from 0 to 1 for the quality of the data."""
    evidence = finding.evidence
    trust = 1.0
    if evidence.min_snr > 0:
        share = finding.snr / evidence.min_snr
        trust = min(max((share - MIN_SNR_FRACTION) / (1.0 - MIN_SNR_FRACTION), 0.0), 1.0)
    if evidence.kind == "quality" or finding.error <= 0:
        return trust
    # A clear detection does not need a high S/N in the continuum; a non-detection does.
    excess_sigma = evidence.excess(finding.value) / finding.error
    if finding.is_found and excess_sigma > 0:
        trust = max(trust, min(excess_sigma / CLEAR_SIGMA, 1.0))
    return trust / (1.0 + (finding.error / (HALVING_ERROR * evidence.scale)) ** 2)


def _measured(evidence: Evidence, numbers: SpectrumMeasurements) -> Measurement:
    """Combine the claim's targets into one value with its error."""
    values = [_target(evidence, target, numbers) for target in evidence.target]
    known = [value for value in values if value.value is not None]
    if evidence.kind == "ratio":
        return _ratio(evidence, values)
    if not known or (evidence.combine in ("all", "sum") and len(known) < len(values)):
        return next(value for value in values if value.value is None)
    combined = evidence.combined([value.number for value in known])
    errors = [value.error or 0.0 for value in known]
    if evidence.combine == "mean":
        error = math.hypot(*errors) / len(errors)
    elif evidence.combine == "sum":
        error = math.hypot(*errors)
    else:
        error = next(e for v, e in zip(known, errors, strict=True) if v.number == combined)
    return Measurement(evidence.id, combined, error, known[0].unit, known[0].window)


def _ratio(evidence: Evidence, values: list[Measurement]) -> Measurement:
    for value in values:
        if value.value is None:
            return value
    ratio = evidence.combined([value.number for value in values])
    second = values[1].number
    if not math.isfinite(ratio) or values[1].significance < 3.0:
        return refused(evidence.id, "the divisor is not above the noise")
    error = math.hypot(values[0].error or 0.0, ratio * (values[1].error or 0.0)) / abs(second)
    return Measurement(evidence.id, ratio, error)


def _target(evidence: Evidence, name: str, numbers: SpectrumMeasurements) -> Measurement:
    match evidence.kind:
        case "line" | "ratio":
            return numbers.line_strength(name)
        case "width":
            return numbers.line_width(name)
        case "quality":
            return numbers.whole_spectrum(name)
        case _:
            return numbers.index(name)


def _capped(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Scale down the claims of one group and sign to GROUP_CAP times the best of them."""
    totals: dict[tuple[str, bool], list[float]] = {}
    for finding in findings:
        if finding.evidence.group and finding.log_odds:
            key = (finding.evidence.group, finding.log_odds > 0)
            totals.setdefault(key, []).append(abs(finding.log_odds))
    factors = {key: min(1.0, GROUP_CAP * max(parts) / sum(parts)) for key, parts in totals.items()}

    def scaled(finding: Finding) -> Finding:
        factor = factors.get((finding.evidence.group, finding.log_odds > 0), 1.0)
        return finding if factor == 1.0 else replace(finding, log_odds=factor * finding.log_odds)

    return tuple(map(scaled, findings))
