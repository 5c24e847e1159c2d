"""The bands name columns that the services give, with magnitudes of the system they say."""

from __future__ import annotations

from app.services.catalogues.service import all_services
from app.services.photometry.bands import AB_JY, BANDS


def test_each_band_is_a_magnitude_of_its_service_in_its_system():
    for band in BANDS:
        column = all_services()[band.service].column(band.column)
        assert column.unit == "mag"
        assert ("(AB)" in column.description) == (band.zero_jy == AB_JY)
        assert ("(Vega)" in column.description) == (band.zero_jy != AB_JY)
