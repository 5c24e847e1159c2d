"""The look at one spectrum of a survey: quick numbers of each, a whole inspection of the likely."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from agent.errors import WorkbenchError
from agent.evidence.assessment import assess_measurements
from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.evidence.quick import QuickNumbers, quick_weights, sky_ratio
from agent.spectra.instrument import arm_join
from agent.spectra.readers import read
from agent.spectra.readers.registry import read_numbered
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import bundled_task, bundled_tasks, task_source
from agent.tasks.task import Task
from agent.tasks.task_file import parse_task
from app.core.finding.inputs import ANY_ROW, Input
from app.core.finding.plant import Members, members_of, planted
from app.core.importing.spectrum_rows import rows_of

MOST_ROWS = 500  # of a file in one call: what a coadd of DESI has, some seconds of work
MANY_MASKED, MANY_NEGATIVE = 0.2, 0.1
BIG_STEP, STEP_SIGMA = 0.1, 5.0
SKY_RATIO = 2.5  # how much more the sky lines scatter than the rest, in errors
SATURATED_PIXELS = 6  # neighbours with the very same flux, the highest of all
USEFUL = (3900.0, 9000.0)
PART = 0.5  # of USEFUL: less is a part of a spectrum
NOISE_RATIOS = (0.3, 3.0)
SEED_BITS = 2**63 - 1
DIGITS = 12  # bits kept of the 23 of a single number: an error of 0.01 %, and half the disk space

FLAGS = ("masked", "sky", "join", "saturated", "negative", "part", "noise")
"""Names of the quality bits, from the lowest."""

Rows = dict[str, list[Any]]
OF_PLANTED = ("planted_snr", "planted_quick", "planted_p")
NOTHING_PLANTED = {"planted": "", **dict.fromkeys(OF_PLANTED, math.nan)}


@dataclass(frozen=True)
class LookSettings:
    """What is looked for: ids of bundled classes, and texts of task files of one's own."""

    tasks: tuple[str, ...] = ()
    own_tasks: tuple[str, ...] = ()
    plant_each: int = 50  # one in so many spectra gets a planted twin; 0 none

    @classmethod
    def of(cls, tasks: Sequence[Task], plant_each: int) -> LookSettings:
        """Settings for these classes, bundled ones and the user's own."""
        ids = tuple(task.id for task in tasks if task.path is None)
        own = tuple(task_source(task) for task in tasks if task.path is not None)
        return cls(ids, own, plant_each)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> LookSettings:
        tasks, own = (tuple(map(str, found[name])) for name in ("tasks", "own_tasks"))
        return cls(tasks, own, int(found["plant_each"]))


@dataclass
class LookResult:
    """What became of some inputs. `more` are spectra of a long file, still to be looked at."""

    rows: Rows = field(default_factory=dict)
    unread: list[tuple[str, int, str]] = field(default_factory=list)
    more: list[Input] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows.get("path", ()))


def bundled_ids() -> tuple[str, ...]:
    """The bundled classes, which quick weights know."""
    return tuple(task.id for task in bundled_tasks())


