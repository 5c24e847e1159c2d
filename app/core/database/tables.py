"""The tables of a session. The log is append-only; `judgements` is derived from it for fast reads.

All definitions work in SQLite (a personal file) and in PostgreSQL (a team).
"""

import json
import math
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, ForeignKey, Index, MetaData, Table, UniqueConstraint, false, text
from sqlalchemy.types import TypeEngine

from agent.trajectory.compressed_text import CompressedTextError, compress_text, decompress_text
from app.core.errors import SessionError

metadata = MetaData()
CONDITION = "where"
MIN_TARGETID = 100_000_000
"""A `row` from this number on is a DESI TARGETID, not a row number of the file."""

NAMES = {str: "a text", bytes: "a block of bytes", int: "a whole number", float: "a number"}


# Column types named as SQLAlchemy's, which also check what a session file returns. SQLite stores
# any value in any column, so a session from a stranger may hold a text where a number belongs.
# Whatever is read through one of these columns has its type, or is None.
def _check(wanted: str, *kinds: type) -> Callable[[Any], Any]:
    """A function that returns its value, or raises a SessionError if it has another type."""

    def check(value: Any) -> Any:
        if value is None or type(value) in kinds:
            return value
        raise _damaged(value, wanted)

    return check


def json_object(text: object) -> dict[str, Any]:
    """The JSON object in a text of a session; empty where there is none."""
    try:
        found = json.loads(str(text))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _damaged(value: object, wanted: str) -> SessionError:
    found = NAMES.get(type(value), "something else")
    if isinstance(value, float) and not math.isfinite(value):
        found = "an infinite number"
    return SessionError(
        f"the session is damaged: it has {found} where {wanted} belongs. Open a backup"
    )


def _number(value: Any) -> Any:
    # An int comes from SQLite's own arithmetic, such as the sum of no rows.
    if value is None or (type(value) in (float, int) and math.isfinite(value)):
        return value
    raise _damaged(value, "a number")


def _boolean(value: Any) -> Any:
    if value is None:
        return None
    if type(value) is int and value in (0, 1):
        return value == 1
    raise _damaged(value, "yes or no")


def _packed(text: Any) -> Any:
    return text if text is None else compress_text(text) or text


def _unpacked(value: Any) -> Any:
    """The text of an older or long record, too, which is stored as it is."""
    if type(value) is not bytes:
        return _words(value)
    try:
        return decompress_text(value)
    except CompressedTextError as error:
        raise _damaged(value, "a text") from error


def _in_file(
    kind: type[TypeEngine[Any]],
    check: Callable[[Any], Any],
    pack: Callable[[Any], Any] | None = None,
) -> TypeEngine[Any]:
    """The type, with a check of each value that is read, and `pack` for each that is written."""
    members: dict[str, Any] = {"result_processor": lambda self, dialect, coltype: check}
    if pack is not None:
        members["bind_processor"] = lambda self, dialect: pack
    made: TypeEngine[Any] = type(f"Checked{kind.__name__}", (kind,), members)()
    return made


_words = _check("a text", str)
_whole = _check("a whole number", int)

Text = sa.Text().with_variant(_in_file(sa.Text, _words), "sqlite")
# Compressed in a file; SQLite keeps bytes in a column of texts as they are. A server compresses
# long texts by itself.
LongText = sa.Text().with_variant(_in_file(sa.Text, _unpacked, _packed), "sqlite")
# Byte order in both databases, so that a search by prefix is a range of the index.
Name = Text.with_variant(sa.Text(collation="C"), "postgresql")
BigInteger = sa.BigInteger().with_variant(_in_file(sa.BigInteger, _whole), "sqlite")
# SQLite assigns row numbers only to a key declared as INTEGER.
Key = sa.BigInteger().with_variant(_in_file(sa.Integer, _whole), "sqlite")
SmallInteger = sa.SmallInteger().with_variant(_in_file(sa.SmallInteger, _whole), "sqlite")
Double: TypeEngine[float] = sa.Double().with_variant(_in_file(sa.Double, _number), "sqlite")
Boolean = sa.Boolean().with_variant(_in_file(sa.Boolean, _boolean), "sqlite")
LargeBinary = sa.LargeBinary().with_variant(
    _in_file(sa.LargeBinary, _check("a block of bytes", bytes)), "sqlite"
)


def _partial_index(name: str, condition: str, *columns: Column[Any]) -> Index:
    """An index of the rows with that condition only.

    It is used by queries that contain the same condition word for word, without parameters.
    """
    return Index(name, *columns, sqlite_where=text(condition), info={CONDITION: condition})


