"""Provenance of a session's results, written into every catalogue and report."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from agent.checked_toml import printable
from agent.errors import TrajectoryError, WorkbenchError
from agent.hashing import text_hash
from agent.program_version import program_version
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory_file import from_line
from app.core.database.tables import (
    candidates,
    evidence,
    inspections,
    json_object,
    judgements,
    lists,
    log,
    reviewers,
)
from app.core.session.known_answers import not_known, without_known
from app.core.session.records import Candidate, Verdict
from app.core.session.session import MAX_IDS, Session
from app.core.session.verdict_log import now

PROGRAM = "Spec-o3 Workbench"
MAX_WORDS = 300

MAX_RECORDS = MAX_IDS
"""Records parsed at most: a session may hold a million, of ten thousand characters each."""
MAX_READ = 24  # spectra without a record that are read from their files at most

Known = Mapping[int, bool]  # whether each spectrum is simulated, by candidate id


@dataclass(frozen=True, kw_only=True)
class ListFact:
    """An imported list; its file name without the folder, which is private."""

    name: str
    file: str
    sha256: str
    format: str
    rows_read: int
    rows_used: int
    imported_at: str


@dataclass(frozen=True, kw_only=True)
class ModelFact:
    """A model that inspected candidates; `sha256` is the hash of its card, or of its weights."""

    name: str
    sha256: str
    inspections: int
    wording: str = ""  # Name and hash of the wording it was prompted in; empty for ours.


@dataclass(frozen=True, kw_only=True)
class ServiceFact:
    """A release of a service that was asked, or a catalogue in a file that was matched."""

    name: str
    release: str
    answers: int  # candidates about which it answered
    failed: int
    first_asked_at: str
    last_asked_at: str


@dataclass(frozen=True, kw_only=True)
class ReviewerFact:
    """A reviewer and the number of their current verdicts of each kind."""

    name: str
    verdicts: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """A snapshot of all facts. Times are UTC, ISO 8601."""

    program: str
    program_version: str
    written_at: str
    session_id: str
    session_name: str
    made_at: str
    task_id: str
    task_name: str
    task_sha256: str  # hash of the task text stored in the session
    lists: tuple[ListFact, ...]
    models: tuple[ModelFact, ...]
    reviewers: tuple[ReviewerFact, ...]
    candidates: int
    judged: int  # candidates with a verdict from any reviewer
    first_verdict_at: str
    last_verdict_at: str
    simulated: str
    """How many of the spectra looked at are simulated, as text; empty if none was looked at."""
    services: tuple[ServiceFact, ...] = ()
    selection: str = ""  # Which candidates were selected, as text; empty means all.
    chosen: str = ""
    """How the candidates were chosen from a survey, and what part of the members they are, as text;
    empty of other lists."""

    def as_record(self) -> dict[str, Any]:
        return asdict(self)

    def as_pairs(self) -> Iterator[tuple[str, str]]:
        """Flat key-value pairs, for headers; keys have only letters, digits and _."""
        for key, value in self.as_record().items():
            if not isinstance(value, tuple):
                yield key, str(value)
                continue
            for number, each in enumerate(value, 1):
                for part, inner in each.items():
                    if isinstance(inner, Mapping):
                        inner = ", ".join(f"{kind} {count}" for kind, count in inner.items())
                    yield f"{key.removesuffix('s')}_{number}_{part}", str(inner)


def task_hash(session: Session) -> str:
    return text_hash(session.fact("task") or "")


def provenance(session: Session) -> Provenance:
    with session.database.reading() as connection:
        return provenance_in(connection, session)


def provenance_in(connection: Connection, session: Session, selection: str = "") -> Provenance:
    """Like `provenance`, on an open connection, so that it matches what else is read there."""
    judged = judgements.c.verdict.is_not(None) & not_known(judgements.c.candidate_id)
    every = select(func.count()).select_from(candidates).where(not_known(candidates.c.id))
    times = select(func.min(judgements.c.at), func.max(judgements.c.at)).where(judged)
    first, last = connection.execute(times).one()
    numbers = select(func.count(judgements.c.candidate_id.distinct())).where(judged)
    return Provenance(
        program=PROGRAM,
        program_version=program_version(),
        written_at=now(),
        session_id=session.id,
        session_name=_printable(session.name),
        made_at=_printable(session.fact("made_at") or ""),
        task_id=session.task.id,
        task_name=session.task.name,
        task_sha256=task_hash(session),
        lists=tuple(_lists(connection)),
        models=tuple(_models(connection)),
        reviewers=tuple(_reviewers(connection)),
        candidates=connection.execute(every).scalar_one(),
        judged=connection.execute(numbers).scalar_one(),
        first_verdict_at=_printable(first or ""),
        last_verdict_at=_printable(last or ""),
        simulated=simulated_in(connection).words,
        services=tuple(_services(connection)),
        selection=_printable(selection),
        chosen=_printable(str((found_choice(session) or {}).get("sentence", ""))),
    )


FOUND = "found"  # key of the session fact that holds how candidates were chosen from a survey


def found_choice(session: Session) -> dict[str, Any] | None:
    """What the choice was, of a session that was made by `spec-o3 find`; None of any other."""
    return json_object(session.fact(FOUND)) or None


def _lists(connection: Connection) -> Iterator[ListFact]:
    for row in connection.execute(select(lists).order_by(lists.c.id)):
        yield ListFact(
            name=_printable(row.name),
            file=_printable(file_name(str(row.path))),
            sha256=_printable(row.sha256),
            format=_printable(row.format),
            rows_read=_number(row.rows_read),
            rows_used=_number(row.rows_used),
            imported_at=_printable(row.imported_at),
        )


def _models(connection: Connection) -> Iterator[ModelFact]:
    model = (inspections.c.model, inspections.c.model_sha256)
    query = select(*model, func.count().label("number"))
    query = query.where(not_known(inspections.c.candidate_id)).group_by(*model).order_by(*model)
    for row in connection.execute(query):
        name, sha256 = _printable(row.model), _printable(row.model_sha256)
        yield ModelFact(
            name=name,
            sha256=sha256,
            inspections=row.number,
            wording=_wording(connection, row.model, row.model_sha256),
        )


def _services(connection: Connection) -> Iterator[ServiceFact]:
    asked = (evidence.c.service, evidence.c.release)
    query = (
        select(
            *asked,
            func.count().filter(evidence.c.state != "failed").label("answers"),
            func.count().filter(evidence.c.state == "failed").label("failed"),
            func.min(evidence.c.asked_at).label("first"),
            func.max(evidence.c.asked_at).label("last"),
        )
        .where(not_known(evidence.c.candidate_id))
        .group_by(*asked)
        .order_by(*asked)
    )
    for row in connection.execute(query):
        yield ServiceFact(
            name=_printable(row.service),
            release=_printable(row.release),
            answers=row.answers,
            failed=row.failed,
            first_asked_at=_printable(row.first),
            last_asked_at=_printable(row.last),
        )


def _wording(connection: Connection, model: str, sha256: str) -> str:
    """What the first record of a model says; in another wording it is another model."""
    one = (inspections.c.model == model) & (inspections.c.model_sha256 == sha256)
    query = select(inspections.c.record).where(one).order_by(inspections.c.id).limit(1)
    try:
        wording = from_line(str(connection.execute(query).scalar())).wording
    except TrajectoryError:
        return ""
    return _printable(f"{wording.name} {wording.sha256}".strip())


def _reviewers(connection: Connection) -> Iterator[ReviewerFact]:
    """Everybody with an entry in the log, even if all their verdicts were withdrawn."""
    query = (
        select(judgements.c.reviewer_id, judgements.c.verdict, func.count().label("number"))
        .where(judgements.c.verdict.in_(list(Verdict)), not_known(judgements.c.candidate_id))
        .group_by(judgements.c.reviewer_id, judgements.c.verdict)
    )
    verdict_counts: dict[int, dict[str, int]] = {}
    for row in connection.execute(query):
        verdict_counts.setdefault(row.reviewer_id, {})[row.verdict] = row.number
    in_log = select(log.c.reviewer_id).distinct()
    for row in connection.execute(
        select(reviewers).where(reviewers.c.id.in_(in_log)).order_by(reviewers.c.id)
    ):
        counts = verdict_counts.get(row.id, {})
        yield ReviewerFact(
            name=_printable(row.name), verdicts={str(each): counts.get(each, 0) for each in Verdict}
        )


def file_name(path: str) -> str:
    """The last part of a Unix or Windows path."""
    return path.replace("\\", "/").rpartition("/")[2]


def _printable(value: object) -> str:
    # A session may come from an untrusted source: header values must be printable and short.
    return printable(str(value), MAX_WORDS)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


# Count the simulated spectra of a session; every catalogue and report states the number. A
# session holds no spectra, so only those with an inspection record (or read for the report)
# count.
@dataclass(frozen=True, kw_only=True)
class SimulatedCount:
    simulated: int
    checked: int
    candidates: int

    @property
    def words(self) -> str:
        """The count as text, empty if no spectrum was checked."""
        if not self.checked:
            return ""
        if not self.simulated:
            return f"none of the {self.checked:,} looked at"
        if self.simulated < self.checked:
            return f"{self.simulated:,} of the {self.checked:,} looked at"
        every = f"all {self.checked:,}"
        return every if self.checked >= self.candidates else f"{every} looked at"


def simulated_in(connection: Connection) -> SimulatedCount:
    """Count from the inspection records; beyond MAX_RECORDS, from an even sample of them."""
    return _count(connection, _from_records(connection))


def simulated_of(
    session: Session, known: Known, read: Callable[[Candidate], Spectrum]
) -> SimulatedCount:
    """Count from the records, the `known` spectra and a few more that are read for it."""
    with session.database.reading() as connection:
        every = {**_from_records(connection), **known}
        spread = _evenly_spaced(*_id_range(connection, candidates.c.id), MAX_READ)
        for candidate in session.candidates(without_known(connection, set(spread) - set(every))):
            with suppress(WorkbenchError, OSError):
                every[candidate.id] = read(candidate).simulated
        return _count(connection, every)


def _count(connection: Connection, known: Known) -> SimulatedCount:
    count = select(func.count()).select_from(candidates).where(not_known(candidates.c.id))
    return SimulatedCount(
        simulated=sum(known.values()),
        checked=len(known),
        candidates=connection.execute(count).scalar_one(),
    )


def _from_records(connection: Connection) -> dict[int, bool]:
    ids = _evenly_spaced(*_id_range(connection, inspections.c.id), MAX_RECORDS)
    query = select(inspections.c.candidate_id, inspections.c.record)
    wanted = inspections.c.id.in_(ids) & not_known(inspections.c.candidate_id)
    rows = connection.execute(query.where(wanted))
    return {row.candidate_id: flag for row in rows for flag in simulated_flags(row.record)}


def simulated_flags(record: Any) -> Iterator[bool]:
    """Whether a record is of a simulated spectrum; nothing of one that is damaged."""
    with suppress(ValueError, TypeError, KeyError, RecursionError):  # the session may be untrusted
        yield json.loads(record)["spectrum"]["simulated"] is True


def _id_range(connection: Connection, column: Any) -> tuple[int | None, int | None]:
    # Two queries: SQLite uses the index for one of min and max, but scans the table for both.
    low, high = (connection.execute(select(end(column))).scalar() for end in (func.min, func.max))
    return low, high


def _evenly_spaced(low: int | None, high: int | None, most: int) -> list[int]:
    """At most `most` integers evenly spaced from low to high, both included."""
    if low is None or high is None:
        return []
    count = min(most, high - low + 1)
    return [low + (high - low) * i // max(count - 1, 1) for i in range(count)]
