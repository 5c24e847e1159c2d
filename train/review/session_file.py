"""Reads what training needs from a session of the workbench: inspections, verdicts and ratings.

The session is opened for reading only, and may be open in the window meanwhile. It may come from a
stranger: what is read is checked, and what is not as it should be is left out and counted.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, create_engine, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from agent.errors import ReadError, TrajectoryError, WorkbenchError
from agent.ratings.records import Rating, trajectory_id
from agent.spectra.spectrum import Spectrum
from agent.spectra.spectrum_bytes import from_bytes
from agent.trajectory.compressed_text import CompressedTextError, decompress_text
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import from_line
from app.core.inspections.ratings import rating_from, rating_key
from app.core.inspections.seen import BY_SCRIPT
from app.core.session.group_acts import Acts, acts
from app.core.session.proposals import is_assistant

Answer = Literal["YES", "NO"]
ANSWERS: dict[object, Answer] = {"ACCEPT": "YES", "REJECT": "NO"}
MAX_PACKED = 128 * 1024**2  # bytes that are read: a stranger may have put anything there
INSPECTIONS = (
    "SELECT id, candidate_id, record FROM inspections WHERE id > :after ORDER BY id LIMIT 50"
)
VERDICTS = (
    "SELECT verdict, log_id, reviewer_id FROM judgements "
    "WHERE candidate_id = :candidate ORDER BY reviewer_id"
)
LINE = "SELECT id, verdict, shown, before_id FROM log WHERE id = :line"
RATINGS = "SELECT value FROM facts WHERE key >= :first AND key < :past"
KNOWN = "known_answers"
PACKED = "SELECT content FROM packed_spectra WHERE candidate_id = :candidate"
PACKED_SIZE = "SELECT length(content) FROM packed_spectra WHERE candidate_id = :candidate"


@dataclass(frozen=True)
class Inspected:
    """An inspection with what people said of its candidate and of itself."""

    trajectory: Trajectory
    answers: tuple[Answer, ...]
    """The verdicts of all reviewers, without those given to many candidates in one act."""
    ratings: tuple[Rating, ...]
    packed: Spectrum | None = None
    is_blind: bool = True
    """Whether all verdicts were given before an agent's answer was seen."""

    @property
    def answer(self) -> Answer | None:
        """What people say, if they agree."""
        return self.answers[0] if len(set(self.answers)) == 1 else None

    @property
    def lowest(self) -> int | None:
        """The lowest score that anybody gave."""
        return min((rating.lowest for rating in self.ratings), default=None)


