"""What spectra a file holds, told from as little of it as will do."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agent.spectra.fits.fits_file import FitsFile
from agent.spectra.fits.fits_table import FitsTable
from agent.spectra.fits.source_file import SourceFile, open_source, source_of
from agent.spectra.readers import read, text_table, votable
from agent.spectra.readers.base import NotMine, Request
from agent.spectra.readers.columns import Field, choose
from agent.spectra.readers.lamost_lrs import is_lamost
from app.core.importing.formats.contents import TARGETID
from app.core.importing.suffixes import stem_of

HDUS_LOOKED_AT = 16
TEXT_LOOKED_AT = 64 * 1024
MAX_SPECTRA = 1_000_000


@dataclass(frozen=True, slots=True)
class SpectrumRow:
    object_id: str
    row: int = 0
    ra: float | None = None
    dec: float | None = None


def rows_of(path: Path) -> list[SpectrumRow]:
    """One for each spectrum of the file; none where it is no spectrum."""
    try:
        return _rows(path)
    except Exception:
        # Readers fail on hostile files in every way; `agent.spectra.readers.read` says why.
        return []


def _rows(path: Path) -> list[SpectrumRow]:
    stem = stem_of(path.name)
    with open_source(path) as file:
        if not file.is_fits:
            _check_text(file)
            return [SpectrumRow(stem)]
        if not _looks_like_spectra(file.fits):
            return []
        # The rows of LAMOST's images are one spectrum; there are too many of them to read each.
        if is_lamost(file.fits.primary.header) or not _may_hold_several(file.fits):
            return [SpectrumRow(stem)]
        targets = _targets(file.fits)
    count = read(path).rows
    if count == 1:
        return [SpectrumRow(stem)]
    if len(targets) == count:
        return targets
    return [SpectrumRow(f"{stem}#{row}", row) for row in range(min(count, MAX_SPECTRA))]


def _check_text(file: SourceFile) -> None:
    """From its beginning; a VOTable is read whole. Raises what the readers raise."""
    piece = file.bytes.read(0, TEXT_LOOKED_AT)
    if piece.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        votable.read(file, Request())
    else:
        whole_lines = piece[: piece.rfind(b"\n") + 1] or piece
        text_table.read(source_of(whole_lines, file.path.name), Request())


def _may_hold_several(fits: FitsFile) -> bool:
    """Tables of vectors in more than one row, or images of several rows that are no mask."""
    for hdu in islice(fits, HDUS_LOOKED_AT):
        if hdu.is_table:
            columns = hdu.table.columns.values()
            if hdu.rows > 1 and any(column.is_vector and column.code != "A" for column in columns):
                return True
        elif hdu.rows > 1 and (hdu.name.endswith("_FLUX") or hdu.index == 0):
            return True
    return False


def _looks_like_spectra(fits: FitsFile) -> bool:
    """An image, or a table with wavelengths and fluxes: catalogues have neither."""
    for hdu in islice(fits, HDUS_LOOKED_AT):
        if not hdu.is_table:
            if hdu.kind == "IMAGE" and hdu.pixels > 1 and hdu.rows:
                return True
            continue
        try:
            choose([Field(column.name) for column in hdu.table.columns.values()])
        except NotMine:
            continue
        return True
    return False


def _targets(fits: FitsFile) -> list[SpectrumRow]:
    """By their TARGETID, where the file has a table of them."""
    fibermap = fits.named("FIBERMAP")
    if fibermap is None or not fibermap.is_table or "TARGETID" not in fibermap.table:
        return []
    table = fibermap.table
    numbers = [int(number) for number in table.column("TARGETID")[:MAX_SPECTRA]]
    ra, dec = _column(table, "TARGET_RA"), _column(table, "TARGET_DEC")
    # One that comes twice, or could be taken for a row, does not say which row is meant.
    are_told = len(set(numbers)) == len(numbers)
    return [
        SpectrumRow(str(number), number if are_told and number >= TARGETID else row, right, up)
        for row, (number, right, up) in enumerate(zip(numbers, ra, dec, strict=False))
    ]


def _column(table: FitsTable, name: str) -> list[float | None]:
    if name not in table:
        return [None] * table.rows
    return [float(value) for value in table.column(name)]
