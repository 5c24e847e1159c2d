"""What is read from a table of a search, and made from it, outside the thread of the window."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from app.core.finding.choice import ODD, ChoiceRule, FoundChoice, choose
from app.core.finding.found_session import found_session
from app.core.finding.inputs import known_positions
from app.core.finding.table import MANIFEST, FindTable
from app.core.queue.blind_filters import FACT
from app.ui.start.finding.search_thread import MOST_KEPT, NAMES, BestSoFar, FoundRow, best_first

MOST_UNREAD = 1000  # shown of what could not be read


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
    """A choice, the rule and the known members it follows, and its rows of the table."""

    choice: FoundChoice
    known: Path | None
    numbers: frozenset[int]


def choose_rows(table: FindTable, rule: ChoiceRule, known: Path | None) -> ChosenRows:
    choice = choose(table, rule, () if known is None else known_positions(known))
    return ChosenRows(choice=choice, known=known, numbers=frozenset(choice.numbers.tolist()))


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