class Look:
    """Looks at inputs, one after the other. For one thread."""

    def __init__(self, settings: LookSettings) -> None:
        self._settings = settings

    @cached_property
    def _tasks(self) -> list[Task]:
        tasks = [bundled_task(each) for each in self._settings.tasks]
        own = [parse_task(text.encode(), "own task") for text in self._settings.own_tasks]
        return [*(task for task in tasks if task is not None), *own]

    @cached_property
    def _members(self) -> list[tuple[str, Members]]:
        """The classes of which members can be planted."""
        found = ((task.id, members_of(task.id)) for task in self._tasks)
        return [(name, members) for name, members in found if members is not None]

    def __call__(self, some: Sequence[Input]) -> LookResult:
        found = LookResult()
        for place, each in enumerate(some):
            if len(found) >= MOST_ROWS:  # a message has a limit
                found.more += some[place:]
                break
            self._look_at(each, found)
        return found

    def _look_at(self, one: Input, found: LookResult) -> None:
        try:
            first = read(one.path) if one.row == ANY_ROW else read_numbered(one.path, one.row)
        except WorkbenchError as error:
            found.unread.append((one.path, one.row, str(error)))
            return
        # Exposures beside a coadd are rows that nobody lists.
        rows = rows_of(Path(one.path)) if one.row == ANY_ROW and first.rows > 1 else []
        if len(rows) < 2:
            self._add(first, one, max(one.row, 0), 1 if one.row == ANY_ROW else first.rows, found)
            return
        # A file with several: in the order of the file, some now and the rest in calls of others.
        for place, each in enumerate(rows):
            row = Input(one.path, each.row, each.object_id, each.ra, each.dec, True)
            if place >= MOST_ROWS:
                found.more.append(row)
                continue
            try:
                spectrum = read_numbered(one.path, each.row)
                self._add(spectrum, row, each.row, len(rows), found)
            except WorkbenchError as error:
                found.unread.append((one.path, each.row, str(error)))

    def _add(self, spectrum: Spectrum, one: Input, row: int, rows: int, found: LookResult) -> None:
        numbers = self._numbers(spectrum)
        seed = _seed(one.path, row)
        values = {
            "path": one.path, "row": row, "rows": rows,
            "object_id": one.object_id or spectrum.object_id,
            "ra": spectrum.ra if one.ra is None else one.ra,
            "dec": spectrum.dec if one.dec is None else one.dec,
            "survey": spectrum.survey, "epoch": _epoch(spectrum), **numbers,
            **self._planted(spectrum, seed),
        }  # fmt: skip
        for name, value in values.items():
            found.rows.setdefault(name, []).append(value)

    def _numbers(self, spectrum: Spectrum) -> Rows:
        quick, measured = self._judged(spectrum)
        weights = quick_weights()
        good = spectrum.wavelength[spectrum.good]
        low, high = (float(good[0]), float(good[-1])) if good.size else (math.nan, math.nan)
        velocity = quick.velocity if measured is None else measured[0].velocity
        likeliest = int(np.argmax(quick.p))
        values: dict[str, Any] = {
            "snr": short(quick.numbers.overall_snr), "z": spectrum.z,
            "velocity_kms": short(velocity.kms if velocity.source else math.nan),
            "velocity_error_kms": short(velocity.error_kms if velocity.source else math.nan),
            "low": short(low), "high": short(high), "quality": quality_bits(quick.numbers),
            "kind": weights.kinds.labels[likeliest], "kind_p": short(quick.p[likeliest]),
            "oddness": short(quick.oddness), "measured": measured is not None,
        }  # fmt: skip
        for task in self._tasks:
            if task.id in weights.kinds.labels:
                values[f"quick_{task.id}"] = short(quick.p[weights.kinds.labels.index(task.id)])
            p = math.nan if measured is None else measured[1].get(task.id, math.nan)
            values[f"p_{task.id}"] = p
        return values

    def _judged(
        self, spectrum: Spectrum
    ) -> tuple[QuickNumbers, tuple[SpectrumMeasurements, dict[str, float]] | None]:
        """A first look, and a whole inspection for the classes that the spectrum may belong to."""
        weights = quick_weights()
        quick = weights.look(spectrum)
        likely = [task for task in self._tasks if weights.may_be(task.id, quick)]
        if not likely:
            return quick, None
        numbers = measurements_of(spectrum)
        return quick, (numbers, {t.id: assess_measurements(numbers, t).p_yes for t in likely})

    def _planted(self, spectrum: Spectrum, seed: int) -> dict[str, Any]:
        """A member in place of one spectrum in so many, of the classes in turn."""
        each = self._settings.plant_each
        if not each or seed % each or not self._members:
            return NOTHING_PLANTED
        name, members = self._members[seed // each % len(self._members)]
        twin = planted(spectrum, members, seed)
        if twin is None:
            return NOTHING_PLANTED
        quick, measured = self._judged(twin)
        p = math.nan if measured is None else measured[1].get(name, math.nan)
        return {
            "planted": name, "planted_snr": short(quick.numbers.overall_snr),
            "planted_quick": short(quick.p[quick_weights().kinds.labels.index(name)]),
            "planted_p": p,
        }  # fmt: skip


def _seed(path: str, row: int) -> int:
    """A number of this spectrum alone, the same in every run."""
    text = f"{path} {row}".encode(errors="surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little") & SEED_BITS


def _epoch(spectrum: Spectrum) -> float:
    """The day of the observation (MJD), NaN where the file does not say."""
    for key in ("MJD", "LMJD", "MJD-OBS", "mjd"):
        value = spectrum.meta.get(key)
        if isinstance(value, int | float) and math.isfinite(value):
            return float(value)
    return math.nan


def short(value: float) -> float:
    """The number with fewer digits than its error has, which halves the space on disk."""
    bits = np.float32(value).view(np.uint32)
    kept = np.uint32(0xFFFFFFFF) << np.uint32(23 - DIGITS)
    return float((bits & kept).view(np.float32)) if math.isfinite(value) else math.nan


def quality_bits(numbers: SpectrumMeasurements) -> int:
    """One bit for each of FLAGS that holds."""
    spectrum, state = numbers.spectrum, numbers.quality
    step, noise = state.join_step, state.noise_ratio
    good = spectrum.wavelength[spectrum.good]
    covered = np.diff(np.clip([good[0], good[-1]], *USEFUL))[0] if good.size else 0.0
    flags = {
        "masked": state.bad_fraction > MANY_MASKED,
        "sky": sky_ratio(spectrum) > SKY_RATIO,
        "join": arm_join(spectrum) is not None
        and step.value is not None
        and abs(step.value) > max(BIG_STEP, STEP_SIGMA * (step.error or 0.0)),
        "saturated": _longest_top(spectrum) >= SATURATED_PIXELS,
        "negative": state.negative_fraction > MANY_NEGATIVE,
        "part": covered < PART * (USEFUL[1] - USEFUL[0]),
        "noise": noise is not None and not NOISE_RATIOS[0] < noise < NOISE_RATIOS[1],
    }
    return sum(1 << place for place, name in enumerate(FLAGS) if flags[name])


def _longest_top(spectrum: Spectrum) -> int:
    """Pixels in a row that have the highest flux of all, to the last digit."""
    flux = spectrum.flux[spectrum.good]
    if not flux.size:
        return 0
    at_top = np.concatenate([[False], flux == flux.max(), [False]]).astype(np.int8)
    steps = np.flatnonzero(np.diff(at_top))
    return int((steps[1::2] - steps[::2]).max())
