"""Read spectra ahead in worker threads, so that moving on never waits for the disk.

The workers read the current spectrum first, then the following ones, then the preceding ones.
Reads that are no longer wanted are not started. The cache is bounded in spectra and in bytes.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from agent.errors import ReadError
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum
from agent.spectra.urls import is_url
from agent.web.body import stop_this_thread
from app.core.database.tables import MIN_TARGETID
from app.core.session.records import Candidate

MAX_BYTES = 256 * 2**20
ERROR_BYTES = 4096
BYTES_PER_PIXEL = 9 + 24
"""Bytes that a spectrum's good pixels and errors add on first use, and those of its curve."""
CLOSE_TIMEOUT_S = 10.0
RETRY_S = 30.0  # an address that failed is tried again so much later
NO_LIMIT = 2**31

Stamp = tuple[int, int] | None


@dataclass(frozen=True)
class SpectrumKey:
    """Identifies a spectrum in a file; equal keys are read once."""

    candidate_id: int
    path: str
    row: int = 0


def spectrum_key(candidate: Candidate) -> SpectrumKey:
    return SpectrumKey(candidate.id, candidate.path, candidate.row)


def read_by_key(key: SpectrumKey) -> Spectrum:
    if not key.path:
        raise ReadError("the list gives no file for this object")
    if key.row >= MIN_TARGETID:
        return read(key.path, target=key.row)
    return read(key.path, key.row)


def file_stamp(path: str) -> Stamp:
    """Modification time and size of the file; None if there is no file.

    Of an address, which is not asked, how often it could have been tried again.
    """
    if is_url(path):
        return int(time.monotonic() / RETRY_S), 0
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


