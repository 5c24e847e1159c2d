"""Reads and writes the VOTables that go to and come from TAP services."""

import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO

from agent.errors import ReadError
from agent.votable.parser import CODES, BadRow, Cell, VOTableField, VOTableParser
from app.services.catalogues.answer import Value
from app.services.web.errors import BadReply, TooMany

MAX_CELL = 2000
MAX_MESSAGE = 200
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_ERROR = re.compile(rb'QUERY_STATUS"[^>]{0,200}>([^<]{0,2000})')


def positions_table(rows: Sequence[tuple[float, float]]) -> bytes:
    """A VOTable of numbered positions (degrees)."""
    cells = "".join(
        f"<TR><TD>{number}</TD><TD>{ra:.9f}</TD><TD>{dec:.9f}</TD></TR>"
        for number, (ra, dec) in enumerate(rows)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<VOTABLE version="1.3" xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><RESOURCE><TABLE>'
        '<FIELD name="n" datatype="int"/>'
        '<FIELD name="ra" datatype="double" unit="deg" ucd="pos.eq.ra;meta.main"/>'
        '<FIELD name="dec" datatype="double" unit="deg" ucd="pos.eq.dec;meta.main"/>'
        f"<DATA><TABLEDATA>{cells}</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>"
    ).encode()


def rows_of(content: bytes, wanted: Sequence[str]) -> Iterator[dict[str, Value]]:
    """The rows with the wanted columns. Raises BadReply: an answer is read whole or not at all."""

    def check(fields: Sequence[VOTableField]) -> None:
        names = {field.name.casefold() for field in fields}
        missing = [name for name in wanted if name not in names]
        if missing:
            raise BadReply(f"the catalogue has changed: it gives no {', '.join(missing[:5])}")

    for fields, row in whole_rows(content, check):
        names = (field.name.casefold() for field in fields)
        by_name = dict(zip(names, zip(row, fields, strict=True), strict=True))
        yield {name: cell_value(*by_name[name]) for name in wanted}


def whole_rows(
    content: bytes, check: Callable[[Sequence[VOTableField]], None]
) -> Iterator[tuple[Sequence[VOTableField], list[Cell]]]:
    """The columns with the cells of each row; `check` may refuse the columns. Raises BadReply."""
    if not content.lstrip()[:200].startswith((b"<?xml", b"<VOTABLE", b"<vot")):
        raise BadReply("the answer is no table" + _what_it_is(content))
    parser = VOTableParser(MAX_CELL)
    is_checked = False
    try:
        for rows in parser.rows(BytesIO(content).read):
            if parser.is_described and not is_checked:
                check(parser.fields)
                is_checked = True
            for row in rows:
                if isinstance(row, BadRow):
                    raise BadReply(f"the answer is damaged: {row.reason}")
                yield parser.fields, row
    except ReadError as error:
        raise BadReply(f"the answer is damaged: {error}") from error
    if parser.params.get("QUERY_STATUS", "").upper() == "ERROR":
        raise BadReply(f"the service refuses the question: {_message(content)}")
    if not parser.is_described:
        raise BadReply("the answer holds no table")
    if not parser.is_done:
        raise BadReply("the answer is cut short")
    if b'"OVERFLOW"' in content[-20_000:]:
        raise TooMany("the service left rows out: ask for fewer at once")


def column_names(content: bytes) -> set[str]:
    """The names of the columns of an answer, in small letters. Raises BadReply."""
    parser = VOTableParser(MAX_CELL)
    try:
        for _ in parser.rows(BytesIO(content).read):
            pass
    except ReadError as error:
        raise BadReply(f"the answer is damaged: {error}") from error
    if not parser.is_described:
        raise BadReply("the answer holds no table")
    return {field.name.casefold() for field in parser.fields}


def cell_value(cell: Cell, field: VOTableField) -> Value:
    """A number or a text; None for what is missing, NaN included."""
    if cell is None:
        return None
    if field.is_text:
        encoding = "utf-8" if field.datatype == "char" else "utf-16-be"
        if isinstance(cell, bytes):
            cell = cell.decode(encoding, "replace").partition("\0")[0]
        return " ".join(cell.split())[:MAX_CELL] or None
    if isinstance(cell, str):
        text = cell.strip()
        if not text or (field.null and text == field.null):
            return None
        if _INTEGER.fullmatch(text):
            return int(text)
        try:
            number = float(text)
        except ValueError:
            return text[:MAX_CELL]
        return number if math.isfinite(number) else None
    code = CODES[field.datatype]
    if struct.calcsize(code) != len(cell):
        return None  # an array, or nothing
    (value,) = struct.unpack(code, cell)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return None if field.null and str(value) == field.null else value


def _message(content: bytes) -> str:
    found = _ERROR.search(content)
    text = found.group(1).decode("utf-8", "replace") if found else ""
    return " ".join(text.split())[:MAX_MESSAGE] or "no reason is given"


def _what_it_is(content: bytes) -> str:
    start = content.lstrip()[:300].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return " but a web page"
    return "" if content.strip() else " but empty"
