"""Every real file next to the checkout, compared with its manifest."""

import csv
import math
import re
from pathlib import Path

import numpy as np
import pytest

from agent.errors import ReadError
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum

Entry = dict[str, str]

MEDIUM = {
    "LAMOST": "vacuum", "LAMOST-MRS": "vacuum", "SDSS": "vacuum", "DESI": "vacuum", "STELIB": "air",
    "MILES": "air", "XSL": "air", "MASTARHC": "vacuum", "CALSPEC": "vacuum", "PICKLES": "unknown",
    "SDSSTPL": "unknown",
}  # fmt: skip
# Nothing in these two files, or in their names, tells where they come from.
ANONYMOUS = {"PICKLES", "SDSSTPL"}
RANGE = {
    "LAMOST": (3699.0, 9101.0), "LAMOST-MRS": (4890.0, 6880.0), "SDSS": (3550.0, 10400.0),
    "DESI": (3600.0, 9824.1), "STELIB": (3200.0, 9910.0), "MILES": (3541.0, 7412.0),
    "XSL": (2989.0, 5562.0), "MASTARHC": (3631.0, 10323.0), "CALSPEC": (1710.0, 318881.0),
    "PICKLES": (1144.0, 25006.0), "SDSSTPL": (3800.0, 9203.0),
}  # fmt: skip
UNREADABLE = {
    "redrock-4-80613-thru20210324.fits": "companion of coadd-4-80613-thru20210324.fits",
    "redrock-special-dark-27247.fits": "companion of coadd-special-dark-27247.fits",
    "missing_b_color.fits": "a DESI file without B_FLUX",
    "spectra-main-dark-9144.fits": "a DESI file without B_WAVELENGTH",
}
# The header says B1950 00 57 13.0 +6 12 41 (in radians), which is this position in J2000; the
# manifest's right ascension (14.47) is neither of the two.
KNOWN_PLACES = {"STELIB_v3.2_HD005820.fits": {"ra": "14.9527", "dec": "6.4807"}}


def manifest(folder: Path) -> list[Entry]:
    with (folder / "MANIFEST.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def separation_arcsec(spectrum: Spectrum, entry: Entry) -> float:
    assert spectrum.ra is not None
    assert spectrum.dec is not None
    ra, dec = float(entry["ra"]), float(entry["dec"])
    east = (spectrum.ra - ra) * math.cos(math.radians(dec))
    return math.hypot(east, spectrum.dec - dec) * 3600


def test_every_file_of_the_manifest(real_spectra: Path, subtests: pytest.Subtests) -> None:
    entries = manifest(real_spectra)
    assert len(entries) == 41
    for entry in entries:
        with subtests.test(entry["file"]):
            check(real_spectra / entry["file"], entry)


def check(path: Path, entry: Entry) -> None:
    if path.name in UNREADABLE:
        with pytest.raises(ReadError, match=re.escape(UNREADABLE[path.name])) as caught:
            read(path)
        assert "\n" not in str(caught.value)
        return
    spectrum = read(path, row=0)
    survey = entry["survey"]
    assert spectrum.survey == ("" if survey in ANONYMOUS else survey)
    assert spectrum.medium_in_file == MEDIUM[survey]
    low, high = RANGE[survey]
    assert low <= spectrum.range[0] < spectrum.range[1] <= high
    if entry["ra"]:
        known = KNOWN_PLACES.get(path.name, entry)
        assert separation_arcsec(spectrum, known) < (72 if survey == "STELIB" else 3)
    check_snr(spectrum, entry["notes"])
    check_class(spectrum, entry["notes"])
    assert spectrum.n_bad < 0.25 * len(spectrum)
    assert spectrum.object_id
    assert not spectrum.simulated


def check_snr(spectrum: Spectrum, notes: str) -> None:
    match = re.search(r"(SNRG|SN_G|SN_MEDIAN_ALL)=([\d.]+)", notes)
    if match is None:
        return
    key, value = match.group(1), float(match.group(2))
    if key == "SN_MEDIAN_ALL":
        assert spectrum.snr == pytest.approx(value, abs=0.06)
    else:
        assert spectrum.meta[key] == value
        assert spectrum.snr > 0


def check_class(spectrum: Spectrum, notes: str) -> None:
    match = re.search(r"SUBCLASS=(\w+)", notes)
    if match is not None:
        assert spectrum.subclass == match.group(1)
    obsid = re.search(r"obsid (\d+)", notes)
    if obsid is not None:
        assert str(spectrum.meta["OBSID"]) == obsid.group(1)


def test_every_labelled_file_is_read(labelled_spectra: Path) -> None:
    entries = manifest(labelled_spectra)
    assert len(entries) == 135
    for entry in entries:
        spectrum = read(labelled_spectra / entry["file"])
        assert spectrum.survey == entry["survey"], entry["file"]
        assert spectrum.good.sum() > 1000, entry["file"]
        if entry["ra"]:
            assert separation_arcsec(spectrum, entry) < 3, entry["file"]


def test_desi_file_of_five_by_row_and_by_target(real_spectra: Path) -> None:
    path = real_spectra / "coadd-1-80693-thru20210204.fits"
    spectra = [read(path, row=row) for row in range(5)]
    assert len({spectrum.object_id for spectrum in spectra}) == 5
    for row, spectrum in enumerate(spectra):
        again = read(path, target=spectrum.object_id)
        assert again.row == row
        np.testing.assert_array_equal(again.flux, spectrum.flux)
    assert spectra[1].snr == pytest.approx(14.4, abs=2)


def test_desi_class_and_z_come_from_the_companion(real_spectra: Path) -> None:
    spectrum = read(real_spectra / "coadd-4-80613-thru20210324.fits")
    assert spectrum.class_name == "GALAXY"
    assert spectrum.z == pytest.approx(0.3687, abs=1e-3)


def test_lines_of_air_files_are_at_their_vacuum_wavelengths(real_spectra: Path) -> None:
    """H beta of the metal-poor G star of XSL: 4862.69 in vacuum, 4861.33 in air."""
    spectrum = read(real_spectra / "xsl_spectrum_X0360_uvb.fits")
    near = np.abs(spectrum.wavelength - 4862.0) < 4
    smooth = np.convolve(spectrum.flux, np.ones(7) / 7, "same")[near]
    assert spectrum.wavelength[near][smooth.argmin()] == pytest.approx(4862.69, abs=0.3)


def test_a_link_in_the_name_of_nothing(real_spectra: Path, tmp_path: Path) -> None:
    link = tmp_path / "renamed.bin"
    link.symlink_to(real_spectra / "sample_sdss.fits")
    assert read(link).object_id == "1307-52999-0323"
