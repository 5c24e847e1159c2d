"""Which lines and bands are marked, where they lie at the star's velocity, which matter most."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent.spectra.lines import Line, LineLists
from agent.tasks.task import RANKS, Task
from app.ui.plot.scale import Scale

MEASURED, OTHER = len(RANKS), len(RANKS) + 1
"""Ranks behind those of the task's evidence: it has a window of its own, or not."""
GAP_PX = (*(6.0 for _ in RANKS), 28.0, 48.0)
"""Between names, by rank. Lines of less weight come in when the view is closer."""
ROWS = 2
EDGE = "_edge"
"""Behind the id of a band head: the index that measures it."""


@dataclass(frozen=True)
class Mark:
    """`wavelength` and `extent` are where it is observed."""

    line: Line
    wavelength: float
    rank: int
    extent: tuple[float, float] | None = None

    @property
    def is_band(self) -> bool:
        return self.line.kind in ("band", "band_head")


@dataclass(frozen=True)
class Placed:
    """A mark on the plot. `row` -1: there is no room for its name."""

    mark: Mark
    x: float
    label_x: float = 0.0
    row: int = -1


def task_ranks(task: Task) -> dict[str, int]:
    """Of the lines and band heads that the evidence of a task is about, by id: 0 is primary."""
    ranks: dict[str, int] = {}
    for evidence in task.evidence:
        for name in evidence.target:
            line_id, rank = name.removesuffix(EDGE), RANKS.index(evidence.rank)
            ranks[line_id] = min(rank, ranks.get(line_id, rank))
    return ranks


def marks(
    lists: LineLists, sets: Collection[str], ranks: Mapping[str, int], z: float
) -> tuple[Mark, ...]:
    """Of those sets, the most important first. What stays put is shaded, not marked."""
    lines = (line for group in lists.sets if group.name in sets for line in group.lines)
    found = [_mark(line, ranks, 1.0 + z) for line in lines if line.moves_with_star]
    return tuple(sorted(found, key=lambda mark: (mark.rank, mark.wavelength)))


def _mark(line: Line, ranks: Mapping[str, int], shift: float) -> Mark:
    rank = ranks.get(line.id, MEASURED if line.window else OTHER)
    extent = line.extent and (line.extent[0] * shift, line.extent[1] * shift)
    return Mark(line, line.wavelength * shift, rank, extent)


def place(marks: Sequence[Mark], scale: Scale, width_of: Callable[[str], float]) -> list[Placed]:
    """Those that are drawn at this scale: the task's own, and what there is room to name. No names
    overlap; the more important one wins, then the one nearer to the middle."""
    middle = 0.5 * (scale.lo + scale.hi)
    inside = [mark for mark in marks if scale.lo <= mark.wavelength <= scale.hi]
    inside.sort(key=lambda mark: (mark.rank, abs(mark.wavelength - middle)))
    taken: list[list[tuple[float, float]]] = [[] for _ in range(ROWS)]
    placed = []
    for mark in inside:
        x = scale.x(mark.wavelength)
        width = width_of(mark.line.label)
        left = max(min(x - 0.5 * width, scale.width - width - 2.0), 2.0)
        row = _free_row(taken, left, left + width, GAP_PX[mark.rank])
        if row >= 0:
            taken[row].append((left, left + width))
        if row >= 0 or mark.rank < MEASURED:
            placed.append(Placed(mark, x, left, row))
    return placed


def _free_row(
    rows: Sequence[Iterable[tuple[float, float]]], left: float, right: float, gap: float
) -> int:
    for number, row in enumerate(rows):
        if all(right + gap <= start or end + gap <= left for start, end in row):
            return number
    return -1


def mark_at(placed: Sequence[Placed], x: float, within: float) -> Mark | None:
    """The one nearest to a place on the plot, pixels."""
    near = min(placed, key=lambda each: abs(each.x - x), default=None)
    return near.mark if near is not None and abs(near.x - x) <= within else None
