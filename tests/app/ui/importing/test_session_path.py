"""The proposed path of a new session, and why a path cannot be used."""

from __future__ import annotations

import os

import pytest

from app.ui.importing import session_path
from app.ui.importing.session_path import free_path, session_path_problem, suggested_session_path


def test_beside_the_list_under_its_name(tmp_path):
    for name in ("night.csv", "night.fits.gz", "night.parquet"):
        assert suggested_session_path(tmp_path / name) == tmp_path / "night.speco3"


def test_beside_a_folder(tmp_path):
    folder = tmp_path / "plate 7.d"
    folder.mkdir()
    assert suggested_session_path(folder) == tmp_path / "plate 7.d.speco3"


def test_never_over_another(tmp_path):
    (tmp_path / "night.speco3").touch()
    (tmp_path / "night-2.speco3").touch()
    assert suggested_session_path(tmp_path / "night.csv") == tmp_path / "night-3.speco3"
    assert free_path(tmp_path / "other.speco3") == tmp_path / "other.speco3"


def test_among_the_documents_where_nothing_can_be_written(tmp_path, monkeypatch):
    documents = tmp_path / "documents"
    documents.mkdir()
    monkeypatch.setattr(session_path, "user_documents_path", lambda: documents)
    monkeypatch.setattr(os, "access", lambda path, mode: path == documents)
    assert suggested_session_path(tmp_path / "archive.fits") == documents / "archive.speco3"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("there.speco3", "already exists"),
        ("none/new.speco3", "not a folder"),
        (".speco3", "name"),
    ],
)
def test_problems_in_words(tmp_path, name, word):
    (tmp_path / "there.speco3").touch()
    assert word in session_path_problem(tmp_path / name)


def test_no_problem(tmp_path):
    assert session_path_problem(tmp_path / "new.speco3") == ""
