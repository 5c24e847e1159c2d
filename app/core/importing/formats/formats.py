"""Detect the format of a list from its content, not from its name."""

from __future__ import annotations

from pathlib import Path

from agent.errors import ReadError
from agent.spectra.fits.source_file import UnpackedBytes, open_source
from app.core.errors import ImportFailed
from app.core.importing.formats.contents import ListFile
from app.core.importing.formats.encodings import encoding_of
from app.core.importing.formats.fits_list import FitsList
from app.core.importing.formats.parquet_list import ParquetList
from app.core.importing.formats.text_list import TextList
from app.core.importing.formats.votable_list import VOTableList

UNSUPPORTED = {
    b"SQLite format 3\0": "a SQLite database; merge sessions instead of importing them",
    b"\x89HDF": "HDF5: save the table as FITS, CSV or Parquet",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save it as CSV",
    b"%PDF": "a PDF: save the table as CSV",
}
KNOWN = "CSV, TSV, ECSV, FITS, VOTable, Parquet or a folder of spectra"
MAX_CONTROL = 0.05
"""Fraction of control characters allowed in a text file."""
_CONTROL = bytes({*range(32), 127} - set(b"\t\n\r\f\x1b"))


def open_list(path: Path) -> ListFile:
    """Open a file (not a folder). The message of ImportFailed does not name the file."""
    try:
        with open_source(path) as file:
            start, size = file.start, file.size
            is_packed = isinstance(file.bytes, UnpackedBytes)
    except ReadError as error:
        is_workbook = path.suffix.lower() in (".xlsx", ".ods")
        reason = "it is a spreadsheet: save it as CSV" if is_workbook else str(error)
        raise ImportFailed(reason) from error
    if start.startswith(b"SIMPLE  ="):
        return FitsList(path)
    if start.startswith(b"PAR1"):
        return ParquetList(path)
    for magic, what in UNSUPPORTED.items():
        if start.startswith(magic):
            raise ImportFailed(f"it is {what}")
    text = _plain_text(start)
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        if "VOTABLE" not in text.upper():
            raise ImportFailed("it is XML or a web page, not a VOTable: download the list again")
        return VOTableList(path)
    if _is_binary(start):
        raise ImportFailed(f"its format is unknown: use {KNOWN}")
    return TextList(path, None if is_packed else size)


def _plain_text(start: bytes) -> str:
    """The start as text, to recognize XML, which may be UTF-16."""
    return start.decode("utf-16" if encoding_of(start) == "utf-16" else "utf-8", "replace")


def _is_binary(start: bytes) -> bool:
    if encoding_of(start) == "utf-16":
        return False
    return len(start) - len(start.translate(None, _CONTROL)) > MAX_CONTROL * len(start)
