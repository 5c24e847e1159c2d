"""Sessions in a script or a notebook: candidates and verdicts as tables, and new verdicts.

`from app import open_session` opens a session to read. With a `reviewer` it is opened to write, and
no other program can open that file meanwhile. Candidates hidden with a known answer, which measure
people, are in no table and are not iterated over. Of which candidates a reviewer's script has read
an agent's answer is kept in the session, as what a person has seen in the window.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields as fields_of
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import select

from agent.errors import WorkbenchError
from agent.inspection.inspector_factory import default_model
from agent.spectra.spectrum import Spectrum
from agent.tasks.subclass import path_of
from agent.tasks.task import Task
from app.core.database.tables import candidates, inspections, judgements, reviewers
from app.core.exporting.export import read_catalogue
from app.core.inspections.batch import inspect_all
from app.core.inspections.seen import BY_SCRIPT, SeenResult, read_seen, record_seen, seen_of
from app.core.inspections.store import as_recorded
from app.core.queue import LIST_ORDER, matching, parse_filter
from app.core.queue.blind_filters import breaks_blind_mode
from app.core.queue.own_columns import own_columns
from app.core.session import session as sessions
from app.core.session.known_answers import known_ids, not_known
from app.core.session.own_fields import OwnField, own_fields, value_of
from app.core.session.records import Candidate, LogEntry, Opinion, Verdict
from app.core.session.session import Session
from app.core.session.spectra_folders import allow_folders, outside_folders, refuse_outside_folders
from app.core.session.stored_opinions import judgement_of
from app.core.session.subclass_and_fields import FieldValue, FieldValues, field_values, values_text
from app.core.session.velocity import Velocity
from app.core.sharing.merge import MergeReport
from app.core.sharing.merge import merge as bring_together
from app.core.spectra.packing import read_spectrum
from app.worker.pool import WorkerPool
from app.worker.request import LoadRequest

if TYPE_CHECKING:
    from astropy.table import Table

__all__ = ["OpenSession", "Velocity", "open_session"]

WHO = ("candidate_id", "object_id", "reviewer")
OPINION = ("verdict", "confidence", "flags", "comment", "subclass", "fields", "velocity_kms", "at")
CONFIDENCE = "from 4 (sure) to 0 (none)"
TIME = "UTC, ISO 8601"
MAX_UNSAVED = 500  # candidates of which a crash may forget that an agent's answer was read
HIDDEN: dict[str, Any] = {
    each.name: each.default
    for each in fields_of(Candidate)
    if each.name.startswith("agent_") or each.name in ("label", "catalogue_log_odds", "p_combined")
}
"""A candidate without what tells its class."""


class OpenSession:
    """An open session, from `open_session`; use it in a `with` block, or close it."""

    def __init__(self, session: sessions.Session) -> None:
        self._session = session
        self._read: set[int] = set()  # candidates of which an agent's answer was handed out
        self._unsaved: set[int] = set()  # those of them that the session does not know of yet

    @property
    def name(self) -> str:
        """The session's name."""
        return self._session.name

    @property
    def task(self) -> Task:
        """The class that is judged, with its question and guideline."""
        return self._session.task

    @property
    def reviewer(self) -> str:
        """The name under which verdicts are added; empty if the session is only read."""
        return self._session.reviewer

    @property
    def is_read_only(self) -> bool:
        """Whether it was opened without a reviewer."""
        return self._session.is_read_only

    @property
    def subclasses(self) -> tuple[str, ...]:
        """The sub-classes that a verdict may name, such as "DA/DAH"."""
        every = self._session.subclasses
        return tuple(path_of(each.name, every) for each in every)

    @property
    def fields(self) -> tuple[OwnField, ...]:
        """The session's own fields, which a verdict may fill in by their `name`."""
        return own_fields(self._session)

    def __len__(self) -> int:
        return self._session.count() - len(known_ids(self._session))

    def __iter__(self) -> Iterator[Candidate]:
        return self.iterate()

    def iterate(self, filter: str = "", *, without_agent: bool = False) -> Iterator[Candidate]:
        """The candidates in the order of the list, read page by page.

        `filter` is written as in the window's queue, such as "agent:yes p_yes>0.9". To judge blind,
        read them `without_agent`: without its answers and the list's label.
        """
        tree = parse_filter(filter, [each.name for each in own_columns(self._session)])
        if without_agent and breaks_blind_mode(tree, LIST_ORDER):
            raise WorkbenchError("this filter tells what an agent or the list says of the class")
        hidden = known_ids(self._session)
        found = (row.candidate for row in matching(self._session, tree))
        found = (each for each in found if each.id not in hidden)
        return (replace(each, **HIDDEN) if without_agent else self._told(each) for each in found)

    def candidate(self, candidate_id: int) -> Candidate:
        """One candidate by its number."""
        return self._told(self._session.candidate(candidate_id))

    def candidates(
        self, filter: str = "", *, reviewer: str | None = None, without_agent: bool = False
    ) -> Table:
        """An astropy Table with a row for each candidate, as an exported catalogue has it.

        It has the columns of the list, the verdict (that of `reviewer`, by default the final one),
        the agent's answer and what services said; `meta["provenance"]` tells where it comes from.
        `without_agent` leaves out what `iterate` does.
        """
        some = self.iterate(filter, without_agent=without_agent) if filter else None
        found = None if some is None else [each.id for each in some]
        if not without_agent:
            self._note_read(found)
        return read_catalogue(
            self._session,
            which="all" if found is None else found,
            reviewer=reviewer,
            without_agent=without_agent,
        )

    def verdicts(self) -> Table:
        """An astropy Table with a row for each reviewer's present opinion of each candidate."""
        return verdict_table(self._session)

    def history(self) -> Table:
        """An astropy Table of the log: every verdict, undo and redo, oldest first."""
        return history_table(self._session)

    def spectrum(self, candidate: Candidate | int) -> Spectrum:
        """Read the spectrum of a candidate.

        Spectra outside the session's own folder are read only if this computer was told to trust
        them, in the window or with `trust_paths`.
        """
        refuse_outside_folders(self._session)
        number = candidate if isinstance(candidate, int) else candidate.id
        return read_spectrum(self._session, self._session.candidate(number))

    def add_verdict(
        self,
        candidate: Candidate | int,
        verdict: str,
        *,
        confidence: int | None = None,
        flags: Sequence[str] = (),
        comment: str = "",
        subclass: str = "",
        fields: Mapping[str, FieldValue | None] | None = None,
        velocity: Velocity | float | None = None,
        agent_seen: bool = True,
    ) -> bool:
        """Record the reviewer's verdict ("accept", "reject" or "unsure"); it is saved at once.

        `confidence` is from 0 to 4 (sure), `subclass` one of `subclasses`, `fields` have values by
        name, and a `velocity` in km/s or a `Velocity`. Returns False if it was their opinion
        already. Every verdict is kept in the log and can be undone.

        A verdict counts as given with an agent's answer in view, so that calibration, agreement and
        training leave it out, unless `agent_seen` is False. That is refused where this reviewer has
        seen or read such an answer, as `candidates` and `iterate` give it.
        """
        self._refuse_reading()
        if verdict.upper() not in Verdict.__members__:
            known = ", ".join(each.lower() for each in Verdict)
            raise WorkbenchError(f"there is no verdict {verdict}: use one of {known}")
        if subclass and subclass not in self.subclasses:
            known = ", ".join(self.subclasses) or "none"
            raise WorkbenchError(f"there is no sub-class {subclass[:40]!r}; there are {known}")
        if isinstance(velocity, int | float):
            velocity = Velocity(kms=float(velocity))
        opinion = Opinion(
            verdict=Verdict[verdict.upper()],
            confidence=confidence,
            flags=tuple(flags),
            comment=comment,
            subclass=subclass,
            fields=self._values(fields or {}),
            velocity=velocity,
        )
        number = candidate if isinstance(candidate, int) else candidate.id
        shown = self._shown(self._session.candidate(number)) if agent_seen else {}
        if not agent_seen and (number in self._read or read_seen(self._session, number)):
            raise WorkbenchError(
                f"an agent's answer on candidate {number} was read: a verdict on it is not blind"
            )
        return self._session.record_verdict(number, opinion, shown=shown) is not None

    def undo(self) -> int:
        """Undo the reviewer's last verdict, or act; returns how many candidates that changed."""
        self._refuse_reading()
        return _number(self._session.undo())

    def redo(self) -> int:
        """Redo what was undone last; returns how many candidates that changed."""
        self._refuse_reading()
        return _number(self._session.redo())

    def vet(
        self, model: str | None = None, *, limit: int | None = None, seed: int = 0, workers: int = 1
    ) -> Counter[str]:
        """Let a model inspect all candidates that it has not inspected yet, as `spec-o3 vet` does.

        Returns how often it said YES, NO or nothing ("no verdict"), and how many were "unreadable".
        """
        self._refuse_reading()
        refuse_outside_folders(self._session)
        load = LoadRequest(model or default_model(self._session.task.id))
        said: Counter[str] = Counter()
        with WorkerPool(workers, load) as pool:
            known = as_recorded(self._session, pool.ready())
            run = inspect_all(self._session, pool, known, limit=limit, seed=seed, wait=True)
            for each in run:
                record = each.trajectory
                said["unreadable" if record is None else record.verdict or "no verdict"] += 1
        return said

    def merge(self, other: str | Path) -> MergeReport:
        """Merge another session of the same list into this one; the other stays as it is."""
        self._refuse_reading()
        with sessions.open_session(_place(other), self.reviewer, read_only=True) as source:
            return bring_together(self._session, source)

    def close(self) -> None:
        """Close the session; its file can then be opened elsewhere."""
        try:
            self._save_read()
        finally:
            self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _refuse_reading(self) -> None:
        if self.is_read_only:
            raise WorkbenchError("the session is only read: open it with a reviewer's name")

    def _values(self, given: Mapping[str, FieldValue | None]) -> FieldValues:
        known = {field.name: field for field in self.fields}
        if unknown := given.keys() - known.keys():
            name = sorted(unknown)[0]
            raise WorkbenchError(f"there is no field {name[:40]!r}; there are {', '.join(known)}")
        texts = {name: "" if value is None else str(value) for name, value in given.items()}
        return field_values({name: value_of(known[name], text) for name, text in texts.items()})

    @staticmethod
    def _shown(candidate: Candidate) -> Mapping[str, Any]:
        """What the log says that a script had seen: at least that it may have."""
        said = {"verdict": candidate.agent_verdict, "p_yes": candidate.agent_p_yes}
        has_answer = any(value is not None for value in said.values())
        return {**BY_SCRIPT, **(said | {"model": candidate.agent_model} if has_answer else {})}

    def _told(self, candidate: Candidate) -> Candidate:
        """The candidate, noting that an agent's answer on it is handed out."""
        if candidate.agent_verdict is not None or candidate.agent_p_yes is not None:
            self._note([candidate.id])
        return candidate

    def _note_read(self, which: Sequence[int] | None) -> None:
        """Note that all that agents and assistants said of these, or of all, is handed out."""
        inspected = select(inspections.c.candidate_id).distinct()
        told = set(self._session.database.scalars(inspected))
        self._note(told if which is None else told.intersection(which))
        self._save_read()

    def _note(self, numbers: Collection[int]) -> None:
        self._unsaved.update(number for number in numbers if number not in self._read)
        self._read.update(numbers)
        if len(self._unsaved) >= MAX_UNSAVED:
            self._save_read()

    def _save_read(self) -> None:
        numbers, self._unsaved = sorted(self._unsaved), set()
        if numbers and not self.is_read_only:
            before = seen_of(self._session, numbers)  # in the window, which keeps more of it
            new = {number: SeenResult() for number in numbers if number not in before}
            record_seen(self._session, new)


