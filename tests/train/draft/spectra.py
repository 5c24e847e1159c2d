"""Simulated examples of every published task, and drafts of them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

from agent.examples.examples import Example, example, write_examples
from train.draft.settings import DraftSettings
from train.draft.teachers import Draft, MeasuredTeacher
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum
from train.simulate.telescope.observation import to_spectrum

TASKS = ("CV", "CS", "SS", "MG", "WD")
PER_TASK = 4

LONG, SHORT = DraftSettings(), DraftSettings(words="short", style="compact")


def simulated(task: str, count: int, seed: int = 3) -> Iterator[Example]:
    """Half of the class, half of its contaminants, S/N above 20."""
    sky = {"odds": (1, 1), "survey": "LAMOST,SDSS", "snr": (20, 80)}
    settings = Settings(seed=seed, count=count, task=task, **sky)
    for assignment in assignments(settings):
        made = simulate_spectrum(settings, assignment)
        spectrum = to_spectrum(made.entry.observation, made.entry.pipeline_class)
        name, label = f"spec-{task}-{assignment.index:04d}.fits", made.source.label
        named = replace(spectrum, path=name, object_id=f"{task}-{assignment.index}")
        yield example(named, task=task, answer="YES" if label == task else "NO", label=label)


@cache
def all_examples() -> tuple[Example, ...]:
    each = (simulated(task, PER_TASK, place) for place, task in enumerate(TASKS))
    return tuple(chain.from_iterable(each))


def write_set(path: Path) -> Path:
    write_examples(path, all_examples())
    return path


def drafted(example: Example, settings: DraftSettings = LONG, seed: int = 0) -> Draft:
    return MeasuredTeacher(settings).draft(example, 0, seed)
