"""Turn the rows of a list into candidates, column by column; unusable rows get a reason."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, repeat
from json import dumps
from posixpath import join
from typing import Any

from agent.checked_toml import printable, shown
from app.core.errors import ImportFailed, counted_text
from app.core.importing.formats.cell_numbers import EXACT, is_missing, whole_of
from app.core.importing.formats.contents import (
    INT64,
    MIN_TARGETID,
    Cells,
    ListColumn,
    Refused,
    RowBlock,
)
from app.core.importing.opening import OpenedList
from app.core.importing.outside_paths import OutsidePaths
from app.core.importing.role_names import TARGET, normalized_name
from app.core.importing.roles import Roles, folder_column
from app.core.importing.sky import angles, iau_name, positions
from app.core.importing.spectrum_files import stem_of
from app.core.importing.spectrum_locator import SpectrumLocator
from app.core.importing.survey_names import SchemeMatch

NO_ROW = "its row is not given, and its file holds several spectra"
MAX_ID = 200
MAX_LABEL = 200
FIELDS = (
    *("line", "object_id", "path", "row", "ra", "dec", "score", "label", "snr", "own"),
    "listed_path",
)
"""Columns of the candidates table, in the order of `Entries.columns`."""

MAX_RATIO = 300
ROW_BYTES = 100
FREE_BYTES = 64 * 1024**2
"""What a session may take for a list beyond MAX_RATIO times its size; a row takes ROW_BYTES too."""


@dataclass
class Entries:
    """The candidates of a block: one sequence for each of FIELDS."""

    columns: list[Sequence[Any]]
    refused: list[Refused] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.columns[0])

    def keep(self, mask: Sequence[bool]) -> None:
        self.columns = [list(compress(column, mask)) for column in self.columns]

    def keys(self) -> Iterator[tuple[str, str, int]]:
        """Object, file and row of each entry; entries with equal keys are duplicates."""
        return zip(self.columns[1], self.columns[2], self.columns[3], strict=True)


class EntryMaker:
    """Makes entries from the blocks of one list.

    `without_file` counts the entries that give no spectrum file and for which none was found.
    """

    def __init__(
        self, columns: Sequence[ListColumn], roles: Roles, locator: SpectrumLocator
    ) -> None:
        self._columns = columns
        self._roles = roles
        self._locator = locator
        used = set(roles.columns.values())
        self._carried = [n for n, column in enumerate(columns) if column.name not in used]
        keys = (dumps(columns[number].name, ensure_ascii=False) for number in self._carried)
        pieces = ",".join(f"{key.replace('%', '%%')}:%s" for key in keys)
        self._template = f"{{{pieces}}}"
        self._folder = folder_column(columns, roles)
        row = roles.by_role.get("row")
        self._row_is_target = row is not None and normalized_name(row.column) in TARGET
        self._companion = locator.companion() if self._row_is_target else ""
        self.without_file = 0
        self._not_numbers: dict[str, int] = {}
        self._invalid_positions = 0

    def entries(self, block: RowBlock) -> Entries:
        count, naming = len(block.lines), self._roles.naming
        if not count:
            return Entries([[] for _ in FIELDS], block.refused)
        problems: dict[int, str] = {}
        given = self._rows(block, count, problems)
        names = self._texts(block, "object_id", count)
        if naming is not None and self._roles.number("object_id") is None:
            names = [naming.object_id(parts) for parts in _parts(block, naming)]
        texts = self.path_texts(block)
        paths = self._locator.resolve_all(texts, problems)
        if "" in paths:
            self._find_files(block, names, paths, problems)
        rows = self._settled(names, paths, given, problems)
        ra, dec = self._positions(block, count)
        names = self._fill_names(names, paths, rows, ra, dec, problems)
        score, snr = self._numbers(block, "score", count), self._numbers(block, "snr", count)
        labels = [text[:MAX_LABEL] for text in self._texts(block, "label", count)]
        own = ["{}"] * count
        if self._carried:
            pieces = (block.cells[number].json() for number in self._carried)
            own = list(map(self._template.__mod__, zip(*pieces, strict=True)))
        # What the list gives, where that is another text than the path.
        listed = ["" if text == path else text for text, path in zip(texts, paths, strict=True)]
        columns = [block.lines, names, paths, rows, ra, dec, score, labels, snr, own, listed]
        entries = Entries(columns, block.refused)
        if problems:
            entries.refused = [
                *block.refused,
                *(Refused(block.lines[index], problems[index]) for index in sorted(problems)),
            ]
            entries.keep([index not in problems for index in range(count)])
        return entries

    def warnings(self) -> list[str]:
        columns = self._roles.columns
        warnings = [
            f"{shown(columns[role])} is not a number in {counted_text(count, 'row')}"
            for role, count in self._not_numbers.items()
            if count
        ]
        if self._invalid_positions:
            warnings.append(
                f"the position is invalid in {counted_text(self._invalid_positions, 'row')}"
            )
        return warnings

    def _cells(self, block: RowBlock, role: str) -> Cells | None:
        number = self._roles.number(role)
        return None if number is None else block.cells[number]

    def _texts(self, block: RowBlock, role: str, count: int) -> list[str]:
        cells = self._cells(block, role)
        return [""] * count if cells is None else cells.texts()

    def _rows(self, block: RowBlock, count: int, problems: dict[int, str]) -> list[int | None]:
        """The row numbers; None where none is given."""
        column = self._roles.number("row")
        if column is None:
            return [None] * count
        are_decimals = self._columns[column].kind == "float"
        rows: list[int | None] = []
        for index, text in enumerate(self._texts(block, "row", count)):
            is_given = not is_missing(text)
            number = whole_of(text) if is_given else 0
            if number is None or not 0 <= number < INT64:
                problems[index] = f'"{printable(text, 40)}" is not a row number of a spectrum file'
            elif are_decimals and number > EXACT:
                problems[index] = f"the number {number} was rounded when it was saved as a decimal"
            elif self._row_is_target and number < MIN_TARGETID and is_given:
                problems[index] = f"the TARGETID {number} is too small: it could be a row number"
            rows.append(number if is_given else None)
        return rows

    def _settled(
        self, names: list[str], paths: list[str], given: list[int | None], problems: dict[int, str]
    ) -> list[int]:
        """The row numbers; one that is not given is 0, unless it could be another's spectrum."""
        if None in given:
            # Files are opened where a cell is empty, or several objects are in one file.
            has_column = self._roles.number("row") is not None
            if has_column or len(set(paths)) < len(paths):
                several = {path for path, row in zip(paths, given, strict=True) if row}
                objects = Counter(path for _, path in set(zip(names, paths, strict=True)))
                for index, (path, row) in enumerate(zip(paths, given, strict=True)):
                    is_unclear = row is None and path and (has_column or objects[path] > 1)
                    if is_unclear and (path in several or self._locator.holds_several(path)):
                        problems.setdefault(index, NO_ROW)
        return [row or 0 for row in given]

    def path_texts(self, block: RowBlock) -> list[str]:
        """The paths as the list gives them, or where our catalogue says that they count from."""
        texts = self._texts(block, "path", len(block.lines))
        if self._folder is None:
            return texts
        folders = block.cells[self._folder].texts()
        return [
            text if not text or not folder or self._locator.has(text) else join(folder, text)
            for text, folder in zip(texts, folders, strict=True)
        ]

    def _find_files(
        self, block: RowBlock, names: list[str], paths: list[str], problems: dict[int, str]
    ) -> None:
        """Look for the spectra of the rows that give no file."""
        naming = self._roles.naming
        parts = _parts(block, naming) if naming is not None else repeat(())
        for index, (path, name, part) in enumerate(zip(paths, names, parts, strict=False)):
            if path or index in problems:
                continue
            stems = naming.stems(part) if naming is not None else []
            found = self._locator.find_by_name([*stems, name, f"spec-{name}"])
            paths[index] = found or self._companion
            self.without_file += not paths[index]

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
        ra, dec, invalid = positions(*found)
        self._invalid_positions += invalid
        return ra, dec

    def _fill_names(
        self,
        names: list[str],
        paths: list[str],
        rows: list[int],
        ra: list[float | None],
        dec: list[float | None],
        problems: dict[int, str],
    ) -> list[str]:
        """Name unnamed objects after their file, else after their position."""
        if "" not in names and max(map(len, names)) <= MAX_ID:
            return names
        filled = []
        for index, name in enumerate(names):
            if not name and paths[index]:
                stem = stem_of(paths[index].replace("\\", "/").rpartition("/")[2])
                name = f"{stem}#{rows[index]}" if rows[index] else stem
            elif not name:
                ra_deg, dec_deg = ra[index], dec[index]
                name = "" if ra_deg is None or dec_deg is None else iau_name(ra_deg, dec_deg)
            if not name:
                problems.setdefault(index, "it has no spectrum file, object name or position")
            elif len(name) > MAX_ID:
                problems.setdefault(index, f"its name is longer than {MAX_ID} characters")
            filled.append(name)
        return filled

    def _numbers(self, block: RowBlock, role: str, count: int) -> list[float | None]:
        cells = self._cells(block, role)
        if cells is None:
            return [None] * count
        found = cells.numbers()
        if None in found:
            texts = zip(found, cells.texts(), strict=True)
            invalid = sum(number is None and not is_missing(text) for number, text in texts)
            self._not_numbers[role] = self._not_numbers.get(role, 0) + invalid
        return found


