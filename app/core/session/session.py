"""A session: one task, the candidates of one or more lists, and all decisions about them.

When a call returns, its changes are on the disk and `changed` has been emitted.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from psygnal import Signal
from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError

from agent.errors import WorkbenchError
from agent.tasks.catalogue import bundled_task, has_class, task_source
from agent.tasks.subclass import Subclass
from agent.tasks.task import Task
from agent.tasks.task_file import parse_task
from app.core.database.database import SUFFIX, Database, write_facts
from app.core.database.tables import candidates, facts, json_object, lists, log, reviewers
from app.core.errors import SessionError
from app.core.session import group_acts, verdict_log
from app.core.session.group_acts import ChangeOpinion, Step
from app.core.session.rebuild import update_rule
from app.core.session.records import NOTHING, Candidate, Change, Judgement, LogEntry, Opinion
from app.core.session.stored_opinions import damaged, entry_from, have_type

# Databases limit the number of values in a statement.
MAX_IDS = 500
PAGE = 100  # lines of the log that `older_lines` reads
COPIED = tuple(each.name for each in fields(Candidate) if each.name != "own")
NOTHING_SHOWN: Mapping[int, Mapping[str, Any]] = {}


class Session(AbstractContextManager["Session"]):
    """An open session, from `new_session` or `open_session`; close it after use."""

    changed = Signal(Change)

    def __init__(self, database: Database, reviewer: str) -> None:
        self.database = database
        self._facts = self._read_facts()
        self.task: Task = _task(self._facts["task"], f"the task of {database.location}")
        self.reviewer = " ".join(reviewer.split())

    @property
    def location(self) -> Path | str:
        """The file's path or the database URL without its password."""
        return self.database.location

    @property
    def id(self) -> str:
        """A UUID that all copies of this session share."""
        return self._facts["id"]

    @property
    def name(self) -> str:
        return self._facts["name"]

    @property
    def is_read_only(self) -> bool:
        return self.database.is_read_only

    def fact(self, key: str) -> str | None:
        """The value of a fact about the whole session, as of opening or `set_fact`."""
        return self._facts.get(key)

    def set_fact(self, key: str, value: str) -> None:
        with self.database.writing() as connection:
            self.write_fact(connection, key, value)

    def write_fact(self, connection: Connection, key: str, value: str) -> None:
        write_facts(connection, {key: value})
        self._facts[key] = value

    @property
    def subclasses(self) -> tuple[Subclass, ...]:
        """Of the task; a session from before tasks had any takes those of the program."""
        return self._scheme.subclasses

    @property
    def subclass_source(self) -> str:
        """Who defined the sub-classes."""
        return self._scheme.subclass_source

    @property
    def _scheme(self) -> Task:
        return self.task if self.task.subclasses else bundled_task(self.task.id) or self.task

    def count(self) -> int:
        (number,) = self.database.scalars(select(func.count()).select_from(candidates))
        return int(number)

    def candidate(self, candidate_id: int) -> Candidate:
        found = self.candidates([candidate_id])
        if not found:
            raise SessionError(f"there is no candidate {candidate_id}")
        return found[0]

    def candidates(self, candidate_ids: Iterable[int]) -> list[Candidate]:
        """The existing ones of these candidates, in the given order."""
        wanted = list(candidate_ids)
        found: dict[int, Candidate] = {}
        with self.database.reading() as connection:
            for start in range(0, len(wanted), MAX_IDS):
                some = wanted[start : start + MAX_IDS]
                rows = connection.execute(select(candidates).where(candidates.c.id.in_(some)))
                found.update((row.id, candidate_of(row)) for row in rows)
        return [found[number] for number in wanted if number in found]

    def record_verdict(
        self,
        candidate_id: int,
        opinion: Opinion,
        *,
        seconds: float | None = None,
        shown: Mapping[str, Any] = NOTHING,
        evidence: Mapping[str, str] = NOTHING,
        order_met: str = "",
    ) -> LogEntry | None:
        """Record the reviewer's opinion; None if it is their opinion already.

        `seconds` is the time they spent, `shown` what they had seen of an agent's opinion,
        `evidence` what services had said, `order_met` the order of the queue, as in `LogEntry`.
        """
        opinion = verdict_log.checked(opinion)
        if opinion.verdict is not None:
            require_class(self.task)
        with self.database.writing(urgent=True) as connection:
            reviewer = self._reviewer(connection)
            entry = verdict_log.record(
                connection, candidate_id, reviewer, opinion, seconds, shown, evidence, order_met
            )
        return self._announce([] if entry is None else [entry])

    def record_group_act(
        self,
        candidate_ids: Sequence[int],
        change: ChangeOpinion,
        *,
        shown: Mapping[int, Mapping[str, Any]] = NOTHING_SHOWN,
        evidence: Mapping[int, Mapping[str, str]] = NOTHING_SHOWN,
        place: str,
        order_met: str = "",
    ) -> list[LogEntry]:
        """Change the reviewer's opinion on several candidates in one act: all of them or none.

        `change` takes the former opinion of each, and `place` tells where they were judged, such as
        "overview". One undo takes the act back. Those whose opinion stays have no line in the log.
        """
        entries: list[LogEntry] = []
        with self.database.writing() as connection:
            reviewer = self._reviewer(connection)
            group_acts.refuse_too_many(candidate_ids)
            for number in candidate_ids:
                former = verdict_log.current_opinion(connection, number, reviewer)
                opinion = verdict_log.checked(change(former))
                seen, told = shown.get(number, NOTHING), evidence.get(number, NOTHING)
                entry = verdict_log.record(
                    connection, number, reviewer, opinion, None, seen, told, order_met
                )
                entries += [] if entry is None else [entry]
            if len(entries) > 1:
                group_acts.write_act(connection, entries[0].id, entries[-1].id, place)
        self._announce(entries)
        return entries

    def undo(self) -> LogEntry | None:
        """Undo the reviewer's last opinion, or act, even one from before a restart."""
        return self._undo_or_redo("undo")

    def redo(self) -> LogEntry | None:
        return self._undo_or_redo("redo")

    def _undo_or_redo(self, kind: Step) -> LogEntry | None:
        with self.database.writing() as connection:
            entries = group_acts.undo_or_redo(connection, self._reviewer(connection), kind)
        return self._announce(entries)

    def size_of_next(self, kind: Step) -> int:
        """At most how many candidates the next undo or redo will change."""
        number = self.reviewer_number
        if number is None:
            return 0
        with self.database.reading() as connection:
            return group_acts.size_of_next(connection, number, kind)

    def judgements(self, candidate_id: int) -> list[Judgement]:
        with self.database.reading() as connection:
            return verdict_log.judgements_of(connection, candidate_id)

    def judgement(self, candidate_id: int) -> Judgement | None:
        """The current opinion of this session's reviewer."""
        mine = [each for each in self.judgements(candidate_id) if each.reviewer == self.reviewer]
        return mine[0] if mine else None

    def history(self, candidate_id: int | None = None) -> Iterator[LogEntry]:
        """Iterate over the log, oldest first."""
        after = 0
        while True:
            with self.database.reading() as connection:
                page = verdict_log.history_page(connection, after, candidate_id)
            if not page:
                return
            yield from page
            after = page[-1].id

    @property
    def reviewer_number(self) -> int | None:
        """The reviewer's id in the tables; None until they have written something."""
        with self.database.reading() as connection:
            return verdict_log.find_reviewer(connection, self.reviewer)

    def close(self) -> None:
        self.database.close()

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _reviewer(self, connection: Connection) -> int:
        return verdict_log.reviewer_id(connection, self.reviewer)

    def _announce(self, entries: Sequence[LogEntry]) -> LogEntry | None:
        """Tell that these lines were written, and return the last one."""
        if not entries:
            return None
        touched = frozenset(entry.candidate_id for entry in entries)
        self.changed.emit(Change(aspect="verdict", candidate_ids=touched))
        return replace(entries[-1], others=len(touched) - 1)

    def _read_facts(self) -> dict[str, str]:
        with self.database.reading() as connection:
            rows = connection.execute(select(facts))
            found = {row.key: row.value for row in rows if row.value is not None}
            is_empty = not any(
                connection.execute(select(table.c.id).limit(1)).all() for table in (log, candidates)
            )
        missing = {"id", "name", "task"} - set(found)
        # The tables exist, but the program that created them was killed before it wrote the facts.
        if len(missing) == 3 and is_empty:
            raise SessionError(
                f"{self.database.location} is incomplete: its creation was interrupted. Delete it"
            )
        if missing:
            raise SessionError(
                f"{self.database.location} is damaged: it has no {', '.join(sorted(missing))}"
            )
        return found


