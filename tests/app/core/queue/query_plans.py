"""Records the query plans of SQLite and refuses slow ones."""

import re
from contextlib import contextmanager

from sqlalchemy import event

from app.core.queue import Sort

SMALL = "candidates_(several|faulty|differing|opposed)|judgements_(flagged|commented)"

FULL_SCAN = re.compile(
    rf"^SCAN (candidates|judgements|log|inspections|mine)\b(?! USING (COVERING )?INDEX ({SMALL}))"
)

SCORE = Sort("score", True)


@contextmanager
def explained(session):
    """Yield a list of (statement, plan steps) for the queries run within the block."""
    plans: list[tuple[str, list[str]]] = []

    def note(_connection, cursor, statement, parameters, *_):
        if statement.startswith(("SELECT", "WITH")) and "sqlite_schema" not in statement:
            driver = cursor.connection
            rows = driver.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            plans.append((statement, [row[3] for row in rows]))

    with session.database.reading() as connection:
        engine = connection.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield plans
    finally:
        event.remove(engine, "before_cursor_execute", note)


def refuse_slow(plans):
    assert plans
    for statement, steps in plans:
        told = "\n".join([statement, *steps])
        assert not any(map(FULL_SCAN.match, steps)), told
        assert not any("TEMP B-TREE" in step for step in steps), told
