"""Detect comments, delimiter and header of a text table from its first lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.spectra.readers.coordinates import parse_sexagesimal
from app.core.errors import ImportFailed
from app.core.importing.formats.byte_stream import Recoded, Stream
from app.core.importing.formats.cell_numbers import float_of, is_missing
from app.core.importing.formats.contents import BLOCK_BYTES, MAX_COLUMNS
from app.core.importing.formats.encodings import Decoder
from app.core.importing.role_names import is_known_name
from app.core.importing.spectrum_files import has_spectrum_suffix

MAX_LINE = 1024 * 1024
TOO_LONG = "\0too long\0"
"""Placeholder for a line longer than MAX_LINE bytes."""
UTF8_BOM = b"\xef\xbb\xbf"


def text_blocks(stream: Stream, encoding: str, decoder: Decoder) -> Iterator[str]:
    """Blocks of text that end with a line feed; all line ends are line feeds."""
    if encoding == "utf-16":
        stream = Recoded(stream)
    for block in line_blocks(stream):
        text = decoder.text(block)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        yield text if text.endswith("\n") else text + "\n"


def line_blocks(stream: Stream) -> Iterator[bytes]:
    """Blocks of whole lines; the last line may lack its end."""
    rest, first = b"", True
    while raw := stream.read(BLOCK_BYTES):
        rest += raw
        if first and len(rest) >= len(UTF8_BOM):
            rest, first = rest.removeprefix(UTF8_BOM), False
        cut = _last_line_end(rest)
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > MAX_LINE:
            rest = _rest_after_line(stream)
            yield TOO_LONG.encode() + b"\n"
    if rest:
        yield rest.removeprefix(UTF8_BOM) if first else rest


def _last_line_end(raw: bytes) -> int:
    """The position after the last line end; a final CR does not count, it may be half of CR LF."""
    cut = raw.rfind(b"\n") + 1
    return cut or raw.rfind(b"\r", 0, len(raw) - 1) + 1


def _rest_after_line(stream: Stream) -> bytes:
    """Skip the rest of a line; returns what was read after its end."""
    while raw := stream.read(BLOCK_BYTES):
        ends = [end for end in (raw.find(b"\n"), raw.find(b"\r")) if end >= 0]
        if ends:
            return raw[min(ends) + 1 :]
    return b""


DELIMITERS = ("\t", ";", "|", ",")
WHITESPACE = ""
"""As a delimiter, means any run of white space."""
MAX_LINES = 50
MIN_SHARE = 0.8
"""Fraction of the lines that must have the same number of cells."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")


@dataclass(frozen=True)
class TextLayout:
    """Delimiter, column names, and the number of lines to skip before the first row."""

    delimiter: str
    names: tuple[str, ...]
    skip: int


def read_layout(lines: Sequence[str], hint: str = "") -> TextLayout:
    """Detect the layout from lines without line ends; `hint` is the delimiter of the suffix."""
    kept = [(number, line) for number, line in enumerate(lines) if line.strip()]
    rows = [(number, line) for number, line in kept if not line.startswith("#")]
    if not rows:
        raise ImportFailed("it contains no rows")
    comments = [line for number, line in kept if number < rows[0][0]]
    if any(line == TOO_LONG for _, line in rows[:1]):
        raise ImportFailed("its first line is longer than 1 MB: it is not a list")
    body = [line for _, line in rows[:MAX_LINES]]
    delimiter = delimiter_of(body, hint)
    first = cells_of(body[0], delimiter)
    if len(first) > MAX_COLUMNS:
        raise ImportFailed(f"it has {len(first):,} columns, more than {MAX_COLUMNS:,}")
    if is_header(first, [cells_of(line, delimiter) for line in body[1:]]):
        return TextLayout(delimiter, tuple(first), rows[0][0] + 1)
    names = _names_in_comment(comments, delimiter, len(first))
    if not names:
        names = tuple(f"col{number}" for number in range(1, len(first) + 1))
    return TextLayout(delimiter, names, rows[0][0])


def delimiter_of(lines: Sequence[str], hint: str = "") -> str:
    """The delimiter that gives most lines the same number of cells as the first.

    White space comes last, because any text contains it.
    """
    order = sorted(DELIMITERS, key=lambda each: each != hint)
    shares = {mark: _share_like_first(lines, mark) for mark in order}
    best = max(order, key=lambda mark: shares[mark])
    if shares[best] >= MIN_SHARE:
        return best
    if _share_like_first(lines, WHITESPACE) >= MIN_SHARE:
        return WHITESPACE
    return max(order[::-1], key=lambda mark: len(cells_of(lines[0], mark)))


def _share_like_first(lines: Sequence[str], mark: str) -> float:
    columns = len(cells_of(lines[0], mark))
    if columns < 2:
        return 0.0
    return sum(len(cells_of(line, mark)) == columns for line in lines) / len(lines)


def cells_of(line: str, delimiter: str) -> list[str]:
    """The cells of a single line."""
    if delimiter == WHITESPACE:
        return line.split()
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return line.split(delimiter)


def is_header(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether the first row contains names rather than values."""
    if any(map(_is_value, first)):
        return False
    if any(map(is_known_name, first)):
        return True
    # A single column of texts has no header: its first line is a value like the others.
    return len(first) > 1 and any(map(_is_value, (cell for row in others for cell in row)))


def _is_value(cell: str) -> bool:
    if is_missing(cell):
        return False
    if float_of(cell) is not None or parse_sexagesimal(cell) is not None or _DATE.fullmatch(cell):
        return True
    return has_spectrum_suffix(cell)


def _names_in_comment(comments: Sequence[str], delimiter: str, columns: int) -> tuple[str, ...]:
    """Column names from a comment such as '# id ra dec' above the rows."""
    for line in reversed(comments):
        for mark in (delimiter, WHITESPACE):
            names = cells_of(line.lstrip("# "), mark)
            if len(names) == columns and not any(map(_is_value, names)):
                return tuple(names)
    return ()