def open_session(
    location: str | Path, reviewer: str = "", *, trust_paths: bool = False
) -> OpenSession:
    """Open a session file, or a team's database by its address.

    Without a reviewer it is only read, and stays as it is even if the window has it open.
    `trust_paths` lets it read spectra outside its own folder, now and later: for a session from
    somebody you trust.
    """
    name = " ".join(reviewer.split())
    session = sessions.open_session(_place(location), name, read_only=not name)
    try:
        if trust_paths:
            allow_folders(session.id, outside_folders(session))
    except BaseException:
        session.close()
        raise
    return OpenSession(session)


def _place(location: str | Path) -> str | Path:
    return location if "://" in str(location) else Path(location)


def _number(changed: LogEntry | None) -> int:
    return 0 if changed is None else 1 + changed.others


# Opinions of people, and the log of how they came about, as astropy Tables.
def verdict_table(session: Session) -> Table:
    """A row for each reviewer's present opinion of each candidate, without known answers."""
    query = (
        select(judgements, reviewers.c.name, candidates.c.object_id)
        .join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
        .join(candidates, candidates.c.id == judgements.c.candidate_id)
        .where(not_known(judgements.c.candidate_id))
        .order_by(judgements.c.candidate_id, judgements.c.reviewer_id)
    )
    found = [(judgement_of(row), row.object_id) for row in session.database.rows(query)]
    rows = [
        (each.candidate_id, object_id, each.reviewer, *_cells(each.opinion), each.at)
        for each, object_id in found
    ]
    return _table((*WHO, *OPINION), rows)


