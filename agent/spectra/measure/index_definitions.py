"""Definitions of indices, read from resources/indices and from the line lists."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from types import MappingProxyType

from agent.checked_toml import TomlTable, near_miss, read_toml, shown
from agent.errors import ResourceError
from agent.spectra.lines import MAX_ENTRIES, MEDIA, Line, builtin_lines, identifier, vacuum_windows
from agent.spectra.spectrum import Window

RATIOS = ("ratio", "inverse_ratio", "fnu_ratio")
AREAS = ("ew", "magnitude")
PROFILES = ("width", "minimum")
COMPOUNDS = ("sum", "quotient", "zeta", "tio_excess")
N_TERMS = {"quotient": 2, "zeta": 3, "tio_excess": 3}
MAX_WINDOWS = 16
KINDS = (*RATIOS, *AREAS, "edge", *PROFILES, *COMPOUNDS)
LEVELS = ("half_depth", "below_0.2")
UNITS = {"ew": "Å", "magnitude": "mag", "width": "Å"}

EDGE_NEAR, EDGE_FAR, EDGE_GAP = 12.0, 60.0, 2.0


@dataclass(frozen=True)
class Index:
    """One index; windows are vacuum angstrom at rest (`exclude`: observed frame, for sky lines)."""

    name: str
    kind: str
    feature: tuple[Window, ...] = ()
    continuum: tuple[Window, ...] = ()
    weights: tuple[float, ...] = ()
    exclude: tuple[Window, ...] = ()
    terms: tuple[str, ...] = ()
    head: Line | None = None
    level: str = "half_depth"
    minimum_divisor: float = 0.0

    @property
    def unit(self) -> str:
        return UNITS.get(self.kind, "")


@cache
def builtin_indices() -> Mapping[str, Index]:
    """Every index by name: those of resources/indices and EW_<line> for lines with windows."""
    indices: dict[str, Index] = {}
    with as_file(files("resources") / "indices") as folder:
        for path in sorted(folder.glob("*.toml")):
            for index in read_indices(path):
                if index.name in indices:
                    where = f"indices[{shown(index.name)}].name"
                    raise ResourceError(f"{path}: {where}: already used; expected each name once")
                indices[index.name] = index
    for line in builtin_lines().sorted_lines:
        if line.window is not None:
            name = f"EW_{line.id}"
            indices[name] = Index(name, "ew", (line.window,), line.continuum)
    _check_terms(indices)
    return MappingProxyType(indices)


def read_indices(path: Path) -> tuple[Index, ...]:
    """Read one file of indices, converted to vacuum wavelengths."""
    file = read_toml(path)
    file.text("name", "", shortest=0)
    file.text("title", "", shortest=0)
    entries = file.tables(
        "indices", at_least=1, at_most=MAX_ENTRIES, named_by="name",
        inherit=("kind", "medium", "source", "proposed"),
    )  # fmt: skip
    file.close()
    return tuple(map(_index, entries))


def _index(entry: TomlTable) -> Index:
    kind = entry.choice("kind", KINDS, "ratio")
    medium = entry.choice("medium", MEDIA, "air")
    head = _head(entry) if kind == "edge" else None
    if head is None:
        feature = vacuum_windows(entry, "feature", medium, MAX_WINDOWS)
        continuum = vacuum_windows(entry, "continuum", medium, MAX_WINDOWS)
    else:
        feature, continuum = edge_windows(head, *_reaches(entry))
    index = Index(
        name=identifier(entry, "name"), kind=kind, feature=feature, continuum=continuum,
        weights=entry.numbers("weights", low=-1e6, high=1e6, at_most=MAX_WINDOWS),
        exclude=vacuum_windows(entry, "exclude", medium, MAX_WINDOWS),
        terms=entry.texts("terms", at_least=0), head=head,
        level=entry.choice("level", LEVELS, "half_depth"),
        minimum_divisor=entry.number("minimum_divisor", 0.0, low=-1e6, high=1e6),
    )  # fmt: skip
    for about in ("source", "note"):  # for who reads the file
        entry.text(about, "", longest=400, shortest=0)
    entry.flag("proposed")  # our own definition, which is not published
    entry.close()
    _check(index, entry)
    return index


def _reaches(entry: TomlTable) -> tuple[float, float, float]:
    """Extent of the windows of an edge from its head: near, far and the gap, angstrom."""
    near = entry.number("near", EDGE_NEAR, low=1.0, high=500.0)
    far = entry.number("far", EDGE_FAR, low=1.0, high=1000.0)
    gap = entry.number("gap", EDGE_GAP, low=0.0, high=100.0)
    if not gap < near < far:
        raise entry.fault("near", f"expected gap < near < far, found {gap:g}, {near:g}, {far:g}")
    return near, far, gap


def edge_windows(
    head: Line, near: float = EDGE_NEAR, far: float = EDGE_FAR, gap: float = EDGE_GAP
) -> tuple[tuple[Window, ...], tuple[Window, ...]]:
    """(bright, dark) windows beside the head, and the two outer windows that give the slope.

    The inner windows end `near` and the outer ones `far` angstrom from the head.
    """
    x = head.wavelength
    blue, red = (x - near, x - gap), (x + gap, x + near)
    inner = (blue, red) if head.shaded == "red" else (red, blue)
    return inner, ((x - far, x - near), (x + near, x + far))


def _head(entry: TomlTable) -> Line:
    name = identifier(entry, "head")
    lists = builtin_lines()
    if name not in lists or lists[name].kind != "band_head":
        heads = [line.id for line in lists.sorted_lines if line.kind == "band_head"]
        problem = f"{shown(name)} is not a band head of the line lists{near_miss(name, heads)}"
        raise entry.fault("head", problem)
    return lists[name]


def _check(index: Index, entry: TomlTable) -> None:
    if index.kind in COMPOUNDS:
        needed = N_TERMS.get(index.kind, len(index.terms))
        if len(index.terms) != needed or not index.terms:
            wanted = f"{needed} terms" if needed else "at least one term"
            problem = f"{index.kind} needs {wanted}, found {len(index.terms)}"
            raise entry.fault("terms", problem)
        return
    if not index.feature or not index.continuum:
        raise entry.fault("", f"{index.kind} needs feature and continuum windows")
    two_sided = index.kind in AREAS + PROFILES
    if two_sided and (len(index.feature) != 1 or len(index.continuum) != 2):
        problem = f"{index.kind} needs one feature window and two continuum windows"
        raise entry.fault("continuum", problem)
    if index.weights and (len(index.weights) != len(index.continuum) or sum(index.weights) <= 0):
        raise entry.fault("weights", "expected one for each continuum window, with a positive sum")


def _check_terms(indices: Mapping[str, Index]) -> None:
    for index in indices.values():
        for term in index.terms:
            if term not in indices or indices[term].kind in COMPOUNDS:
                guess = near_miss(term, indices)
                problem = f"{shown(term)} is not a simple index{guess}"
                raise ResourceError(f"index {shown(index.name)}: terms: {problem}")
