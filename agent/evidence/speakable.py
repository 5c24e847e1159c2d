"""The claims as they are put into words: what cannot be meant is not said.

The verdict does not depend on this: every claim has counted before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from agent.evidence.assessment import Assessment
from agent.evidence.findings import MEANING, Finding
from agent.evidence.measurements import SpectrumMeasurements
from agent.evidence.plausible import BANDS, GRAVITY, is_contradicted, tells_gravity
from agent.tasks.task import Evidence

BORDERLINE = 0.5  # times the claim's scale; a value so near its threshold proves nothing
GIANT_OR_DWARF = re.compile(r"\b(?:giant|dwarf)\b")


def speakable(assessment: Assessment) -> tuple[Finding, ...]:
    """The findings without those that another measurement contradicts.

    Numbers that tell giants from dwarfs lead to one conclusion: those on the other side of their
    sum, and those of stars without TiO bands, are given without one.
    """
    numbers = assessment.numbers
    kept = [
        finding
        for finding in assessment.findings
        if not (finding.is_testable and is_contradicted(finding, numbers))
    ]
    kept = _one_band(kept)
    total = math.fsum(finding.log_odds for finding in kept if _tells(finding, numbers))
    return tuple(_concluded(finding, numbers, total) for finding in kept)


def _one_band(findings: Sequence[Finding]) -> list[Finding]:
    """The index of a band leads to no conclusion where the step at its head says the opposite."""
    found = {
        name: finding.is_found
        for finding in findings
        if finding.is_testable
        for name in finding.evidence.target
    }
    disagreeing = {
        (index,)
        for index, head in BANDS.items()
        if index in found and found.get(head, found[index]) != found[index]
    }
    return [
        replace(each, evidence=without_meaning(each.evidence))
        if each.evidence.target in disagreeing
        else each
        for each in findings
    ]


def _concluded(finding: Finding, numbers: SpectrumMeasurements, total: float) -> Finding:
    evidence = finding.evidence
    if not finding.is_testable:
        return finding
    if abs(evidence.excess(finding.value)) < BORDERLINE * evidence.scale:
        return replace(finding, evidence=without_meaning(evidence))
    if not _names_gravity(finding):
        return finding
    agrees = finding.log_odds * total > 0 and finding.is_plain
    if _tells(finding, numbers) and agrees:
        return finding
    return replace(finding, evidence=without_meaning(evidence))


def _tells(finding: Finding, numbers: SpectrumMeasurements) -> bool:
    return _names_gravity(finding) and all(
        tells_gravity(name, numbers) for name in finding.evidence.target
    )


def _names_gravity(finding: Finding) -> bool:
    evidence = finding.evidence
    words = f"{evidence.text_found} {evidence.text_absent}"
    return bool(GRAVITY & {*evidence.target}) and bool(GIANT_OR_DWARF.search(words))


def without_meaning(evidence: Evidence) -> Evidence:
    """The claim with its numbers alone."""

    def cut(text: str) -> str:
        match = MEANING.search(text)
        return text if match is None or "{" in match.group(1) else text[: match.start()]

    return replace(
        evidence, text_found=cut(evidence.text_found), text_absent=cut(evidence.text_absent)
    )