def _parts(block: RowBlock, naming: SchemeMatch) -> Iterator[tuple[str, ...]]:
    return zip(*(block.cells[number].texts() for number in naming.columns), strict=True)


@dataclass(frozen=True, kw_only=True)
class SourceSummary:
    """Facts known after the last entry has been read."""

    columns: tuple[ListColumn, ...]
    missing_files: int
    without_file: int
    warnings: tuple[str, ...]
    outside: OutsidePaths


class InProcessSource:
    """The entries of an opened list, read in this process; the program uses it in a child only.

    `list_bytes` is the size of the file: rows of empty or repeated cells take next to nothing in
    it, and each takes the names of all its columns in a session.
    """

    def __init__(
        self, opened: OpenedList, locator: SpectrumLocator, list_bytes: int | None = None
    ) -> None:
        self._opened = opened
        self._locator = locator
        self._most_bytes = None if list_bytes is None else FREE_BYTES + MAX_RATIO * list_bytes

    def entries(self) -> Iterator[Entries]:
        """All entries from the start. Raises CellMismatch if a cell does not match its column."""
        opened = self._opened
        self._maker = EntryMaker(opened.file.columns, opened.roles, self._locator)
        self._locator.restart()
        total = 0
        for block in opened.file.blocks():
            entries = self._maker.entries(block)
            texts = (entries.columns[FIELDS.index(each)] for each in ("path", "own", "listed_path"))
            total += ROW_BYTES * len(entries) + sum(sum(map(len, each)) for each in texts)
            if self._most_bytes is not None and total > self._most_bytes:
                raise ImportFailed(
                    f"its rows take more than {MAX_RATIO:,} times its size: save it without the "
                    "columns that say nothing"
                )
            yield entries

    def recheck_types(self) -> None:
        """Detect the column types again after a CellMismatch; then call `entries` again."""
        self._opened.file.recheck_types()

    def summary(self) -> SourceSummary:
        return SourceSummary(
            columns=self._opened.file.columns,
            missing_files=self._locator.missing,
            without_file=self._maker.without_file,
            warnings=(*self._opened.notes, *self._opened.file.warnings(), *self._maker.warnings()),
            outside=self._locator.outside.found(),
        )
