"""Magnitudes of a spectrum: exact for known spectra, and a disagreement is told with its number."""

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.core.evidence.said_values import Gap, said_of
from app.services.catalogues.answer import Answer, Match, State, answer_of
from app.services.catalogues.service import all_services
from app.services.photometry import bands
from app.services.photometry.synthetic import compare, flux_points, synthetic_magnitude
from app.ui.judge.evidence.value_table import value_rows

WAVELENGTH = np.linspace(3500.0, 10_200.0, 4000)
BY_COLUMN = {(each.service, each.column): each for each in bands.BANDS}


def flat_in_frequency(magnitude: float) -> np.ndarray:
    """f_lambda of a source of this AB magnitude at every wavelength."""
    return bands.AB_JY * bands.JY * 10.0 ** (-0.4 * magnitude) * bands.LIGHT_A_S / WAVELENGTH**2


def answers(**magnitudes: float) -> dict[str, Answer]:
    found: dict[str, dict[str, float]] = {}
    for name, value in magnitudes.items():
        service, column = name.split("_")
        found.setdefault(service, {})[column] = value
    return {
        service: Answer(state=State.FOUND, matches=(Match(values=values, separation_arcsec=0.1),))
        for service, values in found.items()
    }


def test_a_band_has_a_magnitude_where_good_pixels_cover_it():
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=flat_in_frequency(17.3))
    for band in (each for each in bands.BANDS if each.service == "panstarrs"):
        assert synthetic_magnitude(spectrum, band) == pytest.approx(17.3, abs=0.01)
    assert synthetic_magnitude(spectrum, BY_COLUMN["galex", "nuv"]) is None
    assert synthetic_magnitude(spectrum, BY_COLUMN["twomass", "j"]) is None
    ivar = np.where((WAVELENGTH > 5600) & (WAVELENGTH < 6500), 0.0, 1.0)
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=flat_in_frequency(17.3), ivar=ivar)
    assert synthetic_magnitude(spectrum, BY_COLUMN["panstarrs", "r"]) is None
    assert synthetic_magnitude(spectrum, BY_COLUMN["panstarrs", "g"]) is not None


def test_magnitudes_are_fluxes_whose_level_is_compared_within_errors():
    for band in bands.BANDS:
        flux = band.flux(12.0)
        zero = band.zero_jy * bands.JY * bands.LIGHT_A_S / band.centre**2
        assert -2.5 * np.log10(flux / zero) == pytest.approx(12.0)
        assert band.low < band.centre < band.high
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=1e17 * flat_in_frequency(19.5))
    points = flux_points(answers(panstarrs_g=17.0, panstarrs_r=17.0))
    found = compare(spectrum, points, 1e-17)
    assert found.is_absolute and found.disagrees and found.worst is None
    assert found.level == pytest.approx(2.5, abs=0.02)
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=1e17 * flat_in_frequency(17.0))
    values = answers(panstarrs_g=16.4, panstarrs_r=17.0, panstarrs_i=17.0)
    found = dict(values["panstarrs"].matches[0].values)
    match = Match(values={**found, "g_error": 0.3}, separation_arcsec=0.0)
    points = flux_points({"panstarrs": Answer(state=State.FOUND, matches=(match,))})
    assert not compare(spectrum, points, 1e-17).disagrees


def test_relative_flux_is_moved_to_agree_and_one_band_that_does_not_is_told():
    spectrum = Spectrum(wavelength=WAVELENGTH, flux=3e20 * flat_in_frequency(17.0))
    good = compare(
        spectrum, flux_points(answers(panstarrs_g=17.0, panstarrs_r=17.0, panstarrs_i=17.05))
    )
    assert not good.disagrees and not good.is_absolute and len(good.compared) == 3
    assert all(abs(each.difference) < 0.06 for each in good.compared)
    bad = compare(
        spectrum, flux_points(answers(panstarrs_g=16.0, panstarrs_r=17.0, panstarrs_i=17.0))
    )
    assert bad.disagrees and bad.worst is not None and bad.worst.point.band.column == "g"
    assert bad.worst_by == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(("service", "column", "w_cm2_um"), [
    ("twomass", "j", 3.129e-13),  # Cohen et al. 2003, table 2
    ("twomass", "h", 1.133e-13),
    ("twomass", "k", 4.283e-14),
    ("allwise", "w1", 8.1787e-15),  # Jarrett et al. 2011, table 1
    ("allwise", "w2", 2.4150e-15),
    ("allwise", "w3", 6.5151e-17),
    ("allwise", "w4", 5.0901e-18),
])  # fmt: skip
def test_magnitude_0_has_the_flux_that_is_published(service, column, w_cm2_um):
    flux = BY_COLUMN[service, column].flux(0.0)  # erg / s / cm2 / angstrom
    assert flux * 1e-3 == pytest.approx(w_cm2_um, rel=0.005)


# Which magnitudes are limits, and that none of them is taken for a measurement.
SEEN = {"j": 15.1, "j_error": 0.05, "h": 14.6, "h_error": None, "k": 14.2, "k_error": 0.1}


@pytest.mark.parametrize(("letters", "limits"), [
    ("AAA", ""), ("AUB", "h"), ("UXD", "jh"), ("A", ""), (None, ""), (7, ""),
])  # fmt: skip
def test_letters(letters, limits):
    values = SEEN | {"quality": letters}
    assert [name for name in "jhk" if bands.is_limit("twomass", name, values)] == [*limits]
    assert not bands.is_limit("gaia", "j", values) and not bands.is_limit(
        "twomass", "quality", values
    )


def test_points_are_magnitudes_of_services_limits_are_none():
    for service, columns in bands.BANDS_OF_LETTERS.items():
        names = [each.name for each in all_services()[service].columns]
        assert [name for name in names if name in columns] == [*columns] and "quality" in names
    for band in bands.BANDS:
        columns = all_services()[band.service].columns
        column = next(each for each in columns if each.name == band.column)
        assert column.unit == "mag"
        assert ("(AB)" in column.description) == (band.zero_jy == bands.AB_JY)
        assert ("(Vega)" in column.description) == (band.zero_jy != bands.AB_JY)
    assert flux_points({"panstarrs": Answer(state=State.NOTHING)}) == []
    assert flux_points(answers(panstarrs_g=-99.0, panstarrs_r=float("nan"))) == []
    match = Match(values=SEEN | {"quality": "AUA"}, separation_arcsec=0.1)
    told = {"twomass": answer_of([match])}
    assert [each.band.column for each in flux_points(told)] == ["j", "k"]
    assert said_of(told, "twomass.h") is Gap.NO_VALUE
    assert said_of(told, "twomass.j").value == 15.1
    rows = {row.name: row.text for row in value_rows(all_services()["twomass"], match)}
    assert rows["h"] == "> 14.6 mag" and rows["j"] == "15.100 ± 0.050 mag"
