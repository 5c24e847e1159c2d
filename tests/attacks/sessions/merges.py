"""Machines with clocks of their own that work on copies of a session, and merge at any time."""

import random
import shutil
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, text

from app.core.database.tables import (
    candidates,
    facts,
    inspections,
    judgements,
    log,
    repeats,
    reviewers,
)
from app.core.errors import SessionError
from app.core.inspections import store
from app.core.inspections.seen import SeenResult, record_seen
from app.core.inspections.shown_opinion import update_agent_columns
from app.core.session import verdict_log
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, open_session
from app.core.session.stored_opinions import opinion_of
from app.core.sharing import MergeReport, merge
from app.core.statistics.repeats import record_repeat, withdraw_repeat
from tests.app.core.session.test_rebuild import derived, rebuilt
from tests.app.core.sharing.merged_sessions import session_at

BEGAN = datetime(2026, 1, 10, 12, tzinfo=UTC)
FAR = (-739_000, -20_463, 4_392, 2_900_000)
"""Days to the years 2, 1970, 2038 and 9966."""
PEOPLE = ("Ada", "Ben")
CANDIDATES = 3
AGENT_COLUMNS = (
    "agent_verdict",
    "agent_p_yes",
    "agent_model",
    "agents_differ",
    "surprise",
    "agent_members",
)


