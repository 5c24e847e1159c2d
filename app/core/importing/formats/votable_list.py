"""VOTable: TABLEDATA, BINARY and BINARY2 of the first table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from app.core.importing.errors import ImportFailed
from app.core.importing.formats.byte_stream import byte_stream
from app.core.importing.formats.contents import (
    ListColumn,
    Refused,
    RowBlock,
    TypedCells,
    column_names,
    left_out_words,
)
from app.core.importing.formats.votable_parser import Row, VOTableParser


class VOTableList:
    format = "VOTable"

    def __init__(self, path: Path) -> None:
        self._path = path
        parser = VOTableParser()
        with byte_stream(path) as stream:
            for _ in parser.rows(stream):
                if parser.is_described:
                    break
        self._used = [n for n, field in enumerate(parser.fields) if field.is_single]
        if not self._used:
            raise ImportFailed("its table has no columns of single values")
        left_out = len(parser.fields) - len(self._used)
        self._left_out = left_out
        fields = [parser.fields[number] for number in self._used]
        names = column_names([field.name for field in fields])
        self.columns = tuple(
            ListColumn(
                name=name,
                kind=field.kind,
                unit=field.unit,
                description=field.description,
                ucd=field.ucd,
            )
            for name, field in zip(names, fields, strict=True)
        )
        self.estimate = parser.expected

    def settle(self) -> None:
        """VOTable columns are what they say."""

    def warnings(self) -> list[str]:
        return left_out_words(self._left_out)

    def blocks(self) -> Iterator[RowBlock]:
        parser = VOTableParser()
        line = 1
        with byte_stream(self._path) as stream:
            for rows in parser.rows(stream):
                if rows:
                    yield self._block(rows, line)
                    line += len(rows)

    def _block(self, rows: list[Row], first: int) -> RowBlock:
        good = [(n, row) for n, row in enumerate(rows, first) if not isinstance(row, Refused)]
        refused = [row for row in rows if isinstance(row, Refused)]
        cells = [
            TypedCells([row[number] for _, row in good], column.kind)
            for number, column in zip(self._used, self.columns, strict=True)
        ]
        return RowBlock([line for line, _ in good], cells, refused)
