"""What each column of a list is for, guessed from its name and a look at its values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent.checked_toml import near_miss, shown
from agent.spectra.readers.coordinates import from_text
from app.core.importing import role_names
from app.core.importing.errors import ImportFailed
from app.core.importing.formats.cell_numbers import number_of
from app.core.importing.formats.contents import TARGETID, ListColumn, Value
from app.core.importing.role_names import plain
from app.core.importing.suffixes import has_spectrum_suffix
from app.core.importing.survey_names import Naming, naming_of

ROLES = ("path", "row", "object_id", "ra", "dec", "score", "label", "snr")
MOST = 0.5
"""Part of the values looked at that must fit."""

Samples = Sequence[Sequence[Value]]


@dataclass(frozen=True)
class Role:
    """A role with the number and the name of its column, and why."""

    role: str
    number: int
    column: str
    reason: str


@dataclass(frozen=True)
class Roles:
    """`naming` finds spectra where no column names their files, and names objects."""

    by_role: Mapping[str, Role] = field(default_factory=dict)
    naming: Naming | None = None

    def number(self, role: str) -> int | None:
        found = self.by_role.get(role)
        return None if found is None else found.number

    @property
    def columns(self) -> dict[str, str]:
        """The name of the column of each role that has one."""
        return {role: self.by_role[role].column for role in ROLES if role in self.by_role}

    @property
    def reasons(self) -> list[str]:
        """One line for each, for the user to check."""
        told = [self.by_role[role] for role in ROLES if role in self.by_role]
        lines = [f"{each.role}: column {shown(each.column)}, {each.reason}" for each in told]
        if self.naming is not None:
            columns = ", ".join(map(shown, self.naming.names))
            scheme = self.naming.scheme
            if scheme.object_id is not None and "object_id" not in self.by_role:
                lines.append(f"object_id: made of the columns {columns}, as {scheme.survey} does")
            if "path" not in self.by_role:
                lines.append(f"path: looked for as {scheme.survey} names files, by {columns}")
        return lines

    @property
    def is_useful(self) -> bool:
        """Whether rows can name anything."""
        return bool({"path", "object_id", "ra"} & set(self.by_role)) or self.naming is not None


def guess_roles(columns: Sequence[ListColumn], sample_rows: Samples) -> Roles:
    """`sample_rows` are some rows, each with a value for every column."""
    guess = _Guess(columns, sample_rows)
    found = {
        "path": guess.path(),
        "row": guess.row(),
        "object_id": guess.object_id(),
        "ra": guess.coordinate("ra", role_names.RA, "pos.eq.ra"),
        "dec": guess.coordinate("dec", role_names.DEC, "pos.eq.dec"),
        "score": guess.score(),
        "label": guess.label(),
        "snr": guess.numeric("snr", role_names.SNR),
    }
    if found["ra"] is None or found["dec"] is None:
        found["ra"] = found["dec"] = None
    kept = {role: each for role, each in found.items() if each is not None}
    return Roles(kept, guess.naming)


def with_chosen(guessed: Roles, chosen: Mapping[str, str], columns: Sequence[ListColumn]) -> Roles:
    """The user's own choice of columns; an empty name: no column has that role."""
    names = [column.name for column in columns]
    found = dict(guessed.by_role)
    for role, column in chosen.items():
        if role not in ROLES:
            raise ImportFailed(f"there is no role {shown(role)}{near_miss(role, ROLES)}")
        if not column:
            found.pop(role, None)
            continue
        number = _number_of(column, names)
        found[role] = Role(role, number, names[number], "as you chose")
    for one, other in (("ra", "dec"), ("dec", "ra")):
        if one in found and other not in found:
            if one in chosen:
                raise ImportFailed(f"a column for {one} is of no use without one for {other}")
            del found[one]
    return Roles(found, guessed.naming)


def _number_of(column: str, names: Sequence[str]) -> int:
    if column in names:
        return names.index(column)
    alike = [n for n, name in enumerate(names) if name.casefold() == column.casefold()]
    if len(alike) != 1:
        raise ImportFailed(f"it has no column {shown(column)}{near_miss(column, names)}")
    return alike[0]


