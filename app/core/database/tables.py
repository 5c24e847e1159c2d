"""The tables of a session. The log only grows; `judgements` is what follows from it, kept ready.

SQLite in a file of its own, or PostgreSQL for a team: nothing here belongs to one of them alone.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

metadata = MetaData()

# SQLite numbers rows by itself only where the key is spelt INTEGER.
Key = BigInteger().with_variant(Integer, "sqlite")
# In the order of its bytes on both, so that "begins with" is a range of an index.
Name = Text().with_variant(Text(collation="C"), "postgresql")

CONDITION = "where"

TARGETID = 100_000_000
"""From here on a `row` is a TARGETID, not a place in a file."""


def _index_where(name: str, condition: str, *columns: Column[Any]) -> Index:
    """An index of only those rows: it costs nothing where there are none. A query must hold the
    same condition word for word, without parameters."""
    return Index(name, *columns, sqlite_where=text(condition), info={CONDITION: condition})


def prepare_for_postgresql() -> None:
    """Conditions of indexes for PostgreSQL, too: only to name it makes SQLAlchemy load all it knows
    of it, which whoever works alone need not wait for."""
    for table in metadata.tables.values():
        for index in table.indexes:
            if CONDITION in index.info:
                index.dialect_options["postgresql"]["where"] = text(index.info[CONDITION])


def _own_key() -> Column[int]:
    return Column("id", Key, primary_key=True, autoincrement=True)


def _of(table: str, name: str, *, index: bool = False, primary_key: bool = False) -> Column[int]:
    return Column(
        name, Key, ForeignKey(f"{table}.id"), nullable=False, index=index, primary_key=primary_key
    )


facts = Table(
    "facts",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

lists = Table(
    "lists",
    metadata,
    _own_key(),
    Column("name", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("rows_read", Key, nullable=False),
    Column("rows_used", Key, nullable=False),
    Column("roles", Text, nullable=False),  # JSON: role -> column
    Column("columns", Text, nullable=False),  # JSON: name, type, unit, description, ucd of each
    Column("imported_at", Text, nullable=False),
)

refused_rows = Table(
    "refused_rows",
    metadata,
    _own_key(),
    _of("lists", "list_id", index=True),
    Column("line", Key, nullable=False),
    Column("reason", Text, nullable=False),
)

candidates = Table(
    "candidates",
    metadata,
    _own_key(),
    _of("lists", "list_id"),
    Column("line", Key, nullable=False),
    Column("object_id", Name, nullable=False),
    Column("path", Text, nullable=False),
    Column("row", BigInteger, nullable=False),
    Column("ra", Double),
    Column("dec", Double),
    Column("score", Double),
    Column("label", Text, nullable=False),
    Column("snr", Double),
    Column("own", Text, nullable=False),  # JSON: the list's further columns
    Column("file_sha256", Text, nullable=False, default=""),
    Column("fault", Text, nullable=False, default=""),
    # One bit for each reviewer who has a verdict here: what "next unjudged" is found by.
    Column("judged_by", BigInteger, nullable=False, default=0),
    # Of the newest inspection, or of the model that is shown; all of them are in `inspections`.
    Column("agent_verdict", Text),
    Column("agent_p_yes", Double),
    Column("agent_model", Text, nullable=False, default=""),
    Column("agent_stopped_by", Text, nullable=False, default=""),
    # How far the agent's p(YES) is from what the list says: see app.core.inspections.shown_opinion.
    Column("surprise", Double),
    # Whether of its inspections one says YES and another NO.
    Column("agents_differ", Boolean, nullable=False, default=False, server_default=false()),
)
# Those of the orders a queue can have are made when they are first used: app.core.queue.
Index("candidates_object", candidates.c.object_id)

FAULTY = "fault <> ''"
HASHED = "file_sha256 <> ''"
MERGED = "origin <> ''"
DIFFERING = "agents_differ"
JUDGED_BY_SEVERAL = "(judged_by & (judged_by - 1)) <> 0"
FLAGGED = "flags <> '[]'"
COMMENTED = "comment <> ''"

_index_where("candidates_target", f'"row" >= {TARGETID}', candidates.c.row)
_index_where("candidates_dec", "dec IS NOT NULL", candidates.c.dec, candidates.c.ra)
_index_where(
    "candidates_p_yes",
    "agent_p_yes IS NOT NULL",
    candidates.c.agent_p_yes,
    candidates.c.id,
)
_index_where(
    "candidates_agent",
    "agent_verdict IS NOT NULL",
    candidates.c.agent_verdict,
    candidates.c.id,
)
_index_where("candidates_faulty", FAULTY, candidates.c.id)
_index_where("candidates_differing", DIFFERING, candidates.c.id)
_index_where("candidates_several", JUDGED_BY_SEVERAL, candidates.c.id)
_index_where("candidates_hash", HASHED, candidates.c.file_sha256)

reviewers = Table(
    "reviewers",
    metadata,
    _own_key(),
    Column("name", Text, nullable=False, unique=True),
    Column("since", Text, nullable=False),
)

log = Table(
    "log",
    metadata,
    _own_key(),
    Column("at", Text, nullable=False),
    _of("reviewers", "reviewer_id"),
    Column("action", Text, nullable=False),
    _of("candidates", "candidate_id", index=True),
    Column("verdict", Text),
    Column("confidence", SmallInteger),
    Column("flags", Text, nullable=False),  # JSON: list of words
    Column("comment", Text, nullable=False),
    Column("seconds", Double),
    Column("shown", Text, nullable=False),  # JSON: what of an agent's opinion had been seen
    # A `set` line remembers what held before it and which `set` lies below it on the stack of
    # what can be undone. An `undo` or `redo` line names its `set` and what is on top after it.
    Column("before_id", Key),
    Column("below_id", Key),
    Column("target_id", Key),
    Column("undo_top_id", Key),
    Column("redo_top_id", Key),
    # Where a line came from that was merged in: the other session and its number there.
    Column("origin", Text, nullable=False, default=""),
    Column("origin_id", Key),
)
Index("log_reviewer", log.c.reviewer_id, log.c.id)
_index_where("log_origin", MERGED, log.c.origin, log.c.origin_id)

judgements = Table(
    "judgements",
    metadata,
    _of("candidates", "candidate_id", primary_key=True),
    _of("reviewers", "reviewer_id", primary_key=True),
    _of("log", "log_id"),
    Column("verdict", Text),
    Column("confidence", SmallInteger),
    Column("flags", Text, nullable=False),
    Column("comment", Text, nullable=False),
    Column("at", Text, nullable=False),
)
Index(
    "judgements_verdict", judgements.c.reviewer_id, judgements.c.verdict, judgements.c.candidate_id
)
_index_where("judgements_flagged", FLAGGED, judgements.c.reviewer_id, judgements.c.candidate_id)
_index_where("judgements_commented", COMMENTED, judgements.c.candidate_id)

# Candidates served a second time, to see whether a reviewer would say the same: never a verdict,
# so nothing here touches the log, the judgements or what can be undone.
repeats = Table(
    "repeats",
    metadata,
    _own_key(),
    _of("candidates", "candidate_id", index=True),
    _of("reviewers", "reviewer_id"),
    Column("at", Text, nullable=False),
    Column("verdict", Text),
    Column("confidence", SmallInteger),
    Column("flags", Text, nullable=False),
    Column("comment", Text, nullable=False),
    Column("seconds", Double),
    _of("log", "first_id"),  # the line that held the verdict which was asked for again
    Column("after_id", Key, nullable=False),  # the reviewer's last line of the log at that time
    Column("withdrawn", Boolean, nullable=False, default=False),
)
Index("repeats_reviewer", repeats.c.reviewer_id, repeats.c.id)

inspections = Table(
    "inspections",
    metadata,
    _own_key(),
    _of("candidates", "candidate_id"),
    Column("model", Text, nullable=False),
    Column("model_sha256", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("verdict", Text),
    Column("p_yes", Double),
    Column("stopped_by", Text, nullable=False),
    Column("well_formed", Boolean, nullable=False),
    Column("record", Text, nullable=False),  # the trajectory, one line of JSON
    UniqueConstraint("candidate_id", "model", "model_sha256"),
)
Index(
    "inspections_model",
    inspections.c.model,
    inspections.c.model_sha256,
    inspections.c.candidate_id,
    inspections.c.verdict,
)

calibrations = Table(
    "calibrations",
    metadata,
    _own_key(),
    Column("model", Text, nullable=False),
    Column("fitted_at", Text, nullable=False),
    Column("content", Text, nullable=False),  # JSON, see agent.confidence.calibration_file
)

packed_spectra = Table(
    "packed_spectra",
    metadata,
    _of("candidates", "candidate_id", primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
