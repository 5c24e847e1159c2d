"""Lines measured by hand: kept, withdrawn, never changed."""

import math
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from app.core.database.tables import measurements
from app.core.errors import ReadOnlyError, SessionError
from app.core.session.measurements import (
    HandMeasurement,
    measurements_of,
    record_measurement,
    withdraw_measurement,
)
from app.core.session.session import open_session
from tests.app.core.sessions import change, made

HALPHA = HandMeasurement(
    line="Hα", ew=-15.5, ew_error=0.5, fwhm_kms=354.0, centroid=6564.9, snr=12.0,
    left=(6500.0, 1.5), right=(6630.0, 1.25),
)  # fmt: skip
BARE = HandMeasurement(line="He II 4686", ew=2.0, left=(4600.0, 1.0), right=(4800.0, 1.0))


@pytest.fixture
def session(file_location):
    with made(file_location) as session:
        yield session


def test_what_was_measured_is_there_after_a_restart(session, file_location):
    told = []
    session.changed.connect(told.append)
    first = record_measurement(session, 2, HALPHA)
    record_measurement(session, 3, BARE)
    assert [(each.aspect, each.candidate_ids) for each in told] == [
        ("measurement", {2}),
        ("measurement", {3}),
    ]
    session.close()
    with open_session(file_location, "Ben", read_only=True) as again:
        assert measurements_of(again, 2) == [first]
        assert (first.measurement, first.reviewer, first.candidate_id) == (HALPHA, "Ada", 2)
        assert [each.measurement for each in measurements_of(again)] == [HALPHA, BARE]
        with pytest.raises(ReadOnlyError):
            record_measurement(again, 2, HALPHA)


def test_a_withdrawn_one_stays_in_the_session(session):
    first = record_measurement(session, 2, HALPHA)
    assert withdraw_measurement(session, first.id).is_withdrawn
    assert measurements_of(session, 2) == []
    (kept,) = measurements_of(session, 2, with_withdrawn=True)
    assert kept == replace(first, is_withdrawn=True)


def test_only_ones_own_can_be_withdrawn(session, file_location):
    first = record_measurement(session, 2, HALPHA)
    session.close()
    with open_session(file_location, "Ben") as ben:
        with pytest.raises(SessionError, match="one of Ada"):
            withdraw_measurement(ben, first.id)
        with pytest.raises(SessionError, match="no measurement 99"):
            withdraw_measurement(ben, 99)
        with pytest.raises(SessionError, match="no candidate 99"):
            record_measurement(ben, 99, HALPHA)
        assert len(measurements_of(ben)) == 1


def test_what_is_no_measurement_is_not_kept(session):
    for wrong in [
        {"line": ""}, {"line": "x" * 81}, {"line": "a\nb"}, {"ew": math.nan}, {"snr": math.inf},
        {"ew_error": -1.0}, {"fwhm_kms": -1.0}, {"left": (6700.0, 1.0)}, {"left": (-1.0, 1.0)},
        {"right": (6630.0, math.nan)},
    ]:  # fmt: skip
        with pytest.raises(SessionError):
            record_measurement(session, 1, replace(HALPHA, **wrong))
        assert measurements_of(session, with_withdrawn=True) == []


@pytest.mark.parametrize(
    "spoilt", [{"line": ""}, {"right_wavelength": 1.0}, {"ew_error": -3.0}, {"line": "a\0b"}]
)
def test_a_spoilt_one_is_told(session, spoilt):
    record_measurement(session, 1, HALPHA)
    change(session, update(measurements).values(spoilt))
    with pytest.raises(SessionError, match="damaged"):
        measurements_of(session)


def rows(session):
    return session.database.rows(select(measurements))


def test_a_server_keeps_them_too(team_location):
    with made(team_location) as session:
        withdraw_measurement(session, record_measurement(session, 2, HALPHA).id)
        record_measurement(session, 2, BARE)
        assert [each.measurement for each in measurements_of(session, 2)] == [BARE]
        assert len(rows(session)) == 2
