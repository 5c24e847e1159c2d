"""Sessions to be merged, and checks of the result."""

import shutil

from sqlalchemy import insert, select

from app.core.database.tables import candidates, inspections, log
from app.core.session.records import Opinion, Verdict
from tests.app.core.exporting.catalogues import listed
from tests.app.core.session.test_rebuild import derived, rebuilt
from tests.app.core.sessions import change

ACCEPT, REJECT, UNSURE = (Opinion(verdict=verdict) for verdict in Verdict)


def session_at(location, reviewer="Ada", count=5, **more):
    """A session of the reviewer with paths in their own folder."""
    rows = [{"path": f"/home/{reviewer}/{number}.fits"} for number in range(1, count + 1)]
    return listed(location, rows, reviewer=reviewer, **more)


def copy_of(location, name):
    copied = location.with_name(f"{name}.speco3")
    shutil.copy(location, copied)
    return copied


def verdicts(session, reviewer=None):
    """Current verdicts by candidate and reviewer."""
    found = {}
    for number in range(1, session.count() + 1):
        for each in session.judgements(number):
            if reviewer in (None, each.reviewer):
                found[number, each.reviewer] = each.opinion.verdict
    return found


def log_of(session):
    """Every log line without its ids, sorted."""
    rows = session.database.rows(select(log, candidates.c.object_id).join(candidates))
    return sorted((row.at, row.object_id, row.action, str(row.verdict)) for row in rows)


def check(session):
    assert rebuilt(session) == derived(session)
    with session.database.reading() as connection:
        if session.database.is_file:
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
        for line in connection.execute(select(log)):
            pointers = (line.before_id, line.below_id, line.target_id)
            assert all(each is None or each < line.id for each in pointers)


def inspected(session, number, model, at, verdict):
    about = {"candidate_id": number, "model": model, "model_sha256": "cd", "at": at}
    said = {"verdict": verdict, "p_yes": 0.9 if verdict == "YES" else 0.1}
    more = {"stopped_by": "answer", "well_formed": True, "record": f"{{}} {at}"}
    change(session, insert(inspections).values(about | said | more))
