"""The bands name columns that the services give, with magnitudes of the system they say."""

from __future__ import annotations

import pytest

from app.services.catalogues.service import all_services
from app.services.photometry.bands import AB_JY, BANDS, bands_of


def test_each_band_is_a_magnitude_of_its_service_in_its_system():
    for band in BANDS:
        column = all_services()[band.service].column(band.column)
        assert column.unit == "mag"
        assert ("(AB)" in column.description) == (band.zero_jy == AB_JY)
        assert ("(Vega)" in column.description) == (band.zero_jy != AB_JY)


@pytest.mark.parametrize(
    ("service", "column", "w_cm2_um"),
    [
        ("twomass", "j", 3.129e-13),  # Cohen et al. 2003, table 2
        ("twomass", "h", 1.133e-13),
        ("twomass", "k", 4.283e-14),
        ("allwise", "w1", 8.1787e-15),  # Jarrett et al. 2011, table 1
        ("allwise", "w2", 2.4150e-15),
        ("allwise", "w3", 6.5151e-17),
        ("allwise", "w4", 5.0901e-18),
    ],
)
def test_magnitude_0_has_the_flux_that_is_published(service, column, w_cm2_um):
    flux = bands_of(service)[column].flux(0.0)  # erg / s / cm2 / angstrom
    assert flux * 1e-3 == pytest.approx(w_cm2_um, rel=0.005)
