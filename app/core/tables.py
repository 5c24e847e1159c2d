"""The tables of a session. The log only grows; `judgements` is what follows from it, kept ready.

SQLite in a file of its own, or PostgreSQL for a team: nothing here belongs to one of them alone.
"""

from __future__ import annotations

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
)

metadata = MetaData()

# SQLite numbers rows by itself only where the key is spelt INTEGER.
Key = BigInteger().with_variant(Integer, "sqlite")


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
    Column("object_id", Text, nullable=False),
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
    # Of the newest inspection; all of them are in `inspections`.
    Column("agent_verdict", Text),
    Column("agent_p_yes", Double),
    Column("agent_model", Text, nullable=False, default=""),
    Column("agent_stopped_by", Text, nullable=False, default=""),
)
Index("candidates_object", candidates.c.object_id)
Index("candidates_file", candidates.c.path, candidates.c.row)
Index("candidates_score", candidates.c.score, candidates.c.id)
Index("candidates_snr", candidates.c.snr, candidates.c.id)
Index("candidates_p_yes", candidates.c.agent_p_yes, candidates.c.id)
Index("candidates_agent", candidates.c.agent_verdict, candidates.c.id)
Index("candidates_dec", candidates.c.dec, candidates.c.ra)

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
Index("inspections_model", inspections.c.model, inspections.c.candidate_id)

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
