"""Guess the role of each column of a list from its name and its first values."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agent.checked_toml import near_miss, shown
from agent.spectra.readers.coordinates import parse_sexagesimal
from app.core.errors import ImportFailed
from app.core.importing import role_names
from app.core.importing.formats.cell_numbers import number_of
from app.core.importing.formats.contents import MIN_TARGETID, ListColumn, Value
from app.core.importing.role_names import normalized_name
from app.core.importing.spectrum_files import has_spectrum_suffix
from app.core.importing.survey_names import SchemeMatch, find_scheme

ROLES = ("path", "row", "object_id", "ra", "dec", "score", "label", "snr")
FOLDER = "path_folder"  # beside `path` in a catalogue that this program has exported
MIN_SHARE = 0.5  # fraction of the sampled values that must fit a role
MIN_VALUES = 3  # fewer cannot tell whether a column repeats itself
MAIN_ID = "meta.id;meta.main"

Samples = Sequence[Sequence[Value]]


@dataclass(frozen=True)
class Role:
    """The column (number and name) of a role, and why it was chosen."""

    number: int
    column: str
    reason: str


@dataclass(frozen=True)
class Roles:
    """The roles found. `naming` builds file and object names from survey columns, if any."""

    by_role: Mapping[str, Role] = field(default_factory=dict)
    naming: SchemeMatch | None = None

    def number(self, role: str) -> int | None:
        found = self.by_role.get(role)
        return None if found is None else found.number

    @property
    def columns(self) -> dict[str, str]:
        return {role: self.by_role[role].column for role in ROLES if role in self.by_role}

    @property
    def is_useful(self) -> bool:
        """Whether a row can identify a spectrum, an object or a position."""
        return bool({"path", "object_id", "ra"} & set(self.by_role)) or self.naming is not None


def guess_roles(columns: Sequence[ListColumn], sample_rows: Samples) -> Roles:
    """Guess the roles; `sample_rows` are the first rows, with a value for every column."""
    guess = _RoleGuesser(columns, sample_rows)
    found = {
        "path": guess.path(),
        "row": guess.row(),
        "object_id": guess.object_id(),
        "ra": guess.coordinate(role_names.RA, "pos.eq.ra", 0.0, 360.0),
        "dec": guess.coordinate(role_names.DEC, "pos.eq.dec", -90.0, 90.0),
        "score": guess.score(),
        "label": guess.label(),
        "snr": guess.numeric(role_names.SNR),
    }
    if found["ra"] is None or found["dec"] is None:
        found["ra"] = found["dec"] = None
    kept = {role: each for role, each in found.items() if each is not None}
    return Roles(kept, guess.naming)


def with_user_choice(
    guessed: Roles, chosen: Mapping[str, str], columns: Sequence[ListColumn]
) -> Roles:
    """Override guessed roles by the user's choice; an empty name means no column."""
    names = [column.name for column in columns]
    found = dict(guessed.by_role)
    for role, column in chosen.items():
        if role not in ROLES:
            raise ImportFailed(f"there is no role {shown(role)}{near_miss(role, ROLES)}")
        if not column:
            found.pop(role, None)
            continue
        number = _number_of(column, names)
        found[role] = Role(number, names[number], "chosen by you")
    for given, needed in (("ra", "dec"), ("dec", "ra")):
        if given in found and needed not in found:
            if given in chosen:
                raise ImportFailed(f"a column for {given} also needs one for {needed}")
            del found[given]
    return Roles(found, guessed.naming)


def _number_of(column: str, names: Sequence[str]) -> int:
    if column in names:
        return names.index(column)
    alike = [n for n, name in enumerate(names) if name.casefold() == column.casefold()]
    if len(alike) != 1:
        raise ImportFailed(f"it has no column {shown(column)}{near_miss(column, names)}")
    return alike[0]


def folder_column(columns: Sequence[ListColumn], roles: Roles) -> int | None:
    """The column that says from where the relative paths of our own catalogues count."""
    path = roles.by_role.get("path")
    names = [column.name for column in columns]
    is_ours = path is not None and path.column == "path" and FOLDER in names
    return names.index(FOLDER) if is_ours else None


