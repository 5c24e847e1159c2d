"""Values under columns that their list did not declare, and damaged ones."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from app.core.database.tables import judgements
from app.core.errors import SessionError
from app.core.exporting import export
from tests.app.core.exporting.catalogues import (
    ACCEPT,
    CONTRACT,
    FORMATS,
    add_list,
    listed,
    read_back,
    read_csv,
)


def test_two_lists_and_columns_nobody_announced(session_path):
    with listed(
        session_path, [{"own": {"g": 1.0, "t": "a", "x": 5}}], [{"name": "g", "unit": "mag"}]
    ) as s:
        add_list(
            s,
            [{"own": {"g": 2.0, "T": "b"}}, {"own": {"g": None, "T": None, "x": 6}}],
            [{"name": "g", "unit": "Jy"}, {"name": "T", "unit": ""}],
            {},
        )
        for suffix in FORMATS:
            report = export(s, session_path.with_suffix(f".{suffix}"), which="all")
            assert report.columns[len(CONTRACT) :] == ("g", "g_list", "T", "t_list", "x", "x_list")
    found = read_back(session_path.with_suffix(".ecsv"))
    assert found["g"] == [1.0, None, None]
    assert found["g_list"] == [None, 2.0, None]
    assert found["T"] == [None, "b", None]
    assert found["t_list"] == ["a", None, None]
    assert found["x"] == [5, None, None]
    assert found["x_list"] == [None, None, 6]
    assert read_csv(session_path.with_suffix(".csv"))["T"] == ["", "b", ""]
    assert read_back(session_path.with_suffix(".fits"))["T"] == [None, "b", None]


def test_a_damaged_session_is_told(session_path):
    for _, text in (("own", "[1]"), ("own", "{"), ("own", "[" * 100_000)):
        with (
            listed(session_path, [{}, {"own": text}]) as session,
            pytest.raises(SessionError, match="damaged"),
        ):
            export(session, session_path.with_suffix(".csv"), which="all")
        session_path.unlink()
    with listed(session_path, [{}]) as session:
        session.record_verdict(1, ACCEPT)
        with session.database.writing() as connection:
            connection.execute(update(judgements).values(verdict="=cmd()"))
        export(session, session_path.with_suffix(".csv"), which="all")
        found = read_csv(session_path.with_suffix(".csv"))
        assert "'=cmd()" in session_path.with_suffix(".csv").read_text()
        assert found["verdict"] == ["=cmd()"]
        export(session, session_path.with_suffix(".fits"), which="all")
        assert read_back(session_path.with_suffix(".fits"))["verdict"] == ["=cmd()"]
        with session.database.writing() as connection:
            connection.execute(update(judgements).values(confidence="+x"))
        for suffix in (".csv", ".fits"):
            with pytest.raises(SessionError, match="a text where a whole number belongs"):
                export(session, session_path.with_suffix(suffix), which="all")
