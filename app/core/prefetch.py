"""Spectra read before they are asked for, so that the verdict key never waits for a disk.

Worker threads read what is on screen, then what comes next, then what came before. What is no
longer wanted is not begun. Held are so many spectra and so many bytes, no more.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from agent.errors import ReadError
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum
from app.core.database.tables import TARGETID
from app.core.session.records import Candidate

MAX_BYTES = 256 * 2**20
ERROR_BYTES = 4096
PER_PIXEL = 9
"""Bytes a spectrum grows by when it is first looked at: its good pixels and its errors."""
CLOSING_S = 10.0
NEVER = 2**31

Stamp = tuple[int, int] | None


@dataclass(frozen=True)
class Wanted:
    """Which spectrum: equal ones are read once."""

    candidate_id: int
    path: str
    row: int = 0


@dataclass(frozen=True)
class Figures:
    """How often `get` found it ready, had to wait for a worker, or had to read it itself."""

    ready: int = 0
    waited: int = 0
    missed: int = 0

    @property
    def hit_rate(self) -> float | None:
        asked = self.ready + self.waited + self.missed
        return self.ready / asked if asked else None


def wanted(candidate: Candidate) -> Wanted:
    return Wanted(candidate.id, candidate.path, candidate.row)


def read_wanted(key: Wanted) -> Spectrum:
    """From its file, by row or TARGETID."""
    if not key.path:
        raise ReadError("the list names no file for this object")
    if key.row >= TARGETID:
        return read(key.path, target=key.row)
    return read(key.path, key.row)


def file_stamp(path: str) -> Stamp:
    """Changes when the file does; None where there is none."""
    try:
        about = Path(path).stat()
    except (OSError, ValueError):
        return None
    return about.st_mtime_ns, about.st_size


class Prefetch:
    """`read` gives a spectrum or raises ReadError, in several threads at once. Close it when done.

    An error is remembered until its file changes. Any thread may call.
    """

    def __init__(
        self,
        read: Callable[[Wanted], Spectrum] = read_wanted,
        *,
        ahead: int = 8,
        behind: int = 3,
        workers: int = 2,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.read = read
        self.ahead, self.behind = ahead, behind
        self.max_bytes = max_bytes
        self.max_count = 1 + 2 * (ahead + behind)
        self._changed = threading.Condition()
        self._wish: tuple[Wanted, ...] = ()
        self._too_much = NEVER
        """From this place of the wish on there is no room."""
        self._held: OrderedDict[Wanted, _Held] = OrderedDict()
        self._bytes = 0
        self._reading: dict[Wanted, _Reading] = {}
        self._is_closed = False
        self._figures = Figures()
        self._threads = [
            threading.Thread(target=self._work, name=f"prefetch {number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def figures(self) -> Figures:
        return self._figures

    @property
    def held_bytes(self) -> int:
        return self._bytes

    def look_at(
        self, current: Wanted, following: Sequence[Wanted] = (), preceding: Sequence[Wanted] = ()
    ) -> None:
        """Say what is on screen, what comes next and what came before, nearest first. Replaces what
        was said before."""
        near = (current, *following[: self.ahead], *preceding[: self.behind])
        wish = tuple(dict.fromkeys(near))
        mended = self._mended(wish)
        with self._changed:
            for key in mended:
                self._drop(key)
            self._wish = wish
            self._too_much = NEVER
            self._changed.notify_all()

    def get(self, key: Wanted) -> Spectrum:
        """The spectrum, or its ReadError; waits for this one only."""
        mended = self._mended((key,))
        with self._changed:
            for each in mended:
                self._drop(each)
            held = self._held.get(key)
            if held is not None:
                self._held.move_to_end(key)
                self._figures = replace(self._figures, ready=self._figures.ready + 1)
                return held.outcome.spectrum
            reading = self._reading.get(key)
            if reading is not None:
                self._figures = replace(self._figures, waited=self._figures.waited + 1)
                outcome = reading.outcome_when_done(self._changed)
                return outcome.spectrum
            self._figures = replace(self._figures, missed=self._figures.missed + 1)
            reading = self._begin(key)
        return self._finish(key, reading).spectrum

    def peek(self, key: Wanted) -> Spectrum | None:
        """The spectrum where it is ready; None where `get` would wait. Raises its ReadError."""
        with self._changed:
            held = self._held.get(key)
        return None if held is None else held.outcome.spectrum

    def settle(self, timeout_s: float) -> bool:
        """Wait until all that is wanted and fits is there; whether it is."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._is_closed or (self._next() is None and not self._reading), timeout_s
            )

    def close(self) -> None:
        """Begin nothing more, and wait for what is being read."""
        with self._changed:
            self._is_closed = True
            self._wish = ()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(CLOSING_S)
        with self._changed:
            self._held.clear()
            self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or self._next() is not None)
                key = self._next()
                if self._is_closed or key is None:
                    return
                reading = self._begin(key)
            self._finish(key, reading)

    def _next(self) -> Wanted | None:
        """What to read now: the first that is wanted and neither there nor being read."""
        for key in self._wish[: self._too_much]:
            if key not in self._held and key not in self._reading:
                return key
        return None

    def _begin(self, key: Wanted) -> _Reading:
        reading = _Reading()
        self._reading[key] = reading
        return reading

    def _finish(self, key: Wanted, reading: _Reading) -> _Outcome:
        """Without the lock: this is the slow part."""
        outcome = INTERRUPTED
        stamp = file_stamp(key.path)
        try:
            outcome = _outcome(self.read, key)
        finally:
            with self._changed:
                reading.outcome = outcome
                del self._reading[key]
                if not self._is_closed and outcome is not INTERRUPTED:
                    self._hold(key, _Held(outcome, stamp))
                self._changed.notify_all()
        return outcome

    def _hold(self, key: Wanted, held: _Held) -> None:
        """Keep it, and let go of what matters least; that may be itself."""
        self._held[key] = held
        self._bytes += held.outcome.bytes
        while self._bytes > self.max_bytes or len(self._held) > self.max_count:
            least = self._least()
            self._drop(least)
            if least in self._wish:
                self._too_much = min(self._too_much, self._wish.index(least))

    def _least(self) -> Wanted:
        """The longest unused of those nobody wants, else the last of the wish."""
        for key in self._held:
            if key not in self._wish:
                return key
        return next(key for key in reversed(self._wish) if key in self._held)

    def _drop(self, key: Wanted) -> None:
        held = self._held.pop(key, None)
        if held is not None:
            self._bytes -= held.outcome.bytes

    def _mended(self, keys: Sequence[Wanted]) -> list[Wanted]:
        """Those whose error is remembered although the file is another now."""
        with self._changed:
            failed = {
                key: self._held[key].stamp
                for key in keys
                if key in self._held and self._held[key].outcome.error is not None
            }
        return [key for key, stamp in failed.items() if file_stamp(key.path) != stamp]


