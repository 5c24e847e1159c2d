"""Makes a set of labelled real spectra, with one question per spectrum and task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from agent.errors import ReadError, WorkbenchError
from agent.examples.examples import Example, count_examples, example, write_examples
from agent.spectra.readers import read
from agent.tasks.catalogue import load_tasks
from train.simulate.realism.library import Base, Library

LIBRARY_SET = "library.parquet"


def write_library_set(folder: Path, out: Path) -> int:
    """Write a set of the readable spectra of a MANIFEST.csv; returns its number of questions."""
    path = out / LIBRARY_SET
    if not path.is_file() and not write_examples(path, _questions(Library(folder).bases)):
        path.unlink()
        raise WorkbenchError(f"{folder} has no readable spectrum")
    return count_examples(path)


def _questions(bases: Sequence[Base]) -> Iterator[Example]:
    for number, base in enumerate(bases):
        try:
            spectrum = read(base.path)
        except ReadError:
            continue
        for task in load_tasks():
            yield example(
                spectrum,
                task=task.id,
                answer="YES" if base.label == task.id else "NO",
                key=f"{task.id}-{number}-{base.path.name}",
                label=base.label,
                subtype=base.subtype,
                split="test",
            )