@dataclass
class World:
    """The machines of one case. Time passes with each deed, but no clock has to know."""

    folder: Path
    chance: random.Random
    patched: pytest.MonkeyPatch
    has_old_program: bool = False
    sessions: list[Session] = field(default_factory=list)
    ahead: dict[str, timedelta] = field(default_factory=dict)
    told: Counter[str] = field(default_factory=Counter)

    def begin(self) -> None:
        """A session with a past on one machine, two copies of it, and one of another origin."""
        self._ticks = 0
        self._now_at = "0"
        for module in (verdict_log, store):
            self.patched.setattr(module, "now", self._now)
        first = self.folder / "0.speco3"
        session_at(first, count=CANDIDATES).close()
        self._open(first)
        for _ in range(self.chance.randrange(6)):
            self.deed(self.sessions[0])
        for name in "12":
            self.sessions[0].database.copy_to(self.folder / f"{name}.speco3")
            self._open(self.folder / f"{name}.speco3")
        session_at(self.folder / "3.speco3", count=CANDIDATES).close()
        self._open(self.folder / "3.speco3")

    def _open(self, location: Path) -> None:
        self.sessions.append(open_session(location, "Ada"))
        self._set_clock(location.stem)

    def _set_clock(self, name: str) -> None:
        """Off by days, by less than a deed takes, in another century or year 1, or right."""
        days = self.chance.choice([0, 0, 0, -3, -1, 1, 2, self.chance.choice(FAR)])
        seconds = self.chance.choice([0, 0, 1, -1])
        self.ahead[name] = timedelta(days=days, seconds=seconds)

    def _now(self) -> str:
        """By the clock of the machine at work; two deeds of two machines may be at one time."""
        when = (
            BEGAN + timedelta(seconds=self._ticks // 3) + self.ahead.get(self._now_at, timedelta())
        )
        return when.isoformat(timespec="milliseconds")

    def deed(self, session: Session) -> None:
        """Anything that a person or an agent does."""
        self._ticks += 1
        self._now_at = Path(session.location).stem
        if self.chance.random() < 0.05:
            self._set_clock(self._now_at)
        session.reviewer = self.chance.choice(PEOPLE)
        number = self.chance.randint(1, CANDIDATES)
        match self.chance.randrange(13):
            case 0 | 1 | 2 | 3 | 4:
                session.record_verdict(
                    number, self._opinion(), seconds=self.chance.choice([None, 1.0])
                )
            case 5 | 6 | 7:
                session.undo()
            case 8 | 9:
                session.redo()
            case 10:
                self._inspect(session, number)
            case 11:
                self._repeat(session, number)
            case 12:
                seen = SeenResult(self.chance.choice(["", "nano", "large"]), self._flip())
                if read_fact(session, number) is None or seen.model:
                    record_seen(session, {number: seen})
        if self.has_old_program and self._now_at == "1":
            forget_order(session)

    def _opinion(self) -> Opinion:
        return Opinion(
            verdict=self.chance.choice([*Verdict, Verdict.ACCEPT, None]),
            confidence=self.chance.choice([None, None, 3]),
            flags=("odd",) * self.chance.choice([0, 0, 1]),
            comment=self.chance.choice(["", "", "宽"]),
        )

    def _inspect(self, session: Session, number: int) -> None:
        verdict = self.chance.choice(["YES", "NO"])
        model = self.chance.choice(["nano", "large"])
        values = {"candidate_id": number, "model": model, "model_sha256": "cd", "at": self._now()}
        said = {"verdict": verdict, "p_yes": self.chance.choice([0.1, 0.6, 0.9])}
        more = {"stopped_by": "answer", "well_formed": True, "record": f"{{}} {verdict}"}
        with session.database.writing() as connection:
            own = inspections.c
            same = (own.candidate_id == number) & (own.model == model)
            connection.execute(inspections.delete().where(same))
            connection.execute(insert(inspections).values(values | said | more))
            update_agent_columns(connection, number, session.task)

    def _repeat(self, session: Session, number: int) -> None:
        if self._flip():
            withdraw_repeat(session)
            return
        try:
            record_repeat(session, number, Opinion(verdict=self.chance.choice(list(Verdict))))
        except SessionError as error:
            assert "no verdict" in str(error)

    def _flip(self) -> bool:
        return self.chance.random() < 0.5

    def merged(self, into: Session, other: Session) -> MergeReport:
        """Merge, and check that nothing that is kept ready differs from the log."""
        before, theirs = answers(into), answers(other)
        report = merge(into, other)
        assert derived(into) == rebuilt(into)
        self.told["merges"] += 1
        self.told["lines"] += report.lines
        self.told["conflicts"] += len(report.conflicts)
        self._check_conflicts(before, theirs, into, report)
        return report

    def _check_conflicts(
        self, before: dict[Any, Any], theirs: dict[Any, Any], into: Session, report: MergeReport
    ) -> None:
        """Where an answer of ours gave way to one that did not replace it, that is told."""
        after = answers(into)
        told = {(each.object_id, each.reviewer): each for each in report.conflicts}
        known = dict(log_lines(into))
        for key, (opinion, line) in before.items():
            if key in theirs and key in after and after[key][0] not in (opinion, None):
                kept = after[key][1]
                if not leads_to(known, kept, line) and key not in told:
                    assert is_withdrawn(into, line), (key, opinion, after[key])
        for each in report.conflicts:
            assert each.kept.opinion != each.set_aside.opinion
            assert after[each.object_id, each.reviewer][0] == each.kept.opinion

    def close(self) -> None:
        for session in self.sessions:
            session.close()


def copied(session: Session, name: str) -> Session:
    """A session that goes on from here in a file of its own."""
    location = Path(session.location).with_name(f"{name}.speco3")
    shutil.copy(session.location, location)
    wal = Path(f"{session.location}-wal")
    if wal.exists():
        shutil.copy(wal, f"{location}-wal")
    return open_session(location, session.reviewer)


def forget_order(session: Session) -> None:
    """Older programs did not write which undo or redo a line followed."""
    with session.database.writing() as connection:
        words = "UPDATE log SET before_id = NULL WHERE action <> 'set' AND origin = ''"
        connection.execute(text(words))


def read_fact(session: Session, number: int) -> str | None:
    key = f"seen:{number}:{session.reviewer}"
    with session.database.reading() as connection:
        return connection.execute(select(facts.c.value).where(facts.c.key == key)).scalar()


Line = tuple[Any, ...]


def log_lines(session: Session) -> list[tuple[Line, tuple[Line | None, ...]]]:
    """Each line by what it is in every file, and the lines to which it refers."""
    query = (
        select(log, candidates.c.object_id, reviewers.c.name)
        .join(candidates, candidates.c.id == log.c.candidate_id)
        .join(reviewers, reviewers.c.id == log.c.reviewer_id)
        .order_by(log.c.id)
    )
    with session.database.reading() as connection:
        rows = connection.execute(query).all()
    by_id: dict[int, Line] = {}
    found = []
    for row in rows:
        place = (row.origin, row.origin_id) if row.origin else (session.id, row.id)
        words = (row.at, row.action, row.verdict, row.confidence, row.flags, row.comment)
        more = (row.seconds, row.shown, row.object_id, row.name)
        pointers = (row.before_id, row.below_id, row.target_id, row.undo_top_id, row.redo_top_id)
        meant = tuple(None if each is None else by_id[each] for each in pointers)
        # Two copies may say the same at the same place, of different lines before.
        by_id[row.id] = (*place, *words, *more, hash(meant))
        found.append((by_id[row.id], meant))
    return found


def answers(session: Session) -> dict[tuple[str, str], tuple[Opinion, Line]]:
    """The opinion that stands by object and reviewer, and its line."""
    query = (
        select(judgements, reviewers.c.name, candidates.c.object_id)
        .join(candidates, candidates.c.id == judgements.c.candidate_id)
        .join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
    )
    with session.database.reading() as connection:
        lines = [line for line, _ in log_lines(session)]
        rows = connection.execute(query).all()
    return {(row.object_id, row.name): (opinion_of(row), lines[row.log_id - 1]) for row in rows}


def leads_to(known: dict[Line, tuple[Line | None, ...]], line: Line | None, target: Line) -> bool:
    """Whether a line replaced another, at once or by way of others."""
    while line is not None and line != target:
        line = known[line][0]
    return line is not None


def is_withdrawn(session: Session, target: Line) -> bool:
    return any(meant[2] == target for _, meant in log_lines(session))


def state(session: Session) -> dict[str, Any]:
    """All that has to be the same in files that have merged each other."""
    with session.database.reading() as connection:
        names = {row.id: row.object_id for row in connection.execute(select(candidates))}
        people = {row.id: row.name for row in connection.execute(select(reviewers))}
        columns = [candidates.c[name] for name in ("object_id", *AGENT_COLUMNS)]
        agents = [tuple(row) for row in connection.execute(select(*columns))]
        by_models = [
            (names[row.candidate_id], *tuple(row)[2:])
            for row in connection.execute(select(inspections))
        ]
        again = [
            (names[row.candidate_id], people[row.reviewer_id], row.at, row.verdict, row.withdrawn)
            for row in connection.execute(select(repeats))
        ]
        query = select(facts).where(facts.c.key.startswith("seen:"))
        seen = [(row.key, row.value) for row in connection.execute(query)]
        judged = [
            (row.object_id, frozenset(n for i, n in people.items() if row.judged_by >> (i - 1) & 1))
            for row in connection.execute(select(candidates))
        ]
    return {
        "answers": answers(session),
        "log": Counter(log_lines(session)),
        "agents": sorted(agents, key=repr),
        "inspections": sorted(by_models, key=repr),
        "repeats": Counter(again),
        "seen": sorted(seen),
        "judged": sorted(judged, key=repr),
    }
