"""Read CSV, TSV, ECSV and other delimited text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from app.core.importing.formats.byte_stream import byte_stream
from app.core.importing.formats.contents import (
    Kind,
    ListColumn,
    RowBlock,
    column_names,
)
from app.core.importing.formats.ecsv_header import EcsvColumn, EcsvHeader, ecsv_header
from app.core.importing.formats.encodings import Decoder, encoding_of
from app.core.importing.formats.text_cells import KindGuess, TextCells
from app.core.importing.formats.text_layout import TextLayout, line_blocks, read_layout, text_blocks
from app.core.importing.formats.text_rows import RowReader, TextRows
from app.core.session.counted_text import counted_text

SAMPLE_BLOCKS = 2
MAX_PREAMBLE_BLOCKS = 128
MAX_PREAMBLE_LINES, MAX_FIRST_LINES = 200, 2000
"""Lines before and behind the start of the first row that are looked at for the layout."""
_ROW = re.compile(r"^(?!#)[^\S\n]*+\S", re.MULTILINE)
HINTS = {".tsv": "\t", ".tab": "\t"}
FORMATS = {",": "CSV", "\t": "TSV"}


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
        self._declared = declared.columns if declared else None
        self._rows = self._reader()
        self._kinds: list[Kind | None] = [None] * len(self._layout.names)
        self._kinds = self._guessed(islice(self._read(), SAMPLE_BLOCKS))
        self.format = "ECSV" if declared else FORMATS.get(self._layout.delimiter, "text table")
        self.estimate = _estimate(text, self._layout.skip, size)

    @property
    def columns(self) -> tuple[ListColumn, ...]:
        names = column_names(self._layout.names)
        declared = self._declared or [EcsvColumn(name) for name in names]
        return tuple(
            ListColumn(
                name=name,
                kind=kind or "str",
                unit=each.unit,
                description=each.description,
            )
            for name, kind, each in zip(names, self._kinds, declared, strict=True)
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

    def _reader(self) -> RowReader:
        return RowReader(self._layout.delimiter, len(self._layout.names), self._layout.skip)

    def _read(self) -> Iterator[TextRows]:
        self._rows = self._reader()
        for text in _skip_lines(self._texts(), self._layout.skip):
            yield self._rows.read(text)
        rest = self._rows.read("", is_last=True)
        if rest.lines or rest.refused:
            yield rest

    def _guessed(self, read: Iterator[TextRows]) -> list[Kind | None]:
        guesses = [KindGuess() for _ in self._layout.names]
        for rows in read:
            for guess, texts in zip(guesses, rows.columns, strict=True):
                guess.add(texts)
        declared: Sequence[Kind | None] = [None] * len(guesses)
        if self._declared:
            declared = [each.kind for each in self._declared]
        return [_merged_kind(*each) for each in zip(guesses, declared, strict=True)]


def _merged_kind(guess: KindGuess, declared: Kind | None) -> Kind | None:
    """The declared kind, unless the cells do not match it."""
    if declared is None or declared == guess.kind:
        return guess.kind
    if declared == "str" or guess.kind is None or (declared, guess.kind) == ("float", "int"):
        return declared
    return guess.kind


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
