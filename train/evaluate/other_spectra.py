"""Picks, for each example of a set, a spectrum of another class for a test of sight."""

from __future__ import annotations

import random
from pathlib import Path

from agent.errors import WorkbenchError
from agent.examples.examples import Example, column
from agent.examples.store import ExampleStore
from agent.protocol.reply import Verdict
from agent.spectra.spectrum import Spectrum

TRIES = 4
COVERED = 0.9
"""Share of the wavelengths that the other spectrum should cover."""
OTHER_ANSWER = 0.5
"""Share of the draws among spectra with the other answer: most pairs of classes share a NO."""


class OtherSpectra:
    """Spectra of another class, the same ones for the same set at every call."""

    def __init__(self, path: Path) -> None:
        self._store = ExampleStore([path])
        self._by_task: dict[str, list[dict[str, str]]] = {}
        for row in column(path, "task", "answer", "label", "sha256"):
            self._by_task.setdefault(row["task"], []).append(row)

    def of(self, example: Example) -> tuple[Spectrum, Verdict]:
        """A spectrum of another class, and the true answer for it."""
        rows = [row for row in self._by_task[example.task] if _is_another(row, example)]
        if not rows:
            raise WorkbenchError(f"no spectrum of another class for {example.key}")
        draw = random.Random(example.key)
        differing = [row for row in rows if row["answer"] != example.answer]
        if differing and draw.random() < OTHER_ANSWER:
            rows = differing
        drawn = draw.sample(rows, min(TRIES, len(rows)))
        chosen = max(drawn, key=lambda row: min(self._covered(example, row), COVERED))
        answer: Verdict = "YES" if chosen["answer"] == "YES" else "NO"
        return self._store[chosen["sha256"]].spectrum, answer

    def _covered(self, example: Example, row: dict[str, str]) -> float:
        return covered(example.spectrum, self._store[row["sha256"]].spectrum)


def covered(spectrum: Spectrum, other: Spectrum) -> float:
    """The share of the spectrum's wavelengths that the other one has, too."""
    (low, high), (start, end) = spectrum.range, other.range
    return max(0.0, min(high, end) - max(low, start)) / (high - low)


def _is_another(row: dict[str, str], example: Example) -> bool:
    """Whether the class differs, or the answer where classes are not known."""
    if row["sha256"] == example.sha256:
        return False
    if row["label"] and example.label:
        return row["label"] != example.label
    return row["answer"] != example.answer
