"""The checks of session and export."""

from __future__ import annotations

import pytest

from app.selftest import session
from app.selftest.installation import CheckFailed, CheckSkipped
from tests.app.selftest.checks import run


def test_parquet_may_be_left_out_but_not_of_a_bundle(monkeypatch, tmp_path):
    monkeypatch.setattr(session, "find_spec", lambda name: None)
    with pytest.raises(CheckSkipped, match="pyarrow is not installed"):
        run(session, "parquet", tmp_path)
    monkeypatch.setattr(session, "is_frozen", lambda: True)
    assert "read back as Parquet" in run(session, "parquet", tmp_path)


def test_an_export_that_loses_rows_is_found_out(monkeypatch, tmp_path):
    export = session.export
    monkeypatch.setattr(session, "export", lambda session, out, which: export(session, out))
    with pytest.raises(CheckFailed, match="3 of 6 rows were read back"):
        run(session, "csv", tmp_path)
