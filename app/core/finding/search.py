"""One search: every spectrum of the sources is looked at once, however often it is stopped."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

from agent.cluster.ray_actors import Answer
from app.core.errors import FULL_ERRNOS
from app.core.finding.inputs import ANY_ROW, Input, inputs
from app.core.finding.looking import LookResult, Rows
from app.core.finding.processes import Call
from app.core.finding.table import FindTable
from app.core.importing.importer import DuplicateFilter
from app.core.progress import ShouldStop, never

IN_A_CALL = 32  # inputs: half a second of work, so that a stop is quick
NAMES_AT_ONCE = 4096
ROWS_IN_PART, SECONDS_IN_PART = 50_000, 60.0
"""A part is written after so many rows or seconds: what a kill costs at most."""
MOST_UNWRITTEN = 200_000  # rows kept while the disk is full, some 200 MB
RETRY_S = 5.0


class Finders(Protocol):
    def run(
        self, calls: Iterator[tuple[int, Call]]
    ) -> Generator[Answer[int] | None, None, None]: ...


@dataclass
class SearchState:
    """How far a search is. `problem` says why nothing can be written at the moment."""

    looked_at: int = 0
    measured: int = 0
    unread: int = 0
    done: int = 0
    """Inputs that nothing is to be done about any more; one may be a file of many spectra."""
    known: int = 0  # of them, those that an earlier run has looked at
    listed: int = 0
    is_all_listed: bool = False
    problem: str = ""


OnState = Callable[[SearchState], None]
OnFound = Callable[[Rows], None]


class InputCount(AbstractContextManager["InputCount"]):
    """Counts the inputs of folders beside a search, so that the time left can be told.

    Those of lists and stores cost too much to be read twice.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = sources
        self._stop = threading.Event()
        self.total: int | None = None
        self._thread = threading.Thread(target=self._run, name="counting", daemon=True)
        if all(Path(source).is_dir() for source in sources):
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        count = 0
        for source in self._sources:
            for _ in inputs(source, lambda path, reason: None):
                count += 1
                if self._stop.is_set():
                    return
        self.total = count


class Search:
    """For one thread."""

    def __init__(
        self,
        table: FindTable,
        *,
        trust_paths: bool = False,
        should_stop: ShouldStop = never,
        on_state: OnState = lambda state: None,
        on_found: OnFound = lambda rows: None,
    ) -> None:
        self._table, self._trust, self._should_stop = table, trust_paths, should_stop
        self._on_state, self._on_found = on_state, on_found
        self.state = SearchState()
        self._seen = DuplicateFilter()
        self._rows: Rows = {}
        self._unread: list[tuple[str, int, str]] = []
        self._again: deque[Call] = deque()
        self._given: dict[int, Call] = {}
        self._written_at = time.monotonic()
        self._number = 0

    def run(self, finders: Finders) -> SearchState:
        """Look at everything that is new. A stop keeps what was found so far."""
        with self._table.locked():
            self._seen = self._table.seen()
            waiting = self._new_inputs()
            while not self._should_stop():
                # What a long file or a lost call left comes back once the others are given.
                for answer in finders.run(self._calls(waiting)):
                    if answer is not None:
                        self._take(answer)
                    self._on_state(self.state)
                    if self._should_stop():
                        break
                if not self._again:
                    break
            self._write(waits=True)
        self._on_state(self.state)
        return self.state

    def _calls(self, waiting: Iterator[Input]) -> Iterator[tuple[int, Call]]:
        while not self._should_stop():
            call = self._again.popleft() if self._again else list(islice(waiting, IN_A_CALL))
            if not call:
                return
            self._number += 1
            self._given[self._number] = call
            yield self._number, call

    def _new_inputs(self) -> Iterator[Input]:
        for source in self._table.sources:
            found = inputs(source, self._note_problem, trust_paths=self._trust)
            while (some := list(islice(found, NAMES_AT_ONCE))) and not self._should_stop():
                is_new = self._seen.find_new((one.path, one.row) for one in some)
                known = len(some) - int(is_new.sum())
                self.state.listed += len(some)
                self.state.known += known
                self.state.done += known
                self._on_state(self.state)
                yield from (one for one, new in zip(some, is_new.tolist(), strict=True) if new)
        self.state.is_all_listed = True

    def _note_problem(self, path: str, reason: str) -> None:
        if not self._seen.find_new([(path, ANY_ROW)])[0]:
            return  # an earlier run has told it
        self._unread.append((path, ANY_ROW, reason))
        self.state.unread += 1

    def _take(self, answer: Answer[int]) -> None:
        call = self._given.pop(answer.key)
        if answer.lost and len(call) > 1:
            self._again.extend([one] for one in call)  # one of them is to blame
            return
        if answer.lost:
            self._unread.append((call[0].path, call[0].row, answer.lost))
            self.state.unread += 1
            self.state.done += not call[0].is_of_long_file
        else:
            self._add(answer.value, call)
        rows = len(self._rows.get("path", ()))
        is_full = rows >= ROWS_IN_PART and not self.state.problem
        is_due = time.monotonic() - self._written_at > SECONDS_IN_PART
        if is_full or is_due or rows > MOST_UNWRITTEN:
            # Of too many nothing more can be kept until there is room.
            self._write(waits=rows > MOST_UNWRITTEN)

    def _add(self, found: LookResult, call: Call) -> None:
        whole = {one.path for one in call if one.row == ANY_ROW}
        new = [True] * len(found)
        if found.rows:
            # Rows of a whole file may be known from a run that was stopped in the middle of it.
            keys = list(zip(found.rows["path"], found.rows["row"], strict=True))
            counts = found.rows["rows"]
            many = [n for n, (path, _) in enumerate(keys) if path in whole and counts[n] > 1]
            are_new = self._seen.find_new(keys[n] for n in many).tolist()
            for place, is_new in zip(many, are_new, strict=True):
                new[place] = is_new
        for name, values in found.rows.items():
            kept = [value for value, is_new in zip(values, new, strict=True) if is_new]
            self._rows.setdefault(name, []).extend(kept)
        self._on_found(found.rows)
        put_off = set(found.more)
        self.state.done += sum(not (one.is_of_long_file or one in put_off) for one in call)
        self.state.looked_at += sum(new)
        self.state.measured += sum(
            bool(done and is_new)
            for done, is_new in zip(found.rows.get("measured", ()), new, strict=True)
        )
        self._unread += found.unread
        self.state.unread += len(found.unread)
        are_new = self._seen.find_new((one.path, one.row) for one in found.more).tolist()
        # Inputs that were put off are known already, as they were listed.
        left = [one for one, n in zip(found.more, are_new, strict=True) if n or one in call]
        self._again.extend(left[at : at + IN_A_CALL] for at in range(0, len(left), IN_A_CALL))

    def _write(self, *, waits: bool = False) -> None:
        """Write what is there; where that is not possible, later, or `waits` until it is."""
        while not self._is_written():
            if not waits or self._should_stop():
                return
            self._on_state(self.state)
            time.sleep(RETRY_S)

    def _is_written(self) -> bool:
        try:
            # One after the other: where the disk is full for the second, the first is not repeated.
            if self._unread:
                self._table.add({}, self._unread)
                self._unread = []
            if self._rows:
                self._table.add(self._rows, [])
                self._rows = {}
        except OSError as error:
            full = error.errno in FULL_ERRNOS
            self.state.problem = "the disk is full" if full else str(error.strerror or error)
            self._written_at = time.monotonic() - SECONDS_IN_PART + RETRY_S
            return False
        self.state.problem = ""
        self._written_at = time.monotonic()
        return True
