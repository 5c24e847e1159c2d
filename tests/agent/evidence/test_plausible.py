"""What another feature imitates is not called by its name."""

import pytest

from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.evidence.plausible import (
    has_balmer_emission,
    has_tio,
    is_hot_line,
    is_plausible,
    tells_gravity,
    tio_in_the_way,
)
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.measurement import Measurement
from tests.agent.evidence.simulated import simulated_spectrum


def numbers_of(label: str) -> SpectrumMeasurements:
    return measurements_of(simulated_spectrum(label))


@pytest.mark.parametrize(("label", "there"), [("MG", True), ("A", False), ("CV", False)])
def test_tio_is_there_or_not(label: str, there: bool):
    numbers = numbers_of(label)
    assert has_tio(numbers) is there and tio_in_the_way(numbers) is there
    assert is_plausible("TiO_4940", there, numbers)
    assert not is_plausible("TiO_4940", not there, numbers)


def test_gravity_is_told_in_m_stars_alone_and_hot_and_forbidden_lines_are_known():
    assert tells_gravity("CaH1", numbers_of("MG"))
    assert not tells_gravity("NaI_8190", numbers_of("CV"))
    assert not tells_gravity("MgH_5211_edge", numbers_of("MG"))
    assert is_hot_line("HeI_4471") and is_hot_line("HeII_4686") and not is_hot_line("H_alpha")
    assert builtin_lines()["OIII_5007"].is_forbidden
    assert not builtin_lines()["H_beta"].is_forbidden


def test_indices_of_hydrogen_mean_nothing_where_it_emits():
    cv, a_star = numbers_of("CV"), numbers_of("A")
    assert has_balmer_emission(cv) and not has_balmer_emission(a_star)
    assert not is_plausible("HgF", False, cv) and is_plausible("HgF", True, a_star)
    assert not is_plausible("CH_G4300", True, cv) and not is_plausible("H_gamma_D2", True, cv)


def test_a_companion_with_emission_leaves_the_white_dwarf_its_widths(
    monkeypatch: pytest.MonkeyPatch,
):
    numbers = numbers_of("A")
    plain = numbers.line_strength
    emitting = {"H_alpha": Measurement("H_alpha", -8.0, 0.5)}
    monkeypatch.setattr(numbers, "line_strength", lambda name: emitting.get(name) or plain(name))
    assert is_plausible("H_gamma_D2", True, numbers)
    assert not is_plausible("HgF", False, numbers)
