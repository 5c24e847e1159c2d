"""Upgrades older tables step by step. A released step is never edited.

New sessions get the current tables directly. A step writes its own SQL instead of importing
`tables`, because those definitions keep changing.
"""

import re
from collections.abc import Callable
from functools import cache

from sqlalchemy import ClauseElement, Connection, create_mock_engine

from app.core.database.tables import metadata

Step = Callable[[Connection], None]


def _add_measurements_and_listed_paths(connection: Connection) -> None:
    is_file = connection.dialect.name == "sqlite"
    key = "INTEGER" if is_file else "BIGINT"
    number = "INTEGER NOT NULL" if is_file else "BIGSERIAL NOT NULL"
    double = "DOUBLE" if is_file else "DOUBLE PRECISION"
    connection.exec_driver_sql(
        "ALTER TABLE candidates ADD COLUMN listed_path TEXT DEFAULT '' NOT NULL"
    )
    connection.exec_driver_sql(
        f"""
        CREATE TABLE measurements (
            id {number}, candidate_id {key} NOT NULL, reviewer_id {key} NOT NULL,
            at TEXT NOT NULL, line TEXT NOT NULL, ew {double} NOT NULL, ew_error {double},
            fwhm_kms {double}, centroid {double}, snr {double},
            left_wavelength {double} NOT NULL, left_flux {double} NOT NULL,
            right_wavelength {double} NOT NULL, right_flux {double} NOT NULL,
            withdrawn BOOLEAN NOT NULL,
            PRIMARY KEY (id),
            FOREIGN KEY(candidate_id) REFERENCES candidates (id),
            FOREIGN KEY(reviewer_id) REFERENCES reviewers (id)
        )
        """
    )
    connection.exec_driver_sql(
        "CREATE INDEX ix_measurements_candidate_id ON measurements (candidate_id)"
    )


def _add_claims(connection: Connection) -> None:
    # From this version on, records of inspections may be compressed: see column_types.LongText.
    is_file = connection.dialect.name == "sqlite"
    key, double = ("INTEGER", "DOUBLE") if is_file else ("BIGINT", "DOUBLE PRECISION")
    connection.exec_driver_sql(
        f"""
        CREATE TABLE claims (
            candidate_id {key} NOT NULL, model TEXT NOT NULL, model_sha256 TEXT NOT NULL,
            holder TEXT NOT NULL, expires {double} NOT NULL,
            PRIMARY KEY (candidate_id, model, model_sha256),
            FOREIGN KEY(candidate_id) REFERENCES candidates (id)
        )
        """
    )
    connection.exec_driver_sql("CREATE INDEX ix_claims_holder ON claims (holder)")


def _add_evidence(connection: Connection) -> None:
    is_file = connection.dialect.name == "sqlite"
    key, double, content = (
        ("INTEGER", "DOUBLE", "BLOB") if is_file else ("BIGINT", "DOUBLE PRECISION", "BYTEA")
    )
    number = "INTEGER NOT NULL" if is_file else "BIGSERIAL NOT NULL"
    connection.exec_driver_sql("ALTER TABLE log ADD COLUMN evidence TEXT DEFAULT '' NOT NULL")
    connection.exec_driver_sql(
        f"""
        CREATE TABLE service_replies (
            id {number}, url TEXT NOT NULL, question TEXT NOT NULL, asked_at TEXT NOT NULL,
            media_type TEXT NOT NULL, sha256 TEXT NOT NULL, content {content} NOT NULL,
            PRIMARY KEY (id)
        )
        """
    )
    connection.exec_driver_sql(
        f"""
        CREATE TABLE evidence (
            candidate_id {key} NOT NULL, service TEXT NOT NULL, release TEXT NOT NULL,
            state TEXT NOT NULL, asked_at TEXT NOT NULL, ra {double} NOT NULL,
            dec {double} NOT NULL, radius_arcsec {double} NOT NULL, client TEXT NOT NULL,
            matches TEXT NOT NULL, reason TEXT NOT NULL, reply_id {key},
            is_newest BOOLEAN NOT NULL,
            PRIMARY KEY (candidate_id, service, release),
            FOREIGN KEY(candidate_id) REFERENCES candidates (id),
            FOREIGN KEY(reply_id) REFERENCES service_replies (id)
        )
        """
    )
    connection.exec_driver_sql(
        "CREATE INDEX evidence_state ON evidence (service, state, candidate_id) WHERE is_newest"
    )


def _add_catalogue_weights(connection: Connection) -> None:
    double = "DOUBLE" if connection.dialect.name == "sqlite" else "DOUBLE PRECISION"
    for name in ("catalogue_log_odds", "p_combined"):
        connection.exec_driver_sql(f"ALTER TABLE candidates ADD COLUMN {name} {double}")


def _add_subclasses_and_fields(connection: Connection) -> None:
    for table in ("log", "judgements", "repeats"):
        for column in ("subclass", "fields"):
            connection.exec_driver_sql(
                f"ALTER TABLE {table} ADD COLUMN {column} TEXT DEFAULT '' NOT NULL"
            )
    connection.exec_driver_sql(
        "CREATE INDEX judgements_subclass ON judgements (reviewer_id, subclass, candidate_id) "
        "WHERE subclass <> ''"
    )
    connection.exec_driver_sql(
        "CREATE INDEX judgements_fields ON judgements (reviewer_id, candidate_id) "
        "WHERE fields <> ''"
    )


