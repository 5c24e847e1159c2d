"""Text tables of two or more columns, with or without a header: CSV, TSV, ECSV, plain ASCII."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import Malformed, NotMine, Request, build, checked_row
from agent.spectra.readers.columns import (
    ColumnChoice,
    ColumnField,
    choose_columns,
    is_error,
    read_columns,
)
from agent.spectra.readers.libraries import describe
from agent.spectra.readers.wavelength_units import counts_pixels
from agent.spectra.spectrum import FloatArray, Spectrum

MAX_BYTES = 32 * 1024**2
MAX_LINES = 1_000_000
MAX_LINE = 100_000
MAX_COLUMNS = 256
MIN_LINES = 5
COMMENTS = ("#", "%", "!", ";", "//")
DELIMITERS = (",", "\t", ";", "|")
MAX_RAGGED = 0.01  # share of the lines that may have too few columns before the file is refused
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_ECSV_COLUMN = re.compile(r"- \{name: ([^,}]+)(?:, unit: ([^,}]+))?")

MAX_RULED_LINE = 300
MAX_HEAD = 2000
_COLUMN = re.compile(r"\s*(?:(\d{1,5})\s*-)?\s*(\d{1,5})\s+[AIFEDaifed][\d.]*\s+(\S+)\s+(\S+)")
_RULE = re.compile(r"[-=]{6,}")
MAX_CELLS = 3_000_000
NO_UNIT = "---"


@dataclass(frozen=True)
class _Layout:
    delimiter: str | None  # None for any run of blanks
    fields: list[ColumnField]  # empty if the columns have no names
    first: int  # index of the first line of numbers
    columns: int


def read(file: SourceFile, request: Request) -> Spectrum:
    lines = _lines(file)
    layout = _layout(lines)
    fields = layout.fields or _unnamed(layout.columns)
    choice = choose_columns(fields)
    used = choice.used
    numbers, notes = _numbers(lines[layout.first :], layout, used)
    if not layout.fields:
        # Without names, only a monotonic first column indicates a spectrum.
        first = numbers[:, 0]
        steps = np.diff(first[np.isfinite(first)])
        rising, falling = int((steps > 0).sum()), int((steps < 0).sum())
        if max(rising, falling) < 0.95 * max(1, len(first) - 1) or not (first > 0).any():
            raise NotMine(
                "its columns have no names and the first is not monotonic like a wavelength"
            )
        if counts_pixels(first):
            raise NotMine(
                "its columns have no names and the first counts the lines: name the columns"
            )
        choice, more = _checked_error(numbers, choice)
        notes = (*notes, *more)
    checked_row(request)

    def values(column: int) -> NDArray[Any]:
        return numbers[:, used.index(column)]

    data = read_columns(fields, choice, values)
    about = describe(file)
    return build(
        file, data.pixels, medium=about.medium or data.medium or "unknown",
        warnings=(*notes, *data.notes), format="CSV" if layout.delimiter == "," else "text table",
        flux_unit=data.flux_unit, **about.fields,
    )  # fmt: skip


def _lines(file: SourceFile) -> list[str]:
    start = file.start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if file.is_fits or start.startswith(b"<") or _NOT_TEXT.search(file.start):
        raise NotMine("not a text table")
    data = file.whole(MAX_BYTES)
    if _NOT_TEXT.search(data):
        raise NotMine("it holds bytes that are not text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Counted before splitting: 32 MB of empty lines would become 2 GB of strings.
    if text.count("\n") > MAX_LINES:
        raise Malformed(f"a text table of more than {MAX_LINES} lines")
    lines = text.split("\n")
    if max(map(len, lines)) > MAX_LINE:
        raise NotMine(f"it has lines of more than {MAX_LINE} characters")
    return with_tabs(lines)


def _layout(lines: list[str]) -> _Layout:
    comments: list[str] = []
    names: list[str] = []
    units: list[str] = []
    delimiter: str | None = None
    for number, line in enumerate(islice(lines, 10_000)):
        text = line.strip()
        if not text:
            continue
        if text.startswith(COMMENTS):
            comments.append(text.lstrip("#%!;/ "))
            continue
        delimiter = next((mark for mark in DELIMITERS if mark in text), None)
        cells = _cells(text, delimiter)
        # Whether at least two cells and more than half of all are numbers.
        count = sum(_as_number(cell) is not None for cell in cells)
        if count >= 2 and 2 * count > len(cells):
            fields = _fields(names, units, comments, len(cells))
            return _Layout(delimiter, fields, number, len(cells))
        if names and units:
            break
        if names:
            units = ["" if cell == NO_UNIT else cell for cell in cells]
        else:
            names = cells
            if not 2 <= len(names) <= MAX_COLUMNS:
                break
    raise NotMine("it is not a table of numbers")


def _fields(
    names: list[str], units: list[str], comments: list[str], columns: int
) -> list[ColumnField]:
    if names:
        described = (_ECSV_COLUMN.match(line) for line in comments)
        stated = {match.group(1): match.group(2) or "" for match in described if match}
        units = units if len(units) == len(names) else [""] * len(names)
        return [
            ColumnField(name, unit or stated.get(name, "").strip("' \""))
            for name, unit in zip(names, units, strict=True)
        ]
    # A comment line like '# wavelength flux error' just above the numbers.
    for line in reversed(comments[-3:]):
        for delimiter in (None, *DELIMITERS):
            cells = _cells(line, delimiter)
            if len(cells) == columns and not any(map(_as_number, cells)):
                return [ColumnField(cell) for cell in cells]
    return []


def _unnamed(columns: int) -> list[ColumnField]:
    if columns < 2:
        raise NotMine("it has a single column")
    return [ColumnField(name) for name in ("wavelength", "flux", "error")[:columns]]


def _checked_error(
    numbers: FloatArray, choice: ColumnChoice
) -> tuple[ColumnChoice, tuple[str, ...]]:
    """The choice without an error whose size is not that of one, and a note about it."""
    if choice.error is None:
        return choice, ()
    wavelength, flux, error = numbers.T
    if is_error(flux, error, wavelength):
        return choice, ("the columns have no names: the third was taken as the error of the flux",)
    note = (
        "the columns have no names, and the third is not like the error of the flux: "
        "it was not used"
    )
    return replace(choice, error=None, error_kind=""), (note,)


def _numbers(
    lines: list[str], layout: _Layout, used: Sequence[int]
) -> tuple[FloatArray, tuple[str, ...]]:
    """Rows of the used columns, read by numpy or, for irregular files, line by line."""
    try:
        numbers = np.loadtxt(lines, delimiter=layout.delimiter, usecols=used, ndmin=2)
        notes: tuple[str, ...] = ()
    except ValueError:
        numbers, notes = _irregular_numbers(lines, layout, used)
    if len(numbers) < MIN_LINES:
        raise NotMine(f"it has only {len(numbers)} lines of numbers")
    return numbers, notes


def _irregular_numbers(
    lines: list[str], layout: _Layout, used: Sequence[int]
) -> tuple[FloatArray, tuple[str, ...]]:
    rows: list[list[float]] = []
    dropped = 0
    for line in lines:
        text = line.strip(" \r\n")  # not of tabs: the first or last cell may be empty
        if not text.strip() or text.startswith(COMMENTS):
            continue
        cells = _cells(text, layout.delimiter)
        if len(cells) <= used[-1]:
            dropped += 1
            continue
        values = [_as_number(cells[column]) for column in used]
        rows.append([np.nan if value is None else value for value in values])
    if dropped > MAX_RAGGED * (len(rows) + dropped):
        raise Malformed(f"{dropped} of its {len(rows) + dropped} lines have too few columns")
    notes = (f"{dropped} lines with too few columns were dropped",) if dropped else ()
    return np.array(rows, dtype=np.float64).reshape(-1, len(used)), notes


def _cells(text: str, delimiter: str | None) -> list[str]:
    if delimiter is None:
        return text.split()
    if '"' in text:
        try:
            return [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter))]
        except csv.Error:
            pass
    return [cell.strip() for cell in text.split(delimiter)]


def _as_number(cell: str) -> float | None:
    # float() accepts 1_000, but in a text table an underscore belongs to a name.
    try:
        return None if "_" in cell else float(cell.strip('"'))
    except ValueError:
        return None


def with_tabs(lines: list[str]) -> list[str]:
    """Lines of names, units and numbers with a tab between two cells; other tables as they are."""
    head = lines[:MAX_HEAD]
    if any(line.lstrip("# ").lower().startswith("byte-by-byte description") for line in head):
        # The columns are described in lines such as `1- 8 F8.2 0.1nm lambda ? Wavelength`.
        rules = [number for number, line in enumerate(lines) if _RULE.match(line)]
        end = rules[-1] if rules else 0
        matches = (
            _COLUMN.match(line[:MAX_RULED_LINE]) for line in islice(lines, min(end, MAX_HEAD))
        )
        columns = [match.groups() for match in matches if match][:MAX_COLUMNS]
        if not columns:
            return lines
        cuts = [slice(int(first or last) - 1, int(last)) for first, last, _, _ in columns]
        names = [name for *_, name in columns]
        units = [unit for _, _, unit, _ in columns]
        return _joined([names, units], lines[end + 1 :], cuts)
    first = next((line for line in head if line.strip() and line[0] not in "#\\%!;"), "")
    if first.startswith("|") and any(_is_ipac_row(line) for line in head):
        return _ipac(lines)
    return _ruled(lines, first.startswith("|")) if "|" in first else lines


def _ipac(lines: list[str]) -> list[str]:
    """Up to four lines between | hold names, types, units and nulls; numbers stand below them."""
    heads = [line for line in lines[:MAX_HEAD] if line.startswith("|")][:4]
    marks = [at for at, letter in enumerate(heads[0]) if letter == "|"][: MAX_COLUMNS + 1]
    cuts = [slice(left, right + 1) for left, right in pairwise(marks)]
    cells = [[line[cut].strip("| ") for cut in cuts] for line in heads]
    units = [unit or NO_UNIT for unit in cells[2]] if len(cells) > 2 else [NO_UNIT] * len(cuts)
    rows = [line for line in lines if line[:1] not in ("|", "\\")]
    return _joined([cells[0], units], rows, cuts)


def _is_ipac_row(line: str) -> bool:
    return line.startswith(" ") and "|" not in line and bool(line.strip())


def _ruled(lines: list[str], has_frame: bool) -> list[str]:
    """Drop lines of dashes, and the outer | where the table has a frame."""
    kept = []
    for line in lines:
        if "--" in line and not line.strip("-+=:| \t"):
            continue
        if not line.startswith("#"):
            line = line.strip()
            if has_frame:
                line = line.removeprefix("|").removesuffix("|")
            line = line.replace("|", "\t")
        kept.append(line)
    return kept


def _joined(heads: list[list[str]], rows: list[str], cuts: list[slice]) -> list[str]:
    if len(rows) * len(cuts) > MAX_CELLS:
        raise Malformed(f"a table of fixed columns with more than {MAX_CELLS} cells")
    full = (row for row in rows if row.strip())
    cells = ([row[cut].strip("| ").replace("\t", " ") for cut in cuts] for row in full)
    return ["\t".join(each) for each in (*heads, *cells)]
