"""Pictures with what they show: simulated spectra, whole and in windows, and their truth."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.atomic_file import atomic_file
from agent.errors import WorkbenchError, write_errors
from agent.rendering.render import render_array
from agent.rendering.style import EYE, Style
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from agent.tasks.catalogue import bundled_tasks
from train.evaluate.judges import mirrored, taken_from
from train.questions.distortion import distorted, with_part_of
from train.simulate.atlas import observe_atlas
from train.simulate.production import library_at
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import Rng, Source
from train.simulate.telescope.observation import happens, log_uniform, to_spectrum
from train.simulate.telescope.telescope import observe
from train.vision.grades import (
    asked_features,
    has_data,
    kind_number,
    measured_values,
    ranks,
    within,
)
from train.vision.settings import LessonSettings

TELESCOPES = ("LAMOST", "SDSS", "BOSS", "DESI", "ATLAS", "ATLAS")
TRUE_SNR = 2000.0  # S/N of the twin on which the truth is measured
TASK_WINDOWS = 0.5  # share of the windows that are those of a guideline, moved a little
MOVED, STRETCHED = 40.0, (0.8, 1.3)
LINE_WIDTHS = (0.8, 1.5)
MIN_POINTS = 12
FAR = 3000.0  # km/s from which on an object is none of our stars, and nothing is asked but its kind

SHIFTS = (120.0, 900.0)  # Angstrom; less could be a fast star.
MIRRORED = 0.15
NO_KIND = "ARTEFACT"  # the label of what is no kind of object


def draw_lessons(
    numbers: Iterable[int], settings: LessonSettings, seed: int, library: str
) -> list[Lesson]:
    """A job of other processes: in this module, as that of the pool would bring torch to each."""
    return [lesson(number, settings, seed, library) for number in numbers]


def lesson(number: int, settings: LessonSettings, seed: int, library: str = "") -> Lesson:
    """The same number and seed give the same lesson."""
    rng = np.random.default_rng([seed, number])
    while True:
        try:
            return _lesson(LABELS[number % len(LABELS)], settings, rng, library)
        except WorkbenchError:  # no flux in this telescope's range: draw again
            continue


def _lesson(label: str, settings: LessonSettings, rng: Rng, library: str) -> Lesson:
    source = _source(label, settings, rng, library)
    spectrum, truth = _twins(source, settings, rng)
    if is_misplaced := happens(rng, settings.misplaced):
        seed = int(rng.integers(2**62))
        spectrum = misplaced(spectrum, np.random.default_rng(seed))
        truth = misplaced(truth, np.random.default_rng(seed))
    if happens(rng, settings.partial):
        spectrum = with_part_of(spectrum, rng)
    style = replace(EYE, line_width=log_uniform(rng, LINE_WIDTHS))
    speed = source.velocity_kms
    values = np.full(len(asked_features()), np.nan)
    if abs(speed) < FAR and source.z == 0.0:
        values = ranks(measured_values(truth, speed))
    is_there = has_data(spectrum, speed)
    pictures, ranges, targets = [], [], []
    for window in (None, *_windows(spectrum, settings, rng)):
        shown = spectrum.range if window is None else window
        drawn = picture(spectrum, window, style)
        if drawn is None:
            continue
        pictures.append(drawn)
        ranges.append(shown)
        targets.append(np.where(within(shown, speed) & is_there, values, np.nan))
    if not pictures:
        raise WorkbenchError("nothing to draw")
    kind = kind_number(NO_KIND if is_misplaced else label)
    return Lesson(np.stack(pictures), np.array(ranges), np.array(targets), kind, label)


def _source(label: str, settings: LessonSettings, rng: Rng, library: str) -> Source:
    if library and happens(rng, settings.real_share):
        real = library_at(library)
        if label in real.by_label:
            return real.draw(label, rng)
    return draw_source(label, rng)


def _twins(source: Source, settings: LessonSettings, rng: Rng) -> tuple[Spectrum, Spectrum]:
    """The spectrum as a file has it, and its twin with the same distortions and no noise."""
    telescope = TELESCOPES[int(rng.integers(len(TELESCOPES)))]
    seed = int(rng.integers(2**62))
    snr = log_uniform(rng, settings.snr)
    both = []
    for asked in (snr, TRUE_SNR):
        own = np.random.default_rng(seed)
        if telescope == "ATLAS":
            seen = observe_atlas(source, own, 4.0 * asked, errors_known=True)
        else:
            seen = observe(source, telescope, own, asked)
        both.append(distorted(to_spectrum(seen), settings.distortion, own)[0])
    return both[0], both[1]


def _windows(spectrum: Spectrum, settings: LessonSettings, rng: Rng) -> Iterator[Window]:
    low, high = spectrum.range
    known = _task_windows()
    for _ in range(settings.windows):
        if happens(rng, TASK_WINDOWS):
            start, end = known[int(rng.integers(len(known)))]
            middle = 0.5 * (start + end) + MOVED * float(rng.standard_normal())
            width = (end - start) * log_uniform(rng, STRETCHED)
        else:
            width = log_uniform(rng, settings.width)
            middle = float(rng.uniform(low, high))
        start, end = max(low, middle - width / 2), min(high, middle + width / 2)
        if end - start > 0.4 * width:
            yield start, end


@lru_cache(maxsize=1)
def _task_windows() -> tuple[Window, ...]:
    return tuple(sorted({window.range for task in bundled_tasks() for window in task.windows}))


def picture(spectrum: Spectrum, window: Window | None, style: Style) -> NDArray[np.uint8] | None:
    """The picture in grey, or None where there is too little to draw."""
    if window is not None:
        inside = (spectrum.wavelength >= window[0]) & (spectrum.wavelength <= window[1])
        if np.count_nonzero(inside & np.isfinite(spectrum.flux)) < MIN_POINTS:
            return None
    try:
        return render_array(spectrum, window, style=style, title="").mean(2).astype(np.uint8)
    except WorkbenchError:
        return None


def write_shard_of_lessons(
    shard: int, out: Path, settings: LessonSettings, seed: int, library: str
) -> Path:
    """Make a shard of lessons unless it is there, and return its path."""
    path = out / f"lessons-{shard:05d}.npz"
    if not path.exists():
        first = shard * settings.per_shard
        last = min(first + settings.per_shard, settings.spectra)
        write_lessons(path, [lesson(each, settings, seed, library) for each in range(first, last)])
    return path


def simulated(label: str, settings: LessonSettings, rng: Rng) -> Spectrum:
    """A simulated spectrum with distortions and noise, for tests and probes."""
    while True:
        try:
            return _twins(draw_source(label, rng), settings, rng)[0]
        except WorkbenchError:  # no flux in this telescope's range: draw again
            continue


def misplaced(spectrum: Spectrum, rng: Rng) -> Spectrum:
    """The fluxes shifted to the blue or red on the same wavelengths, or in reverse order."""
    if happens(rng, MIRRORED):
        return mirrored(spectrum)
    shift = log_uniform(rng, SHIFTS) * (1.0 if happens(rng, 0.5) else -1.0)
    low, high = spectrum.range
    # Beyond an end the fluxes run back, so that there is no edge by which to tell.
    places = low + np.abs(spectrum.wavelength - shift - low)
    return taken_from(spectrum, high - np.abs(high - places))


# Shards of lessons on disk: compressed grey pictures with their ranges and targets.
@dataclass(frozen=True, eq=False)
class Lesson:
    """One spectrum: pictures (n, height, width) in grey, their ranges and the asked ranks."""

    pictures: NDArray[np.uint8]
    ranges: FloatArray
    targets: FloatArray
    kind: int
    label: str


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pictures of many spectra in memory, each compressed."""

    blobs: tuple[bytes, ...]
    size: tuple[int, int]
    ranges: FloatArray
    targets: FloatArray
    kinds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.blobs)

    def picture(self, index: int) -> NDArray[np.uint8]:
        """One picture in grey, as an array (height, width)."""
        return np.frombuffer(zlib.decompress(self.blobs[index]), np.uint8).reshape(self.size)


