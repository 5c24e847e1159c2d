"""Simulated examples for drafts and their curation: a few of every published task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from train.examples import Example, example, write_examples
from train.simulate.campaign import Settings, assignments
from train.simulate.production import make
from train.simulate.telescope.observation import to_spectrum

TASKS = ("CV", "CS", "SS", "MG", "WD")
PER_TASK = 4


def simulated(task: str, count: int, seed: int = 3) -> Iterator[Example]:
    """Half of the class, half of its contaminants, S/N above 20."""
    settings = Settings(
        seed=seed, count=count, task=task, odds=(1, 1), survey="LAMOST,SDSS", snr=(20, 80)
    )
    for assignment in assignments(settings):
        made = make(settings, assignment)
        spectrum = to_spectrum(made.entry.observation, made.entry.guess)
        name = f"spec-{task}-{assignment.index:04d}.fits"
        label = made.source.label
        yield example(
            replace(spectrum, path=name, object_id=f"{task}-{assignment.index}"),
            task=task,
            answer="YES" if label == task else "NO",
            label=label,
        )


@cache
def all_examples() -> tuple[Example, ...]:
    return tuple(
        one for place, task in enumerate(TASKS) for one in simulated(task, PER_TASK, place)
    )


def write_set(path: Path) -> Path:
    write_examples(path, all_examples())
    return path
