"""Values with errors and units, what is copied and filtered, and their Chinese descriptions."""

import pytest

from app.services.catalogues.answer import Match
from app.services.catalogues.service import all_services
from app.services.catalogues.sky_picture import coverage_of
from app.ui.base.translation.data_texts import load_table
from app.ui.judge.evidence.picture_view import fibre_arcsec
from app.ui.judge.evidence.value_table import filter_text, page_address, value_rows, value_text

SAME_IN_CHINESE = {"SIMBAD", "VSX", "Gaia", "GALEX", "Pan-STARRS", "2MASS", "AllWISE"}


@pytest.mark.parametrize(
    ("value", "error", "unit", "text"),
    [
        (11.37, 0.0234, "mas", "11.370 ± 0.023 mas"),
        (-45.912, 3.1, "mas/yr", "\N{MINUS SIGN}45.9 ± 3.1 mas/yr"),
        (13.58, None, "mag", "13.58 mag"),
        (2123837555230207744, None, "", "2123837555230207744"),
        (None, None, "mag", "–"),
        ("AM*\n ", None, "", "AM*"),
        (1234.5, 120.0, "d", "1234 ± 120 d"),
    ],
)
def test_a_value_is_shown_to_the_digits_that_its_error_leaves(value, error, unit, text):
    assert value_text(value, error, unit) == text


def test_what_is_copied_is_the_value_alone_and_filters_name_the_service():
    match = Match(values={"bp_rp": 0.8235, "variable": 'A"B'}, separation_arcsec=0.1)
    rows = {row.name: row for row in value_rows(all_services()["gaia"], match)}
    assert rows["bp_rp"].plain == "0.8235" and rows["parallax"].plain == ""
    assert filter_text(rows["bp_rp"], ">=") == "gaia.bp_rp>=0.8235"
    assert filter_text(rows["variable"], "=") == r'gaia.variable="A\"B"'


def test_archive_pages_fibres_and_coverage():
    simbad = all_services()["simbad"]
    page = page_address(simbad, 10.5, -41.25, {})
    assert "Coord=10.500000d+-41.250000d" in page and page.startswith("https://simbad")
    assert fibre_arcsec("LAMOST LRS") == 3.3 and fibre_arcsec("SDSS") == 3.0
    assert fibre_arcsec("BOSS") == 2.0 and fibre_arcsec("DESI") == 1.5
    assert fibre_arcsec("my telescope") is None
    picture = all_services()["picture"]
    assert coverage_of(picture) == "https://alasky.cds.unistra.fr/MocServer/query"
    other = picture.changed(url="https://alaskybis.cds.unistra.fr/hips-image-services/hips2fits")
    assert coverage_of(other) == "https://alaskybis.cds.unistra.fr/MocServer/query"


def test_each_text_about_a_service_has_its_chinese():
    chinese, missing = load_table("services", "zh"), []
    for service in all_services().values():
        texts = [service.name, service.sends, *(each.description for each in service.columns)]
        missing += [text for text in texts if text not in chinese and text not in SAME_IN_CHINESE]
    assert missing == []
