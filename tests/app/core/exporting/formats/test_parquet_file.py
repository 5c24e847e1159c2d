"""Parquet."""

from __future__ import annotations

import pytest

from app.core.errors import SessionError
from app.core.exporting import export
from tests.app.core.exporting.catalogues import listed


def test_parquet_without_pyarrow(session_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with listed(session_path, [{}]) as session, pytest.raises(SessionError, match=r"\[formats\]"):
        export(session, session_path.with_suffix(".parquet"), which="all")
