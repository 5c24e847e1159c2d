"""Splits a session file into one file for each person, with their part only.

A part is a copy of the session: the same id, the same candidates' files, and what that person has
done. What others did is not in it, so people stay blind to each other. `merge` brings parts back.
"""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Connection, delete, func, select, update

from agent.atomic_file import sync_folder
from app.core.database import tables
from app.core.database.database import SUFFIX, Database
from app.core.database.tables import assignments, candidates, evidence, facts, log, service_replies
from app.core.errors import SessionError, disk_errors
from app.core.inspections.seen import EVIDENCE, PREFIX
from app.core.progress import Progress, Steps
from app.core.session.assignments import is_assigned_to
from app.core.session.session import Session, open_session
from app.core.session.verdict_log import find_reviewer, judged_bit
from app.core.sharing.share_out import plan_of
from app.core.spectra.packing import check_complete, pack, temporary_path

OF_PEOPLE = (tables.repeats, tables.judgements, tables.measurements, assignments)
OF_CANDIDATES = (
    tables.leases, tables.packed_spectra, evidence, tables.inspections, tables.known_answers,
)  # fmt: skip
MAX_SLUG = 40


@dataclass(frozen=True, kw_only=True)
class PartFile:
    reviewer: str
    path: Path
    candidates: int


def split(
    session: Session, folder: Path, *, with_spectra: bool = False, progress: Progress | None = None
) -> list[PartFile]:
    """Write a file for each person of the plan; with their spectra in it if wanted.

    Files that exist are never replaced.
    """
    plan = plan_of(session)
    wanted = part_files(session, folder, () if plan is None else plan.people)
    steps = Steps("splitting", len(wanted), progress, None)
    found = []
    for name, path in wanted.items():
        found.append(_write_part(session, name, path, with_spectra=with_spectra))
        steps.step(1)
    return found


def part_files(session: Session, folder: Path, people: Sequence[str]) -> dict[str, Path]:
    """The file for each person. Raises SessionError where `split` cannot write them."""
    if not people:
        raise SessionError("this session is not shared out yet: name the people with --to")
    if not session.database.is_file:
        raise SessionError("people work together on a server: there is nothing to split")
    if not folder.is_dir():
        raise SessionError(f"{folder} is not an existing folder: create it first")
    wanted = {name: folder / f"{session.name}-{_slug(name)}{SUFFIX}" for name in people}
    if len(set(wanted.values())) < len(wanted):
        raise SessionError("two people's names give the same file name: tell them apart")
    for path in wanted.values():
        if path.exists():
            raise SessionError(f"{path} already exists: merge it first, then choose another folder")
    return wanted


def _write_part(session: Session, name: str, out: Path, *, with_spectra: bool) -> PartFile:
    with temporary_path(out) as temporary:
        session.database.copy_to(temporary)
        with closing(Database(temporary, "write")) as copy, copy.writing() as connection:
            count = _cut(connection, name)
        with closing(sqlite3.connect(temporary)) as connection:
            connection.execute("VACUUM")  # or what was deleted could still be read in the file
        if with_spectra:
            packed = temporary.with_name(f".{uuid4().hex[:8]}{SUFFIX}")
            try:
                with open_session(temporary, name, read_only=True) as part:
                    pack(part, packed)
                packed.replace(temporary)
            finally:
                packed.unlink(missing_ok=True)
        check_complete(temporary, out)
        with disk_errors(out):
            temporary.rename(out)
            sync_folder(out.parent)
    return PartFile(reviewer=name, path=out, candidates=count)


def _cut(connection: Connection, name: str) -> int:
    """Delete what is not for that person; the number of candidates that stay."""
    number = find_reviewer(connection, name) or 0
    for table in (*OF_PEOPLE, log):
        connection.execute(delete(table).where(table.c.reviewer_id != number))
    mine = select(assignments.c.candidate_id).where(is_assigned_to(number))
    # Their own log is whole, or an undo would not find what stood before.
    kept = mine.union(select(log.c.candidate_id))
    for table in (*OF_CANDIDATES, *OF_PEOPLE):
        connection.execute(delete(table).where(table.c.candidate_id.not_in(kept)))
    connection.execute(delete(candidates).where(candidates.c.id.not_in(kept)))
    replies = select(evidence.c.reply_id).where(evidence.c.reply_id.is_not(None))
    connection.execute(delete(service_replies).where(service_replies.c.id.not_in(replies)))
    _forget_facts(connection, name)
    judged = candidates.c.judged_by.op("&")(judged_bit(number) if number else 0)
    connection.execute(update(candidates).values(judged_by=judged))
    return connection.execute(select(func.count()).select_from(mine.subquery())).scalar_one()


def _forget_facts(connection: Connection, name: str) -> None:
    """Delete what the session remembers of candidates and acts of others."""
    there = {str(number) for number in connection.execute(select(candidates.c.id)).scalars()}
    lines = {str(number) for number in connection.execute(select(log.c.id)).scalars()}
    gone = []
    for key in connection.execute(select(facts.c.key)).scalars():
        kind, _, rest = str(key).partition(":")
        number, _, reviewer = rest.partition(":")
        of_others = number not in there or reviewer != name
        if of_others if f"{kind}:" in (PREFIX, EVIDENCE) else kind == "act" and number not in lines:
            gone.append(key)
    for key in gone:
        connection.execute(delete(facts).where(facts.c.key == key))


def _slug(name: str) -> str:
    """A file name's part of a person's name."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:MAX_SLUG] or "person"
