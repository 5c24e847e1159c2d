"""Redrock tables: class and redshift of DESI targets, in a file next to the spectra."""

from pathlib import Path
from typing import Any

from agent.errors import ReadError
from agent.spectra.fits.fits_file import FitsFile, Hdu
from agent.spectra.fits.source_file import SourceFile, open_source
from agent.spectra.readers.base import Malformed, NotMine, Request, fits_of, known
from agent.spectra.spectrum import Spectrum

TABLES = ("REDSHIFTS", "ZBEST")
PREFIXES = ("redrock-", "zbest-")
SPECTRA = ("coadd-", "spectra-")


def read(file: SourceFile, request: Request) -> Spectrum:
    """Never returns a spectrum: raises Malformed that says what a redshift table is."""
    fits: FitsFile = fits_of(file)
    hdu = fits.get(1)
    if hdu is None or not _is_redshifts(hdu):
        raise NotMine("it holds no redrock redshift table")
    if any(other.name.endswith("_FLUX") for other in fits):
        raise NotMine("it holds spectra as well")
    coadd = file.name
    for prefix in PREFIXES:
        coadd = coadd.replace(prefix, "coadd-", 1)
    companion = coadd if coadd != file.name else "a DESI coadd"
    problem = f"a redrock redshift table, companion of {companion}, without spectra"
    raise Malformed(f"{problem}: open the coadd")


def classification_of(path: Path, target: int | None) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Class, subclass and z of a target from the redrock file next to its coadd, and warnings."""
    companion = _companion(path)
    if target is None or companion is None:
        return {}, ()
    try:
        with open_source(companion) as file:
            return _look_up(file, target)
    except ReadError as error:
        return {}, (f"{companion.name} was not used: {error}",)


def _companion(path: Path) -> Path | None:
    for spectra in SPECTRA:
        if not path.name.startswith(spectra):
            continue
        rest = path.name.removeprefix(spectra).removesuffix(".gz")
        for prefix in PREFIXES:
            for ending in ("", ".gz"):
                candidate = path.with_name(f"{prefix}{rest}{ending}")
                if candidate.is_file():
                    return candidate
    return None


def _is_redshifts(hdu: Hdu) -> bool:
    if not hdu.is_table:
        return False
    wanted = ("TARGETID", "Z") if hdu.name in TABLES else ("TARGETID", "ZWARN", "SPECTYPE")
    return hdu.table.has(*wanted)


def _look_up(file: SourceFile, target: int) -> tuple[dict[str, Any], tuple[str, ...]]:
    if not file.is_fits:
        raise ReadError("it is not a FITS file")
    hdu = file.fits.get(1)
    if hdu is None or not _is_redshifts(hdu) or not hdu.table.has("TARGETID", "Z"):
        raise ReadError("it holds no redshift table")
    table = hdu.table
    rows = (table.column("TARGETID") == target).nonzero()[0]
    if rows.size == 0:
        return {}, (f"{file.path.name} does not list target {target}",)
    row = int(rows[0])
    warning = table.integer("ZWARN", row)
    notes = (f"redrock warns about this redshift (ZWARN {warning})",) if warning else ()
    fit: dict[str, Any] = {
        "class_name": table.text("SPECTYPE", row),
        "subclass": table.text("SUBTYPE", row),
        "z": known(table.number("Z", row)),
    }
    return fit, notes
