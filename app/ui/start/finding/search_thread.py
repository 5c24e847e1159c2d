"""A search in a thread of its own, which the window watches and may stop, and what it found."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from app.core.finding.choice import ODD, ChoiceRule, FoundChoice, choose
from app.core.finding.found_session import allow_sources, found_session
from app.core.finding.inputs import as_source, known_positions
from app.core.finding.looking import LookSettings
from app.core.finding.processes import FinderProcesses
from app.core.finding.search import InputCount, Search, SearchState
from app.core.finding.table import MANIFEST, FindTable
from app.core.queue.blind_filters import FACT

MOST_KEPT = 2000  # of each class: as many points as a picture can show apart
NAMES = ("path", "row", "object_id", "snr", "ra", "dec")
MOST_UNREAD = 1000  # shown of what could not be read
TELL_S = 0.2
LEAVE_S = 8.0
"""How long a window that closes waits. A stop takes 2 s; where a disk stands still the program ends
without it, and what was not written is looked at again."""


class FoundRow(NamedTuple):
    """A spectrum that may be a member; its score is p(YES), or its oddness."""

    path: str
    row: int
    object_id: str
    score: float
    snr: float
    ra: float
    dec: float
    number: int  # in the table on the disk; -1 where it is not in there yet

    @classmethod
    def of(cls, score: float, values: Sequence[Any], number: int = -1) -> FoundRow:
        """`values` are those of NAMES; what is not known may be None."""
        path, row, name, *numbers = values
        snr, ra, dec = (math.nan if each is None else each for each in numbers)
        return cls(path, row, name, score, snr, ra, dec, number)

    @property
    def name(self) -> str:
        return self.object_id or Path(self.path).name


class BestSoFar:
    """The best of each class among what a search has seen. Any thread."""

    def __init__(self, tasks: Sequence[str] = ()) -> None:
        self._kept: dict[str, list[FoundRow]] = {task: [] for task in (*tasks, ODD)}
        self._lock = threading.Lock()

    def add(self, rows: Mapping[str, Sequence[Any]]) -> None:
        values = list(zip(*(rows[name] for name in NAMES if name in rows), strict=True))
        with self._lock:
            for task, kept in self._kept.items():
                scores = rows.get("oddness" if task == ODD else f"p_{task}", ())
                kept += [
                    FoundRow.of(score, each)
                    for score, each in zip(scores, values, strict=False)
                    if math.isfinite(score)
                ]
                if len(kept) > 2 * MOST_KEPT:
                    kept[:] = best_first(kept)

    def of(self, task: str) -> list[FoundRow]:
        with self._lock:
            return list(self._kept.get(task, ()))


def best_first(rows: Sequence[FoundRow]) -> list[FoundRow]:
    return sorted(rows, key=lambda each: -each.score)[:MOST_KEPT]


@dataclass(frozen=True, kw_only=True)
class SearchOrder:
    """What to search. A table that is there goes on, for the classes it was made for."""

    table: Path
    source: Path | None  # None: where the table has searched before
    tasks: tuple[str, ...]
    processes: int
    trust_paths: bool = False


@dataclass(frozen=True, kw_only=True)
class SearchProgress:
    """How far a search is. `total` counts inputs, None while that is not known."""

    state: SearchState
    total: int | None
    rate: float | None  # a second

    @property
    def done(self) -> int:
        return self.state.done

    @property
    def seconds_left(self) -> float | None:
        """By the rate of the inputs: a file of many spectra is one."""
        if self.total is None or not self.rate:
            return None
        return max(self.total - self.done, 0) / self.rate


class SearchThread(QObject):
    """One search at a time. It is told on the thread of the window. Close it in the end."""

    told = Signal(object)  # a SearchProgress
    ended = Signal(object)  # the SearchState, or the exception that ended it

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.best = BestSoFar()
        self._stop = threading.Event()
        self._is_closed = False
        self._count: InputCount | None = None
        self._began: tuple[float, int] | None = None
        self._told_at = 0.0
        self._thread: threading.Thread | None = None

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    def begin(self, order: SearchOrder) -> None:
        stop = self._stop = threading.Event()
        self._count = self._began = None
        self.best = BestSoFar()
        # A daemon: a disk that stands still shall not keep the program from ending.
        work = partial(self._run, order, stop)
        self._thread = threading.Thread(target=work, name="search", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop after what is being looked at, and write what was found."""
        self._stop.set()

    def close(self) -> None:
        self._is_closed = True
        self.stop()
        if self._thread is not None:
            self._thread.join(LEAVE_S)

    # The thread

    def _run(self, order: SearchOrder, stop: threading.Event) -> None:
        try:
            outcome: SearchState | Exception = self._search(order, stop)
        except Exception as error:
            outcome = error
        self._tell(self.ended.emit, outcome)

    def _search(self, order: SearchOrder, stop: threading.Event) -> SearchState:
        settings = LookSettings(order.tasks)
        if (order.table / MANIFEST).is_file():
            settings = FindTable(order.table).settings
        sources = [] if order.source is None else [as_source(str(order.source))]
        table = FindTable.made(order.table, sources, settings)
        allow_sources(table)
        self.best = BestSoFar((*table.settings.tasks, *table.own_ids))
        with (
            InputCount(table.sources) as self._count,
            closing(FinderProcesses(order.processes, table.settings)) as finders,
        ):
            search = Search(
                table, trust_paths=order.trust_paths, should_stop=stop.is_set,
                on_state=self._show, on_found=self.best.add,
            )  # fmt: skip
            return search.run(finders)

    def _show(self, state: SearchState) -> None:
        now, seen = time.monotonic(), state.done - state.known
        if self._began is None:  # the processes have just got ready
            self._began = now, seen
        began, had = self._began
        if now - self._told_at >= TELL_S:
            self._told_at = now
            counted = None if self._count is None else self._count.total
            total = state.listed if state.is_all_listed else counted
            rate = (seen - had) / (now - began) if now > began else None
            progress = SearchProgress(state=replace(state), total=total, rate=rate)
            self._tell(self.told.emit, progress)

    def _tell(self, emit: Callable[[object], object], what: object) -> None:
        if not self._is_closed:
            with suppress(RuntimeError):  # it was closed and deleted meanwhile
                emit(what)