def raw_sql(sql: str) -> sa.ColumnElement[bool]:
    """A constant condition with exactly the text that an index has."""
    return sa.literal_column(f"({sql})")


def prepare_for_postgresql() -> None:
    """Set the conditions of the partial indexes for PostgreSQL as well.

    Naming the dialect makes SQLAlchemy import it, which users of a file should not wait for.
    """
    for table in metadata.tables.values():
        for index in table.indexes:
            if CONDITION in index.info:
                index.dialect_options["postgresql"]["where"] = text(index.info[CONDITION])


def _primary_key() -> Column[int]:
    return Column("id", Key, primary_key=True, autoincrement=True)


def _foreign_key(
    table: str, name: str, *, index: bool = False, primary_key: bool = False
) -> Column[int]:
    return Column(
        name, Key, ForeignKey(f"{table}.id"), nullable=False, index=index, primary_key=primary_key
    )


def _given(kind: TypeEngine[Any], *names: str) -> list[Column[Any]]:
    """Columns that always have a value."""
    return [Column(name, kind, nullable=False) for name in names]


def _open(kind: TypeEngine[Any], *names: str) -> list[Column[Any]]:
    """Columns that may have none."""
    return [Column(name, kind) for name in names]


def _further_columns() -> tuple[Column[str], ...]:
    """What an opinion says beyond verdict, confidence, flags and comment."""
    return (
        # Names from the widest to the narrowest class, as 'DA/DAH'.
        Column("subclass", Text, nullable=False, default="", server_default=""),
        # JSON: value by name of a field of the session; empty if there are none.
        Column("fields", Text, nullable=False, default="", server_default=""),
        # JSON: see app.core.session.velocity; empty if there is none.
        Column("velocity", Text, nullable=False, default="", server_default=""),
    )


facts = Table(
    "facts", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False)
)

lists = Table(
    "lists",
    metadata,
    _primary_key(),
    *_given(Text, "name", "path", "sha256", "format"),
    *_given(Key, "rows_read", "rows_used"),
    Column("roles", Text, nullable=False),  # JSON: role -> column
    Column("columns", Text, nullable=False),  # JSON: name, type, unit, description, ucd of each
    Column("imported_at", Text, nullable=False),
)

refused_rows = Table(
    "refused_rows",
    metadata,
    _primary_key(),
    _foreign_key("lists", "list_id", index=True),
    Column("line", Key, nullable=False),
    Column("reason", Text, nullable=False),
)

candidates = Table(
    "candidates",
    metadata,
    _primary_key(),
    _foreign_key("lists", "list_id"),
    Column("line", Key, nullable=False),
    Column("object_id", Name, nullable=False),
    Column("path", Text, nullable=False),
    Column("row", BigInteger, nullable=False),
    *_open(Double, "ra", "dec", "score"),
    Column("label", Text, nullable=False),
    Column("snr", Double),
    Column("own", Text, nullable=False),  # JSON: the list's further columns
    # As the list gives the file, where it differs from `path`.
    Column("listed_path", Text, nullable=False, default="", server_default=""),
    Column("file_sha256", Text, nullable=False, default=""),
    Column("fault", Text, nullable=False, default=""),
    # One bit for each reviewer with a verdict; "next unjudged" searches by it.
    Column("judged_by", BigInteger, nullable=False, default=0),
    # From the newest inspection, or that of the shown model; `inspections` has all of them.
    Column("agent_verdict", Text),
    Column("agent_p_yes", Double),
    Column("agent_model", Text, nullable=False, default=""),
    Column("agent_stopped_by", Text, nullable=False, default=""),
    # Distance of the agent's p(YES) from the list's label: see app.core.inspections.shown_opinion.
    Column("surprise", Double),
    # Whether one model says YES and another NO.
    Column("agents_differ", Boolean, nullable=False, default=False, server_default=false()),
    # Of that inspection, if a panel's members contradict each other: "nano-eye NO, measured YES".
    Column("agent_members", Text, nullable=False, default="", server_default=""),
    # What catalogues weigh by the claims of the task, NULL where nothing could be weighed, and
    # p(YES) with it, NULL where the task has no such claims.
    *_open(Double, "catalogue_log_odds", "p_combined"),
)
# Indexes for the orders of the queue are created on first use: app.core.queue.order_indexes.
Index("candidates_object", candidates.c.object_id)

FAULTY = "fault <> ''"
HASHED = "file_sha256 <> ''"
MERGED = "origin <> ''"
DIFFERING = "agents_differ"
OPPOSED = "agent_members <> ''"
JUDGED_BY_SEVERAL = "(judged_by & (judged_by - 1)) <> 0"
FLAGGED = "flags <> '[]'"
COMMENTED = "comment <> ''"
SUBCLASSED = "subclass <> ''"
WITH_FIELDS = "fields <> ''"
WITH_VELOCITY = "velocity <> ''"

