"""Read CSV, TSV, ECSV and other delimited text."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile, islice
from pathlib import Path

from agent.spectra.readers.coordinates import parse_sexagesimal
from app.core.errors import ImportFailed, counted_text
from app.core.importing.formats import contents
from app.core.importing.formats.byte_stream import Recoded, Stream, byte_stream
from app.core.importing.formats.cell_numbers import float_of, is_missing
from app.core.importing.formats.contents import Kind, ListColumn, Refused, RowBlock
from app.core.importing.formats.ecsv_header import EcsvColumn, EcsvHeader, ecsv_header
from app.core.importing.formats.encodings import Decoder, encoding_of
from app.core.importing.formats.text_cells import KindGuess, TextCells
from app.core.importing.role_names import is_known_name
from app.core.importing.spectrum_files import has_spectrum_suffix

SAMPLE_BLOCKS = 2
MAX_PREAMBLE_BLOCKS = 128
MAX_PREAMBLE_LINES, MAX_FIRST_LINES = 200, 2000
"""Lines before and behind the start of the first row that are looked at for the layout."""
_ROW = re.compile(r"^(?!#)[^\S\n]*+\S", re.MULTILINE)
HINTS = {".tsv": "\t", ".tab": "\t"}
FORMATS = {",": "CSV", "\t": "TSV"}

MAX_LINE = 1024 * 1024
TOO_LONG = "\0too long\0"  # placeholder for a line longer than MAX_LINE bytes
UTF8_BOM = b"\xef\xbb\xbf"

MAX_RECORD_LINES = 50
"""Lines of one row; a longer one has an unclosed quote and ends with its first line."""
MAX_RECORD = 256 * 1024
UNCLOSED = "a quote is not closed"
_NO_ROWS = re.compile(r"(?:[^\S\n]*+\n|#[^\n]*+\n)*+")
"""Blank lines and comments: in millions they take a while one by one."""


class TextList:
    """`size` is that of the file, None if it is compressed."""

    def __init__(self, path: Path, size: int | None) -> None:
        self._path = path
        with byte_stream(path) as stream:
            raw = b"".join(islice(line_blocks(stream), SAMPLE_BLOCKS))
        self._encoding = encoding_of(raw)
        self._decoder = Decoder(self._encoding)
        text = "".join(_first_blocks(self._texts()))
        declared = ecsv_header(text)
        self._layout = _layout(text, path, declared)
        undeclared = [EcsvColumn(name) for name in self._layout.names]
        self._declared = declared.columns if declared else undeclared
        self._kinds: list[Kind | None] = [None] * len(undeclared)
        self._kinds = self._guessed(islice(self._read(), SAMPLE_BLOCKS))
        self.format = "ECSV" if declared else FORMATS.get(self._layout.delimiter, "text table")
        self.estimate = _estimate(text, self._layout.skip, size)

    @property
    def columns(self) -> tuple[ListColumn, ...]:
        names = contents.column_names(self._layout.names)
        return tuple(
            ListColumn(name=name, kind=kind or "str", unit=each.unit, description=each.description)
            for name, kind, each in zip(names, self._kinds, self._declared, strict=True)
        )

    def blocks(self) -> Iterator[RowBlock]:
        for rows in self._read():
            cells = map(TextCells, rows.columns, self._kinds)
            yield RowBlock(rows.lines, list(cells), rows.refused)

    def recheck_types(self) -> None:
        self._kinds = self._guessed(self._read())

    def warnings(self) -> list[str]:
        found = self._decoder.warnings()
        if self._rows.comments:
            found.append(f"skipped {counted_text(self._rows.comments, 'line')} beginning with #")
        return found

    def _texts(self) -> Iterator[str]:
        self._decoder = Decoder(self._encoding)
        with byte_stream(self._path) as stream:
            yield from text_blocks(stream, self._encoding, self._decoder)

    def _read(self) -> Iterator[TextRows]:
        layout = self._layout
        self._rows = RowReader(layout.delimiter, len(layout.names), layout.skip)
        for text in _skip_lines(self._texts(), layout.skip):
            yield self._rows.read(text)
        rest = self._rows.read("", is_last=True)
        if rest.lines or rest.refused:
            yield rest

    def _guessed(self, read: Iterator[TextRows]) -> list[Kind | None]:
        guesses = [KindGuess() for _ in self._layout.names]
        for rows in read:
            for guess, texts in zip(guesses, rows.columns, strict=True):
                guess.add(texts)
        columns = zip(guesses, self._declared, strict=True)
        return [_merged_kind(guess.kind, each.kind) for guess, each in columns]


def _merged_kind(guessed: Kind | None, declared: Kind | None) -> Kind | None:
    """The declared kind, unless the cells do not match it."""
    matches = declared == "str" or guessed is None or (declared, guessed) == ("float", "int")
    return declared if declared is not None and matches else guessed


def _layout(text: str, path: Path, declared: EcsvHeader | None) -> TextLayout:
    # Only lines near the first row become strings of their own: there may be millions of comments.
    row = _ROW.search(text)
    start = len(text) if row is None else row.start()
    lines_before = text.count("\n", 0, start)
    if declared is not None:
        names = tuple(each.name for each in declared.columns)
        return TextLayout(declared.delimiter, names, lines_before + 1)
    preamble = text[:start].rsplit("\n", MAX_PREAMBLE_LINES + 1)[:-1][-MAX_PREAMBLE_LINES:]
    first = text[start:].split("\n", MAX_FIRST_LINES)[:-1]
    layout = read_layout(preamble + first, HINTS.get(path.suffix.lower(), ""))
    return replace(layout, skip=layout.skip + lines_before - len(preamble))


def _first_blocks(texts: Iterator[str]) -> Iterator[str]:
    """The preamble, which may be long, and the first SAMPLE_BLOCKS blocks with rows."""
    rest = SAMPLE_BLOCKS
    for text in islice(texts, MAX_PREAMBLE_BLOCKS):
        yield text
        rest -= _ROW.search(text) is not None
        if not rest:
            return


def _skip_lines(texts: Iterator[str], lines: int) -> Iterator[str]:
    """The blocks without the first `lines` lines."""
    for text in texts:
        at = 0
        if text.count("\n") <= lines:
            lines -= text.count("\n")
            continue
        while lines:
            at = text.index("\n", at) + 1
            lines -= 1
        yield text[at:]


def _estimate(text: str, skip: int, size: int | None) -> int | None:
    lines = text.count("\n")
    if size is None or lines <= skip:
        return None
    return max(1, round(size / max(1, len(text.encode())) * lines) - skip)


# Detect comments, delimiter and header of a text table from its first lines.
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
    while raw := stream.read(contents.BLOCK_BYTES):
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
    while raw := stream.read(contents.BLOCK_BYTES):
        ends = [end for end in (raw.find(b"\n"), raw.find(b"\r")) if end >= 0]
        if ends:
            return raw[min(ends) + 1 :]
    return b""


DELIMITERS = ("\t", ";", "|", ",")
EMPTY_ROW = "".join(DELIMITERS) + ' "'
WHITESPACE = ""  # as a delimiter, means any run of white space
MAX_LINES = 50
MIN_SHARE = 0.8  # fraction of the lines that must have the same number of cells
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
    # A spreadsheet writes a blank row above its header as delimiters alone.
    rows = [*dropwhile(lambda each: not each[1].strip(EMPTY_ROW), rows)] or rows
    if not rows:
        raise ImportFailed("it contains no rows")
    comments = [line for number, line in kept if number < rows[0][0]]
    if any(line == TOO_LONG for _, line in rows[:1]):
        raise ImportFailed("its first line is longer than 1 MB: it is not a list")
    body = [line for _, line in rows[:MAX_LINES]]
    delimiter = delimiter_of(body, hint)
    first = cells_of(body[0], delimiter)
    if len(first) > contents.MAX_COLUMNS:
        raise ImportFailed(f"it has {len(first):,} columns, more than {contents.MAX_COLUMNS:,}")
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


# Parse the rows of delimited text, a block of lines at a time. Nearly all blocks of real lists
# are regular and are split in a few calls. An irregular block is read record by record, so that
# each bad row is reported and reading continues with the next one.
@dataclass
class TextRows:
    """Row numbers and columns of the usable rows, and the refused rows."""

    lines: Sequence[int] = ()
    columns: list[list[str]] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


class RowReader:
    """Reads blocks in order; keeps an unfinished row for the next block."""

    def __init__(self, delimiter: str, width: int, lines_before: int) -> None:
        self._delimiter = delimiter
        self._width = width
        self._lines_read = lines_before
        self._rows = 0
        self._unfinished = ""
        self.comments = 0

    def read(self, text: str, *, is_last: bool = False) -> TextRows:
        """Parse a block of whole lines, each with its line feed."""
        if not self._unfinished and _NO_ROWS.fullmatch(text):
            self.comments += text.startswith("#") + text.count("\n#")
            self._lines_read += text.count("\n")
            return TextRows(columns=[[] for _ in range(self._width)])
        columns = None if self._unfinished else self._parse_regular(text)
        if columns is None:
            return self._parse_irregular(self._unfinished + text, is_last)
        first, count = self._rows + 1, len(columns[0])
        self._rows += count
        self._lines_read += count
        return TextRows(range(first, first + count), columns)

    def _parse_regular(self, text: str) -> list[list[str]] | None:
        """The columns, if every line is a plain row of the right width; else None."""
        if not text or "\0" in text or text.startswith("#") or "\n#" in text:
            return None
        if self._delimiter == WHITESPACE or _may_hold_long_cell(text):
            return None
        return self._parse_quoted(text) if '"' in text else self._split(text)

    def _split(self, text: str) -> list[list[str]] | None:
        mark, width = self._delimiter, self._width
        # Line ends become cells of their own: if exactly these are width + 1 cells apart, every
        # line has the right number of cells.
        cells = text.replace("\n", f"{mark}\n{mark}").split(mark)
        cells.pop()
        rows, odd = divmod(len(cells), width + 1)
        ends = cells[width :: width + 1].count("\n")
        if odd or ends != rows or text.count("\n") != rows:
            return None
        if _is_padded(text, mark):
            cells = [cell.strip(" \t") if cell != "\n" else cell for cell in cells]
        columns = [cells[number :: width + 1] for number in range(width)]
        return None if width == 1 and "" in columns[0] else columns

    def _parse_quoted(self, text: str) -> list[list[str]] | None:
        lines = text[:-1].split("\n")
        try:
            rows = list(csv.reader(lines, delimiter=self._delimiter, strict=True))
        except csv.Error:
            return None
        if len(rows) != len(lines) or set(map(len, rows)) != {self._width}:
            return None
        columns = [[cell.strip() for cell in column] for column in zip(*rows, strict=True)]
        return None if self._width == 1 and "" in columns[0] else columns

    def _parse_irregular(self, text: str, is_last: bool) -> TextRows:
        feed = _LineFeed(text.split("\n")[:-1])
        numbers: list[int] = []
        records: list[list[str]] = []
        refused: list[Refused] = []
        self._unfinished = ""
        for record in self._records(feed):
            if feed.ran_out and not is_last:
                self._unfinished = "\n".join(feed.lines[feed.start :]) + "\n"
                feed.at = feed.start
                break
            self._rows += 1
            problem = record if isinstance(record, str) else self._problem(record)
            if problem:
                where = f"line {self._lines_read + feed.start + 1:,} of the file"
                refused.append(Refused(self._rows, f"{where}: {problem}"))
            else:
                numbers.append(self._rows)
                records.append([cell.strip() for cell in record[: self._width]])
        self._lines_read += feed.at
        self.comments += feed.comments
        columns = [list(column) for column in zip(*records, strict=True)]
        return TextRows(numbers, columns or [[] for _ in range(self._width)], refused)

    def _records(self, feed: _LineFeed) -> Iterator[list[str] | str]:
        """The cells of each record, or what is wrong with it; skips blank lines and comments."""
        reader = csv.reader(feed, delimiter=self._delimiter or " ")
        while feed.begin():
            line = feed.lines[feed.start]
            if line == TOO_LONG:
                feed.at += 1
                yield "it is longer than 1 MB"
            elif "\0" in line:
                feed.at += 1
                yield "it contains a NUL byte"
            elif self._delimiter == WHITESPACE:
                feed.at += 1
                yield line.split()
            else:
                yield self._record(reader, feed)

    def _record(self, reader: Iterator[list[str]], feed: _LineFeed) -> list[str] | str:
        try:
            record = next(reader)
        except (StopIteration, _UnclosedQuote):
            record = []
        except csv.Error as error:
            feed.at = feed.start + 1
            return str(error)
        is_one_line = feed.at == feed.start + 1
        if (is_one_line or len(record) == self._width) and not feed.ran_out:
            return record
        feed.at = feed.start + 1  # the following lines may be good rows
        return UNCLOSED

    def _problem(self, record: list[str]) -> str:
        width = self._width
        if len(record) < width or any(record[width:]):
            return f"{counted_text(len(record), 'cell')} instead of {width:,}"
        longest = max(map(len, record))
        if longest > contents.MAX_CELL:
            return f"a cell of {longest:,} characters, more than {contents.MAX_CELL:,}"
        if "\0" in "".join(record):
            return "it contains a NUL byte"
        return ""


class _UnclosedQuote(Exception):
    pass


class _LineFeed:
    """Iterates over lines for a csv reader; the current record began at `start`."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = self.start = self.comments = 0
        self.ran_out = False
        self._size = 0

    def begin(self) -> bool:
        """Go to the next record, past blank lines and comments; false at the end."""
        at, lines = self.at, self.lines
        while at < len(lines):
            if lines[at].startswith("#"):
                self.comments += 1
            elif lines[at].strip():
                break
            at += 1
        self.at = self.start = at
        self.ran_out, self._size = False, 0
        return at < len(lines)

    def __iter__(self) -> _LineFeed:
        return self

    def __next__(self) -> str:
        if self.at >= len(self.lines):
            self.ran_out = True
            raise StopIteration
        line = self.lines[self.at]
        self._size += len(line)
        if self.at - self.start >= MAX_RECORD_LINES or self._size > MAX_RECORD > len(line):
            raise _UnclosedQuote
        self.at += 1
        return line + "\n"


def _may_hold_long_cell(text: str) -> bool:
    """False if every stretch of MAX_CELL / 2 characters contains a line end."""
    step = contents.MAX_CELL // 2
    return any(text.find("\n", at, at + step) < 0 for at in range(0, len(text) - step, step))


def _is_padded(text: str, mark: str) -> bool:
    if " " not in text and (mark == "\t" or "\t" not in text):
        return False
    pads = (f"{mark} ", f" {mark}", "\n ", " \n")
    return text[0] == " " or any(pad in text for pad in pads) or (mark != "\t" and "\t" in text)
