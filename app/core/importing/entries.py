"""Blocks of a list as candidates, column by column; what cannot be one is refused with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, repeat
from json import dumps
from typing import Any

from agent.checked_toml import printable, shown
from app.core.importing.formats.cell_numbers import is_missing
from app.core.importing.formats.contents import (
    INT64,
    TARGETID,
    Cells,
    ListColumn,
    Refused,
    RowBlock,
    counted,
)
from app.core.importing.places import Places
from app.core.importing.role_names import TARGET, plain
from app.core.importing.roles import Roles
from app.core.importing.sky import angles, name_of, positions
from app.core.importing.suffixes import stem_of

MAX_ID = 200
MAX_LABEL = 200
FIELDS = ("line", "object_id", "path", "row", "ra", "dec", "score", "label", "snr", "own")
"""Of the table of candidates, in the order of `Entries.columns`."""


@dataclass
class Entries:
    """Candidates of a block: one sequence for each of FIELDS."""

    columns: list[Sequence[Any]]
    refused: list[Refused] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.columns[0])

    def keep(self, mask: Sequence[bool]) -> None:
        self.columns = [list(compress(column, mask)) for column in self.columns]

    def keys(self) -> Iterator[tuple[str, str, int]]:
        """What makes two entries the same: object, file and row."""
        return zip(self.columns[1], self.columns[2], self.columns[3], strict=True)


class EntryMaker:
    """`without_file` counts the entries that name no spectrum and for which none was found."""

    def __init__(self, columns: Sequence[ListColumn], roles: Roles, places: Places) -> None:
        self._columns = columns
        self._roles = roles
        self._places = places
        used = set(roles.columns.values())
        self._own = [n for n, column in enumerate(columns) if column.name not in used]
        keys = (dumps(columns[number].name, ensure_ascii=False) for number in self._own)
        pieces = ",".join(f"{key.replace('%', '%%')}:%s" for key in keys)
        self._template = f"{{{pieces}}}"
        row = roles.by_role.get("row")
        self._row_is_target = row is not None and plain(row.column) in TARGET
        self._companion = places.companion() if self._row_is_target else ""
        self.without_file = 0
        self._no_number: dict[str, int] = {}
        self._off_sky = 0

    def entries(self, block: RowBlock) -> Entries:
        count = len(block.lines)
        if not count:
            return Entries([[] for _ in FIELDS], block.refused)
        problems: dict[int, str] = {}
        rows = self._rows(block, count, problems)
        names = self._texts(block, "object_id", count)
        if self._roles.naming is not None and self._roles.number("object_id") is None:
            names = self._named(block)
        paths = self._paths(block, names, count, problems)
        ra, dec = self._positions(block, count)
        names = self._filled(names, paths, rows, ra, dec, problems)
        score, snr = self._numbers(block, "score", count), self._numbers(block, "snr", count)
        labels = self._labels(block, count)
        own = self._own_json(block, count)
        columns = [block.lines, names, paths, rows, ra, dec, score, labels, snr, own]
        found = Entries(columns, block.refused)
        if problems:
            found.refused = [
                *block.refused,
                *(Refused(block.lines[at], problems[at]) for at in sorted(problems)),
            ]
            found.keep([at not in problems for at in range(count)])
        return found

    def warnings(self) -> list[str]:
        """What was left out of entries that were made."""
        columns = self._roles.columns
        found = [
            f"{shown(columns[role])} is no number in {counted(count, 'row')}"
            for role, count in self._no_number.items()
            if count
        ]
        if self._off_sky:
            found.append(f"the position is outside the sky in {counted(self._off_sky, 'row')}")
        return found

    def _cells(self, block: RowBlock, role: str) -> Cells | None:
        number = self._roles.number(role)
        return None if number is None else block.cells[number]

    def _texts(self, block: RowBlock, role: str, count: int) -> list[str]:
        cells = self._cells(block, role)
        return [""] * count if cells is None else cells.texts()

    def _rows(self, block: RowBlock, count: int, problems: dict[int, str]) -> list[int]:
        if self._roles.number("row") is None:
            return [0] * count
        rows = []
        for at, text in enumerate(self._texts(block, "row", count)):
            number = _whole(text)
            if number is None:
                problems[at] = f'"{printable(text, 40)}" is no row of a file'
            elif self._row_is_target and text and number < TARGETID:
                problems[at] = f"the target {number} could be taken for a row of a file"
            rows.append(number or 0)
        return rows

    def _named(self, block: RowBlock) -> list[str]:
        naming = self._roles.naming
        assert naming is not None
        return [naming.object_id(parts) for parts in self._parts(block)]

    def _parts(self, block: RowBlock) -> Iterator[tuple[str, ...]]:
        naming = self._roles.naming
        assert naming is not None
        return zip(*(block.cells[number].texts() for number in naming.columns), strict=True)

    def _paths(
        self, block: RowBlock, names: list[str], count: int, problems: dict[int, str]
    ) -> list[str]:
        paths = self._places.place_all(self._texts(block, "path", count), problems)
        if "" in paths:
            self._find(block, names, paths, problems)
        return paths

    def _find(
        self, block: RowBlock, names: list[str], paths: list[str], problems: dict[int, str]
    ) -> None:
        """Fill in the files of those that name none."""
        naming = self._roles.naming
        parts = self._parts(block) if naming is not None else repeat(())
        for at, (path, name, part) in enumerate(zip(paths, names, parts, strict=False)):
            if path or at in problems:
                continue
            stems = naming.stems(part) if naming is not None else []
            paths[at] = self._places.find([*stems, name]) or self._companion
            self.without_file += not paths[at]

    def _positions(
        self, block: RowBlock, count: int
    ) -> tuple[list[float | None], list[float | None]]:
        found = []
        for role in ("ra", "dec"):
            cells = self._cells(block, role)
            if cells is None:
                return [None] * count, [None] * count
            unit = self._columns[self._roles.by_role[role].number].unit
            found.append(angles(cells, unit, is_ra=role == "ra"))
        ra, dec, off_sky = positions(*found)
        self._off_sky += off_sky
        return ra, dec

    def _filled(
        self,
        names: list[str],
        paths: list[str],
        rows: list[int],
        ra: list[float | None],
        dec: list[float | None],
        problems: dict[int, str],
    ) -> list[str]:
        """Names for those without: of the file, else of the place in the sky."""
        if "" not in names and max(map(len, names)) <= MAX_ID:
            return names
        filled = []
        for at, name in enumerate(names):
            if not name and paths[at]:
                stem = stem_of(paths[at].replace("\\", "/").rpartition("/")[2])
                name = f"{stem}#{rows[at]}" if rows[at] else stem
            elif not name:
                right, up = ra[at], dec[at]
                name = "" if right is None or up is None else name_of(right, up)
            if not name:
                problems.setdefault(at, "it names neither a spectrum nor an object")
            elif len(name) > MAX_ID:
                problems.setdefault(at, f"its name is longer than {MAX_ID} characters")
            filled.append(name)
        return filled

    def _numbers(self, block: RowBlock, role: str, count: int) -> list[float | None]:
        cells = self._cells(block, role)
        if cells is None:
            return [None] * count
        found = cells.numbers()
        if None in found:
            texts = zip(found, cells.texts(), strict=True)
            lacking = sum(number is None and not is_missing(text) for number, text in texts)
            self._no_number[role] = self._no_number.get(role, 0) + lacking
        return found

    def _labels(self, block: RowBlock, count: int) -> list[str]:
        texts = self._texts(block, "label", count)
        if max(map(len, texts), default=0) > MAX_LABEL:
            return [text[:MAX_LABEL] for text in texts]
        return texts

    def _own_json(self, block: RowBlock, count: int) -> list[str]:
        if not self._own:
            return ["{}"] * count
        pieces = (block.cells[number].json() for number in self._own)
        return list(map(self._template.__mod__, zip(*pieces, strict=True)))


def _whole(text: str) -> int | None:
    """0 where nothing is given; None for what is no row."""
    if not text:
        return 0
    text = text.removesuffix(".0")
    if not (text.isascii() and text.isdigit()) or len(text) > 19:
        return None
    number = int(text)
    return number if number < INT64 else None
