"""The rows of a list, or the candidates without a file of a session, as spectra to be fetched."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import exists, select

from agent.errors import WorkbenchError
from agent.spectra.readers.coordinates import parse_sexagesimal
from app.core.database.paging import pages
from app.core.database.tables import MIN_TARGETID, candidates, packed_spectra
from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.entries import FIELDS, Entries
from app.core.importing.opening import errors_naming, file_identity, normalized_path
from app.core.importing.role_names import normalized_name
from app.core.importing.sky import iau_name
from app.core.importing.spectrum_files import stem_of
from app.core.session.records import NOTHING, Candidate
from app.core.session.session import Session, list_roles
from app.services.archives.archive import Wanted, with_name_of_file

PAGE = 1000
MAX_LINES = 10_000
MAX_FIBER = 1000
MAX_SHOWN = 60
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SDSS = re.compile(r"(?:spec-)?(\d{1,6})[-\s]+(\d{5})[-\s]+(\d{1,19})(?:\.fits)?")


@dataclass(frozen=True, kw_only=True)
class FetchRow:
    """A spectrum to be fetched, with what else its list says about it."""

    wanted: Wanted
    candidate_id: int = 0  # in a session
    path: str = ""  # of its file, which need not exist
    row: int = 0  # in that file, or its TARGETID
    score: float | None = None
    label: str = ""
    snr: float | None = None
    own: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


def rows_of_list(
    path: Path | str,
    roles: Mapping[str, str] | None = None,
    *,
    limit: int | None = None,
    spectra: Path | None = None,
) -> list[FetchRow]:
    """The first `limit` rows of a list, whose spectra need not exist. Raises ImportFailed.

    Files that the list does not name are looked for in the folder `spectra`.
    """
    path = normalized_path(path)
    with errors_naming(path):
        file_identity(path)
        with ListReaderProcess(path, roles or {}, spectra=spectra, allow_absolute=True) as reader:
            columns = reader.opened().roles.columns
            return reader.read(lambda blocks: list(islice(_rows(blocks, columns), limit)))


def missing_in_session(session: Session, *, limit: int | None = None) -> list[FetchRow]:
    """The candidates whose spectrum is neither packed nor a file that is there."""
    return list(islice(_missing(session), limit))


def row_of_candidate(candidate: Candidate, roles: Mapping[str, str]) -> FetchRow:
    """`roles` are the columns of the candidate's list."""
    return _row(vars(candidate), roles)


def _rows(blocks: Iterable[Entries], roles: Mapping[str, str]) -> Iterator[FetchRow]:
    for entries in blocks:
        for values in zip(*entries.columns, strict=True):
            given = dict(zip(FIELDS, values, strict=True))
            given["own"] = json.loads(given["own"])
            yield _row(given, roles)


def _row(given: Mapping[str, Any], roles: Mapping[str, str]) -> FetchRow:
    """From the fields of a candidate, or of the same in a list."""
    object_id, path, row = given["object_id"], given["path"], given["row"]
    kept = dict(given["own"])
    if (name := roles.get("object_id", "object_id")) != "object_id":
        kept[name] = object_id
    if row >= MIN_TARGETID:
        kept[roles.get("row", "targetid")] = row
    ids = {normalized_name(name): _text(value) for name, value in kept.items()}
    place = {"line": given["line"], "ra": given["ra"], "dec": given["dec"]}
    wanted = Wanted(object_id=object_id, ids=ids, **place)
    for stem in (stem_of(path.replace("\\", "/").rpartition("/")[2]), f"spec-{object_id}"):
        wanted = with_name_of_file(wanted, stem)
    said = {name: given[name] for name in ("path", "row", "score", "label", "snr")}
    return FetchRow(wanted=wanted, candidate_id=given.get("id", 0), own=kept, **said)


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, list | dict) else str(value)


def _missing(session: Session) -> Iterator[FetchRow]:
    roles = list_roles(session)
    is_packed = exists().where(packed_spectra.c.candidate_id == candidates.c.id)
    query = select(candidates.c.id, candidates.c.path, is_packed.label("is_packed"))
    for page in pages(session.database, query, candidates.c.id, at_once=PAGE):
        wanted = [row.id for row in page if not row.is_packed and is_missing(row.path)]
        for candidate in session.candidates(wanted):
            yield row_of_candidate(candidate, roles.get(candidate.list_id, {}))


def is_missing(path: str) -> bool:
    """Whether a file is not there; one on another computer is taken to be."""
    # Asking for it would send this person's credentials there on Windows.
    if path.startswith(("\\\\", "//")):
        return False
    try:
        return not path or not Path(path).is_file()
    except (OSError, ValueError):
        return True


def typed_rows(text: str, archive: str) -> list[FetchRow]:
    """Raises WorkbenchError, which names the first line that says nothing to this archive."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
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
    if archive == "sdss" and (match := _SDSS.fullmatch(" ".join(words))):
        return _of_sdss(match.groups(), number)
    if len(words) == 1:
        word = words[0]
        if archive == "lamost" and word.isascii() and word.isdecimal():
            return Wanted(line=number, object_id=word, ids={"obsid": word})
        if archive == "sparcl" and _UUID.fullmatch(word.lower()):
            return Wanted(line=number, object_id=word, ids={"sparcl_id": word.lower()})
        if archive == "sparcl" and word.isascii() and word.isdecimal():
            return Wanted(line=number, object_id=word, ids={"specid": word})
    return _at(words, number)


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
