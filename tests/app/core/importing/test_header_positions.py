"""Positions in headers: what the reader of the spectrum says, without reading the spectrum."""

from __future__ import annotations

import pytest

from agent.spectra.readers import read
from app.core.importing.importer import import_list
from app.core.importing.spectrum_rows import rows_of
from tests.agent.spectra.readers import samples
from tests.app.core.importing.lists import every

WAVES = {"CRVAL1": 5000.0, "CDELT1": 1.0, "CTYPE1": "WAVE"}
PLATE = {"TELESCOP": "SDSS 2.5-M", "PLATEID": 266, "RA": 146.0, "DEC": -1.0}
FILES = {
    "LAMOST": samples.lamost_image(RA=10.5, DEC=41.25),
    "LAMOST table": samples.lamost_table(RA=10.5, DEC=41.25),
    "LAMOST, unknown": samples.lamost_image(RA=-9999.0, DEC=-9999.0),
    "LAMOST, packed": samples.gz(samples.lamost_image(RA=10.5, DEC=41.25)),
    "LAMOST medium": samples.lamost_mrs(),
    "SDSS": samples.sdss(),
    "SDSS, spSpec": samples.spspec(RAOBJ=146.7, DECOBJ=-1.04),
    "image": samples.image_1d(**WAVES, RA=10.5, DEC=41.25),
    "image, sexagesimal": samples.image_1d(**WAVES, RA="00:42:44.3", DEC="+41:16:09"),
    "image, B1950": samples.image_1d(**WAVES, RA=10.0, DEC=41.0, EQUINOX=1950.0),
    "image, plate": samples.image_1d(**WAVES, **PLATE),
    "table": samples.fits_table({"wave": ("D", samples.WAVELENGTH), "flux": ("D", samples.FLUX)}),
}


@pytest.mark.parametrize("name", FILES)
def test_a_folder_says_what_the_reader_says(tmp_path, name):
    path = tmp_path / ("a.fits.gz" if name.endswith("packed") else "a.fits")
    path.write_bytes(FILES[name])
    (row,) = rows_of(path)
    spectrum = read(path)
    assert (row.ra, row.dec) == (spectrum.ra, spectrum.dec)


def test_a_single_spectrum_and_a_folder_have_positions(session, tmp_path):
    (tmp_path / "a").mkdir()
    for name, kind in (("a/lamost.fits", "LAMOST"), ("sdss.fits", "SDSS")):
        (tmp_path / name).write_bytes(FILES[kind])
    import_list(session, tmp_path / "sdss.fits")
    import_list(session, tmp_path / "a")
    sdss, lamost = every(session)
    assert (lamost.ra, lamost.dec) == (10.5, 41.25)
    assert sdss.ra is not None
    assert (sdss.ra, sdss.dec) == (read(sdss.path).ra, read(sdss.path).dec)


def test_the_centre_of_a_plate_is_nobodys_position(tmp_path):
    path = tmp_path / "a.fits"
    path.write_bytes(FILES["image, plate"])
    assert [(row.ra, row.dec) for row in rows_of(path)] == [(None, None)]


def test_only_headers_are_read(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("pixels were read")

    path = tmp_path / "a.fits"
    path.write_bytes(FILES["LAMOST"])
    monkeypatch.setattr("agent.spectra.fits.fits_file.Hdu.image", refuse)
    monkeypatch.setattr("agent.spectra.fits.fits_file.Hdu.read", refuse)
    assert rows_of(path)[0].ra == 10.5
