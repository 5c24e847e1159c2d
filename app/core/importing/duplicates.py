"""Which entries have been seen before, in 8 bytes for each."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

Marks = NDArray[np.int64]
Flags = NDArray[np.bool_]

LOW_BITS = 2**24 - 1


class Seen:
    """Goes by 64-bit hashes: two of a million different entries are taken for the same once in
    thirty million lists."""

    def __init__(self) -> None:
        self._runs: list[Marks] = []
        """Sorted, each much longer than the next."""
        self._low_bits = np.zeros(LOW_BITS + 1, dtype=np.bool_)
        """Of all marks: what is not there is new, without a search."""

    def fresh(self, keys: Iterable[Hashable], count: int) -> Flags:
        """Which of the keys are new; all of them are remembered."""
        marks = np.fromiter(map(hash, keys), np.int64, count)
        is_fresh = np.ones(count, dtype=np.bool_)
        doubtful = np.flatnonzero(self._low_bits[marks & LOW_BITS])
        if doubtful.size:
            is_fresh[doubtful] = ~self._is_known(marks[doubtful])
        run = np.sort(marks)
        if (run[1:] == run[:-1]).any():
            first = np.zeros(count, dtype=np.bool_)
            first[np.unique(marks, return_index=True)[1]] = True
            is_fresh &= first
        self._low_bits[marks & LOW_BITS] = True
        self._remember(run if is_fresh.all() else np.sort(marks[is_fresh]))
        return is_fresh

    def _is_known(self, marks: Marks) -> Flags:
        known = np.zeros(marks.size, dtype=np.bool_)
        for run in self._runs:
            at = np.searchsorted(run, marks)
            known |= run[np.minimum(at, run.size - 1)] == marks
        return known

    def _remember(self, run: Marks) -> None:
        if not run.size:
            return
        # Runs of like length are joined, so that there are never more than some twenty. A stable
        # sort takes two sorted halves as they are.
        while self._runs and self._runs[-1].size <= 2 * run.size:
            run = np.sort(np.concatenate((self._runs.pop(), run)), kind="stable")
        self._runs.append(run)