def require_class(task: Task) -> None:
    """Raise a SessionError if there is no class to judge."""
    if not has_class(task):
        raise SessionError(
            "there is no class to judge: make a session for a class from the same list"
        )


def new_session(location: Path | str, task: Task, reviewer: str) -> Session:
    """Create a session for one task. It stores the task file, so later edits do not matter."""
    location = _resolve(location)
    database = Database(location, "create")
    try:
        with database.writing() as connection:
            name = location.stem if isinstance(location, Path) else task.name
            about = {
                "id": str(uuid4()),
                "name": name.encode(errors="replace").decode(),  # a file name may not be Unicode
                "task": task_source(task),
                "made_at": verdict_log.now(),
            }
            rows = [{"key": key, "value": value} for key, value in about.items()]
            connection.execute(insert(facts), rows)
        return Session(database, reviewer)
    except BaseException as error:
        if isinstance(error.__cause__, IntegrityError):  # of somebody who was a little faster
            database.close()
            raise SessionError(f"{database.location} holds a session already. Open it") from error
        database.discard()
        raise


def open_session(location: Path | str, reviewer: str, *, read_only: bool = False) -> Session:
    """Open a session; one from an older version is upgraded."""
    database = Database(_resolve(location), "read" if read_only else "write")
    try:
        session = Session(database, reviewer)
        if not read_only:
            # A damaged log or a full disk is told where it matters, and this is tried again.
            with suppress(SessionError):
                update_rule(database)
        return session
    except BaseException:
        database.close()
        raise