# What is read from a table of a search, and made from it, outside the thread of the window.
@dataclass(frozen=True, kw_only=True)
class FoundSoFar:
    """A table as the window shows it: the best of one class, and what could not be read."""

    table: FindTable
    parts: tuple[Path, ...]  # that were read for it
    task: str
    spectra: int = 0  # on the disk
    on_disk: list[FoundRow] = field(default_factory=list)
    best: list[FoundRow] = field(default_factory=list)  # on the disk and among the newest
    unread: list[tuple[str, int, str]] = field(default_factory=list)
    unread_count: int = 0

    @property
    def tasks(self) -> tuple[str, ...]:
        return (*self.table.settings.tasks, *self.table.own_ids)


def look_at_table(
    folder: Path, task: str, before: FoundSoFar | None = None, newest: BestSoFar | None = None
) -> FoundSoFar | None:
    """Read what is new since `before`; None where no search has begun. Raises WorkbenchError."""
    if not (folder / MANIFEST).is_file():
        return None
    table = FindTable(folder)
    known = (*table.settings.tasks, *table.own_ids, ODD)
    task = task if task in known else known[0]
    parts = (*table.parts(), *table.parts("unread"))
    if before is None or (before.parts, before.task, before.table.id) != (parts, task, table.id):
        before = _read(table, parts, task)
    new = [] if newest is None else newest.of(task)
    both = {(each.path, each.row): each for each in (*new, *before.on_disk)}
    return replace(before, best=best_first([*both.values()]))


def _read(table: FindTable, parts: tuple[Path, ...], task: str) -> FoundSoFar:
    unread = table.unread()
    first = [*islice(unread, MOST_UNREAD)]
    count = len(first) + sum(1 for _ in unread)
    read = FoundSoFar(table=table, parts=parts, task=task, unread=first, unread_count=count)
    if not table.parts():
        return read
    choice = choose(table, ChoiceRule(task=task, keep=MOST_KEPT))
    numbers, scores = choice.numbers, choice.scores
    if task != ODD:  # of the others only a first look tells, which is another scale
        numbers, scores = numbers[scores >= 0.0], scores[scores >= 0.0]
    values = zip(*table.rows(numbers, NAMES).values(), strict=True)
    found = zip(scores.tolist(), values, numbers.tolist(), strict=True)
    rows = [FoundRow.of(score, each, number) for score, each, number in found]
    return replace(read, on_disk=rows, spectra=choice.spectra)


@dataclass(frozen=True, kw_only=True)
class ChosenRows:
    """A choice, and its rows of the table."""

    choice: FoundChoice
    numbers: frozenset[int]


def choose_rows(table: FindTable, rule: ChoiceRule, known: Path | None) -> ChosenRows:
    choice = choose(table, rule, () if known is None else known_positions(known))
    return ChosenRows(choice=choice, numbers=frozenset(choice.numbers.tolist()))


def make_found_session(
    table: FindTable,
    choice: FoundChoice,
    location: Path,
    reviewer: str,
    *,
    blind: bool,
    trust_paths: bool,
) -> Path:
    """The session, closed. Raises WorkbenchError and then leaves nothing."""
    session, _ = found_session(table, choice, location, reviewer, trust_paths=trust_paths)
    with session:
        if blind:
            session.set_fact(FACT, "yes")
        return Path(str(session.location))
