"""One spectrum of a campaign, from its number to the content of a file."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agent.errors import WorkbenchError
from agent.program_version import program_version
from train.simulate.atlas import observe_atlas
from train.simulate.campaign import Assignment, Settings, draw_quality, object_rng, spectrum_rng
from train.simulate.layouts.common import Entry, Stamp, draw_position, draw_target, moved_to
from train.simulate.realism.library import Library
from train.simulate.sky import draw_source
from train.simulate.source import Rng, Source
from train.simulate.telescope.observation import happens, log_uniform
from train.simulate.telescope.pipeline_class import draw_pipeline_class
from train.simulate.telescope.surveys import ATLAS, graded, profile_named
from train.simulate.telescope.telescope import observe

Draw = Callable[[str, Rng], Source]
NEIGHBOURS = ("A", "F", "G", "G", "K", "K", "M_DWARF")
LIBRARY_SHARE = 0.5
"""Share of the spectra of a class in the library that are made from it; the rest stay synthetic, so
that a model does not depend on a few bases."""
ATLAS_BRIGHTER = 4.0


@dataclass(frozen=True, eq=False)
class SimulatedSpectrum:
    source: Source
    entry: Entry
    quality: str


@lru_cache(maxsize=4)
def library_at(folder: str) -> Library:
    return Library(Path(folder))


def simulate_spectrum(
    settings: Settings,
    assignment: Assignment,
    library_share: float = LIBRARY_SHARE,
    draw: Draw = draw_source,
) -> SimulatedSpectrum:
    """One spectrum of the campaign; `draw` provides the sources that are not from the library."""
    rng = spectrum_rng(settings.seed, assignment.index)
    snr = log_uniform(rng, settings.snr)
    quality = draw_quality(settings, assignment.label, rng)
    sky = None if settings.sky is None else object_rng(settings.sky, assignment.index + 1)
    position = None if sky is None else draw_position(sky)
    source = _source(settings, assignment, rng if sky is None else sky, library_share, draw)
    if assignment.survey == ATLAS:
        observation = observe_atlas(source, rng, snr * ATLAS_BRIGHTER)
    else:
        odds = graded(profile_named(assignment.survey).quality, quality).crosstalk_odds
        companion = _neighbour(assignment.label, rng) if happens(rng, odds) else None
        observation = observe(source, assignment.survey, rng, snr, companion, quality)
    answer = draw_pipeline_class(source, observation.snr["r"], rng)
    target = draw_target(observation, assignment.index, rng)
    if position is not None:
        target = moved_to(target, position, rng)
    stamp = Stamp(settings.seed, assignment.index, program_version())
    return SimulatedSpectrum(source, Entry(observation, target, answer, stamp), quality)


def _source(
    settings: Settings, assignment: Assignment, rng: Rng, share: float, draw: Draw
) -> Source:
    """From the library, or drawn.

    A base must be readable (the command has reported those that are not) and cover the range in
    which the S/N of the survey is set.
    """
    library = library_at(settings.library) if settings.library else None
    if library is not None and assignment.label in library.by_label and happens(rng, share):
        low, high = (3900.0, 6700.0) if assignment.survey == ATLAS else (5600.0, 6500.0)
        with suppress(WorkbenchError):
            base = library.draw(assignment.label, rng)
            if base.valid[0] < low and base.valid[1] > high:
                return base
    return draw(assignment.label, rng)


def _neighbour(label: str, rng: Rng) -> Source | None:
    other = NEIGHBOURS[int(rng.integers(len(NEIGHBOURS)))]
    return None if other == label else draw_source(other, rng)


def usable_bases(folder: str, labels: set[str]) -> tuple[int, list[str]]:
    """Number of readable bases of these labels, and why the others cannot be read."""
    library = library_at(folder)
    refused = library.unreadable(labels)
    wanted = sum(len(bases) for label, bases in library.by_label.items() if label in labels)
    if wanted == len(refused):
        reason = f": {refused[0]}" if refused else ""
        raise WorkbenchError(
            f"{folder} has no readable base of {', '.join(sorted(labels))}{reason}"
        )
    return wanted - len(refused), refused
