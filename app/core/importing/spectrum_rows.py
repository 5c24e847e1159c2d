"""Find the spectra in a file, reading as little of it as possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from agent.errors import ReadError
from agent.spectra.fits.fits_file import FitsFile
from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.fits_table import FitsTable
from agent.spectra.fits.source_file import SourceFile, open_source, source_of
from agent.spectra.readers import (
    fourmost,
    parquet_table,
    pfs,
    read,
    sdss,
    text_table,
    votable,
    weave,
)
from agent.spectra.readers.base import NotMine, Request, names_in, position
from agent.spectra.readers.columns import ColumnField, choose_columns
from agent.spectra.readers.lamost import is_lamost
from agent.spectra.readers.libraries import describe
from app.core.importing.formats.contents import MIN_TARGETID
from app.core.importing.spectrum_files import stem_of

MAX_HDUS = 16
TEXT_BYTES = 64 * 1024
MAX_SPECTRA = 1_000_000
MAX_HEADERS = 4
# Tables with a row for each spectrum: columns that name its object, and of its position.
FIBRES: Sequence[tuple[str, Sequence[str], Sequence[tuple[str, str]]]] = (
    ("FIBTABLE", weave.NAMES, (weave.PLACE,)),
    ("FIBMETATAB", fourmost.NAMES, fourmost.PLACES),
    ("TARGET", (pfs.NAME,), (pfs.PLACE,)),
)


@dataclass(frozen=True, slots=True)
class SpectrumRow:
    object_id: str
    row: int = 0
    ra: float | None = None
    dec: float | None = None


def rows_of(path: Path) -> list[SpectrumRow]:
    """One row for each spectrum in the file; empty if it is not a spectrum file."""
    try:
        return _rows(path)
    except Exception:
        # Readers may fail in any way on hostile files; reading the spectrum later reports why.
        return []


@lru_cache(8192)
def holds_several(path: str) -> bool:
    return len(rows_of(Path(path))) > 1


def _rows(path: Path) -> list[SpectrumRow]:
    stem = stem_of(path.name)
    with open_source(path) as file:
        if file.start.startswith(parquet_table.MAGIC):
            rows = enumerate(islice(parquet_table.targets(path), MAX_SPECTRA))
            return [SpectrumRow(name, row, *place) for row, (name, *place) in rows]
        if not file.is_fits:
            _check_text(file)
            return [SpectrumRow(stem)]
        if not _looks_like_spectra(file.fits):
            return []
        one = SpectrumRow(stem, **_position(file))
        # The rows of a LAMOST image are one spectrum. Skips reading every file of a large folder.
        if is_lamost(file.fits.primary.header) or not _may_hold_several(file.fits):
            return [one]
        targets = _target_rows(file.fits) or _fibre_rows(file.fits)
    found = read(path)
    count = found.rows
    if count == 1:
        return [SpectrumRow(stem, ra=found.ra, dec=found.dec)]
    if len(targets) == count:
        return targets
    return [SpectrumRow(f"{stem}#{row}", row) for row in range(min(count, MAX_SPECTRA))]


def _position(file: SourceFile) -> dict[str, Any]:
    """The position of the only spectrum in the file."""
    second = file.fits.get(1)
    name, targets = "" if second is None else second.name, []
    if name == "FIBERMAP":
        targets = _target_rows(file.fits)
    elif name.endswith("_DATA"):  # of WEAVE
        targets = _fibre_rows(file.fits)
    if len(targets) == 1:
        return position(targets[0].ra, targets[0].dec)
    return header_position(file)


def _check_text(file: SourceFile) -> None:
    """Try to read the beginning (all of a VOTable) as a spectrum; raises what the readers raise."""
    piece = file.bytes.read(0, TEXT_BYTES)
    if piece.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        votable.read(file, Request())
    else:
        whole_lines = piece[: piece.rfind(b"\n") + 1] or piece
        text_table.read(source_of(whole_lines, file.path.name), Request())


def _may_hold_several(fits: FitsFile) -> bool:
    """Whether there is a table with vectors in several rows, or an image of several rows."""
    for hdu in islice(fits, MAX_HDUS):
        if hdu.is_table:
            columns = hdu.table.columns.values()
            if hdu.rows > 1 and any(column.is_vector and column.code != "A" for column in columns):
                return True
        elif hdu.rows > 1 and (hdu.name.endswith(("_FLUX", "_DATA")) or hdu.index == 0):
            return True
    return False


def _looks_like_spectra(fits: FitsFile) -> bool:
    """Whether there is an image or a table with wavelength and flux: catalogues have neither."""
    for hdu in islice(fits, MAX_HDUS):
        if not hdu.is_table:
            if hdu.kind == "IMAGE" and hdu.pixels > 1 and hdu.rows:
                return True
            continue
        if hdu.name == "SPECTAB":  # of 4MOST, whose wavelengths are in its header
            return True
        try:
            choose_columns([ColumnField(column.name) for column in hdu.table.columns.values()])
        except NotMine:
            continue
        return True
    return False


def _target_rows(fits: FitsFile) -> list[SpectrumRow]:
    """Rows named by TARGETID, if the file has a FIBERMAP table (DESI)."""
    fibermap = fits.named("FIBERMAP")
    if fibermap is None or not fibermap.is_table or "TARGETID" not in fibermap.table:
        return []
    table = fibermap.table
    numbers = [int(number) for number in table.column("TARGETID")[:MAX_SPECTRA]]
    ra, dec = _floats(table, "TARGET_RA"), _floats(table, "TARGET_DEC")
    # A duplicate TARGETID, or one so small that it could be a row number, is ambiguous.
    are_unique = len(set(numbers)) == len(numbers)
    return [
        SpectrumRow(
            str(number), number if are_unique and number >= MIN_TARGETID else row, ra_deg, dec_deg
        )
        for row, (number, ra_deg, dec_deg) in enumerate(zip(numbers, ra, dec, strict=False))
    ]


def _fibre_rows(fits: FitsFile) -> list[SpectrumRow]:
    """Rows named by the table of the fibres of 4MOST or WEAVE, or of the targets of PFS."""
    for name, names, places in FIBRES:
        hdu = fits.named(name)
        table = hdu.table if hdu is not None and hdu.is_table else None
        if table is None or not any(column in table for column in names):
            continue
        return [
            SpectrumRow(
                (names_in(table, row, names) or [f"#{row}"])[0], row, *_place(table, row, places)
            )
            for row in range(min(table.rows, MAX_SPECTRA))
        ]
    return []


def _place(
    table: FitsTable, row: int, places: Sequence[tuple[str, str]]
) -> tuple[float | None, float | None]:
    for ra, dec in places:
        if place := position(table.number(ra, row), table.number(dec, row)):
            return place["ra"], place["dec"]
    return None, None


def _floats(table: FitsTable, name: str) -> list[float | None]:
    if name not in table:
        return [None] * table.rows
    return [float(value) for value in table.column(name)]


# The position of the object in the header of a FITS spectrum, without reading the spectrum. By
# the rules of the readers, so that a list of a folder says what the open spectrum says. The
# centre of a plate is never taken for the object.
def header_position(file: SourceFile) -> dict[str, Any]:
    """Fields `ra` and `dec` in degrees; empty if they are not known or a header is damaged."""
    try:
        fits = file.fits
        header = fits.primary.header
        if is_lamost(header):
            return position(header.number("RA"), header.number("DEC"))
        if header.text("TELESCOP").startswith("SDSS") and "SPEC_CLN" in header:
            return position(header.number("RAOBJ"), header.number("DECOBJ"))
        if sdss.names_sdss(header) or sdss.catalogue_of(fits) is not None:
            found = sdss.position_of(header, None)
            return found or sdss.position_of(header, sdss.catalogue_of(fits))
        fields = describe(file, _joined(fits)).fields
        return {name: fields[name] for name in ("ra", "dec") if name in fields}
    except (ReadError, ValueError):
        return {}


def _joined(fits: FitsFile) -> Header:
    """The primary header, with that of the HDU that holds the spectrum."""
    primary = fits.primary
    if primary.pixels > 1:
        return primary.header
    for hdu in islice(fits, 1, MAX_HEADERS):
        if hdu.is_table or hdu.pixels > 1:
            return Header.joined(primary.header, hdu.header)
    return primary.header
