"""The readers in the order in which they are tried, and the only place that catches their errors.

To add a survey, write a module with `read(file, request) -> Spectrum` that raises `NotMine` with
a reason for other files, and add it to READERS. Other packages add such functions as plug-ins.
"""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from agent.errors import ReadError, WorkbenchError
from agent.plugins import Plugin, in_plugin, plugins, report, report_failure
from agent.spectra.fits.source_file import SourceFile, open_source, source_of
from agent.spectra.readers import (
    desi,
    fits_tables,
    fourmost,
    image_1d,
    lamost,
    other_formats,
    parquet_table,
    pfs,
    sdss,
    text_table,
    votable,
    weave,
)
from agent.spectra.readers.base import Malformed, NotMine, Reader, Request, clean_text
from agent.spectra.spectrum import Spectrum
from agent.spectra.urls import is_url

FIRST_TARGET = 10**8

READERS: list[Reader] = [
    Reader("LAMOST MRS", lamost.read_medium),
    Reader("LAMOST LRS", lamost.read_low),
    Reader("SDSS spSpec", sdss.read_spspec),
    Reader("SDSS", sdss.read),
    Reader("DESI", desi.read),
    Reader("redrock", desi.read_redrock),
    Reader("4MOST", fourmost.read),
    Reader("WEAVE", weave.read),
    Reader("PFS", pfs.read),
    Reader("FITS image", image_1d.read),
    Reader("FITS table", fits_tables.read),
    Reader("Parquet table", parquet_table.read),
    Reader("VOTable", votable.read),
    Reader("text table", text_table.read),
    Reader("specutils", other_formats.read),
]
GENERIC = "FITS image"  # the first of the readers that take files of any survey


def register(reader: Reader, first: bool = True) -> None:
    """Add a reader with a new name, before the others if `first`, else after them."""
    if any(known.name == reader.name for known in READERS):
        raise ValueError(f"there is a reader named {reader.name} already")
    READERS.insert(0 if first else len(READERS), reader)


def read(path: str | os.PathLike[str], row: int = 0, target: str | int | None = None) -> Spectrum:
    """Read one spectrum of a file or address: a `row` from 0, or the one with the id `target`.

    Raises ReadError, whose `reasons` say why each reader refused the file.
    """
    name = clean_text(Path(path).name) or str(path)
    request = Request(row, "" if target is None else str(target).strip())
    try:
        with open_source(path) as file, np.errstate(all="ignore"):
            found = _try_readers(file, request)
    except ReadError as error:
        raise ReadError(f"{name}: {error}", error.reasons) from error
    return replace(found, path=path) if isinstance(path, str) and is_url(path) else found


def read_bytes(data: bytes, name: str) -> Spectrum:
    """Read the spectrum of a file that is in memory only, as `read` does."""
    try:
        with np.errstate(all="ignore"):
            return _try_readers(source_of(data, name), Request(0, ""))
    except ReadError as error:
        raise ReadError(f"{name}: {error}", error.reasons) from error


def read_numbered(path: str | os.PathLike[str], number: int) -> Spectrum:
    """Read one spectrum by the number in a list: a row from 0, or a TARGETID from nine digits on.

    No file has that many rows.
    """
    if abs(number) >= FIRST_TARGET:
        return read(path, target=number)
    return read(path, row=number)


def all_readers() -> tuple[Reader, ...]:
    """The readers in the order in which they are tried.

    Those of plug-ins come after those of the surveys, which stay as they are whatever is installed,
    and before the generic ones, which would take nearly every file.
    """
    found = plugins("readers")
    added = [Reader(f"{each.name} ({each.package})", partial(_read_with, each)) for each in found]
    if not added:
        return tuple(READERS)
    at = next(n for n, reader in enumerate(READERS) if reader.name == GENERIC)
    return (*READERS[:at], *added, *READERS[at:])


def _read_with(plugin: Plugin, file: SourceFile, request: Request) -> Spectrum:
    """What a plug-in reads; its unexpected errors are told, and the next reader is tried."""
    try:
        with in_plugin():
            found = plugin.value(file, request)
    except WorkbenchError:
        raise
    except (Exception, SystemExit) as error:
        report_failure(plugin, error)
        raise NotMine(f"the plug-in failed with {type(error).__name__}: {error!s:.200}") from error
    if isinstance(found, Spectrum):
        return found
    problem = f"it returned a {type(found).__name__}, not a Spectrum"
    report(plugin.kind, plugin.name, plugin.package, problem)
    raise NotMine(problem)


def _try_readers(file: SourceFile, request: Request) -> Spectrum:
    reasons: dict[str, str] = {}
    damage = ""
    for reader in all_readers():
        try:
            # Add a warning if the spectrum is not named as the requested target.
            spectrum = reader.read(file, request)
            if not request.target:
                return spectrum
            if request.target in (spectrum.object_id, *map(str, spectrum.meta.values())):
                return spectrum
            note = (
                f"the requested target {clean_text(request.target, 60)} is not named in this file"
            )
            return replace(spectrum, warnings=(*spectrum.warnings, note))
        except NotMine as refusal:
            reasons[reader.name] = str(refusal)
        except Malformed as error:
            reasons[reader.name] = str(error)
            raise ReadError(str(error), reasons) from error
        except WorkbenchError as error:
            reasons[reader.name] = str(error)
            damage = damage or str(error)
        except Exception as error:
            # The file is hostile or damaged in an unforeseen way, or a third-party parser failed
            # (MemoryError and RecursionError included). This is the only boundary between files
            # and the program, so every error becomes a message here.
            reasons[reader.name] = f"failed with {type(error).__name__}: {str(error)[:200]}"
    if damage:
        raise ReadError(damage, reasons)
    raise ReadError(f"no reader knows this file ({_joined(reasons)})", reasons)


def _joined(reasons: dict[str, str]) -> str:
    """One line with each reason once, after the names of its readers."""
    readers: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        readers.setdefault(reason, []).append(name)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in readers.items())
