"""Keep a small session file with the current tables.

`python -m tests.app.core.database.make_schema_file`.

Run once at each release that brings a new version of the tables; what it has written is never
changed again. A session with something of everything, beside it what it reads as.
"""

import gzip
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy import LargeBinary, insert, select

from app.core.database.migrations import VERSION
from app.core.database.tables import (
    calibrations,
    candidates,
    inspections,
    metadata,
    packed_spectra,
    refused_rows,
)
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, open_session
from tests.app.core.sessions import made

FOLDER = Path(__file__).parent / "schemas"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    name = FOLDER / f"schema_{VERSION}"
    if name.with_suffix(".speco3.gz").exists():
        raise SystemExit(f"{name}.speco3.gz already exists and never changes once released")
    with tempfile.TemporaryDirectory() as folder:
        location = Path(folder) / "kept.speco3"
        read_as = make(location)
        packed = gzip.compress(location.read_bytes(), mtime=0)
    name.with_suffix(".speco3.gz").write_bytes(packed)
    words = json.dumps(read_as, ensure_ascii=False, indent=1)
    name.with_suffix(".json").write_text(words + "\n", encoding="utf-8")


def make(location: Path) -> dict[str, Any]:
    """A session with something of everything, closed; what it reads as."""
    with made(location, 4, "Ada") as session:
        _fill(session)
        for number, verdict in enumerate(Verdict, start=1):
            opinion = Opinion(
                verdict=verdict, confidence=number, flags=("变星",), comment="Hα \U0001f31f\n2"
            )
            session.record_verdict(number, opinion, seconds=2.5, shown={"verdict": "YES"})
        session.undo()
        session.undo()
        session.redo()
        session.set_fact("blind", "true")
    with open_session(location, "Ben") as session:
        session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
        session.record_verdict(4, Opinion(comment="later"))
        session.undo()
    with open_session(location, "Ada", read_only=True) as session:
        return read(session)


def read(session: Session) -> dict[str, Any]:
    """All that a session of any version tells, as JSON has it."""
    numbers = range(1, session.count() + 1)
    found = {
        "id": session.id,
        "name": session.name,
        "task": session.task.id,
        "blind": session.fact("blind"),
        "candidates": [asdict(each) for each in session.candidates(numbers)],
        "judgements": [asdict(each) for number in numbers for each in session.judgements(number)],
        "history": [asdict(entry) for entry in session.history()],
        "others": {
            table.name: _rows(session, table.name)
            for table in (refused_rows, inspections, calibrations, packed_spectra)
        },
    }
    plain: dict[str, Any] = json.loads(json.dumps(found, default=str))
    return plain


def _rows(session: Session, table: str) -> list[dict[str, Any]]:
    columns = [
        column for column in metadata.tables[table].c if not isinstance(column.type, LargeBinary)
    ]
    with session.database.reading() as connection:
        return [dict(row) for row in connection.execute(select(*columns)).mappings()]


def _fill(session: Session) -> None:
    about = {"model": "small", "model_sha256": "cd", "at": "2026-01-01T00:00:00.000+00:00"}
    with session.database.writing() as connection:
        connection.execute(
            candidates.update()
            .where(candidates.c.id == 2)
            .values(ra=10.5, dec=-0.25, score=0.75, snr=31.0, label="CV", own='{"mag": 18.5}')
        )
        connection.execute(insert(refused_rows).values(list_id=1, line=5, reason="no path"))
        connection.execute(
            insert(inspections).values(
                **about, candidate_id=2, verdict="YES", p_yes=0.9, stopped_by="answer",
                well_formed=True, record="{}",
            )
        )  # fmt: skip
        connection.execute(
            insert(calibrations).values(model="small", fitted_at=about["at"], content="{}")
        )
        connection.execute(
            insert(packed_spectra).values(candidate_id=1, sha256="ef", content=b"\0\1\2")
        )


if __name__ == "__main__":
    main()
