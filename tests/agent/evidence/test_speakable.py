"""Claims in words lead to one conclusion; the verdict does not change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.evidence.assessment import Assessment, assess
from agent.evidence.findings import Finding
from agent.evidence.speakable import speakable, without_meaning
from agent.tasks.catalogue import find_task, load_tasks
from tests.agent.evidence.simulated import simulated_spectrum


@pytest.fixture(scope="module")
def giant() -> Assessment:
    return assess(simulated_spectrum("MG"), find_task("MG"))


def found(assessment: Assessment, claim: str) -> Finding:
    return next(each for each in speakable(assessment) if each.evidence.id == claim)


def with_value(assessment: Assessment, claim: str, value: float) -> Assessment:
    """The assessment as if this claim had another value."""
    changed = tuple(
        replace(each, value=value, log_odds=0.1 * each.evidence.log_odds(value))
        if each.evidence.id == claim
        else each
        for each in assessment.findings
    )
    return replace(assessment, findings=changed)


def test_a_dissenter_gives_its_number_alone(giant: Assessment):
    assert found(giant, "cah1").meaning.endswith("a giant")
    assert found(with_value(giant, "na8190", 5.0), "na8190").meaning == ""
    assert found(with_value(giant, "na8190", -1.0), "na8190").meaning.endswith("a giant")


def test_a_value_beside_its_threshold_proves_nothing(giant: Assessment):
    assert found(with_value(giant, "tio", 0.78), "tio").meaning == ""
    assert found(with_value(giant, "tio", 0.60), "tio").meaning == "M type"


def test_a_band_without_its_head_leads_to_no_conclusion(giant: Assessment):
    assert found(with_value(giant, "zro", 0.0), "zro_band").meaning == "no ZrO band"
    assert found(with_value(giant, "zro", 0.4), "zro_band").meaning == ""


def test_the_blue_tio_of_a_star_without_tio_is_not_told():
    assessment = with_value(assess(simulated_spectrum("CV"), find_task("MG")), "tio_blue", 1.4)
    assert "tio_blue" not in [each.evidence.id for each in speakable(assessment)]


@pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)
def test_claims_without_their_conclusion_keep_their_numbers(task):
    for evidence in task.evidence:
        plain = without_meaning(evidence)
        for value in (evidence.threshold + 1.0, evidence.threshold - 1.0):
            full = Finding(evidence=evidence, value=value)
            short = Finding(evidence=plain, value=value)
            assert full.text.startswith(short.text) and short.meaning == ""
            assert short.is_found == full.is_found