class Prefetch(AbstractContextManager["Prefetch"]):
    """A cache of spectra that reads ahead; close it when done. Any thread may call its methods.

    `read` is called from several threads at once; it returns a spectrum or raises ReadError. An
    error is cached until the file changes.
    """

    def __init__(
        self,
        read: Callable[[SpectrumKey], Spectrum] = read_by_key,
        *,
        ahead: int = 8,
        behind: int = 3,
        workers: int = 2,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.read = read
        self.prepare: Callable[[Spectrum], None] | None = None
        """Called with each spectrum that was read, in the thread that read it."""
        self.ahead, self.behind = ahead, behind
        self.max_bytes = max_bytes
        self.max_count = 1 + 2 * (ahead + behind)
        self._changed = threading.Condition()
        self._wanted: tuple[SpectrumKey, ...] = ()
        self._full_from = NO_LIMIT
        """Index in `_wanted` from which on the spectra do not fit into the cache."""
        self._cache: OrderedDict[SpectrumKey, _Result] = OrderedDict()
        self._bytes = 0
        self._reading: dict[SpectrumKey, Future[_Result]] = {}
        self._is_closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"prefetch {number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def read_ahead(
        self,
        current: SpectrumKey,
        following: Sequence[SpectrumKey] = (),
        preceding: Sequence[SpectrumKey] = (),
    ) -> None:
        """Set which spectra to keep ready, nearest first. Replaces the previous request."""
        near = (current, *following[: self.ahead], *preceding[: self.behind])
        wanted = tuple(dict.fromkeys(near))
        stale = self._stale_errors(wanted)
        with self._changed:
            for key in stale:
                self._drop(key)
            self._wanted = wanted
            self._full_from = NO_LIMIT
            self._changed.notify_all()

    def get(self, key: SpectrumKey) -> Spectrum:
        """Return the spectrum or raise its ReadError. If not cached, waits for this one only."""
        stale = self._stale_errors((key,))
        with self._changed:
            for each in stale:
                self._drop(each)
            cached = self._cache.get(key)
            if cached is not None:
                self._cache.move_to_end(key)
                return cached.spectrum
            begun = self._reading.get(key)
            reading = begun or self._begin(key)
        return (begun.result() if begun else self._finish(key, reading)).spectrum

    def peek(self, key: SpectrumKey) -> Spectrum | None:
        """The cached spectrum; None if `get` would have to wait. Raises its ReadError."""
        with self._changed:
            cached = self._cache.get(key)
        return None if cached is None else cached.spectrum

    def wait_until_idle(self, timeout_s: float) -> bool:
        """Wait until everything wanted that fits is cached; False on timeout."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._is_closed or (self._next() is None and not self._reading), timeout_s
            )

    def close(self) -> None:
        """Start no more reads, wait for the running ones and empty the cache."""
        with self._changed:
            self._is_closed = True
            self._wanted = ()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(CLOSE_TIMEOUT_S)
        with self._changed:
            self._cache.clear()
            self._bytes = 0

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _work(self) -> None:
        stop_this_thread(lambda: self._is_closed)
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or self._next() is not None)
                key = self._next()
                if self._is_closed or key is None:
                    return
                reading = self._begin(key)
            self._finish(key, reading)

    def _next(self) -> SpectrumKey | None:
        """The first wanted spectrum that is neither cached nor being read."""
        for key in self._wanted[: self._full_from]:
            if key not in self._cache and key not in self._reading:
                return key
        return None

    def _begin(self, key: SpectrumKey) -> Future[_Result]:
        reading = self._reading[key] = Future[_Result]()
        return reading

    def _finish(self, key: SpectrumKey, reading: Future[_Result]) -> _Result:
        """Read the file and cache the result. Call without the lock: reading is slow."""
        result = INTERRUPTED
        stamp = file_stamp(key.path)
        try:
            result = self._read_result(key, stamp)
        finally:
            with self._changed:
                del self._reading[key]
                if not self._is_closed and result is not INTERRUPTED:
                    self._store(key, result)
                self._changed.notify_all()
            reading.set_result(result)
        return result

    def _read_result(self, key: SpectrumKey, stamp: Stamp) -> _Result:
        try:
            spectrum = self.read(key)
            if self.prepare is not None:
                self.prepare(spectrum)
        except ReadError as error:
            return _Result(None, ReadError(str(error), error.reasons), stamp)
        except Exception as error:
            # A bug must be raised in the caller of `get`, not end the worker thread unseen.
            return _Result(None, error, stamp)
        return _Result(spectrum, None, stamp)

    def _store(self, key: SpectrumKey, result: _Result) -> None:
        """Cache the result and evict the least needed ones, which may include this one."""
        self._cache[key] = result
        self._bytes += result.bytes
        while self._bytes > self.max_bytes or len(self._cache) > self.max_count:
            evicted = self._least_needed()
            self._drop(evicted)
            if evicted in self._wanted:
                self._full_from = min(self._full_from, self._wanted.index(evicted))

    def _least_needed(self) -> SpectrumKey:
        """The least recently used unwanted key, else the last wanted one."""
        for key in self._cache:
            if key not in self._wanted:
                return key
        return next(key for key in reversed(self._wanted) if key in self._cache)

    def _drop(self, key: SpectrumKey) -> None:
        cached = self._cache.pop(key, None)
        if cached is not None:
            self._bytes -= cached.bytes

    def _stale_errors(self, keys: Sequence[SpectrumKey]) -> list[SpectrumKey]:
        """The keys whose cached error predates a change of the file."""
        with self._changed:
            failed = {
                key: self._cache[key].stamp
                for key in keys
                if key in self._cache and self._cache[key].error is not None
            }
        return [key for key, stamp in failed.items() if file_stamp(key.path) != stamp]


class _Result:
    """A spectrum, or the error raised when reading it; `stamp` is the file's from before that."""

    def __init__(
        self, value: Spectrum | None, error: Exception | None, stamp: Stamp = None
    ) -> None:
        self.value = value
        self.error = error
        self.stamp = stamp
        self.bytes = ERROR_BYTES if value is None else _bytes(value)

    @property
    def spectrum(self) -> Spectrum:
        if isinstance(self.error, ReadError):
            # A new exception each time: a stored one would keep its traceback frames alive.
            raise ReadError(str(self.error), self.error.reasons)
        if self.error is not None:
            raise self.error
        assert self.value is not None
        return self.value


INTERRUPTED = _Result(None, ReadError("reading was interrupted: try again"))


def _bytes(spectrum: Spectrum) -> int:
    arrays = (spectrum.wavelength, spectrum.flux, spectrum.ivar, spectrum.mask)
    array_bytes = sum(array.nbytes for array in arrays if array is not None)
    return ERROR_BYTES + array_bytes + BYTES_PER_PIXEL * len(spectrum)
