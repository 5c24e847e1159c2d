"""A spectrum as it is on screen, read back by astropy and by this program."""

import json

import numpy as np
import pytest
from astropy.io import fits
from astropy.io.votable import parse_single_table
from astropy.table import Table

from agent.spectra.readers import read
from agent.spectra.smoothing import smooth_gaussian
from agent.spectra.spectrum import Spectrum
from app.core.errors import SessionError
from app.core.exporting.spectrum_file import write_spectrum

SUFFIXES = ("csv", "fits", "vot")
WAVELENGTH = np.linspace(4000.0, 7000.0, 301)
UNIT = "1e-17 erg/s/cm2/A"


def spectrum(**more):
    flux = 5.0 + np.sin(WAVELENGTH / 40.0)
    ivar = np.full(WAVELENGTH.size, 4.0)
    ivar[10] = 0.0
    known = {"object_id": "J1", "ra": 10.5, "dec": -41.25, "survey": "LAMOST", "flux_unit": UNIT}
    return Spectrum(wavelength=WAVELENGTH, flux=flux, ivar=ivar, **{**known, **more})


def table_of(path):
    how = {"fits": {"hdu": 1}, "vot": {"format": "votable"}, "csv": {}}
    kind = path.suffix[1:]
    return Table.read(path, **how[kind], **({"format": "ascii.csv"} if kind == "csv" else {}))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_our_readers_read_the_same(tmp_path, suffix):
    given, out = spectrum(z=0.0125, class_name="STAR"), tmp_path / f"a.{suffix}"
    assert write_spectrum(given, out) == 301
    found = read(out)
    np.testing.assert_allclose(found.wavelength, given.wavelength, rtol=1e-12)
    np.testing.assert_array_equal(found.good, given.good)
    np.testing.assert_allclose(found.flux[given.good], given.flux[given.good], rtol=1e-12)
    np.testing.assert_allclose(found.ivar, given.ivar, rtol=1e-12)
    if suffix != "csv":  # its header is only a comment
        assert (found.object_id, found.ra, found.dec) == ("J1", 10.5, -41.25)
        assert (found.survey, found.medium_in_file, found.z) == ("LAMOST", "vacuum", 0.0125)


def test_a_votable_says_what_its_columns_are(tmp_path):
    out = tmp_path / "a.vot"
    write_spectrum(spectrum(), out)
    fields = {each.name: each for each in parse_single_table(out).fields}
    assert fields["wavelength"].utype == "spec:Spectrum.Data.SpectralAxis.Value"
    assert fields["flux"].ucd == "phot.flux.density;em.wl"
    assert fields["error"].utype == "spec:Spectrum.Data.FluxAxis.Accuracy.StatError"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_astropy_reads_it(tmp_path, suffix):
    out = tmp_path / f"a.{suffix}"
    write_spectrum(spectrum(), out)
    table = table_of(out)
    assert table.colnames == ["wavelength", "flux", "error", "mask"]
    assert np.ma.getdata(table["mask"]).sum() == 1
    if suffix == "csv":
        assert out.read_text().startswith("wavelength,flux,error,mask\n")
        about = json.loads((tmp_path / "a.csv-metadata.json").read_text())
        assert about["header"]["OBJECT"] == "J1" and about["units"]["wavelength"] == "Angstrom"
    else:
        assert table["wavelength"].unit.to("Angstrom") == pytest.approx(1.0)
    if suffix == "fits":
        header = fits.getheader(out, 1)
        assert (header["OBJECT"], header["RA"], header["DEC"]) == ("J1", 10.5, -41.25)
        assert (header["SURVEY"], header["WAVEMED"], header["TUNIT1"]) == (
            *("LAMOST", "vacuum", "Angstrom"),
        )
        with fits.open(out, checksum=True) as hdus:
            hdus.verify("exception")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_on_screen(tmp_path, suffix):
    given, out = spectrum(), tmp_path / f"a.{suffix}"
    count = write_spectrum(given, out, smoothing_px=5.0, window=(5000.0, 5500.0), z=0.25)
    table = table_of(out)
    shown = (WAVELENGTH >= 5000.0) & (WAVELENGTH <= 5500.0)
    assert count == len(table) == shown.sum()
    smooth = smooth_gaussian(given.flux, given.good, 5.0)[shown]
    np.testing.assert_allclose(np.ma.getdata(table["flux"]), smooth, rtol=1e-12)
    np.testing.assert_allclose(table["measured_flux"], given.flux[shown], rtol=1e-12)
    np.testing.assert_allclose(table["measured_flux_sigma"], 0.5)
    np.testing.assert_allclose(table["rest_wavelength"] * 1.25, table["wavelength"], rtol=1e-12)
    # The error is not that of the smoothed flux, so nobody takes it for that.
    assert read(out).ivar is None


def test_nothing_is_smoothed_across_a_gap_or_into_bad_pixels(tmp_path):
    wavelength = np.concatenate([np.arange(4000.0, 4050.0), np.arange(6000.0, 6050.0)])
    flux = np.where(wavelength < 5000.0, 1.0, 9.0)
    mask = np.zeros(100, bool)
    mask[20] = True
    given = Spectrum(wavelength=wavelength, flux=flux, mask=mask)
    write_spectrum(given, tmp_path / "a.fits", smoothing_px=9.0)
    found = np.ma.filled(table_of(tmp_path / "a.fits")["flux"], np.nan)
    assert np.isnan(found[20])
    np.testing.assert_allclose(found[~mask], flux[~mask])


def test_simulated_stays_simulated_and_names_are_plain(tmp_path):
    out = tmp_path / "a.fits"
    write_spectrum(spectrum(simulated=True, object_id="变星 'x'\n" + "y" * 200), out)
    found = read(out)
    assert found.simulated
    assert found.object_id.startswith("?? 'x'")


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path):
    out = tmp_path / "a.csv"
    out.write_text("mine")
    for how in ({"window": (1.0, 2.0)}, {"z": -1.0}, {"z": np.nan}):
        with pytest.raises(SessionError):
            write_spectrum(spectrum(), out, **how)
    with pytest.raises(SessionError, match="unknown suffix"):
        write_spectrum(spectrum(), tmp_path / "a.png")
    assert out.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_the_header_says_on_which_axes_it_was_shown(tmp_path):
    out, shown_as = tmp_path / "a.fits", {"SHOWN_FL": "per_frequency", "SHOWN_WL": "nm, rest, air"}
    write_spectrum(spectrum(), out, shown_as=shown_as)
    header = fits.getheader(out, 1)
    assert (header["SHOWN_FL"], header["SHOWN_WL"]) == tuple(shown_as.values())
    np.testing.assert_allclose(table_of(out)["wavelength"], WAVELENGTH)
