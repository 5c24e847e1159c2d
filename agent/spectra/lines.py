"""The lines, band heads and sky features we know, and lists a user adds in the same form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from agent.errors import ResourceError
from agent.spectra.air import air_to_vacuum
from agent.spectra.resource_table import Entry, Window, read_table

KINDS = ("line", "band_head", "band", "sky", "telluric")
OBSERVED_FRAME = ("sky", "telluric")
SHADES = ("", "red", "violet")
MEDIA = ("air", "vacuum")


@dataclass(frozen=True)
class Line:
    """A feature at rest, in vacuum angstrom; sky and telluric features in the observed frame.

    `shaded` says to which side a band fades from its sharp head. `extent` is the range a band
    covers. `window` and `continuum` are the fixed windows of the line's equivalent width.
    """

    id: str
    label: str
    wavelength: float
    kind: str = "line"
    species: str = ""
    shaded: str = ""
    extent: Window | None = None
    source: str = ""
    window: Window | None = None
    continuum: tuple[Window, ...] = ()

    @property
    def moves_with_star(self) -> bool:
        return self.kind not in OBSERVED_FRAME


@dataclass(frozen=True)
class LineSet:
    """One file of lines; `name` is unique, `title` is for display."""

    name: str
    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, eq=False)
class LineLists:
    """Every set loaded, with look-up by id and by wavelength."""

    sets: tuple[LineSet, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Line]:
        return MappingProxyType({line.id: line for group in self.sets for line in group.lines})

    def __getitem__(self, line_id: str) -> Line:
        try:
            return self.by_id[line_id]
        except KeyError:
            raise ResourceError(f"no line is called {line_id!r:.60}") from None

    def __contains__(self, line_id: object) -> bool:
        return line_id in self.by_id

    @cached_property
    def sorted_lines(self) -> tuple[Line, ...]:
        return tuple(sorted(self.by_id.values(), key=lambda line: line.wavelength))

    @cached_property
    def wavelengths(self) -> NDArray[np.float64]:
        return np.array([line.wavelength for line in self.sorted_lines])

    @cached_property
    def terrestrial(self) -> tuple[Line, ...]:
        """Sky lines and telluric bands: what stays put in the observed frame."""
        return tuple(line for line in self.sorted_lines if not line.moves_with_star)

    def between(self, lo: float, hi: float, kinds: Sequence[str] = KINDS) -> tuple[Line, ...]:
        """Lines whose own wavelength lies in [lo, hi], by wavelength."""
        first, last = np.searchsorted(self.wavelengths, [lo, hi + 1e-9])
        return tuple(line for line in self.sorted_lines[first:last] if line.kind in kinds)

    def nearest(
        self, wavelength: float, within: float, kinds: Sequence[str] = ("line",)
    ) -> tuple[Line, ...]:
        """Lines no farther than `within` angstrom, nearest first."""
        found = self.between(wavelength - within, wavelength + within, kinds)
        return tuple(sorted(found, key=lambda line: abs(line.wavelength - wavelength)))


def load_line_lists(extra: Sequence[Path] = ()) -> LineLists:
    """Our own lists and the user's; a user's entry may not take an id that is already used."""
    return _load(tuple(Path(path) for path in extra))


@cache
def builtin_lines() -> LineLists:
    with as_file(files("resources") / "lines") as folder:
        return LineLists(_read_sets(sorted(folder.glob("*.toml"))))


def _load(extra: tuple[Path, ...]) -> LineLists:
    known = builtin_lines()
    if not extra:
        return known
    return LineLists(_read_sets(extra, known.sets))


def _read_sets(paths: Sequence[Path], known: tuple[LineSet, ...] = ()) -> tuple[LineSet, ...]:
    sets = list(known)
    used = {line.id: group.name for group in sets for line in group.lines}
    for path in paths:
        group = read_line_set(path)
        if any(other.name == group.name for other in sets):
            raise ResourceError(f"{path.name}: another line list is already called {group.name!r}")
        for line in group.lines:
            if line.id in used:
                raise ResourceError(
                    f"{path.name}, entry {line.id!r}: the id is already used in {used[line.id]!r}"
                )
            used[line.id] = group.name
        sets.append(group)
    return tuple(sets)


def read_line_set(path: Path) -> LineSet:
    """One file of lines, wavelengths converted to vacuum."""
    head, entries = read_table(path, "lines", "id")
    name = Entry(head, {}, path.name).identifier("name")
    title = Entry(head, {}, path.name).text("title", name)
    return LineSet(name, title, tuple(_line(entry) for entry in entries))


def _line(entry: Entry) -> Line:
    medium = entry.choice("medium", MEDIA, "air")
    kind = entry.choice("kind", KINDS, "line")
    shaded = entry.choice("shaded", SHADES, "")
    if kind == "band_head" and not shaded:
        raise entry.fault("a band head needs shaded = 'red' or 'violet'")
    extents = tuple(to_vacuum(window, medium) for window in entry.windows("extent"))
    windows = tuple(to_vacuum(window, medium) for window in entry.windows("window"))
    if len(extents) > 1 or len(windows) > 1:
        raise entry.fault("extent and window are single pairs [low, high]")
    continuum = tuple(to_vacuum(window, medium) for window in entry.windows("continuum"))
    if bool(windows) != bool(continuum):
        raise entry.fault("window and continuum go together")
    identifier = entry.identifier("id")
    wavelength = entry.wavelength("wavelength")
    return Line(
        id=identifier,
        label=entry.text("label", identifier),
        wavelength=float(air_to_vacuum(wavelength)) if medium == "air" else wavelength,
        kind=kind,
        species=entry.text("species"),
        shaded=shaded,
        extent=extents[0] if extents else None,
        source=entry.text("source"),
        window=windows[0] if windows else None,
        continuum=continuum,
    )


def to_vacuum(window: Window, medium: str) -> Window:
    if medium == "vacuum":
        return window
    return float(air_to_vacuum(window[0])), float(air_to_vacuum(window[1]))
