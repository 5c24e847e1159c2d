"""Which reader claims which file: one of them each, by what only that survey writes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from agent.spectra.fits.source_file import SourceFile, open_source, source_of
from agent.spectra.readers import registry
from agent.spectra.readers.base import Malformed, NotMine, Request
from agent.spectra.readers.text_table import read as read_text
from app.selftest.spectra import LAYOUTS, first_of
from tests.agent.spectra.readers import samples
from tests.agent.spectra.readers.test_real_files import manifest
from tests.agent.spectra.readers.test_text_table import cds

SURVEYS = (
    "LAMOST MRS", "LAMOST LRS", "SDSS spSpec", "SDSS", "DESI", "redrock", "4MOST", "WEAVE", "PFS",
)  # fmt: skip
GENERAL = ("FITS image", "FITS table", "Parquet table", "VOTable", "text table")
SAMPLE = Path(__file__).resolve().parents[4] / "resources" / "sample" / "spectra"

MADE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "image of DR7": ("LAMOST LRS", samples.lamost_image),
    "image of DR1": ("LAMOST LRS", samples.lamost_dr1),
    "table of DR10": ("LAMOST LRS", samples.lamost_table),
    "both arms": ("LAMOST MRS", samples.lamost_mrs),
    "one arm": ("LAMOST MRS", lambda: samples.lamost_mrs(("B",))),
    "lite": ("SDSS", samples.sdss),
    "full": ("SDSS", lambda: samples.sdss(exposures=2)),
    "without names": ("SDSS", lambda: samples.sdss(upper=True, names=False)),
    "spSpec": ("SDSS spSpec", samples.spspec),
    "coadd": ("DESI", samples.desi),
    "coadd without a camera": ("DESI", lambda: samples.desi(without=("B_FLUX",))),
    "redshifts": ("redrock", samples.redrock),
    "exposures alone": ("LAMOST MRS", lambda: samples.lamost_mrs(coadd=False)),
    "4MOST for ESO": ("4MOST", samples.fourmost),
    "4MOST fibres": ("4MOST", samples.fourmost_table),
    "4MOST fibres, axis by fibre": ("4MOST", lambda: samples.fourmost_table(in_header=False)),
    "WEAVE fibres": ("WEAVE", samples.weave),
    "WEAVE target": ("WEAVE", lambda: samples.weave(("RED",), rows=1)),
    "PFS object": ("PFS", samples.pfs_object),
    "PFS objects": ("PFS", samples.pfs_objects),
    "image": ("FITS image", lambda: samples.image_1d(CRVAL1=4000.0, CDELT1=2.0)),
    "table": (
        "FITS table",
        lambda: samples.fits_table({"LogLam": ("E", samples.LOGLAM), "Flux": ("E", samples.FLUX)}),
    ),
    "VOTable": ("VOTable", samples.votable),
    "text": ("text table", samples.text),
    "CDS": ("text table", lambda: cds().encode()),
}
REAL = {
    "LAMOST": "LAMOST LRS", "LAMOST-MRS": "LAMOST MRS", "SDSS": "SDSS", "DESI": "DESI",
    "STELIB": "FITS image", "MILES": "FITS image", "MASTARHC": "FITS image", "XSL": "FITS table",
    "CALSPEC": "FITS table", "PICKLES": "text table", "SDSSTPL": "text table",
}  # fmt: skip


def claims(file: SourceFile) -> set[str]:
    """The readers that take the file for theirs, whether or not they can use it.

    Without specutils, which is asked last and about anything.
    """
    claiming = set()
    for reader in registry.READERS[:-1]:
        try:
            reader.read(file, Request())
        except NotMine:
            continue
        except Malformed:
            pass
        claiming.add(reader.name)
    return claiming


def check(file: SourceFile, expected: str) -> None:
    found = claims(file)
    if expected in SURVEYS:
        # Whatever comes after the surveys is not asked about their files.
        assert found & set(SURVEYS) == {expected}
    else:
        assert found == {expected}


def test_the_surveys_are_asked_first_and_nothing_but_text_is_taken_for_text() -> None:
    names = [reader.name for reader in registry.READERS]
    assert tuple(names) == (*SURVEYS, *GENERAL, "specutils")
    for _, make in MADE.values():
        file = source_of(make(), "a.dat")
        if file.is_fits:
            with pytest.raises(NotMine, match="not a text table"):
                read_text(file, Request())


OTHERS = ("spec-55859-F5902_sp06-207.fits", "spec-0266-51602-0031.fits", "redrock-1.fits")


@pytest.mark.parametrize("name", MADE)
def test_one_reader_claims_a_file_of_each_layout_whatever_its_name(name: str) -> None:
    expected, make = MADE[name]
    for file_name in ("object.dat", *OTHERS):
        check(source_of(make(), file_name), expected)


@pytest.mark.parametrize("name", LAYOUTS)
def test_one_reader_claims_each_layout_of_the_self_test(name: str, tmp_path: Path) -> None:
    file_name, write = LAYOUTS[name]
    write(tmp_path / file_name, first_of("LAMOST"))
    with open_source(tmp_path / file_name) as file:
        found = claims(file)
    assert len(found & set(SURVEYS) or found) == 1


def test_one_survey_claims_each_simulated_file(subtests: pytest.Subtests) -> None:
    paths = sorted(SAMPLE.rglob("*.fits.gz"))
    assert len(paths) > 30
    for path in paths:
        with subtests.test(path.name), open_source(path) as file:
            found = claims(file) & set(SURVEYS)
            expected = "DESI" if path.name.startswith("coadd") else "LAMOST LRS"
            if path.name.startswith("redrock"):
                expected = "redrock"
            elif path.name.split("-")[2].isdigit():
                expected = "SDSS"
            assert found == {expected}


def test_one_reader_claims_each_real_file(real_spectra: Path, subtests: pytest.Subtests) -> None:
    for entry in manifest(real_spectra):
        expected = REAL[entry["survey"]]
        if entry["file"].startswith("redrock"):
            expected = "redrock"
        elif entry["file"].endswith(".dat"):
            expected = "text table"
        elif entry["file"] == "sample_sdss.fits":
            expected = "SDSS spSpec"
        with subtests.test(entry["file"]), open_source(real_spectra / entry["file"]) as file:
            check(file, expected)


@pytest.mark.parametrize("data", [
    samples.lamost_image(drop=("TELESCOP", "DATA_V", "DESIG")),
    samples.image_1d(np.ones((3, 60)), TELESCOP="LAMOST", CRVAL1=4000.0, CDELT1=2.0),
    samples.image_1d(TELESCOP="SDSS 2.5-M", PLATEID=266, CRVAL1=4000.0, CDELT1=2.0),
    samples.spspec(TELESCOP="2.5m"),
    samples.fits_table(
        {"wave": ("D", samples.WAVELENGTH), "flux": ("E", samples.FLUX)},
        {"TELESCOP": "LAMOST", "DATA_V": "LAMOST DR5"},
    ),
    samples.bytes_of(
        samples.fits.PrimaryHDU(), samples.fits.ImageHDU(samples.FLUX, name="MODEL_WAVELENGTH")
    ),
], ids=["no LAMOST", "three rows", "one row", "no SDSS", "converted table",
        "another wavelength"])  # fmt: skip
def test_files_that_resemble_a_survey_are_not_claimed_by_it(data: bytes) -> None:
    assert not claims(source_of(data, "object.fits")) & set(SURVEYS)
