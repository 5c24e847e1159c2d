"""Files that are not the spectrum that was asked for."""

from __future__ import annotations

import gzip

import pytest

from app.services.archives.archive import Found, WrongFile
from app.services.archives.check import checked, suffix_of
from tests.agent.spectra.readers import samples
from tests.app.services.fault_server import HTML

STAR = Found(
    id="1", stem="spec", urls=(), names=("0266-51602-0031",), ra=147.32107, dec=-0.0065757249
)
LAMOST = Found(id="1", stem="spec", urls=(), names=("677503031",), ra=24.376852, dec=25.427147)
FITS = samples.sdss()


def test_the_right_file_is_read():
    assert checked(FITS, STAR, 2.0).object_id == "0266-51602-0031"
    assert checked(gzip.compress(samples.lamost_image()), LAMOST, 2.0).survey == "LAMOST"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (HTML, "web page"),
        (b"  <html>", "web page"),
        (b"", "empty"),
        (b"no spectrum\n" * 9, "no spectrum"),
        (FITS[: len(FITS) // 2 + 100], "cut short"),
        (FITS[: len(FITS) // 2], "the file is of spec"),
        (FITS[:-2880], "cut short"),
        (gzip.compress(FITS)[:-9], "too early"),
        (gzip.compress(FITS)[:-8] + b"\0" * 8, "damaged"),
        (gzip.compress(FITS)[:40], "too early"),
    ],
)
def test_what_is_no_whole_spectrum_is_refused(content, why):
    with pytest.raises(WrongFile, match=why):
        checked(content, STAR, 2.0)


def test_a_spectrum_of_another_object_is_refused():
    with pytest.raises(WrongFile, match="LAMOST J013730"):
        checked(samples.lamost_table(OBSID=5), LAMOST, 2.0)
    with pytest.raises(WrongFile, match="0266-51602-0031, not of 0266-51602-0032"):
        checked(FITS, Found(id="1", stem="s", urls=(), names=("0266-51602-0032",)), 2.0)


def test_a_spectrum_of_another_place_is_refused():
    there = Found(id="1", stem="s", urls=(), names=STAR.names, ra=147.32107, dec=0.0)
    with pytest.raises(WrongFile, match=r"23\.7 arcsec"):
        checked(FITS, there, 2.0)
    assert checked(FITS, there, 30.0).survey == "SDSS"


def test_without_a_number_in_the_file_its_place_decides():
    assert checked(samples.lamost_dr1(), LAMOST, 2.0)
    with pytest.raises(WrongFile):
        checked(samples.lamost_dr1(), Found(id="1", stem="s", urls=(), names=("677503031",)), 2.0)


@pytest.mark.parametrize(
    ("content", "suffix"),
    [(FITS, ".fits"), (gzip.compress(FITS), ".fits.gz"), (samples.votable(), ".vot")],
)
def test_the_suffix_is_that_of_the_content(content, suffix):
    assert suffix_of(content) == suffix
