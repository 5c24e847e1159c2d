"""Each claim of a task checked on one spectrum: what it says here, and how much that may count.

A claim counts in full where the data can bear it, not at all where they cannot, and in between
in part; claims that repeat one another count little more than the best of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.evidence.numbers import SpectrumMeasurements
from agent.spectra.measure.measurement import Measurement, refused
from agent.tasks.task import Evidence, Task

GROUP_CAP = 1.5
"""Claims of one group together count at most this many times the best of them."""
HALF_TRUST = 0.5
"""Under this part of the S/N a claim asks for, it is not testable."""
CLEAR_SIGMA = 6.0
"""What stands out like this is there, however noisy the continuum beside it."""
BLUNT = 1.5
"""An error this many times the claim's own softness halves what a value says."""
MIN_COUNTED = 0.02


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One claim on one spectrum. `log_odds` is in nats, 0 where `reason` says why it is not
    testable; `value` and `error` are in the unit of the claim, NaN where not measured."""

    evidence: Evidence
    value: float = math.nan
    error: float = math.nan
    snr: float = 0.0
    """Per pixel in the window of the claim."""
    log_odds: float = 0.0
    reason: str = ""

    @property
    def is_testable(self) -> bool:
        return not self.reason

    @property
    def is_found(self) -> bool:
        return math.isfinite(self.value) and self.evidence.is_found(self.value)

    @property
    def is_plain(self) -> bool:
        """Whether it counts the way its words say: not a sign half seen, or a contaminant's line
        that is just not excluded."""
        if self.evidence.rank == "contaminant":
            return (self.log_odds < 0) == self.is_found
        return (self.log_odds > 0) == self.is_found

    @property
    def significance(self) -> float:
        known = math.isfinite(self.value) and math.isfinite(self.error) and self.error > 0
        return abs(self.value) / self.error if known else 0.0

    @property
    def text(self) -> str:
        """The claim in words with its numbers."""
        error = self.error if math.isfinite(self.error) else None
        return self.evidence.text(self.value, error=error, snr=self.snr)


def find(task: Task, numbers: SpectrumMeasurements) -> tuple[Finding, ...]:
    """Every claim of the task, in the order of the file."""
    found: dict[str, Finding] = {}
    for evidence in task.evidence:
        found[evidence.id] = _check(evidence, task, numbers, found)
    return _capped(list(found.values()))


def _check(
    evidence: Evidence, task: Task, numbers: SpectrumMeasurements, above: dict[str, Finding]
) -> Finding:
    snr = numbers.snr(task.window(evidence.window).range)
    missing = [name for name in evidence.needs if not above[name].is_found]
    if missing:
        label = above[missing[0]].evidence.label
        return Finding(evidence=evidence, snr=snr, reason=f"it needs {label} to be found first")
    value = _measured(evidence, numbers)
    if value.value is None:
        return Finding(evidence=evidence, snr=snr, reason=value.reason or "not measurable")
    error = value.error or 0.0
    finding = Finding(evidence=evidence, value=value.value, error=error, snr=snr)
    trust = _trust(finding)
    if trust < MIN_COUNTED:
        why = f"the signal-to-noise ratio of {snr:.0f} is below {evidence.min_snr:g}"
        return replace(finding, reason=why)
    return replace(finding, log_odds=trust * evidence.log_odds(value.value, error))


def _trust(finding: Finding) -> float:
    """0 to 1: how far the data bear the claim."""
    evidence = finding.evidence
    enough = 1.0
    if evidence.min_snr > 0:
        share = finding.snr / evidence.min_snr
        enough = min(max((share - HALF_TRUST) / (1.0 - HALF_TRUST), 0.0), 1.0)
    if evidence.kind == "quality" or finding.error <= 0:
        return enough
    # A clear detection needs no high S/N in the continuum; that nothing is there does.
    clear = evidence.excess(finding.value) / finding.error
    if finding.is_found and clear > 0:
        enough = max(enough, min(clear / CLEAR_SIGMA, 1.0))
    return enough / (1.0 + (finding.error / (BLUNT * evidence.scale)) ** 2)


def _measured(evidence: Evidence, numbers: SpectrumMeasurements) -> Measurement:
    """The one number of a claim, with the error of the target it was taken from."""
    values = [_target(evidence, target, numbers) for target in evidence.target]
    known = [value for value in values if value.value is not None]
    if evidence.kind == "ratio":
        return _ratio(evidence, values)
    if not known or (evidence.combine in ("all", "sum") and len(known) < len(values)):
        return next(value for value in values if value.value is None)
    one = evidence.combined([value.number for value in known])
    errors = [value.error or 0.0 for value in known]
    if evidence.combine == "mean":
        error = math.hypot(*errors) / len(errors)
    elif evidence.combine == "sum":
        error = math.hypot(*errors)
    else:
        error = next(e for v, e in zip(known, errors, strict=True) if v.number == one)
    return Measurement(evidence.id, one, error, known[0].unit, known[0].window)


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
            return numbers.whole(name)
        case _:
            return numbers.index(name)


def _capped(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Claims of one group and one sign scaled down together to GROUP_CAP times the best."""
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
