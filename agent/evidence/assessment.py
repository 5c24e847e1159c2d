"""Assessment of a spectrum: combines the kind of object and every claim into log-odds of YES."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from types import MappingProxyType

from agent.checked_toml import read_toml
from agent.evidence.findings import Finding, check_claims
from agent.evidence.kinds import MAX_BYTES, KindJudgement, builtin_kinds
from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.hashing import text_hash
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


PRIOR_LOG_ODDS = -1.6  # one in six
# The weights in a task file are for each claim alone, but claims overlap.
UNFITTED_WEIGHT = 0.7
MAX_CLAIMS = 64


@dataclass(frozen=True, kw_only=True)
class TaskWeights:
    """log-odds of YES = intercept + kind * log-odds of the kind + sum of claim * its log-odds."""

    intercept: float = PRIOR_LOG_ODDS
    kind: float = 0.0
    claims: Mapping[str, float]

    @property
    def sha256(self) -> str:
        claims = ",".join(f"{name}={weight:.6g}" for name, weight in self.claims.items())
        return text_hash(f"{self.intercept:.6g},{self.kind:.6g},{claims}")


def weights_for(task: Task) -> TaskWeights:
    """Fitted weights of a bundled task, or default weights of a user's own task."""
    fitted = _builtin_weights().get(task.id) if task.path is None else None
    names = [evidence.id for evidence in task.evidence]
    if fitted is not None and set(fitted.claims) == set(names):
        return fitted
    return TaskWeights(claims=MappingProxyType(dict.fromkeys(names, UNFITTED_WEIGHT)))


@cache
def _builtin_weights() -> Mapping[str, TaskWeights]:
    with as_file(files("resources") / "weights" / "tasks.toml") as path:
        return read_weights(path)


def read_weights(path: Path) -> Mapping[str, TaskWeights]:
    """Read weights by task id; a ResourceError names the faulty key."""
    file = read_toml(path, MAX_BYTES)
    weights = {}
    for table in file.tables("tasks", at_most=64):
        claims = table.texts("claims", longest=32, at_most=MAX_CLAIMS)
        values = table.numbers("weights", low=0, high=20, at_most=MAX_CLAIMS)
        if len(values) != len(claims):
            raise table.fault("weights", f"expected {len(claims)} numbers, found {len(values)}")
        weights[table.text("id", longest=16)] = TaskWeights(
            intercept=table.number("intercept", low=-20, high=20),
            kind=table.number("kind", low=0, high=20),
            claims=MappingProxyType(dict(zip(claims, values, strict=True))),
        )
        table.close()
    file.close()
    return MappingProxyType(weights)


@cache
def builtin_fingerprint() -> str:
    """Hash of all fitted weights, which identifies the version of the measured inspector."""
    folder = files("resources") / "weights"
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("kinds.toml", "tasks.toml")]
    return text_hash("\n".join(texts))