def write_lessons(path: Path, lessons: Sequence[Lesson]) -> None:
    blobs = [zlib.compress(picture.tobytes(), 1) for one in lessons for picture in one.pictures]
    counts = [len(one.pictures) for one in lessons]
    with write_errors(path), atomic_file(path) as file:
        np.savez(
            file,
            pictures=np.frombuffer(b"".join(blobs), np.uint8),
            ends=np.cumsum([len(blob) for blob in blobs]),
            size=np.array(lessons[0].pictures.shape[1:]),
            ranges=np.concatenate([one.ranges for one in lessons]).astype(np.float32),
            targets=np.concatenate([one.targets for one in lessons]).astype(np.float16),
            kinds=np.repeat([one.kind for one in lessons], counts),
            spectra=np.repeat(np.arange(len(lessons)), counts),
        )


def count_pictures(path: Path) -> int:
    """How many pictures a shard has, without reading them."""
    try:
        with np.load(path, allow_pickle=False) as shard:
            return int(shard["kinds"].size)
    except (OSError, KeyError, ValueError) as error:
        raise WorkbenchError(f"{path} is no shard of lessons: {error}") from error


def read_lessons(paths: Sequence[Path]) -> Pictures:
    """All pictures of these shards."""
    blobs: list[bytes] = []
    columns: dict[str, list[np.ndarray]] = {"ranges": [], "targets": [], "kinds": []}
    size = (0, 0)
    for path in paths:
        try:
            with np.load(path, allow_pickle=False) as shard:
                joined, ends = shard["pictures"].tobytes(), shard["ends"].tolist()
                size = (int(shard["size"][0]), int(shard["size"][1]))
                for name, parts in columns.items():
                    parts.append(shard[name])
        except (OSError, KeyError, ValueError) as error:
            raise WorkbenchError(f"{path} is no shard of lessons: {error}") from error
        blobs += [joined[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    if not blobs:
        raise WorkbenchError("there are no lessons")
    return Pictures(
        tuple(blobs),
        size,
        np.concatenate(columns["ranges"]).astype(np.float64),
        np.concatenate(columns["targets"]).astype(np.float64),
        np.concatenate(columns["kinds"]).astype(np.int64),
    )
