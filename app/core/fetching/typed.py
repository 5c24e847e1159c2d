"""Spectra that a person types: one a line, as numbers of an archive or as a position."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.errors import WorkbenchError
from agent.spectra.readers.coordinates import parse_sexagesimal
from app.core.fetching.rows import FetchRow
from app.core.importing.sky import iau_name
from app.services.archives.wanted import Wanted

MAX_LINES = 10_000
MAX_FIBER = 1000
MAX_SHOWN = 60
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SDSS = re.compile(r"(?:spec-)?(\d{1,6})[-\s]+(\d{5})[-\s]+(\d{1,19})(?:\.fits)?")


def typed_rows(text: str, archive: str) -> list[FetchRow]:
    """Raises WorkbenchError, which names the first line that says nothing to this archive."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if len(lines) > MAX_LINES:
        raise WorkbenchError(f"more than {MAX_LINES:,} lines: save them as a list and use fetch")
    rows = []
    for number, line in enumerate(lines, 1):
        wanted = _wanted(line, archive, number)
        if wanted is None:
            raise WorkbenchError(f"line {number} names no spectrum of this archive")
        rows.append(FetchRow(wanted=wanted))
    return rows


def _wanted(line: str, archive: str, number: int) -> Wanted | None:
    words = line.replace(",", " ").replace(";", " ").split()
    if archive == "sdss":
        match = _SDSS.fullmatch(" ".join(words))
        return _of_sdss(match.groups(), number) if match else None
    if len(words) == 1:
        word = words[0]
        if archive == "lamost" and word.isascii() and word.isdecimal():
            return Wanted(line=number, object_id=word, ids={"obsid": word})
        if archive == "sparcl" and _UUID.fullmatch(word.lower()):
            return Wanted(line=number, object_id=word, ids={"sparcl_id": word.lower()})
        if archive == "sparcl" and word.isascii() and word.isdecimal():
            return Wanted(line=number, object_id=word, ids={"specid": word})
    return _at(words, number) if archive in ("sparcl", "ssap") else None


def _of_sdss(parts: Sequence[str], number: int) -> Wanted:
    first, mjd, last = map(int, parts)
    if last <= MAX_FIBER:
        ids = {"plate": str(first), "mjd": str(mjd), "fiberid": str(last)}
        return Wanted(line=number, object_id=f"{first:04d}-{mjd}-{last:04d}", ids=ids)
    ids = {"field": str(first), "mjd": str(mjd), "catalogid": str(last)}
    return Wanted(line=number, object_id=f"{first:06d}-{mjd}-{last}", ids=ids)


def _at(words: Sequence[str], number: int) -> Wanted | None:
    """Right ascension and declination, in degrees or as hours and degrees with minutes."""
    half = len(words) // 2
    if len(words) not in (2, 6):
        return None
    ra = _angle(" ".join(words[:half]), is_ra=True)
    dec = _angle(" ".join(words[half:]), is_ra=False)
    if ra is None or dec is None or not (0.0 <= ra <= 360.0 and abs(dec) <= 90.0):
        return None
    return Wanted(line=number, object_id=iau_name(ra, dec), ra=ra, dec=dec)


def _angle(text: str, *, is_ra: bool) -> float | None:
    try:
        return float(text)
    except ValueError:
        value = parse_sexagesimal(text.replace("\N{MINUS SIGN}", "-"))
        return None if value is None else value * (15.0 if is_ra else 1.0)
