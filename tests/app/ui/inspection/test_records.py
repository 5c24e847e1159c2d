"""The records of a candidate: which is shown, which are saved, and calibrated p(YES)."""

from __future__ import annotations

import pytest
from sqlalchemy import insert

from agent.confidence.calibration import Calibration
from agent.confidence.calibration_file import calibration_to_json
from app.core.database.tables import calibrations
from app.core.inspections.shown_opinion import show_model
from app.core.inspections.store import inspections_of
from app.core.session.session import open_session
from app.core.session.verdict_log import now
from app.ui.inspection.records import read_records, save_record
from tests.app.ui.agent.trajectories import NANO, SEVEN_B, record


def test_the_newest_record_is_default_or_the_preferred_models(session):
    older, newer = record(), record(model=NANO, verdict="NO", p_yes=0.2)
    assert save_record(session, 1, older) and save_record(session, 1, newer)
    records = read_records(session, 1)
    assert records.trajectories == (newer, older) and records.default == newer
    show_model(session, SEVEN_B)
    assert read_records(session, 1).default == older
    assert read_records(session, 2).default is None


def test_an_interrupted_run_never_replaces_a_finished_one(session):
    finished = record()
    stopped = record(stopped_by="cancelled", verdict=None, p_yes=None)
    assert save_record(session, 1, stopped) and save_record(session, 1, finished)
    assert not save_record(session, 1, stopped)
    assert [each.trajectory for each in inspections_of(session, 1)] == [finished]
    assert not save_record(session, 2, record(stopped_by="cancelled", steps=(), replies=()))


def test_a_read_only_session_saves_nothing(session):
    with open_session(session.location, "Ada", read_only=True) as reading:
        assert not save_record(reading, 1, record())


def test_a_calibration_applies_only_to_its_model(session):
    save_record(session, 1, record())
    save_record(session, 1, record(model=NANO))
    rule = Calibration(
        method="platt", slope=1.0, intercept=-2.0, n=80, positives=20, model_sha256=SEVEN_B.sha256
    )
    values = {"model": SEVEN_B.name, "fitted_at": now(), "content": calibration_to_json(rule)}
    with session.database.writing() as connection:
        connection.execute(insert(calibrations).values(values))
    records = read_records(session, 1)
    nano, seven = records.trajectories
    assert records.calibrated(seven) == pytest.approx(rule.apply(0.93))
    assert records.calibrated(nano) is None and records.calibration_of(nano) is None