class _Guess:
    def __init__(self, columns: Sequence[ListColumn], rows: Samples) -> None:
        self._columns = columns
        self._values = [
            [row[number] for row in rows if row[number] not in (None, "")]
            for number in range(len(columns))
        ]
        self._rows = rows
        self._numbers: dict[str, int] = {}
        for number, column in enumerate(columns):
            self._numbers.setdefault(plain(column.name), number)
        self.naming = naming_of([column.name for column in columns])

    def path(self) -> Role | None:
        for number in self._named(role_names.PATH):
            if self._columns[number].kind == "str":
                return self._role("path", number)
        for number in self._named(role_names.MAYBE_PATH):
            if self._most(number, _looks_like_file):
                return self._role("path", number)
        for number in range(len(self._columns)):
            if self._most(number, _has_suffix):
                return self._role("path", number, "its values are names of spectrum files")
        return None

    def row(self) -> Role | None:
        for number in self._named(role_names.TARGET):
            if any(map(_is_targetid, self._values[number])):
                return self._role("row", number, "it tells the target within a file")
        for number in self._named(role_names.ROW):
            if self._columns[number].kind == "int" and not self._counts_rows(number):
                return self._role("row", number)
        return None

    def object_id(self) -> Role | None:
        for number in self._named(role_names.OBJECT_FIRST):
            if self._values[number] or not self._rows:
                return self._role("object_id", number)
        if self.naming is not None and self.naming.scheme.object_id is not None:
            return None  # its plate, MJD and fibre name it
        for number in self._named(role_names.OBJECT):
            if self._values[number] or not self._rows:
                return self._role("object_id", number)
        for number, column in enumerate(self._columns):
            if column.ucd.lower().startswith("meta.id;meta.main"):
                return self._role("object_id", number, "its UCD says so")
        return None

    def coordinate(self, role: str, names: Sequence[str], ucd: str) -> Role | None:
        low, high = (0.0, 360.0) if role == "ra" else (-90.0, 90.0)

        def is_angle(value: Value) -> bool:
            number = number_of(str(value))
            return from_text(str(value)) is not None if number is None else low <= number <= high

        found = [*self._named(names)]
        for number in found:
            if self._columns[number].kind == "float" and self._most(number, is_angle):
                return self._role(role, number)
        for number in found:
            if self._most(number, is_angle):
                return self._role(role, number)
        for number, column in enumerate(self._columns):
            if column.ucd.lower().startswith(ucd) and self._most(number, is_angle):
                return self._role(role, number, "its UCD says so")
        return None

    def score(self) -> Role | None:
        found = self.numeric("score", role_names.SCORE)
        if found is not None:
            return found
        for number, column in enumerate(self._columns):
            is_like = role_names.SCORE_PATTERN.fullmatch(plain(column.name))
            if is_like and self._most(number, _is_number):
                return self._role("score", number)
        return None

    def label(self) -> Role | None:
        """The finest that most rows have: SUBCLASS where it is filled, else CLASS."""
        found = [*self._named(role_names.LABEL)]
        full = [n for n in found if len(self._values[n]) > MOST * len(self._rows)]
        return self._role("label", (full or found)[0]) if found else None

    def numeric(self, role: str, names: Sequence[str]) -> Role | None:
        for number in self._named(names):
            if self._most(number, _is_number):
                return self._role(role, number)
        return None

    def _named(self, names: Sequence[str]) -> list[int]:
        return [self._numbers[name] for name in names if name in self._numbers]

    def _role(self, role: str, number: int, reason: str = "by its name") -> Role:
        return Role(role, number, self._columns[number].name, reason)

    def _most(self, number: int, fits: object) -> bool:
        assert callable(fits)
        values = self._values[number]
        return sum(map(fits, values)) > MOST * len(values) if values else False

    def _counts_rows(self, number: int) -> bool:
        """0, 1, 2 ... or 1, 2, 3 ...: the place in this list, not in a file of spectra."""
        values = [row[number] for row in self._rows]
        return len(values) > 1 and any(
            values == list(range(first, first + len(values))) for first in (0, 1)
        ) and not self._is_one_file()  # fmt: skip

    def _is_one_file(self) -> bool:
        path = self.path()
        return path is not None and len(set(self._values[path.number])) == 1


def _looks_like_file(value: Value) -> bool:
    return _has_suffix(value) or (isinstance(value, str) and "/" in value and " " not in value)


def _has_suffix(value: Value) -> bool:
    return isinstance(value, str) and has_spectrum_suffix(value)


def _is_targetid(value: Value) -> bool:
    number = number_of(str(value))
    return number is not None and number >= TARGETID and float(number).is_integer()


def _is_number(value: Value) -> bool:
    number = number_of(str(value)) if isinstance(value, str) else value
    return number is not None and not isinstance(number, bool) and math.isfinite(number)