class _Outcome:
    """What reading came to: a spectrum, or why there is none."""

    def __init__(self, found: Spectrum | None, error: Exception | None) -> None:
        self.found = found
        self.error = error
        self.bytes = ERROR_BYTES if found is None else _bytes(found)

    @property
    def spectrum(self) -> Spectrum:
        if isinstance(self.error, ReadError):
            # A new one each time: one that is kept would keep alive whatever it passed through.
            raise ReadError(str(self.error), self.error.reasons)
        if self.error is not None:
            raise self.error
        assert self.found is not None
        return self.found


INTERRUPTED = _Outcome(None, ReadError("reading was interrupted: try again"))


@dataclass(frozen=True)
class _Held:
    outcome: _Outcome
    stamp: Stamp
    """Of the file, from before it was read."""


class _Reading:
    """A spectrum that somebody is reading."""

    def __init__(self) -> None:
        self.outcome: _Outcome | None = None

    def outcome_when_done(self, changed: threading.Condition) -> _Outcome:
        changed.wait_for(lambda: self.outcome is not None)
        assert self.outcome is not None
        return self.outcome


def _outcome(read: Callable[[Wanted], Spectrum], key: Wanted) -> _Outcome:
    try:
        return _Outcome(read(key), None)
    except ReadError as error:
        return _Outcome(None, ReadError(str(error), error.reasons))
    except Exception as error:
        # A mistake of ours must reach whoever asks, and not end the worker unseen.
        return _Outcome(None, error)


def _bytes(spectrum: Spectrum) -> int:
    arrays = (spectrum.wavelength, spectrum.flux, spectrum.ivar, spectrum.mask)
    held = sum(array.nbytes for array in arrays if array is not None)
    return ERROR_BYTES + held + PER_PIXEL * len(spectrum)
