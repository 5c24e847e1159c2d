"""Indices as data: what each is made of, read from resources/indices and from the line lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from types import MappingProxyType

from agent.errors import ResourceError
from agent.spectra.lines import MEDIA, Line, builtin_lines, to_vacuum
from agent.spectra.resource_table import Entry, Window, read_table

RATIOS = ("ratio", "inverse_ratio", "fnu_ratio")
AREAS = ("ew", "magnitude")
PROFILES = ("width", "minimum")
COMPOUNDS = ("sum", "quotient", "zeta")
KINDS = (*RATIOS, *AREAS, "edge", *PROFILES, *COMPOUNDS)
LEVELS = ("half_depth", "below_0.2")
UNITS = {"ew": "Å", "magnitude": "mag", "width": "Å"}

EDGE_NEAR, EDGE_FAR, EDGE_GAP = 12.0, 60.0, 2.0


@dataclass(frozen=True)
class Index:
    """One index; windows are vacuum angstrom at rest (`exclude`: observed frame, for sky lines).

    `proposed` marks definitions of our own, not taken from a publication.
    """

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
    source: str = ""
    note: str = ""
    proposed: bool = False

    @property
    def unit(self) -> str:
        return UNITS.get(self.kind, "")

    @property
    def span(self) -> Window | None:
        """From the bluest to the reddest wavelength used; None for compounds."""
        windows = self.feature + self.continuum
        if not windows:
            return None
        return min(lo for lo, _ in windows), max(hi for _, hi in windows)


@cache
def builtin_indices() -> Mapping[str, Index]:
    """Every index by name: those of resources/indices and EW_<line> for lines with windows."""
    found: dict[str, Index] = {}
    with as_file(files("resources") / "indices") as folder:
        for path in sorted(folder.glob("*.toml")):
            for index in read_indices(path):
                if index.name in found:
                    raise ResourceError(
                        f"{path.name}, entry {index.name!r}: the name is used twice"
                    )
                found[index.name] = index
    for line in builtin_lines().sorted_lines:
        if line.window is not None:
            found[f"EW_{line.id}"] = line_index(line)
    _check_terms(found)
    return MappingProxyType(found)


def read_indices(path: Path) -> tuple[Index, ...]:
    """One file of indices, windows converted to vacuum."""
    _, entries = read_table(path, "indices", "name")
    return tuple(_index(entry) for entry in entries)


def line_index(line: Line) -> Index:
    """Equivalent width of a line in the fixed windows of the line lists."""
    assert line.window is not None
    return Index(
        name=f"EW_{line.id}",
        kind="ew",
        feature=(line.window,),
        continuum=line.continuum,
        source=line.source,
        note=f"equivalent width of {line.label}, absorption positive",
    )


def _index(entry: Entry) -> Index:
    kind = entry.choice("kind", KINDS, "ratio")
    medium = entry.choice("medium", MEDIA, "air")
    head = _head(entry) if kind == "edge" else None
    if head is None:
        feature = tuple(to_vacuum(window, medium) for window in entry.windows("feature"))
        continuum = tuple(to_vacuum(window, medium) for window in entry.windows("continuum"))
    else:
        feature, continuum = edge_windows(
            head,
            entry.number("near", EDGE_NEAR),
            entry.number("far", EDGE_FAR),
            entry.number("gap", EDGE_GAP),
        )
    index = Index(
        name=entry.identifier("name"),
        kind=kind,
        feature=feature,
        continuum=continuum,
        weights=entry.numbers("weights"),
        exclude=tuple(to_vacuum(window, medium) for window in entry.windows("exclude")),
        terms=entry.names("terms"),
        head=head,
        level=entry.choice("level", LEVELS, "half_depth"),
        minimum_divisor=entry.number("minimum_divisor", 0.0),
        source=entry.text("source"),
        note=entry.text("note"),
        proposed=entry.is_set("proposed"),
    )
    _check(index, entry)
    return index


def edge_windows(
    head: Line, near: float = EDGE_NEAR, far: float = EDGE_FAR, gap: float = EDGE_GAP
) -> tuple[tuple[Window, ...], tuple[Window, ...]]:
    """(bright, dark) windows beside the head and the two outer windows that give the slope.

    `near` and `far` are how far, in angstrom, the inner and outer windows reach from the head.
    """
    at = head.wavelength
    blue, red = (at - near, at - gap), (at + gap, at + near)
    inner = (blue, red) if head.shaded == "red" else (red, blue)
    return inner, ((at - far, at - near), (at + near, at + far))


def _head(entry: Entry) -> Line:
    name = entry.text("head")
    lists = builtin_lines()
    if name not in lists or lists[name].kind != "band_head":
        raise entry.fault(f"head must name a band head of the line lists, not {name!r:.60}")
    return lists[name]


def _check(index: Index, entry: Entry) -> None:
    if index.kind in COMPOUNDS:
        needed = {"quotient": 2, "zeta": 3}.get(index.kind, len(index.terms))
        if len(index.terms) != needed or not index.terms:
            raise entry.fault(f"{index.kind} needs {needed or 'some'} terms")
        return
    if not index.feature or not index.continuum:
        raise entry.fault("needs feature and continuum windows")
    two_sided = index.kind in AREAS + PROFILES
    if two_sided and (len(index.feature) != 1 or len(index.continuum) != 2):
        raise entry.fault(f"{index.kind} needs one feature window and two continuum windows")
    if index.weights and (len(index.weights) != len(index.continuum) or sum(index.weights) <= 0):
        raise entry.fault("weights must match the continuum windows and have a positive sum")


def _check_terms(indices: Mapping[str, Index]) -> None:
    for index in indices.values():
        for term in index.terms:
            if term not in indices or indices[term].kind in COMPOUNDS:
                raise ResourceError(f"index {index.name!r}: {term!r:.60} is no simple index")
