"""Check that a file of each format can be read."""

import csv
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agent.spectra.readers import read, read_numbered
from agent.spectra.spectrum import Spectrum
from app.selftest.installation import Check, require, sample

SURVEYS = ("LAMOST", "SDSS", "DESI")
MIN_PIXELS = 3000
MAX_DIFFERENCE = 0.01
"""Largest median difference in flux, relative, after resampling to another grid."""

SIGMA = 0.05  # error of each pixel as a fraction of the median flux


def checks() -> Iterator[Check]:
    for survey in SURVEYS:
        yield Check(part="read", name=survey, run=partial(_read_survey, survey))
    for name in LAYOUTS:
        yield Check(part="read", name=name, run=partial(_read_layout, name))


def first_of(survey: str) -> Spectrum:
    """The first spectrum of the survey in the sample."""
    with (sample() / "candidates.csv").open(newline="", encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if row["survey"] == survey)
    return read_numbered(sample() / row["file"], int(row["row"] or 0))


def _read_survey(survey: str, folder: Path) -> str:
    spectrum = first_of(survey)
    require(len(spectrum) >= MIN_PIXELS, f"{len(spectrum)} pixels are too few")
    require(spectrum.simulated, "it is not marked as simulated")
    return _describe(spectrum)


def _read_layout(name: str, folder: Path) -> str:
    file_name, write = LAYOUTS[name]
    source = first_of("LAMOST")
    write(folder / file_name, source)
    spectrum = read(folder / file_name)
    low, high = max(source.range[0], spectrum.range[0]), min(source.range[1], spectrum.range[1])
    inside = (spectrum.wavelength > low + 5) & (spectrum.wavelength < high - 5)
    expected = np.interp(spectrum.wavelength[inside], source.wavelength, source.flux)
    require(inside.sum() >= MIN_PIXELS, f"{inside.sum()} pixels are too few")
    gap = float(np.median(np.abs(spectrum.flux[inside] - expected)) / np.median(np.abs(expected)))
    require(gap < MAX_DIFFERENCE, f"the flux is {100 * gap:.1f} % off")
    return _describe(spectrum)


def _describe(spectrum: Spectrum) -> str:
    low, high = spectrum.range
    return f"{spectrum.format}: {len(spectrum)} pixels, {low:.0f} to {high:.0f} Å"


# Write a spectrum in file layouts that are not in the sample, to check their readers.
def write_text(path: Path, spectrum: Spectrum) -> None:
    rows = zip(spectrum.wavelength, spectrum.flux, strict=True)
    lines = [f"{wavelength:.4f},{flux:.6g}" for wavelength, flux in rows]
    path.write_text("\n".join(["wavelength,flux", *lines, ""]), encoding="utf-8")


def write_votable(path: Path, spectrum: Spectrum) -> None:
    rows = zip(spectrum.wavelength, spectrum.flux, strict=True)
    cells = "".join(f"<TR><TD>{w / 10:.5f}</TD><TD>{f:.6g}</TD></TR>" for w, f in rows)
    path.write_text(
        '<?xml version="1.0"?>\n'
        '<VOTABLE version="1.3" xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><RESOURCE><TABLE>'
        '<FIELD name="x" ucd="em.wl" unit="nm" datatype="double"/>'
        '<FIELD name="y" ucd="phot.flux.density;em.wl" datatype="float"/>'
        f"<DATA><TABLEDATA>{cells}</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>\n",
        encoding="utf-8",
    )


def write_fits_image(path: Path, spectrum: Spectrum) -> None:
    """A single row of flux with a linear wavelength scale in the header."""
    low, high = spectrum.range
    start, step = low, (high - low) / (len(spectrum) - 1)
    cards = {"CRVAL1": start, "CDELT1": step, "CRPIX1": 1.0, "CTYPE1": "WAVE", "CUNIT1": "Angstrom"}
    grid = start + step * np.arange(len(spectrum))
    _write(path, (_flux_at(spectrum, grid), cards))


def write_fits_table(path: Path, spectrum: Spectrum) -> None:
    columns = {"WAVELENGTH": spectrum.wavelength, "FLUX": spectrum.flux}
    _write(path, (None, {}), {"SPECTRUM": (columns, {})})


def write_spspec(path: Path, spectrum: Spectrum) -> None:
    """The SDSS spSpec format (until 2008): image rows on a logarithmic wavelength grid."""
    first, step = np.log10(spectrum.range[0]), 1e-4
    flux = _flux_at(spectrum, 10.0 ** (first + step * np.arange(3800)))
    rows = np.array([flux, 0 * flux, np.full_like(flux, _sigma(spectrum)), 0 * flux, 0 * flux])
    cards = {
        **{"TELESCOP": "SDSS 2.5-M", "SPEC_CLN": 1, "PLATEID": 1, "MJD": 52999, "FIBERID": 1},
        **{"COEFF0": first, "COEFF1": step, "VACUUM": True},
    }
    _write(path, (rows, cards))


def write_lamost_mrs(path: Path, spectrum: Spectrum) -> None:
    """A blue and a red arm, each a table on a logarithmic wavelength grid."""
    arms = {}
    for arm, low, high in (("B", 4950.0, 5350.0), ("R", 6300.0, 6800.0)):
        grid = np.linspace(np.log10(low), np.log10(high), 3000)
        flux = _flux_at(spectrum, 10.0**grid)
        ivar = np.full_like(flux, _sigma(spectrum) ** -2)
        columns = {"FLUX": flux, "IVAR": ivar, "LOGLAM": grid}
        arms[f"COADD_{arm}"] = (columns, {"SNR": 20.0})
    cards = {"TELESCOP": "LAMOST", "DATA_V": "LAMOST DR7", "OBSID": 1, "EXTNAME": "Information"}
    _write(path, (None, cards), arms)


LAYOUTS: Mapping[str, tuple[str, Callable[[Path, Spectrum], None]]] = {
    "SDSS spSpec": ("spSpec.fit", write_spspec),
    "LAMOST medium resolution": ("med.fits", write_lamost_mrs),
    "FITS image": ("image.fits", write_fits_image),
    "FITS table": ("table.fits", write_fits_table),
    "VOTable": ("table.vot", write_votable),
    "text": ("table.csv", write_text),
}
"""File name and writer of each layout."""


def _flux_at(spectrum: Spectrum, wavelengths: Any) -> Any:
    return np.interp(wavelengths, spectrum.wavelength, spectrum.flux)


def _sigma(spectrum: Spectrum) -> float:
    return max(SIGMA * float(np.median(np.abs(spectrum.flux))), 1e-6)


def _write(
    path: Path,
    primary: tuple[Any, Mapping[str, object]],
    tables: Mapping[str, tuple[Mapping[str, Any], Mapping[str, object]]] | None = None,
) -> None:
    """Write a FITS file: the primary HDU (image or None, and cards) and tables by name."""
    from astropy.io import fits  # slow to import

    values, cards = primary
    pixels = None if values is None else np.asarray(values, dtype=np.float32)
    parts = [fits.PrimaryHDU(pixels, fits.Header(cards))]
    for name, (columns, cards) in (tables or {}).items():
        made = [fits.Column(key, "D", array=column) for key, column in columns.items()]
        parts.append(fits.BinTableHDU.from_columns(made, fits.Header(cards), name=name))
    fits.HDUList(parts).writeto(path)