def _add_assignments_and_known_answers(connection: Connection) -> None:
    key = "INTEGER" if connection.dialect.name == "sqlite" else "BIGINT"
    connection.exec_driver_sql(
        f"""
        CREATE TABLE assignments (
            candidate_id {key} NOT NULL, reviewer_id {key} NOT NULL, reason TEXT NOT NULL,
            at TEXT NOT NULL, withdrawn BOOLEAN NOT NULL,
            PRIMARY KEY (candidate_id, reviewer_id),
            FOREIGN KEY(candidate_id) REFERENCES candidates (id),
            FOREIGN KEY(reviewer_id) REFERENCES reviewers (id)
        )
        """
    )
    connection.exec_driver_sql(
        "CREATE INDEX assignments_reviewer ON assignments (reviewer_id, candidate_id)"
    )
    connection.exec_driver_sql(
        f"""
        CREATE TABLE known_answers (
            candidate_id {key} NOT NULL, is_member BOOLEAN NOT NULL, class_name TEXT NOT NULL,
            simulated BOOLEAN NOT NULL, source TEXT NOT NULL,
            PRIMARY KEY (candidate_id),
            FOREIGN KEY(candidate_id) REFERENCES candidates (id)
        )
        """
    )


def _add_what_people_share(connection: Connection) -> None:
    _add_catalogue_weights(connection)
    _add_subclasses_and_fields(connection)
    _add_assignments_and_known_answers(connection)


def _add_velocities_and_orders(connection: Connection) -> None:
    for table in ("log", "judgements", "repeats"):
        connection.exec_driver_sql(
            f"ALTER TABLE {table} ADD COLUMN velocity TEXT DEFAULT '' NOT NULL"
        )
    connection.exec_driver_sql(
        "CREATE INDEX judgements_velocity ON judgements (reviewer_id, candidate_id) "
        "WHERE velocity <> ''"
    )
    connection.exec_driver_sql("ALTER TABLE log ADD COLUMN order_met TEXT DEFAULT '' NOT NULL")
    connection.exec_driver_sql("ALTER TABLE repeats ADD COLUMN shown TEXT DEFAULT '' NOT NULL")
    _add_members(connection)


def _add_members(connection: Connection) -> None:
    """Add what a panel's members said, of the newest records of both in older sessions."""
    connection.exec_driver_sql(
        "ALTER TABLE candidates ADD COLUMN agent_members TEXT DEFAULT '' NOT NULL"
    )
    connection.exec_driver_sql(
        """
        UPDATE candidates SET agent_members = coalesce((
            SELECT CASE WHEN eye.verdict <> own.verdict
                THEN eye.model || ' ' || eye.verdict || ', measured ' || own.verdict END
            FROM inspections eye, inspections own, inspections panel
            WHERE eye.candidate_id = candidates.id AND eye.model NOT IN ('panel', 'measured')
            AND own.candidate_id = candidates.id AND own.model = 'measured'
            AND panel.candidate_id = candidates.id AND panel.model = 'panel'
            AND eye.at <= panel.at AND own.at <= panel.at
            ORDER BY panel.at DESC, eye.at DESC, own.at DESC LIMIT 1), '')
        WHERE agents_differ AND agent_model = 'panel'
        """
    )
    connection.exec_driver_sql(
        "CREATE INDEX candidates_opposed ON candidates (id) WHERE agent_members <> ''"
    )
    # The order "uncertain" has another expression now; its indexes are made anew on first use.
    catalogue = "SELECT indexname FROM pg_indexes WHERE schemaname = ANY (current_schemas(false))"
    if connection.dialect.name == "sqlite":
        catalogue = "SELECT name FROM sqlite_schema WHERE type = 'index'"
    for name in connection.exec_driver_sql(catalogue).scalars().all():
        if re.fullmatch(r"queue_uncertain_[a-z0-9_]+", name):
            connection.exec_driver_sql(f"DROP INDEX {name}")


STEPS: tuple[Step, ...] = (
    _add_measurements_and_listed_paths,
    _add_claims,
    _add_evidence,
    _add_what_people_share,
    _add_velocities_and_orders,
)
"""Step n, counted from 1, upgrades version n to n + 1."""

VERSION = 1 + len(STEPS)


def migrate(connection: Connection, version: int) -> None:
    """Create the tables (version 0) or upgrade them, in the caller's transaction."""
    if version == 0:
        if connection.dialect.name != "sqlite":
            metadata.create_all(connection)
            return
        for statement in _schema_of_file():
            connection.exec_driver_sql(statement)
        return
    for step in STEPS[version - 1 :]:
        step(connection)


@cache
def _schema_of_file() -> tuple[str, ...]:
    """The statements that create a file's tables, kept since compiling them takes longest."""
    found: list[str] = []

    def take(statement: ClauseElement, *_: object) -> None:
        found.append(str(statement.compile(dialect=engine.dialect)))

    engine = create_mock_engine("sqlite://", take)
    metadata.create_all(engine, checkfirst=False)
    return tuple(found)