@dataclass
class SessionReader:
    """Reads one session; `left_out` counts why inspections were not used."""

    location: str
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def folder(self) -> Path | None:
        """Where a session file lies; None for a server."""
        return None if "://" in self.location else Path(self.location).absolute().parent

    @property
    def shown(self) -> str:
        """The location as people may see it, without a password."""
        if self.folder is not None:
            return self.location
        try:
            return make_url(self.location).set(password=None).render_as_string()
        except (ArgumentError, ValueError):
            return "the session's address"

    def inspections(self) -> Iterator[Inspected]:
        """Every valid inspection of a candidate on which people have said something."""
        try:
            with self._connection() as connection:
                yield from self._read(connection)
        except DBAPIError as error:
            reason = str(error.orig)[:160]
            raise WorkbenchError(f"{self.shown} cannot be read as a session: {reason}") from error

    def _read(self, connection: Connection) -> Iterator[Inspected]:
        together = acts(connection)
        # Candidates that measure people: what they are was known before. Older sessions have none.
        hidden = frozenset[int]()
        if inspect(connection).has_table(KNOWN):
            found = connection.execute(text(f"SELECT candidate_id FROM {KNOWN}"))
            hidden = frozenset(found.scalars())
        after = -1
        while rows := connection.execute(text(INSPECTIONS), {"after": after}).all():
            for row in rows:
                if row.candidate_id in hidden:
                    self.left_out["hidden with a known answer"] += 1
                    continue
                inspected = self._inspected(connection, row, together)
                if inspected is not None:
                    yield inspected
            after = rows[-1].id

    def _inspected(self, connection: Connection, row: Any, together: Acts) -> Inspected | None:
        try:
            trajectory = _trajectory(row.record)
        except (TrajectoryError, CompressedTextError):
            self.left_out["damaged"] += 1
            return None
        if is_assistant(trajectory.model.name):
            self.left_out["proposed by an assistant"] += 1
            return None
        answers, is_blind, of_scripts = [], True, 0
        for verdict in connection.execute(text(VERDICTS), {"candidate": row.candidate_id}):
            spans = together.get(verdict.reviewer_id, ())
            is_alone = not any(first <= verdict.log_id <= last for first, last in spans)
            if verdict.verdict in ANSWERS and is_alone:
                shown = _shown(connection, verdict.log_id, verdict.verdict)
                if shown.items() >= BY_SCRIPT.items():
                    of_scripts += 1
                    continue
                is_blind = is_blind and not shown
                answers.append(ANSWERS[verdict.verdict])
        ratings = tuple(_ratings(connection, row.candidate_id, trajectory_id(trajectory)))
        if not answers:
            why = "with verdicts of scripts that may know an agent's answer" if of_scripts else ""
            self.left_out[why or "without a verdict by a person"] += 1
            return None
        try:
            packed = _packed(connection, row.candidate_id)
        except ReadError:
            self.left_out["with a damaged spectrum"] += 1
            return None
        return Inspected(trajectory, tuple(answers), ratings, packed, is_blind)

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        path = Path(self.location)
        is_server = self.folder is None
        if not is_server and not path.is_file():
            raise WorkbenchError(f"there is no session {self.location}")
        url = f"sqlite:///{path.absolute().as_uri()}?mode=ro&uri=true"
        if is_server:
            url = re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", self.location)
        try:
            engine = create_engine(url)
        except (ArgumentError, ValueError, NoSuchModuleError, ImportError) as error:
            # The text of the error may hold the address with its password.
            kind = type(error).__name__
            raise WorkbenchError(f"{self.shown} cannot be used: {kind}") from None
        try:
            with engine.connect() as connection:
                if is_server:
                    connection.execute(text("SET TRANSACTION READ ONLY"))
                yield connection
        finally:
            engine.dispose()


def _trajectory(record: object) -> Trajectory:
    if isinstance(record, bytes):
        record = decompress_text(record)
    if not isinstance(record, str):
        raise TrajectoryError("not a record")
    return from_line(record)


def _shown(connection: Connection, line: int, verdict: str) -> Mapping[str, Any]:
    """What was shown of an agent when this verdict was first given; later lines only add to it."""
    shown: object = {}
    while row := connection.execute(text(LINE), {"line": line}).one_or_none():
        if row.verdict != verdict:
            break
        try:
            shown = json.loads(row.shown)
        except (ValueError, TypeError, RecursionError):
            shown = {"damaged": True}
        if not isinstance(row.before_id, int) or row.before_id >= row.id:
            break
        line = row.before_id
    return shown if isinstance(shown, dict) else {"damaged": True}


def _ratings(connection: Connection, candidate: int, trajectory: str) -> Iterator[Rating]:
    first = rating_key(candidate, trajectory, "")
    bounds = {"first": first, "past": first[:-1] + ";"}  # the sign that follows the colon
    for value in connection.execute(text(RATINGS), bounds).scalars():
        rating = rating_from(value)
        if rating is not None and rating.subject.trajectory == trajectory:
            yield rating


def _packed(connection: Connection, candidate: int) -> Spectrum | None:
    size = connection.execute(text(PACKED_SIZE), {"candidate": candidate}).scalar()
    if size is None:
        return None
    content = None
    if isinstance(size, int) and size <= MAX_PACKED:
        content = connection.execute(text(PACKED), {"candidate": candidate}).scalar()
    if not isinstance(content, bytes):
        raise ReadError("the packed spectrum is not one")
    return from_bytes(content)
