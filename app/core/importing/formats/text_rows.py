"""Parse the rows of delimited text, a block of lines at a time.

Nearly all blocks of real lists are regular and are split in a few calls. An irregular block is read
record by record, so that each bad row is reported and reading continues with the next one.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.core.importing.formats.contents import MAX_CELL, Refused
from app.core.importing.formats.text_layout import TOO_LONG, WHITESPACE
from app.core.session.counted_text import counted_text

MAX_RECORD_LINES = 50
"""Lines of one row; a longer one has an unclosed quote and ends with its first line."""
MAX_RECORD = 256 * 1024
UNCLOSED = "a quote is not closed"
_NO_ROWS = re.compile(r"(?:[^\S\n]*+\n|#[^\n]*+\n)*+")
"""Blank lines and comments: in millions they take a while one by one."""


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
            problem = record if isinstance(record, str) else self._problem(record, feed)
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
        if feed.at == feed.start + 1 and not feed.ran_out:
            return record
        if len(record) == self._width and not feed.ran_out:
            return record
        feed.at = feed.start + 1  # the following lines may be good rows
        return UNCLOSED

    def _problem(self, record: list[str], feed: _LineFeed) -> str:
        width = self._width
        if len(record) < width or any(record[width:]):
            return f"{counted_text(len(record), 'cell')} instead of {width:,}"
        longest = max(map(len, record))
        if longest > MAX_CELL:
            return f"a cell of {longest:,} characters, more than {MAX_CELL:,}"
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
    step = MAX_CELL // 2
    return any(text.find("\n", at, at + step) < 0 for at in range(0, len(text) - step, step))


def _is_padded(text: str, mark: str) -> bool:
    if " " not in text and (mark == "\t" or "\t" not in text):
        return False
    pads = (f"{mark} ", f" {mark}", "\n ", " \n")
    return text[0] == " " or any(pad in text for pad in pads) or (mark != "\t" and "\t" in text)