_partial_index("candidates_target", f'"row" >= {MIN_TARGETID}', candidates.c.row)
_partial_index("candidates_dec", "dec IS NOT NULL", candidates.c.dec, candidates.c.ra)
_partial_index(
    "candidates_p_yes", "agent_p_yes IS NOT NULL", candidates.c.agent_p_yes, candidates.c.id
)
_partial_index(
    "candidates_agent", "agent_verdict IS NOT NULL", candidates.c.agent_verdict, candidates.c.id
)
_partial_index("candidates_faulty", FAULTY, candidates.c.id)
_partial_index("candidates_differing", DIFFERING, candidates.c.id)
_partial_index("candidates_opposed", OPPOSED, candidates.c.id)
_partial_index("candidates_several", JUDGED_BY_SEVERAL, candidates.c.id)
_partial_index("candidates_hash", HASHED, candidates.c.file_sha256)

reviewers = Table(
    "reviewers",
    metadata,
    _primary_key(),
    Column("name", Text, nullable=False, unique=True),
    Column("since", Text, nullable=False),
)

log = Table(
    "log",
    metadata,
    _primary_key(),
    Column("at", Text, nullable=False),
    _foreign_key("reviewers", "reviewer_id"),
    Column("action", Text, nullable=False),
    _foreign_key("candidates", "candidate_id", index=True),
    Column("verdict", Text),
    Column("confidence", SmallInteger),
    Column("flags", Text, nullable=False),  # JSON: list of words
    Column("comment", Text, nullable=False),
    Column("seconds", Double),
    Column("shown", Text, nullable=False),  # JSON: what the reviewer had seen of an agent's opinion
    # JSON: service -> release and beginning of the reply's hash of what had been on screen.
    Column("evidence", Text, nullable=False, default="", server_default=""),
    # The queue's order, as `sort_text` writes it, in which the verdict was first given.
    Column("order_met", Text, nullable=False, default="", server_default=""),
    *_further_columns(),
    # A `set` line stores the line it replaced and the `set` below it on the undo stack. An `undo`
    # or `redo` line stores its `set`, what is on top of the stacks afterwards and, in `before_id`,
    # the undo or redo of the same `set` that it followed, or else that `set`.
    *_open(Key, "before_id", "below_id", "target_id", "undo_top_id", "redo_top_id"),
    # Of a merged line: the other session and the line's number there.
    Column("origin", Text, nullable=False, default=""),
    Column("origin_id", Key),
)
Index("log_reviewer", log.c.reviewer_id, log.c.id)
_partial_index("log_origin", MERGED, log.c.origin, log.c.origin_id)

judgements = Table(
    "judgements",
    metadata,
    _foreign_key("candidates", "candidate_id", primary_key=True),
    _foreign_key("reviewers", "reviewer_id", primary_key=True),
    _foreign_key("log", "log_id"),
    Column("verdict", Text),
    Column("confidence", SmallInteger),
    *_given(Text, "flags", "comment", "at"),
    *_further_columns(),
)
Index(
    "judgements_verdict", judgements.c.reviewer_id, judgements.c.verdict, judgements.c.candidate_id
)
_partial_index("judgements_flagged", FLAGGED, judgements.c.reviewer_id, judgements.c.candidate_id)
_partial_index("judgements_commented", COMMENTED, judgements.c.candidate_id)
_partial_index(
    "judgements_subclass",
    SUBCLASSED,
    judgements.c.reviewer_id,
    judgements.c.subclass,
    judgements.c.candidate_id,
)
_partial_index(
    "judgements_fields", WITH_FIELDS, judgements.c.reviewer_id, judgements.c.candidate_id
)
_partial_index(
    "judgements_velocity", WITH_VELOCITY, judgements.c.reviewer_id, judgements.c.candidate_id
)

# Candidates shown a second time to test whether a reviewer gives the same verdict. A repeat is not
# a verdict: it never touches the log, the judgements or the undo stack.
repeats = Table(
    "repeats",
    metadata,
    _primary_key(),
    _foreign_key("candidates", "candidate_id", index=True),
    _foreign_key("reviewers", "reviewer_id"),
    Column("at", Text, nullable=False),
    Column("verdict", Text),
    Column("confidence", SmallInteger),
    *_given(Text, "flags", "comment"),
    Column("seconds", Double),
    _foreign_key("log", "first_id"),  # the log line of the first verdict
    Column("after_id", Key, nullable=False),  # the reviewer's newest log line at that time
    Column("withdrawn", Boolean, nullable=False, default=False),
    *_further_columns(),
    # As in the log; empty but in a study.
    Column("shown", Text, nullable=False, default="", server_default=""),
)
Index("repeats_reviewer", repeats.c.reviewer_id, repeats.c.id)

