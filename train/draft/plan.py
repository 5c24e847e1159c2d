"""Plans an inspection: which windows to look at, in which order, with which wrong turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.evidence.assessment import Assessment
from agent.inspection.measured_turns import shown_range
from agent.spectra.spectrum import Window
from agent.tasks.task import DiagnosticWindow
from train.draft.facts import Fact, Key
from train.draft.settings import DraftSettings
from train.draft.wording import Rng
from train.meter import Meter, contains

STEP = 10
"""Angstrom; requested ranges are multiples of it."""
MAX_JITTER = 3
MAX_STRETCH = 0.35
"""Fraction of its width by which a window may be stretched to show what is measured in it."""
P_GUIDELINE_ORDER = 0.4
"""Chance that windows follow the guideline's order instead of their weight."""
P_SHIFTED = 0.6
"""Chance that a window is shifted against the guideline's."""
WIDE_FACTORS = (2.5, 4.0)
OUTSIDE_WIDTHS = (150, 600)
LOOK_NOISE = 0.4
"""Nats of noise in the choice of windows; the weightiest window is always chosen."""


@dataclass(frozen=True, kw_only=True)
class PlannedLook:
    """One planned tool call, with the facts its picture shows (none for a wide view)."""

    kind: Literal["zoom", "wide", "outside"]
    range: tuple[int, int]
    label: str
    facts: tuple[Fact, ...] = ()

    @property
    def nats(self) -> float:
        return sum(abs(fact.nats) for fact in self.facts)


def plan_looks(
    assessment: Assessment,
    meter: Meter,
    facts: Sequence[Fact],
    settings: DraftSettings,
    rng: Rng,
) -> tuple[PlannedLook, ...]:
    """The looks of one inspection, wrong turns included; empty where no fact is visible."""
    zooms = [
        zoom
        for window in assessment.task.windows
        if (zoom := _zoom(window, assessment, meter, facts, rng)) is not None
    ]
    count = int(rng.integers(settings.fewest_zooms, settings.most_zooms + 1))
    luck = {id(zoom): LOOK_NOISE * float(rng.gumbel()) for zoom in zooms}
    best = max(zooms, key=lambda zoom: zoom.nats, default=None)
    chosen = sorted(zooms, key=lambda zoom: -(zoom.nats + luck[id(zoom)]))[:count]
    if best is not None and best not in chosen:
        chosen[-1] = best
    if rng.random() < P_GUIDELINE_ORDER:
        chosen.sort(key=zooms.index)
    return _add_wrong_turns(_drop_repeats(chosen), meter, settings, rng)


def _zoom(
    window: DiagnosticWindow, assessment: Assessment, meter: Meter, facts: Sequence[Fact], rng: Rng
) -> PlannedLook | None:
    low, high = shown_range(window.range, assessment)
    if rng.random() < P_SHIFTED:
        low += STEP * int(rng.integers(-MAX_JITTER, 2))
        high += STEP * int(rng.integers(-1, MAX_JITTER + 1))
    low, high = STEP * round(low / STEP), STEP * round(high / STEP)
    own = {entry.id for entry in assessment.task.evidence_in(window.id)}
    targets = {
        target for entry in assessment.task.evidence if entry.id in own for target in entry.target
    }
    for fact in facts:
        if fact.feature.id in targets and fact.window is not None:
            low, high = _stretch((low, high), fact.window, window)
    seen = tuple(
        fact for fact in facts if fact.window is not None and contains((low, high), fact.window)
    )
    if not seen or not meter.is_covered((low, high)):
        return None
    return PlannedLook(kind="zoom", range=(low, high), label=window.label, facts=seen)


def _stretch(now: tuple[int, int], needed: Window, window: DiagnosticWindow) -> tuple[int, int]:
    """Widen a range to show `needed`, unless that takes too much."""
    low = min(now[0], STEP * int(needed[0] // STEP))
    high = max(now[1], STEP * -int(-needed[1] // STEP))
    room = (1.0 + MAX_STRETCH) * (window.range[1] - window.range[0])
    return (low, high) if high - low <= max(room, now[1] - now[0]) else now


def _drop_repeats(zooms: Sequence[PlannedLook]) -> list[PlannedLook]:
    """Keep each fact only where it is first seen, and drop zooms that show nothing new."""
    shown: set[Key] = set()
    kept = []
    for zoom in zooms:
        fresh = tuple(fact for fact in zoom.facts if fact.key not in shown)
        shown |= {fact.key for fact in fresh}
        if fresh:
            kept.append(PlannedLook(kind="zoom", range=zoom.range, label=zoom.label, facts=fresh))
    return kept


def _add_wrong_turns(
    zooms: list[PlannedLook], meter: Meter, settings: DraftSettings, rng: Rng
) -> tuple[PlannedLook, ...]:
    looks: list[PlannedLook] = []
    outside = int(rng.integers(len(zooms) + 1)) if rng.random() < settings.outside else -1
    wide = int(rng.integers(max(len(zooms), 1))) if rng.random() < settings.wide else -1
    for index, zoom in enumerate(zooms):
        if index == outside:
            looks.append(_outside(meter, rng))
        if index == wide:
            around = _wide(zoom, meter, rng)
            looks += [] if around is None else [around]
        looks.append(zoom)
    return tuple(looks)


def _outside(meter: Meter, rng: Rng) -> PlannedLook:
    """A look past one end of the data, as a beginner might take."""
    low, high = meter.range
    gap, width = (
        int(rng.integers(3, 12)) * STEP,
        int(rng.integers(*OUTSIDE_WIDTHS)),
    )
    if rng.random() < 0.5:
        start = STEP * int(high // STEP) + gap
    else:
        start = max(STEP * int(low // STEP) - gap - width, 1000)
    end = STEP * round((start + width) / STEP)
    label = "the red end" if start > high else "the blue end"
    return PlannedLook(kind="outside", range=(start, end), label=label)


def _wide(zoom: PlannedLook, meter: Meter, rng: Rng) -> PlannedLook | None:
    low, high = zoom.range
    room = 0.5 * (float(rng.uniform(*WIDE_FACTORS)) - 1.0) * (high - low)
    around = (STEP * round((low - room) / STEP), STEP * round((high + room) / STEP))
    if not meter.is_covered(around):
        return None
    return PlannedLook(kind="wide", range=around, label=zoom.label)
