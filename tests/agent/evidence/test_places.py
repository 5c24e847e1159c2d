"""Every claim is said of a window that shows it."""

import pytest

from agent.evidence.findings import Finding, check_claims
from agent.evidence.gates import GATES
from agent.evidence.measurements import measurements_of
from agent.evidence.places import contains, feature_range, gate_places, window_of
from agent.tasks.catalogue import find_task, load_tasks
from tests.agent.evidence.simulated import simulated_spectrum

NOWHERE = {"CS hot", "B hei_red"}
"""Claims whose feature may lie in no window of their task: they are said of the whole spectrum."""


@pytest.mark.parametrize("label", ["CV", "WD", "MG", "B"])
def test_the_window_shows_what_decides_the_claim(label: str):
    numbers = measurements_of(simulated_spectrum(label))
    for task in load_tasks():
        for finding in check_claims(task, numbers):
            if not finding.is_testable or finding.evidence.kind == "quality":
                continue
            window = window_of(finding, task, numbers)
            ranges = [feature_range(name) for name in finding.evidence.target]
            if window is None:
                assert f"{task.id} {finding.evidence.id}" in NOWHERE
            elif len(ranges) == 1:
                assert ranges[0] is not None and contains(window.range, ranges[0])
            else:
                assert any(each and contains(window.range, each) for each in ranges)


def test_he_i_5876_is_not_said_of_the_window_of_h_alpha():
    task = find_task("CV")
    evidence = next(each for each in task.evidence if each.id == "hei_emission")
    numbers = measurements_of(simulated_spectrum("CV"))
    value = numbers.line_strength("HeI_5876").value
    assert value is not None
    window = window_of(Finding(evidence=evidence, value=value), task, numbers)
    assert window is not None and window.id == "hei5876"


def test_a_redshift_has_no_place():
    task, numbers = find_task("CV"), measurements_of(simulated_spectrum("CV"))
    redshift = next(each for each in task.evidence if each.id == "redshift")
    assert window_of(Finding(evidence=redshift, value=0.0), task, numbers) is None


def test_gates_have_their_places():
    assert (
        gate_places("H_alpha_em_fwhm") == gate_places("EW_H_alpha") == ((6564.612880603939,) * 2,)
    )
    assert len(gate_places("HeI_both")) == 2
    assert gate_places("bend") == gate_places("colour_4200_5400") == ()
    ((low, high),) = gate_places("Dn4000")
    assert 3950 < low == high < 4000
    assert all(isinstance(gate_places(name), tuple) for name in GATES)
