"""Where to look, in which order, and which wrong turns to take on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.evidence.assessment import Assessment
from agent.inspection.measured_turns import shown_range
from agent.spectra.spectrum import Window as Range
from agent.tasks.task import DiagnosticWindow, Task
from train.draft.facts import Fact, Key
from train.draft.meter import Meter, holds
from train.draft.settings import DraftSettings
from train.draft.wording import Rng

STEP = 10
"""Angstrom: ranges are asked for in round numbers."""
MOST_JITTER = 3
MOST_STRETCH = 0.35
"""Part of its width by which a window may be stretched to show what is measured in it."""
IN_ORDER = 0.4
"""Chance that the windows come as the guideline lists them, else the weightiest first."""
MOVED = 0.6
"""Chance that a window is not the guideline's own to the angstrom."""
WIDER = (2.5, 4.0)
BEYOND = (150, 600)
LUCK = 0.4
"""Nats of chance in what is looked at; the weightiest window always is."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """One call of the tool. `facts` is what its picture shows; a wide view only leads on."""

    kind: Literal["zoom", "wide", "outside"]
    range: tuple[int, int]
    label: str
    facts: tuple[Fact, ...] = ()

    @property
    def nats(self) -> float:
        return sum(abs(fact.nats) for fact in self.facts)


def plan(
    assessment: Assessment,
    meter: Meter,
    facts: Sequence[Fact],
    settings: DraftSettings,
    rng: Rng,
) -> tuple[Move, ...]:
    """The moves of one inspection, wrong turns included; empty where nothing can be seen."""
    zooms = [
        zoom
        for window in assessment.task.windows
        if (zoom := _zoom(window, assessment, meter, facts, rng)) is not None
    ]
    count = int(rng.integers(settings.fewest_zooms, settings.most_zooms + 1))
    luck = {id(zoom): LUCK * float(rng.gumbel()) for zoom in zooms}
    best = max(zooms, key=lambda zoom: zoom.nats, default=None)
    chosen = sorted(zooms, key=lambda zoom: -(zoom.nats + luck[id(zoom)]))[:count]
    if best is not None and best not in chosen:
        chosen[-1] = best
    if rng.random() < IN_ORDER:
        chosen.sort(key=zooms.index)
    moves = _with_wrong_turns(_told_once(chosen), meter, settings, rng)
    return _with_unseen(moves, assessment.task, meter, settings, rng)


def _zoom(
    window: DiagnosticWindow, assessment: Assessment, meter: Meter, facts: Sequence[Fact], rng: Rng
) -> Move | None:
    low, high = shown_range(window.range, assessment)
    if rng.random() < MOVED:
        low += STEP * int(rng.integers(-MOST_JITTER, 2))
        high += STEP * int(rng.integers(-1, MOST_JITTER + 1))
    low, high = STEP * round(low / STEP), STEP * round(high / STEP)
    own = {entry.id for entry in assessment.task.evidence_in(window.id)}
    targets = {
        target for entry in assessment.task.evidence if entry.id in own for target in entry.target
    }
    for fact in facts:
        if fact.feature.id in targets and fact.place is not None:
            low, high = _stretched((low, high), fact.place, window)
    seen = tuple(
        fact for fact in facts if fact.place is not None and holds((low, high), fact.place)
    )
    if not seen or not meter.is_covered((low, high)):
        return None
    return Move(kind="zoom", range=(low, high), label=window.label, facts=seen)


def _stretched(now: tuple[int, int], place: Range, window: DiagnosticWindow) -> tuple[int, int]:
    """Wide enough for `place`, where little is missing."""
    low = min(now[0], STEP * int(place[0] // STEP))
    high = max(now[1], STEP * -int(-place[1] // STEP))
    room = (1.0 + MOST_STRETCH) * (window.range[1] - window.range[0])
    return (low, high) if high - low <= max(room, now[1] - now[0]) else now


def _told_once(zooms: Sequence[Move]) -> list[Move]:
    """Each fact where it is first seen; zooms left with nothing new go."""
    told: set[Key] = set()
    kept = []
    for zoom in zooms:
        fresh = tuple(fact for fact in zoom.facts if fact.key not in told)
        told |= {fact.key for fact in fresh}
        if fresh:
            kept.append(Move(kind="zoom", range=zoom.range, label=zoom.label, facts=fresh))
    return kept


def _with_wrong_turns(
    zooms: list[Move], meter: Meter, settings: DraftSettings, rng: Rng
) -> tuple[Move, ...]:
    moves: list[Move] = []
    outside = int(rng.integers(len(zooms) + 1)) if rng.random() < settings.outside else -1
    wide = int(rng.integers(max(len(zooms), 1))) if rng.random() < settings.wide else -1
    for place, zoom in enumerate(zooms):
        if place == outside:
            moves.append(_outside(meter, rng))
        if place == wide:
            around = _wide(zoom, meter, rng)
            moves += [] if around is None else [around]
        moves.append(zoom)
    return tuple(moves)


def _with_unseen(
    moves: tuple[Move, ...], task: Task, meter: Meter, settings: DraftSettings, rng: Rng
) -> tuple[Move, ...]:
    """With a window of the guideline that lies where there are no data, if there is one: who cannot
    read the ends of the axis in the first picture only learns it from the tool."""
    if not settings.unseen:
        return moves
    low, high = meter.range
    beyond = [each for each in task.windows if each.range[0] > high or each.range[1] < low]
    if not beyond or not moves or rng.random() >= settings.unseen:
        return moves
    window, place = beyond[int(rng.integers(len(beyond)))], int(rng.integers(len(moves) + 1))
    start, end = (STEP * round(edge / STEP) for edge in window.range)
    asked = Move(kind="outside", range=(start, end), label=window.label)
    return (*moves[:place], asked, *moves[place:])


def _outside(meter: Meter, rng: Rng) -> Move:
    """Past one end of the data, where a beginner may look for a line that would be there."""
    low, high = meter.range
    gap, width = int(rng.integers(3, 12)) * STEP, int(rng.integers(BEYOND[0], BEYOND[1]))
    if rng.random() < 0.5:
        start = STEP * int(high // STEP) + gap
    else:
        start = max(STEP * int(low // STEP) - gap - width, 1000)
    end = STEP * round((start + width) / STEP)
    label = "the red end" if start > high else "the blue end"
    return Move(kind="outside", range=(start, end), label=label)


def _wide(zoom: Move, meter: Meter, rng: Rng) -> Move | None:
    low, high = zoom.range
    room = 0.5 * (float(rng.uniform(*WIDER)) - 1.0) * (high - low)
    around = (STEP * round((low - room) / STEP), STEP * round((high + room) / STEP))
    if not meter.is_covered(around):
        return None
    return Move(kind="wide", range=around, label=zoom.label)
