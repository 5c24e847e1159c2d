"""Line lists: built-in lines, band heads and sky features, and those a user adds."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from types import MappingProxyType

import numpy as np

from agent.checked_toml import TomlTable, near_miss, read_toml, shown
from agent.errors import ResourceError
from agent.spectra.air import air_to_vacuum
from agent.spectra.spectrum import FloatArray, Window

KINDS = ("line", "band_head", "band", "sky", "telluric")
OBSERVED_FRAME = ("sky", "telluric")
SHADES = ("", "red", "violet")
MEDIA = ("air", "vacuum")
MAX_BYTES = 2 * 1024 * 1024
MAX_ENTRIES = 20_000
SHORTEST_A, LONGEST_A = 100.0, 100_000.0
IDENTIFIER = re.compile(r"[A-Za-z0-9_]{1,48}")
IDENTIFIER_TEXT = "1 to 48 letters, digits and _"


@dataclass(frozen=True)
class Line:
    """A feature in vacuum angstrom: at rest, or observed for sky and telluric features.

    `shaded` is the side to which a band fades from its sharp head, `extent` the range of a band,
    `window` and `continuum` the fixed windows of the line's equivalent width.
    """

    id: str
    label: str
    wavelength: float
    kind: str = "line"
    species: str = ""
    shaded: str = ""
    extent: Window | None = None
    window: Window | None = None
    continuum: tuple[Window, ...] = ()

    @property
    def is_forbidden(self) -> bool:
        """Whether it is a forbidden line, which no star shows in absorption."""
        return self.species.startswith("[")

    @property
    def moves_with_star(self) -> bool:
        return self.kind not in OBSERVED_FRAME


@dataclass(frozen=True)
class LineSet:
    """The lines of one file; `name` is unique, `title` is displayed."""

    name: str
    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, eq=False)
class LineLists:
    """All loaded line sets, with look-up by id and by wavelength."""

    sets: tuple[LineSet, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Line]:
        return MappingProxyType({line.id: line for group in self.sets for line in group.lines})

    def __getitem__(self, line_id: str) -> Line:
        try:
            return self.by_id[line_id]
        except KeyError:
            guess = near_miss(line_id, self.by_id)
            raise ResourceError(f"there is no line {shown(line_id)}{guess}") from None

    def __contains__(self, line_id: object) -> bool:
        return line_id in self.by_id

    def set_of(self, line: Line) -> LineSet | None:
        return next((group for group in self.sets if line in group.lines), None)

    @cached_property
    def sorted_lines(self) -> tuple[Line, ...]:
        return tuple(sorted(self.by_id.values(), key=lambda line: line.wavelength))

    @cached_property
    def wavelengths(self) -> FloatArray:
        return np.array([line.wavelength for line in self.sorted_lines])

    @cached_property
    def terrestrial(self) -> tuple[Line, ...]:
        """Sky lines and telluric bands, which do not move with the star."""
        return tuple(line for line in self.sorted_lines if not line.moves_with_star)

    def between(self, lo: float, hi: float, kinds: Sequence[str] = KINDS) -> tuple[Line, ...]:
        """Lines with a wavelength in [lo, hi], in order of wavelength."""
        first, last = np.searchsorted(self.wavelengths, [lo, hi + 1e-9])
        return tuple(line for line in self.sorted_lines[first:last] if line.kind in kinds)

    def nearest(
        self, wavelength: float, within: float, kinds: Sequence[str] = ("line",)
    ) -> tuple[Line, ...]:
        """Lines no farther than `within` angstrom, nearest first."""
        near = self.between(wavelength - within, wavelength + within, kinds)
        return tuple(sorted(near, key=lambda line: abs(line.wavelength - wavelength)))


def load_line_lists(extra: Sequence[Path] = ()) -> LineLists:
    """The built-in lists and the user's, whose ids must not be in use already."""
    builtin = builtin_lines()
    return LineLists(_read_sets(extra, builtin.sets)) if extra else builtin


@cache
def builtin_lines() -> LineLists:
    with as_file(files("resources") / "lines") as folder:
        return LineLists(_read_sets(sorted(folder.glob("*.toml"))))


def label_of(name: str) -> str:
    """The label of a built-in line or band-head index; other names are returned unchanged."""
    known, line_id = builtin_lines(), name.removesuffix("_edge")
    return known[line_id].label if line_id in known else name


def _read_sets(paths: Sequence[Path], known: tuple[LineSet, ...] = ()) -> tuple[LineSet, ...]:
    sets = list(known)
    used = {line.id: group.name for group in sets for line in group.lines}
    for path in paths:
        # Read one file of lines, converted to vacuum wavelengths.
        file = read_toml(path, MAX_BYTES)
        name = identifier(file, "name")
        title = file.text("title", name)
        entries = file.tables(
            "lines", at_least=1, at_most=MAX_ENTRIES, named_by="id",
            inherit=("kind", "medium", "shaded", "source", "species"),
        )  # fmt: skip
        file.close()
        group = LineSet(name, title, tuple(map(_line, entries)))
        if any(other.name == group.name for other in sets):
            raise ResourceError(f"{path}: name: {shown(group.name)} is already a line list")
        for line in group.lines:
            if line.id in used:
                problem = f"the id is already used in {shown(used[line.id])}"
                raise ResourceError(f"{path}: lines[{shown(line.id)}].id: {problem}")
            used[line.id] = group.name
        sets.append(group)
    return tuple(sets)


def identifier(table: TomlTable, key: str) -> str:
    return table.identifier(key, IDENTIFIER, IDENTIFIER_TEXT)


def _line(entry: TomlTable) -> Line:
    line_id = identifier(entry, "id")
    medium = entry.choice("medium", MEDIA, "air")
    wavelength = entry.number("wavelength", low=SHORTEST_A, high=LONGEST_A, unit="Å")
    extent = vacuum_windows(entry, "extent", medium, at_most=1)
    window = vacuum_windows(entry, "window", medium, at_most=1)
    line = Line(
        id=line_id,
        label=entry.text("label", line_id),
        wavelength=float(air_to_vacuum(wavelength)) if medium == "air" else wavelength,
        kind=entry.choice("kind", KINDS, "line"),
        species=entry.text("species", "", shortest=0),
        shaded=entry.choice("shaded", SHADES, ""),
        extent=extent[0] if extent else None,
        window=window[0] if window else None,
        continuum=vacuum_windows(entry, "continuum", medium, at_most=2),
    )
    entry.text("source", "", longest=400, shortest=0)  # for who reads the file
    entry.close()
    if line.kind == "band_head" and not line.shaded:
        raise entry.fault("shaded", 'missing; expected "red" or "violet" for a band head')
    if bool(line.window) != bool(line.continuum):
        raise entry.fault("window", "expected window and continuum together, or neither")
    return line


def vacuum_windows(entry: TomlTable, key: str, medium: str, at_most: int) -> tuple[Window, ...]:
    windows = entry.pairs(key, low=SHORTEST_A, high=LONGEST_A, unit="Å", at_most=at_most)
    if medium == "vacuum":
        return windows
    return tuple((float(air_to_vacuum(low)), float(air_to_vacuum(high))) for low, high in windows)
