"""Addresses of web pages about an object, with hostile identifiers escaped."""

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.core.session.records import Candidate
from app.ui.judge.controls import web_pages
from app.ui.judge.controls.web_pages import ObjectIdentity, lamost_page, sdss_page, simbad_page

HERE = ObjectIdentity(ra=10.5, dec=-41.25)


def query(page):
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def spectrum(**about):
    return Spectrum(wavelength=np.array([4000.0, 5000.0]), flux=np.ones(2), **about)


def candidate(**about):
    return Candidate(id=1, list_id=1, line=1, object_id="x", path="", **about)


def test_the_sky_is_found_by_place_unless_it_is_simulated():
    assert query(simbad_page(HERE))["Coord"] == "10.500000 -41.250000"
    assert query(web_pages.aladin_page(HERE))["target"] == "10.500000 -41.250000"
    assert urlsplit(simbad_page(HERE).url).hostname == "simbad.cds.unistra.fr"
    assert query(sdss_page(HERE)) == {"ra": "10.500000", "dec": "-41.250000"}
    assert query(simbad_page(ObjectIdentity(ra=1.0, dec=2.0)))["Coord"] == "1.000000 +2.000000"
    for page in (simbad_page, web_pages.aladin_page, sdss_page):
        assert page(ObjectIdentity()) == page(ObjectIdentity(ra=float("nan"), dec=1.0))
        assert page(ObjectIdentity()).missing == web_pages.NO_POSITION
    for ra, dec, is_one in [(400.0, 0.0, False), (0.0, 90.5, False), (0.0, -90.0, True)]:
        assert web_pages.is_sky_position(ra, dec) == is_one
    known = ObjectIdentity(ra=1.0, dec=1.0, simulated=True, ids={"obsid": "1"})
    assert {page(known).missing for page in web_pages.PAGES.values()} == {web_pages.SIMULATED}


def test_surveys_are_found_by_their_numbers():
    page = lamost_page(ObjectIdentity(ids={"obsid": "437513049"}))
    assert page.url == "https://www.lamost.org/dr11/v2.0/spectrum/view?obsid=437513049"
    newer = lamost_page(ObjectIdentity(ids={"obsid": "1"}, release="DR12 v1.1"))
    assert newer.url == "https://www.lamost.org/dr12/v1.1/spectrum/view?obsid=1"
    older = lamost_page(ObjectIdentity(ids={"obsid": "1"}, release="DR7", survey="LAMOST-MRS"))
    assert older.url == "https://www.lamost.org/dr7/v2.0/medspectrum/view?obsid=1"
    oldest = lamost_page(ObjectIdentity(ids={"obsid": "1"}, release="LAMOST DR5"))
    assert oldest.url == "https://www.lamost.org/dr11/v2.0/spectrum/view?obsid=1"
    assert lamost_page(HERE).missing == web_pages.NO_OBSID
    ids = {"plateid": "266", "mjd": "51602", "fiberid": "1"}
    assert query(sdss_page(ObjectIdentity(survey="SDSS", ids=ids)))["plateid"] == "266"
    elsewhere = sdss_page(ObjectIdentity(survey="LAMOST", ra=1.0, dec=1.0, ids=ids))
    assert "ra" in query(elsewhere)


@pytest.mark.parametrize(
    "hostile", ["1&x=2#", "../../etc", "javascript:alert(1)", "a b\r\nHost: x", "%00", "宽\udcff"]
)
def test_hostile_identifiers_stay_a_value(hostile):
    page = lamost_page(ObjectIdentity(ids={"obsid": hostile}))
    parts = urlsplit(page.url)
    assert (parts.scheme, parts.hostname, parts.fragment) == ("https", "www.lamost.org", "")
    assert parts.path == "/dr11/v2.0/spectrum/view" and page.url.isascii()
    assert list(parse_qs(parts.query)) == ["obsid"] and parts.query.count("=") == 1


def test_the_list_comes_before_the_file_which_tells_a_place_it_lacks():
    found = web_pages.identify(
        candidate(ra=5.0, dec=6.0, own={"OBSID": 7.0, "long": "x" * 100}),
        spectrum(ra=1.0, dec=2.0, meta={"OBSID": 8, "FLAG": True, "SNR": 3.5}, survey="LAMOST"),
    )
    assert (found.ra, found.dec, found.survey) == (5.0, 6.0, "LAMOST")
    assert found.ids == {"obsid": "7"}
    found = web_pages.identify(candidate(), spectrum(ra=1.0, dec=2.0, meta={"OBSID": 8}))
    assert (found.ra, found.dec, found.ids) == (1.0, 2.0, {"obsid": "8"})
    assert web_pages.identify(candidate(), None).ra is None
