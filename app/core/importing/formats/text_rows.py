"""Rows of a delimited text, a block of lines at a time.

Nearly every block of a real list is regular and is cut up in a few calls. One that is not is read
record by record, so that each row that cannot be used is named and the next one is read again.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.core.importing.formats.contents import MAX_CELL, Refused, counted
from app.core.importing.formats.text_layout import BLANKS, TOO_LONG

MAX_RECORD_LINES = 50
"""Of one row: beyond, a quote was forgotten and the row ends with its first line."""
MAX_RECORD = 256 * 1024
UNCLOSED = "a quote that is not closed"


@dataclass
class Rows:
    """Columns of those that can be used, with their numbers, and the others."""

    lines: Sequence[int] = ()
    columns: list[list[str]] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


class RowReader:
    """Takes blocks in order; keeps what a block leaves unfinished for the next."""

    def __init__(self, delimiter: str, width: int, lines_before: int) -> None:
        self._delimiter = delimiter
        self._width = width
        self._passed = lines_before
        """Lines of the file."""
        self._rows = 0
        self._unfinished = ""
        self.comments = 0

    def read(self, text: str, *, is_last: bool = False) -> Rows:
        """`text` is whole lines, each with its line feed."""
        columns = None if self._unfinished else self._at_once(text)
        if columns is None:
            return self._one_by_one(self._unfinished + text, is_last)
        first, count = self._rows + 1, len(columns[0])
        self._rows += count
        self._passed += count
        return Rows(range(first, first + count), columns)

    def _at_once(self, text: str) -> list[list[str]] | None:
        """The columns, where every line is a row of the right width and no cell is odd."""
        if not text or "\0" in text or text.startswith("#") or "\n#" in text:
            return None
        if self._delimiter == BLANKS or _may_hold_long_cell(text):
            return None
        return self._parsed(text) if '"' in text else self._split(text)

    def _split(self, text: str) -> list[list[str]] | None:
        mark, width = self._delimiter, self._width
        # Each line end becomes a cell of its own: where they, and no others, stand width + 1 cells
        # apart, every line has the right number of cells.
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

    def _parsed(self, text: str) -> list[list[str]] | None:
        lines = text[:-1].split("\n")
        try:
            rows = list(csv.reader(lines, delimiter=self._delimiter, strict=True))
        except csv.Error:
            return None
        if len(rows) != len(lines) or set(map(len, rows)) != {self._width}:
            return None
        columns = [[cell.strip() for cell in column] for column in zip(*rows, strict=True)]
        return None if self._width == 1 and "" in columns[0] else columns

    def _one_by_one(self, text: str, is_last: bool) -> Rows:
        feed = _Feed(text.split("\n")[:-1])
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
                where = f"line {self._passed + feed.start + 1:,} of the file"
                refused.append(Refused(self._rows, f"{where}: {problem}"))
            else:
                numbers.append(self._rows)
                records.append([cell.strip() for cell in record[: self._width]])
        self._passed += feed.at
        columns = [list(column) for column in zip(*records, strict=True)]
        return Rows(numbers, columns or [[] for _ in range(self._width)], refused)

    def _records(self, feed: _Feed) -> Iterator[list[str] | str]:
        """Cells, or why there are none; blank lines and comments are passed over."""
        reader = csv.reader(feed, delimiter=self._delimiter or " ")
        while feed.begin():
            line = feed.lines[feed.start]
            if not line.strip():
                feed.at += 1
            elif line.startswith("#"):
                feed.at += 1
                self.comments += 1
            elif line == TOO_LONG:
                feed.at += 1
                yield "it is longer than 1 MB"
            elif "\0" in line:
                feed.at += 1
                yield "it holds a NUL byte"
            elif self._delimiter == BLANKS:
                feed.at += 1
                yield line.split()
            else:
                yield self._record(reader, feed)

    def _record(self, reader: Iterator[list[str]], feed: _Feed) -> list[str] | str:
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
        feed.at = feed.start + 1  # the lines behind it may be good rows
        return UNCLOSED

    def _problem(self, record: list[str], feed: _Feed) -> str:
        width = self._width
        if len(record) < width or any(record[width:]):
            return f"{counted(len(record), 'cell')} instead of {width:,}"
        longest = max(map(len, record))
        if longest > MAX_CELL:
            return f"a cell of {longest:,} characters, more than {MAX_CELL:,}"
        if "\0" in "".join(record):
            return "it holds a NUL byte"
        return ""


class _UnclosedQuote(Exception):
    pass


class _Feed:
    """Gives a csv reader lines for the record that began at `start`."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = self.start = 0
        self.ran_out = False
        self._size = 0

    def begin(self) -> bool:
        self.start, self.ran_out, self._size = self.at, False, 0
        return self.at < len(self.lines)

    def __iter__(self) -> _Feed:
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
    """Unless there is a line end in every stretch of half its length there may be."""
    step = MAX_CELL // 2
    return any(text.find("\n", at, at + step) < 0 for at in range(0, len(text) - step, step))


def _is_padded(text: str, mark: str) -> bool:
    if " " not in text and (mark == "\t" or "\t" not in text):
        return False
    pads = (f"{mark} ", f" {mark}", "\n ", " \n")
    return text[0] == " " or any(pad in text for pad in pads) or (mark != "\t" and "\t" in text)
