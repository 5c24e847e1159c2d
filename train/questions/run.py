"""Making a set of labelled questions straight from the simulator."""

import json
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import count as counting
from pathlib import Path

from agent.atomic_file import write_file
from agent.errors import WorkbenchError, write_errors
from agent.examples.examples import Example, write_examples
from agent.program_version import program_version
from train.parallel import in_order
from train.questions.settings import QuestionSettings
from train.questions.spectrum_questions import SpectrumQuestions, plan_of, questions_on_spectra
from train.simulate.campaign import MAX_COUNT
from train.simulate.campaign import Settings as Campaign

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
    with closing(_all_questions(settings, seed, workers, library)) as questions:
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


def _all_questions(
    settings: QuestionSettings, seed: int, workers: int, library: str
) -> Generator[SpectrumQuestions, None, None]:
    """Endless questions, spectrum by spectrum in the order of their numbers."""
    work = partial(questions_on_spectra, settings, seed, library)
    numbers = (range(at, at + SPECTRA_PER_JOB) for at in counting(0, SPECTRA_PER_JOB))
    for batch in in_order(work, numbers, workers):
        yield from batch


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