def history_table(session: Session) -> Table:
    """A row for each line of the log, oldest first, without those on known answers."""
    hidden = known_ids(session)
    rows = [
        (
            *(each.id, each.action, each.candidate_id, each.reviewer),
            *(*_cells(each.opinion), each.at, each.seconds, each.order_met or None),
        )
        for each in session.history()
        if each.candidate_id not in hidden
    ]
    return _table(
        ("id", "action", "candidate_id", "reviewer", *OPINION, "seconds", "order_met"), rows
    )


def _cells(opinion: Opinion) -> tuple[Any, ...]:
    verdict = None if opinion.verdict is None else str(opinion.verdict)
    kms = None if opinion.velocity is None else opinion.velocity.kms
    more = opinion.subclass, values_text(opinion.fields), kms
    return verdict, opinion.confidence, ", ".join(opinion.flags), opinion.comment, *more


WHOLE, REAL = {"candidate_id", "id", "confidence"}, {"seconds", "velocity_kms"}


def _table(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Table:
    """The rows as a table; cells that are None are masked."""
    from astropy.table import MaskedColumn, Table  # slow to import

    about = {"confidence": CONFIDENCE, "at": TIME, "seconds": "time spent on the candidate"}
    about["order_met"] = "order of the queue in which the verdict was first given"
    about["fields"] = "JSON: value by name of a field of the session"
    units = {"seconds": "s", "velocity_kms": "km/s"}
    made = []
    for number, name in enumerate(names):
        cells = [row[number] for row in rows]
        kind = int if name in WHOLE else float if name in REAL else str
        made.append(
            MaskedColumn(
                [kind() if cell is None else cell for cell in cells],
                name=name,
                dtype=kind,
                mask=[cell is None for cell in cells],
                description=about.get(name),
                unit=units.get(name),
            )
        )
    return Table(made)
