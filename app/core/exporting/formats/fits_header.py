"""The FITS header of a catalogue: columns with the keywords of TOPCAT, and the provenance."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from astropy.io.fits import Header

from app.core.exporting.escapes import PERCENT, Escape, fits_header_text
from app.core.exporting.table import TypedColumn
from app.core.session.provenance import Provenance

MAX_NUMBERED = 999
_UNITS = str.maketrans(
    {"\u00c5": "Angstrom", "\u212b": "Angstrom", "\u00b5": "u", "\u03bc": "u", "\u00b0": "deg"}
)
_NOT_NAME = re.compile(r"[^A-Za-z0-9_]")

Card = tuple[str, str | int | bool, str]


@dataclass(frozen=True, kw_only=True)
class FitsField:
    """The binary format of a column. `form` is TFORM; `dtype` is the matching numpy type."""

    column: TypedColumn
    form: str
    dtype: str
    null: int | None = None
    escape: Escape = str
    """Encodes its texts."""

    @property
    def in_heap(self) -> bool:
        return self.form.startswith("1QA")


def primary_header() -> bytes:
    return _bytes(Header([("SIMPLE", True), ("BITPIX", 8), ("NAXIS", 0), ("EXTEND", True)]))


def table_header(
    fields: Sequence[FitsField], rows: int, row_bytes: int, heap_bytes: int, provenance: Provenance
) -> bytes:
    header = Header(
        [
            ("XTENSION", "BINTABLE", "binary table"),
            ("BITPIX", 8),
            ("NAXIS", 2),
            ("NAXIS1", row_bytes, "bytes in a row"),
            ("NAXIS2", rows, "rows"),
            ("PCOUNT", heap_bytes, "bytes of long texts after the rows"),
            ("GCOUNT", 1),
            ("TFIELDS", len(fields), "columns"),
            ("EXTNAME", "CANDIDATES", "vetted candidates"),
        ]
    )
    for card in (*_columns(fields), *_encoded_cards(provenance)):
        header.append(card, end=True)
    return _bytes(header)


def _columns(fields: Sequence[FitsField]) -> Iterator[Card]:
    used_names: set[str] = set()
    for number, field in enumerate(fields, 1):
        spec = field.column.spec
        yield f"TTYPE{number}", _name(spec.name, used_names), ""
        yield f"TFORM{number}", field.form, ""
        if field.null is not None:
            yield f"TNULL{number}", field.null, "no value"
        if spec.unit:
            yield f"TUNIT{number}", fits_header_text(spec.unit.translate(_UNITS)), ""
        if spec.ucd:
            yield f"TUCD{number}", fits_header_text(spec.ucd), ""
        if words := _comment(field):
            yield f"TCOMM{number}", fits_header_text(words), ""
        if field.escape is not str:
            yield f"TENC{number}", PERCENT, ""


def _comment(field: FitsField) -> str:
    spec = field.column.spec
    parts = [spec.description] if spec.description else []
    if field.column.kind == "flag" and field.null is not None:
        parts.append("1 true, 0 false")
    list_name = spec.given_name or spec.name
    if _NOT_NAME.search(list_name) or spec.given_name:
        parts.append(f"in the list: {list_name}")
    return "; ".join(parts)


def _name(wanted: str, used_names: set[str]) -> str:
    """A name of letters, digits and _, as FITS recommends, unique regardless of case."""
    stem = wanted
    if _NOT_NAME.search(wanted):
        stem = _NOT_NAME.sub("_", wanted).rstrip("_") or "column"
    name, number = stem, 1
    while name.casefold() in used_names:
        number += 1
        name = f"{stem}_{number}"
    used_names.add(name.casefold())
    return name


def _encoded_cards(provenance: Provenance) -> Iterator[Card]:
    for key, value, comment in _provenance_cards(provenance):
        yield key, fits_header_text(value) if isinstance(value, str) else value, comment
    yield "TEXTENC", PERCENT, ""


def _provenance_cards(provenance: Provenance) -> Iterator[Card]:
    yield "DATE", provenance.written_at[:23], "UTC"
    yield "CREATOR", provenance.program, ""
    yield "PROGVER", provenance.program_version, ""
    yield "SESSID", provenance.session_id, ""
    yield "SESSNAME", provenance.session_name, ""
    yield "SESSDATE", provenance.made_at[:23], "UTC"
    yield "TASKID", provenance.task_id, ""
    yield "TASKNAME", provenance.task_name, ""
    yield "TASKSHA", provenance.task_sha256, ""
    yield "SELECT", provenance.selection, ""
    yield "NCAND", provenance.candidates, "candidates in the session"
    yield "NJUDGED", provenance.judged, "of them with a verdict"
    yield "VERFIRST", provenance.first_verdict_at[:23], "UTC, first verdict"
    yield "VERLAST", provenance.last_verdict_at[:23], "UTC, last verdict"
    if provenance.simulated:
        yield "SIMULATD", provenance.simulated, "simulated spectra"
    for number, each in enumerate(provenance.lists[:MAX_NUMBERED], 1):
        yield f"LFILE{number}", each.file, ""
        yield f"LSHA{number}", each.sha256, ""
        yield f"LREAD{number}", each.rows_read, "rows read"
        yield f"LUSED{number}", each.rows_used, "rows used"
        yield f"LDATE{number}", each.imported_at[:23], "UTC, imported"
    for number, model in enumerate(provenance.models[:MAX_NUMBERED], 1):
        yield f"MODEL{number}", model.name, ""
        yield f"MSHA{number}", model.sha256, ""
        yield f"MCNT{number}", model.inspections, "inspections"
        if model.wording:
            yield f"MWORD{number}", model.wording, ""
    for number, service in enumerate(provenance.services[:MAX_NUMBERED], 1):
        yield f"SERV{number}", f"{service.name} {service.release}".strip(), ""
        yield f"SERVN{number}", service.answers, "candidates about which it answered"
        yield f"SERVT{number}", service.last_asked_at[:23], "UTC, asked last"
    for number, person in enumerate(provenance.reviewers[:MAX_NUMBERED], 1):
        counts = ", ".join(f"{word} {count}" for word, count in person.verdicts.items())
        yield f"REV{number}", person.name, ""
        yield f"RCNT{number}", counts, ""


def _bytes(header: Header) -> bytes:
    text: str = header.tostring()
    return text.encode("ascii")