class _RoleGuesser:
    def __init__(self, columns: Sequence[ListColumn], rows: Samples) -> None:
        self._columns = columns
        self._values = [
            [row[number] for row in rows if row[number] not in (None, "")]
            for number in range(len(columns))
        ]
        self._rows = rows
        self._numbers: dict[str, int] = {}
        for number, column in enumerate(columns):
            self._numbers.setdefault(normalized_name(column.name), number)
        self.naming = find_scheme([column.name for column in columns])

    def path(self) -> Role | None:
        for number in self._named(role_names.PATH):
            if self._columns[number].kind == "str":
                return self._role(number)
        named = self._first(self._named(role_names.MAYBE_PATH), _looks_like_file)
        reason = "from its values: names of spectrum files"
        return named or self._first(range(len(self._columns)), _has_suffix, reason)

    def row(self) -> Role | None:
        for number in self._named(role_names.TARGET):
            if any(map(_is_targetid, self._values[number])):
                return self._role(number, "it gives the TARGETID within a file")
        for number in self._named(role_names.ROW):
            if self._are_whole(number) and not self._counts_rows(number):
                return self._role(number)
        return None

    def object_id(self) -> Role | None:
        """The first column that tells the rows apart, else the one that does so best.

        One value in all rows is no name if there are files or survey numbers to name objects after.
        """
        first, later = self._ids(role_names.OBJECT_FIRST), self._ids(role_names.OBJECT)
        is_named = self.naming is not None and self.naming.scheme.object_id != ""
        if is_named:
            later = []  # the object is named by plate, MJD and fibre
        main = [n for n, c in enumerate(self._columns) if c.ucd.lower().startswith(MAIN_ID)]
        found = [*first, *later, *([] if is_named else main)]
        if not found:
            return None
        best = next((n for n in found if self._distinct(n) > MIN_SHARE), None)
        if best is None:
            best = max(found, key=self._distinct)
            path = self.path()
            is_told = path is not None and self._distinct(path.number) > MIN_SHARE
            values = self._values[best]
            is_constant = len(values) >= MIN_VALUES and len(set(values)) == 1
            if is_constant and (is_named or is_told):
                return None
        is_by_name = best in first or best in later
        return self._role(best, "from its name" if is_by_name else "from its UCD")

    def coordinate(self, names: Sequence[str], ucd: str, low: float, high: float) -> Role | None:
        def is_angle(value: Value) -> bool:
            number = number_of(str(value))
            if number is None:
                return parse_sexagesimal(str(value)) is not None
            return low <= number <= high

        named = sorted(self._named(names), key=lambda n: self._columns[n].kind != "float")
        by_ucd = [n for n, c in enumerate(self._columns) if c.ucd.lower().startswith(ucd)]
        return self._first(named, is_angle) or self._first(by_ucd, is_angle, "from its UCD")

    def score(self) -> Role | None:
        names = [normalized_name(column.name) for column in self._columns]
        alike = [n for n, name in enumerate(names) if role_names.SCORE_PATTERN.fullmatch(name)]
        return self._first([*self._named(role_names.SCORE), *alike], _is_number)

    def label(self) -> Role | None:
        """The most specific label that most rows have: SUBCLASS if it is filled, else CLASS."""
        found = self._named(role_names.LABEL)
        full = [n for n in found if len(self._values[n]) > MIN_SHARE * len(self._rows)]
        return self._role((full or found)[0]) if found else None

    def numeric(self, names: Sequence[str]) -> Role | None:
        return self._first(self._named(names), _is_number)

    def _ids(self, names: Sequence[str]) -> list[int]:
        return [n for n in self._named(names) if self._values[n] or not self._rows]

    def _distinct(self, number: int) -> float:
        """The share of the values that are different ones; 1 if there are too few to tell."""
        values = self._values[number]
        return len(set(values)) / len(values) if len(values) >= MIN_VALUES else 1.0

    def _named(self, names: Sequence[str]) -> list[int]:
        return [self._numbers[name] for name in names if name in self._numbers]

    def _role(self, number: int, reason: str = "from its name") -> Role:
        return Role(number, self._columns[number].name, reason)

    def _first(
        self, numbers: Iterable[int], fits: Callable[[Value], bool], reason: str = "from its name"
    ) -> Role | None:
        """The first of these columns most of whose values fit."""
        for number in numbers:
            values = self._values[number]
            if values and sum(map(fits, values)) > MIN_SHARE * len(values):
                return self._role(number, reason)
        return None

    def _are_whole(self, number: int) -> bool:
        """Whether the column holds whole numbers; beside a gap, pandas writes them as 1.0."""
        values = self._values[number]
        kind = self._columns[number].kind
        return kind == "int" or (
            kind == "float" and bool(values) and all(float(str(v)).is_integer() for v in values)
        )

    def _counts_rows(self, number: int) -> bool:
        """Whether the values are 0, 1, 2 ... or 1, 2, 3 ...: row numbers of this list itself."""
        values, path = [row[number] for row in self._rows], self.path()
        is_one_file = path is not None and len(set(self._values[path.number])) == 1
        is_counted = any(values == [*range(start, start + len(values))] for start in (0, 1))
        return len(values) > 1 and is_counted and not is_one_file


def _looks_like_file(value: Value) -> bool:
    return _has_suffix(value) or (isinstance(value, str) and "/" in value and " " not in value)


def _has_suffix(value: Value) -> bool:
    return isinstance(value, str) and has_spectrum_suffix(value)


def _is_targetid(value: Value) -> bool:
    number = number_of(str(value))
    return number is not None and number >= MIN_TARGETID and float(number).is_integer()


def _is_number(value: Value) -> bool:
    number = number_of(str(value)) if isinstance(value, str) else value
    return number is not None and not isinstance(number, bool) and math.isfinite(number)
