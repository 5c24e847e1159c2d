"""Labelled questions straight from the simulator: one story that reads top to bottom."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import count as counting
from pathlib import Path

from agent.errors import WorkbenchError
from train.examples import Example, write_examples
from train.parallel import in_order
from train.questions.asking import Asked, Request, ask_all
from train.questions.plan import plan_of
from train.questions.settings import QuestionSettings
from train.simulate.campaign import MAX_COUNT
from train.simulate.campaign import Settings as Campaign
from train.simulate.identity import program_version

SPECTRA_PER_JOB = 8


@dataclass(eq=False)
class QuestionCounts:
    """What was made so far."""

    spectra: int = 0
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    negatives: dict[str, Counter[str]] = field(default_factory=dict)
    """Classes among the NO of each task."""
    labels: Counter[str] = field(default_factory=Counter)
    surveys: Counter[str] = field(default_factory=Counter)
    distortions: Counter[str] = field(default_factory=Counter)
    undistorted: int = 0
    from_library: int = 0

    def add(self, asked: Asked) -> None:
        first = asked.examples[0]
        self.spectra += 1
        self.labels[first.label] += 1
        self.surveys[first.spectrum.survey] += 1
        self.distortions.update(asked.distortions)
        self.undistorted += not asked.distortions
        self.from_library += asked.from_library
        for one in asked.examples:
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
    """Write `count` questions to `out` and what they are beside it, as JSON."""
    if out.suffix != ".parquet":
        raise WorkbenchError(f"{out}: give it a name that ends in .parquet")
    if not 1 <= count <= MAX_COUNT or seed < 0:
        raise WorkbenchError(f"count goes from 1 to {MAX_COUNT}, and no seed is negative")
    # Faulty survey, S/N or quality: told before anything is made.
    Campaign(seed=seed, count=1, survey=settings.survey, snr=settings.snr, quality=settings.quality)
    tally = QuestionCounts()
    asked = _asked(settings, seed, workers, library)
    with closing(asked):
        write_examples(out, _questions(asked, count, tally, advance))
    _describe(out, settings, count, seed, library, tally)
    return tally


def labels_drawn(settings: QuestionSettings) -> set[str]:
    return {kind.label for kind in plan_of(settings).kinds}


def _asked(
    settings: QuestionSettings, seed: int, workers: int, library: str
) -> Generator[Asked, None, None]:
    """Spectrum after spectrum without end, in the order of their numbers."""
    requests = (
        Request(
            settings=settings,
            seed=seed,
            numbers=range(first, first + SPECTRA_PER_JOB),
            library=library,
        )
        for first in counting(0, SPECTRA_PER_JOB)
    )
    for batch in in_order(ask_all, requests, workers):
        yield from batch


def _questions(
    asked: Iterator[Asked], count: int, tally: QuestionCounts, advance: Callable[[int], None]
) -> Iterator[Example]:
    left = count
    for each in asked:
        kept = each.examples[:left]
        tally.add(Asked(kept, each.distortions, each.from_library))
        yield from kept
        advance(len(kept))
        left -= len(kept)
        if not left:
            return


def _describe(
    out: Path,
    settings: QuestionSettings,
    count: int,
    seed: int,
    library: str,
    tally: QuestionCounts,
) -> None:
    told = {
        "version": program_version(),
        "count": count,
        "seed": seed,
        "library": Path(library).name,
        "settings": asdict(settings),
        "made": vars(tally),
    }
    path = out.with_suffix(".json")
    try:
        path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error