def list_roles(session: Session) -> Mapping[int, Mapping[str, str]]:
    """The column behind each role, by list number; damaged entries are left out."""
    found: dict[int, Mapping[str, str]] = {}
    for row in session.database.rows(select(lists.c.id, lists.c.roles)):
        pairs = json_object(row.roles).items()
        found[row.id] = {role: column for role, column in pairs if isinstance(column, str)}
    return found


@dataclass(frozen=True, kw_only=True)
class LogLine:
    entry: LogEntry
    object_id: str


def older_lines(
    session: Session, before: int | None = None, limit: int = PAGE
) -> tuple[LogLine, ...]:
    """The lines before the one with id `before`, newest first; None: the newest."""
    query = (
        select(log, reviewers.c.name, candidates.c.object_id)
        .join(reviewers, reviewers.c.id == log.c.reviewer_id)
        .join(candidates, candidates.c.id == log.c.candidate_id)
        .order_by(log.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(log.c.id < before)
    rows = session.database.rows(query)
    return tuple(LogLine(entry=entry_from(r, r.name), object_id=str(r.object_id)) for r in rows)


def candidate_of(row: Any) -> Candidate:
    """Read a candidate from a table row, which may hold anything in an untrusted session."""
    words = [row.object_id, row.path, row.label, row.fault]
    words += [row.agent_model, row.agent_stopped_by, row.agent_members]
    measured = [row.ra, row.dec, row.score, row.snr, row.agent_p_yes]
    measured += [row.catalogue_log_odds, row.p_combined]
    try:
        own = json.loads(row.own)
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(f"candidate {row.id}") from error
    is_sound = (
        isinstance(own, dict)
        and have_type(str, *words)
        and have_type(int, row.id, row.list_id, row.line, row.row)
        and all(isinstance(number, float | int | None) for number in measured)
        and row.agent_verdict in (None, "YES", "NO")
    )
    if not is_sound:
        raise damaged(f"candidate {row.id}")
    return Candidate(own=own, **{name: getattr(row, name) for name in COPIED})


def _resolve(location: Path | str) -> Path | str:
    """Return a database URL unchanged; anything else is a file, which gets our suffix."""
    if isinstance(location, str) and "://" in location:
        return location
    path = Path(location).expanduser()
    return path if path.suffix == SUFFIX or path.exists() else path.with_name(path.name + SUFFIX)


def _task(source: str, where: str) -> Task:
    with suppress(WorkbenchError):
        return _sound_task(source)
    try:
        return parse_task(source.encode(), where)
    except WorkbenchError as error:
        raise SessionError(f"{where} cannot be used: {error}") from error


@lru_cache(maxsize=4)
def _sound_task(source: str) -> Task:
    """Cached, because many sessions of a night have the same task."""
    return parse_task(source.encode(), "the task")
