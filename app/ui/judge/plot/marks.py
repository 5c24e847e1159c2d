"""Which spectral lines and bands are marked, and which of their names are drawn."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent.spectra.lines import Line, LineLists
from agent.spectra.spectrum import Window
from agent.tasks.task import RANKS, Task
from app.ui.judge.plot.canvas.plot_box import Scale

MEASURED, OTHER = len(RANKS), len(RANKS) + 1
"""Ranks after those of the task's evidence: lines we measure in a window, and all others."""
GAP_PX = (*(6.0 for _ in RANKS), 28.0, 48.0)
"""Gap between names by rank, so that less important lines get a name only when zoomed in."""
ROWS = 2
EDGE = "_edge"  # suffix of the index that measures a band head, after the line id


@dataclass(frozen=True)
class Mark:
    """`wavelength` and `extent` are in the observed frame."""

    line: Line
    wavelength: float
    rank: int
    extent: Window | None = None

    @property
    def is_band(self) -> bool:
        return self.line.kind in ("band", "band_head")


class PlacedMark(NamedTuple):  # dozens are made for each object: a dataclass takes three times
    """A mark at a pixel position. `row` is -1 where there is no room for its name."""

    mark: Mark
    x: float
    label_x: float = 0.0
    row: int = -1


NUMBER = re.compile(r"\d{4,5}\.\d")


def task_ranks(task: Task, lists: LineLists) -> dict[str, int]:
    """Ranks of the lines and band heads of a task, by id: its evidence, of which 0 is primary.

    Lines named by their wavelengths in the text of a window come after them.
    """
    named = {number for window in task.windows for number in NUMBER.findall(window.look)}
    lines = (line for group in lists.sets for line in group.lines)
    ranks = {line.id: len(RANKS) - 1 for line in lines if f"{line.wavelength:.1f}" in named}
    for evidence in task.evidence:
        for name in evidence.target:
            line_id, rank = name.removesuffix(EDGE), RANKS.index(evidence.rank)
            ranks[line_id] = min(rank, ranks.get(line_id, rank))
    return ranks


def marks(
    lists: LineLists,
    sets: Collection[str],
    ranks: Mapping[str, int],
    z: float,
    own: Collection[str] = (),
) -> tuple[Mark, ...]:
    """Marks of the lines in these sets and of a task's own, the most important first.

    Terrestrial lines are left out: they are shaded instead.
    """
    lines = {
        line.id: line
        for group in lists.sets
        for line in group.lines
        if group.name in sets or (line.id in own and line.kind == "line")
    }
    found = [_mark(line, ranks, 1.0 + z) for line in lines.values() if line.moves_with_star]
    return tuple(sorted(found, key=lambda mark: (mark.rank, mark.wavelength)))


def _mark(line: Line, ranks: Mapping[str, int], shift: float) -> Mark:
    rank = ranks.get(line.id, MEASURED if line.window else OTHER)
    extent = line.extent and (line.extent[0] * shift, line.extent[1] * shift)
    return Mark(line, line.wavelength * shift, rank, extent)


def place_marks(
    marks: Sequence[Mark], scale: Scale, width_of: Callable[[str], float]
) -> list[PlacedMark]:
    """The marks drawn at this scale: the task's own, and all whose names fit.

    Names never overlap: the more important mark wins, then the one nearer to the centre.
    """
    middle = 0.5 * (scale.lo + scale.hi)
    inside = [mark for mark in marks if scale.lo <= mark.wavelength <= scale.hi]
    inside = [mark for mark in inside if not scale.is_hidden(mark.wavelength)]
    inside.sort(key=lambda mark: (mark.rank, abs(mark.wavelength - middle)))
    occupied: list[list[Window]] = [[] for _ in range(ROWS)]
    placed = []
    for mark in inside:
        x = scale.x(mark.wavelength)
        width = width_of(mark.line.label)
        left = max(min(x - 0.5 * width, scale.width - width - 2.0), 2.0)
        row = _free_row(occupied, left, left + width, GAP_PX[mark.rank])
        if row >= 0:
            occupied[row].append((left, left + width))
        if row >= 0 or mark.rank < MEASURED:
            placed.append(PlacedMark(mark, x, left, row))
    return placed


def _free_row(rows: Sequence[Iterable[Window]], left: float, right: float, gap: float) -> int:
    # A plain loop: this runs for every line at every new range.
    for number, row in enumerate(rows):
        for start, end in row:
            if start < right + gap and left < end + gap:
                break
        else:
            return number
    return -1


def mark_at(placed: Sequence[PlacedMark], x: float, within: float) -> Mark | None:
    """The mark nearest to `x`, if it is within this many pixels."""
    nearest = min(placed, key=lambda each: abs(each.x - x), default=None)
    return nearest.mark if nearest is not None and abs(nearest.x - x) <= within else None
