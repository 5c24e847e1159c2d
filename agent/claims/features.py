"""Features that a text can give a number for: lines, band heads and indices, with their names."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from agent.evidence.features import FEATURES
from agent.spectra.lines import Line, builtin_lines
from agent.spectra.measure.index_definitions import COMPOUNDS, RATIOS, Index, builtin_indices
from agent.spectra.measure.window_measure import edge_index
from agent.spectra.spectrum import Window

HEAD_MARGIN = 12.0
LINE_MARGIN = 6.0  # angstrom to either side of a band head, or of a line, that a picture must show

# Names for indices whose own names, or labels, nobody would say.
SPOKEN_NAMES: Mapping[str, str] = {
    "TiO_4940": "TiO 4940 index", "Ba_4554": "Ba II 4554 index", "CN_7872": "CN 7872 index",
    "ZrO_6474": "ZrO 6474 index", "ZrO_6345": "ZrO 6345 index", "Balmer_jump_3720": "Balmer jump",
}  # fmt: skip
WITH_ARTICLE = ("index", "break", "band", "triplet", "jump", "ratio", "depth", "excess", "core")


@dataclass(frozen=True)
class Feature:
    """A line of the line lists, or an index; a band head is the index of its edge."""

    id: str
    is_line: bool = False

    @property
    def line(self) -> Line:
        return builtin_lines()[self.id]

    @property
    def index(self) -> Index:
        """The index of that name, or the edge index of a band head that has none of its own."""
        known = builtin_indices().get(self.id)
        return known or edge_index(builtin_lines()[self.id.removesuffix("_edge")])

    @property
    def is_edge(self) -> bool:
        return not self.is_line and self.index.kind == "edge"

    @property
    def unit(self) -> str:
        if self.is_line:
            return "Å"
        terms = self.index.terms if self.index.kind == "sum" else ()
        return builtin_indices()[terms[0]].unit if terms else self.index.unit

    @property
    def name(self) -> str:
        """The name used in a text."""
        if self.is_line:
            return self.line.label
        if self.index.head is not None:
            head = self.index.head
            return f"{head.species} edge at {head.wavelength:.1f}"
        if self.id.endswith("_D2"):
            return f"{builtin_lines()[self.id.removesuffix('_D2')].label} width at half depth"
        feature = FEATURES.get(self.id)
        usual = feature.label if feature else self.id.replace("_", " ")
        return SPOKEN_NAMES.get(self.id) or usual

    @property
    def long_name(self) -> str:
        """The name with its article, where it takes one."""
        takes = not self.is_line and any(word in self.name for word in WITH_ARTICLE)
        return f"the {self.name}" if takes else self.name

    @property
    def window(self) -> Window | None:
        """The range a picture must show, at rest in vacuum; None for the whole spectrum."""
        if self.is_line:
            return self.line.wavelength - LINE_MARGIN, self.line.wavelength + LINE_MARGIN
        return _index_window(self.index)


def find_feature(target: str, *, is_line: bool) -> Feature | None:
    known = target in (builtin_lines() if is_line else builtin_indices())
    return Feature(target, is_line) if known else None


@cache
def _index_window(index: Index) -> Window | None:
    if index.head is not None:
        at = index.head.wavelength
        return at - HEAD_MARGIN, at + HEAD_MARGIN
    if index.kind in COMPOUNDS:
        parts = [_index_window(builtin_indices()[term]) for term in index.terms]
        windows = [part for part in parts if part is not None]
    else:
        # An index that compares two levels needs both windows; a width or an area needs the line.
        compared = index.kind in RATIOS
        windows = [*index.feature, *(index.continuum if compared else ())]
    if index.name.startswith("colour_") or not windows:
        return None
    return min(low for low, _ in windows), max(high for _, high in windows)
