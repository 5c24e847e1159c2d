"""Making a set of labelled questions straight from the simulator."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain
from itertools import count as counting
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.atomic_file import write_file
from agent.errors import WorkbenchError, write_errors
from agent.examples.examples import Example, example, write_examples
from agent.program_version import program_version
from agent.protocol.reply import Verdict
from agent.spectra.spectrum import Spectrum
from train.parallel import in_order
from train.questions.distortion import distorted, with_part_of
from train.questions.settings import QuestionSettings
from train.simulate.campaign import CONTAMINANTS, MAX_COUNT, Assignment
from train.simulate.campaign import Settings as Campaign
from train.simulate.production import SimulatedSpectrum, simulate_spectrum
from train.simulate.sky import LABELS, draw_source
from train.simulate.sky.draw import draw_balanced_kind
from train.simulate.source import Rng, Source
from train.simulate.telescope.observation import happens, to_spectrum
from train.simulate.truth import object_id

ATTEMPTS = 40
UNKNOWN_Z = -9000.0
PLAN, DISTORTION, EVEN, PART = 11, 12, 13, 14

TEMPERATURES = {"A": (7400.0, 10400.0), "B": (10400.0, 30500.0), "O": (30500.0, np.inf)}
"""Limits of the classes of hot stars, kelvin."""
NEAR = 0.04  # relative distance in temperature from a limit within which the class is ambiguous
BETWEEN = {("SS", "MS"): "MG", ("SS", "SC"): "CS"}  # subtypes that also belong to a second class


@dataclass(frozen=True, eq=False)
class SpectrumQuestions:
    """The questions about a spectrum, its distortions, and whether it has an empirical base."""

    examples: tuple[Example, ...]
    distortions: tuple[str, ...]
    from_library: bool


def questions_on_spectra(
    settings: QuestionSettings, seed: int, library: str, numbers: Sequence[int]
) -> list[SpectrumQuestions]:
    return [questions_on_spectrum(settings, seed, number, library) for number in numbers]


def questions_on_spectrum(
    settings: QuestionSettings, seed: int, number: int, library: str = ""
) -> SpectrumQuestions:
    kind, survey = plan_of(settings).draw(_rng(seed, number, PLAN))
    made = _observed(settings, seed, number, library, kind, survey)
    clean = _spectrum(made, seed, number)
    spectrum, names = distorted(clean, settings, _rng(seed, number, DISTORTION))
    chance = _rng(seed, number, PART)
    if happens(chance, settings.partial):
        spectrum = with_part_of(spectrum, chance)
    first = example(
        spectrum,
        task=kind.tasks[0],
        answer=answer_of(kind.label, kind.tasks[0]),
        key=f"{kind.tasks[0]}-{seed}-{number}",
        label=kind.label,
        subtype=made.source.subtype,
        split=settings.split,
    )
    others = [
        replace(first, task=task, answer=answer_of(kind.label, task), key=f"{task}-{seed}-{number}")
        for task in kind.tasks[1:]
    ]
    return SpectrumQuestions((first, *others), names, "base" in made.source.parameters)


def _observed(
    settings: QuestionSettings, seed: int, number: int, library: str, kind: AskedClass, survey: str
) -> SimulatedSpectrum:
    """A simulated spectrum, drawn again if it has no flux in range or its answer is ambiguous."""
    campaign = Campaign(
        seed=seed, count=1, library=library,
        survey=settings.survey, snr=settings.snr, quality=settings.quality,
    )  # fmt: skip
    is_even = kind.label in settings.tasks and happens(_rng(seed, number, EVEN), settings.even)
    draw = draw_balanced_kind if is_even else draw_source
    for attempt in range(1, ATTEMPTS + 1):
        # Beyond the numbers of any campaign, so that the same seed there gives other objects.
        assignment = Assignment(number + attempt * MAX_COUNT, kind.label, survey)
        try:
            made = simulate_spectrum(campaign, assignment, settings.library_share, draw)
        except WorkbenchError:
            continue
        if not any(is_open(made.source, task) for task in kind.tasks):
            return made
    raise WorkbenchError(
        f"no usable {kind.label} observed by {survey} in {ATTEMPTS} draws (seed {seed}, "
        f"number {number}): check that the library is readable"
    )


def _spectrum(made: SimulatedSpectrum, seed: int, number: int) -> Spectrum:
    """The spectrum as a reader would return it, under a name that does not reveal its class."""
    spectrum = to_spectrum(made.entry.observation, made.entry.pipeline_class)
    is_known = spectrum.z is not None and spectrum.z > UNKNOWN_Z
    return replace(
        spectrum,
        z=spectrum.z if is_known else None,
        ra=made.entry.target.ra,
        dec=made.entry.target.dec,
        object_id=object_id(made),
        path=f"spec-{seed}-{number:07d}.fits",
    )


def _rng(seed: int, number: int, purpose: int) -> Rng:
    return np.random.default_rng(np.random.SeedSequence((seed, number), spawn_key=(purpose,)))


# The tasks that are asked about each class, with a fixed ratio of YES and NO for every task. A
# spectrum of a class with a task is asked its own task (YES), one that it contaminates (NO), or
# both; any other spectrum is asked one task (NO).
@dataclass(frozen=True)
class AskedClass:
    """A class and the tasks asked about one spectrum of it."""

    label: str
    tasks: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """Kinds of spectra and surveys, with their odds."""

    kinds: tuple[AskedClass, ...]
    odds: NDArray[np.float64]
    surveys: tuple[str, ...]
    survey_odds: NDArray[np.float64]

    def draw(self, rng: Rng) -> tuple[AskedClass, str]:
        kind = self.kinds[int(rng.choice(len(self.kinds), p=self.odds))]
        return kind, self.surveys[int(rng.choice(len(self.surveys), p=self.survey_odds))]


def answer_of(label: str, task: str) -> Verdict:
    return "YES" if label == task else "NO"


@lru_cache(maxsize=8)
def plan_of(settings: QuestionSettings) -> Plan:
    odds: dict[AskedClass, float] = {}
    noes = {task: negatives(task, settings.hard) for task in settings.tasks}
    for label in LABELS:
        asked = {task: settings.noes * noes[task].get(label, 0.0) for task in settings.tasks}
        total = sum(asked.values())
        own = 1.0 if label in settings.tasks else 0.0
        both = min(settings.both * own, own / total) if total else 0.0
        if own:
            odds[AskedClass(label, (label,))] = own - both * total
        for task, share in asked.items():
            if share:
                odds[AskedClass(label, (task,))] = (1.0 - both) * share
                odds[AskedClass(label, (label, task))] = both * share
    kinds = tuple(kind for kind, share in odds.items() if share > 0)
    shares = np.array([odds[kind] for kind in kinds])
    seen_by = Campaign(seed=0, count=1, survey=settings.survey).shares
    survey_shares = np.array(list(seen_by.values()))
    return Plan(kinds, shares / shares.sum(), tuple(seen_by), survey_shares / survey_shares.sum())


def negatives(task: str, hard_share: float) -> dict[str, float]:
    """Share of each class among the NO of a task, `hard_share` of them hard negatives."""
    weights = CONTAMINANTS[task]
    others = [label for label in LABELS if label != task]
    shares = {label: (1.0 - hard_share) / len(others) for label in others}
    for label, weight in weights.items():
        shares[label] += hard_share * weight / sum(weights.values())
    return shares


def is_open(source: Source, task: str) -> bool:
    """Whether YES is a defensible answer although the source has another label."""
    if source.label == task:
        return False
    if source.label == "NEBULA":
        return source.subtype == f"nebula over {task}"
    if BETWEEN.get((source.label, source.subtype)) == task:
        return True
    kelvin = source.parameters.get("kelvin")
    if source.label not in ("F", *TEMPERATURES) or task not in TEMPERATURES or kelvin is None:
        return False
    low, high = TEMPERATURES[task]
    return low * (1.0 - NEAR) < float(kelvin) < high * (1.0 + NEAR)


SPECTRA_PER_JOB = 8


@dataclass(eq=False)
class QuestionCounts:
    """Counts of what has been made."""

    spectra: int = 0
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    negatives: dict[str, Counter[str]] = field(default_factory=dict)
    """Classes of the NO of each task."""
    labels: Counter[str] = field(default_factory=Counter)
    surveys: Counter[str] = field(default_factory=Counter)
    distortions: Counter[str] = field(default_factory=Counter)
    undistorted: int = 0
    from_library: int = 0

    def add(self, questions: SpectrumQuestions) -> None:
        first = questions.examples[0]
        self.spectra += 1
        self.labels[first.label] += 1
        self.surveys[first.spectrum.survey] += 1
        self.distortions.update(questions.distortions)
        self.undistorted += not questions.distortions
        self.from_library += questions.from_library
        for one in questions.examples:
            self.answers.setdefault(one.task, Counter())[one.answer] += 1
            if one.answer == "NO":
                self.negatives.setdefault(one.task, Counter())[one.label] += 1


def run(
    out: Path,
    settings: QuestionSettings,
    *,
    count: int,
    seed: int = 0,
    workers: int = 1,
    library: str = "",
    advance: Callable[[int], None] = lambda questions: None,
) -> QuestionCounts:
    """Write `count` questions to `out`, and a JSON description beside it."""
    if out.suffix != ".parquet":
        raise WorkbenchError(f"{out}: choose a name that ends in .parquet")
    if not 1 <= count <= MAX_COUNT or seed < 0:
        raise WorkbenchError(f"count must be between 1 and {MAX_COUNT}, and the seed not negative")
    # Raises for a faulty survey, S/N or quality before anything is made.
    Campaign(seed=seed, count=1, survey=settings.survey, snr=settings.snr, quality=settings.quality)
    counts = QuestionCounts()
    # Endless, spectrum by spectrum in the order of their numbers.
    work = partial(questions_on_spectra, settings, seed, library)
    numbers = (range(at, at + SPECTRA_PER_JOB) for at in counting(0, SPECTRA_PER_JOB))
    with closing(in_order(work, numbers, workers)) as batches:
        questions = chain.from_iterable(batches)
        write_examples(out, _examples(questions, count, counts, advance))
    account = {
        "version": program_version(),
        "count": count,
        "seed": seed,
        "library": Path(library).name,
        "settings": asdict(settings),
        "made": vars(counts),
    }
    path = out.with_suffix(".json")
    with write_errors(path):
        write_file(path, json.dumps(account, indent=1) + "\n")
    return counts


def labels_drawn(settings: QuestionSettings) -> set[str]:
    return {kind.label for kind in plan_of(settings).kinds}


def _examples(
    questions: Iterator[SpectrumQuestions],
    count: int,
    counts: QuestionCounts,
    advance: Callable[[int], None],
) -> Iterator[Example]:
    remaining = count
    for each in questions:
        kept = each.examples[:remaining]
        counts.add(SpectrumQuestions(kept, each.distortions, each.from_library))
        yield from kept
        advance(len(kept))
        remaining -= len(kept)
        if not remaining:
            return
