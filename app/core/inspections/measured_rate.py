"""How long an inspection by a model took in this session, and how much of the disk it needs."""

from dataclasses import dataclass
from statistics import fmean

from sqlalchemy import func, select

from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import from_line
from app.core.database.tables import inspections
from app.core.inspections.shown_opinion import made_by
from app.core.session.session import Session

SAMPLES = 100  # records that are read for a measured rate
ROW_BYTES = 500.0  # What an inspection takes beside its record: hashes, times and three indexes.
RECORD_BYTES = 1500.0 + ROW_BYTES
"""Of one inspection, where none is stored yet: one by the measured inspector."""


@dataclass(frozen=True, kw_only=True)
class MeasuredRate:
    """Means of some records of a model; 0 s if none tells its time."""

    model: ModelRef | None = None
    at: str = ""
    seconds: float = 0.0
    record_bytes: float = RECORD_BYTES


def measured_rate(session: Session, model: ModelRef, samples: int = SAMPLES) -> MeasuredRate:
    record = inspections.c.record
    stored = func.length(record) if session.database.is_file else func.pg_column_size(record)
    # The index of the model has this order, so that no other record is read.
    some = select(record, inspections.c.at, stored.label("size")).where(made_by(model))
    some = some.order_by(inspections.c.candidate_id.desc()).limit(samples)
    rows = session.database.rows(some)
    if not rows:
        return MeasuredRate()
    times = [from_line(row.record).seconds for row in rows]
    # One that was stored without its time would make the others look quicker.
    times = [each for each in times if each > 0] or [0.0]
    return MeasuredRate(
        model=model,
        at=max(row.at for row in rows),
        seconds=fmean(times),
        record_bytes=fmean(row.size for row in rows) + ROW_BYTES,
    )