# What people measured by hand: never changed, only withdrawn.
measurements = Table(
    "measurements",
    metadata,
    _primary_key(),
    _foreign_key("candidates", "candidate_id", index=True),
    _foreign_key("reviewers", "reviewer_id"),
    *_given(Text, "at", "line"),
    Column("ew", Double, nullable=False),
    *_open(Double, "ew_error", "fwhm_kms", "centroid", "snr"),
    *_given(Double, "left_wavelength", "left_flux", "right_wavelength", "right_flux"),
    Column("withdrawn", Boolean, nullable=False, default=False),
)

inspections = Table(
    "inspections",
    metadata,
    _primary_key(),
    _foreign_key("candidates", "candidate_id"),
    *_given(Text, "model", "model_sha256", "at"),
    Column("verdict", Text),
    Column("p_yes", Double),
    Column("stopped_by", Text, nullable=False),
    Column("well_formed", Boolean, nullable=False),
    Column("record", LongText, nullable=False),  # the trajectory, one line of JSON
    UniqueConstraint("candidate_id", "model", "model_sha256"),
)
Index(
    "inspections_model",
    inspections.c.model,
    inspections.c.model_sha256,
    inspections.c.candidate_id,
    inspections.c.verdict,
)

# On a server: the candidates that running programs inspect with a model now, apart from the
# results, so that no two do the same one. Who dies does not renew its leases, and they expire.
leases = Table(
    "claims",  # its name in every session since 0.1
    metadata,
    _foreign_key("candidates", "candidate_id", primary_key=True),
    Column("model", Text, primary_key=True),
    Column("model_sha256", Text, primary_key=True),
    Column("holder", Text, nullable=False, index=True),
    Column("expires", Double, nullable=False),  # seconds since 1970, by the server's clock
)

calibrations = Table(
    "calibrations",
    metadata,
    _primary_key(),
    *_given(Text, "model", "fitted_at"),
    Column("content", Text, nullable=False),  # JSON, see agent.confidence.calibration
)

packed_spectra = Table(
    "packed_spectra",
    metadata,
    _foreign_key("candidates", "candidate_id", primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# What services answered, as it came; one row for each exchange, never changed.
service_replies = Table(
    "service_replies",
    metadata,
    _primary_key(),
    Column("url", Text, nullable=False),
    Column("question", LongText, nullable=False),
    *_given(Text, "asked_at", "media_type"),
    Column("sha256", Text, nullable=False),  # of the content before it was compressed
    Column("content", LargeBinary, nullable=False),  # zlib's
)

evidence = Table(
    "evidence",
    metadata,
    _foreign_key("candidates", "candidate_id", primary_key=True),
    Column("service", Text, primary_key=True),
    Column("release", Text, primary_key=True),
    Column("state", Text, nullable=False),  # found, nothing or failed
    Column("asked_at", Text, nullable=False),
    # The position that was asked, moved to the year of the catalogue.
    *_given(Double, "ra", "dec", "radius_arcsec"),
    Column("client", Text, nullable=False),
    Column("matches", Text, nullable=False),  # JSON, nearest first
    Column("reason", Text, nullable=False),  # why it failed
    Column("reply_id", Key, ForeignKey("service_replies.id")),
    # Whether it is the newest answer of the service, of all releases.
    Column("is_newest", Boolean, nullable=False),
)
_partial_index(
    "evidence_state", "is_newest", evidence.c.service, evidence.c.state, evidence.c.candidate_id
)

# Who is to judge what: never deleted, only withdrawn, so that merged files agree.
assignments = Table(
    "assignments",
    metadata,
    _foreign_key("candidates", "candidate_id", primary_key=True),
    _foreign_key("reviewers", "reviewer_id", primary_key=True),
    Column("reason", Text, nullable=False),  # first, overlap or second
    Column("at", Text, nullable=False),
    Column("withdrawn", Boolean, nullable=False, default=False),
)
Index("assignments_reviewer", assignments.c.reviewer_id, assignments.c.candidate_id)

# Candidates hidden in the list whose class is known: they measure people and are in no catalogue.
known_answers = Table(
    "known_answers",
    metadata,
    _foreign_key("candidates", "candidate_id", primary_key=True),
    Column("is_member", Boolean, nullable=False),
    Column("class_name", Text, nullable=False),
    Column("simulated", Boolean, nullable=False),
    Column("source", Text, nullable=False),  # the labelled file, and its row
)
