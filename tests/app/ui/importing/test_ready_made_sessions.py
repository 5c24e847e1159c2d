"""The sessions of the sample and of a single spectrum."""

from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from agent.tasks.catalogue import look_task
from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.ui.importing.ready_made_sessions import sample_session, spectrum_session


def test_the_sample_and_a_spectrum_begin_blind_where_that_is_wanted(tmp_path, one_spectrum):
    with sample_session("Ada", tmp_path, blind=True) as session:
        assert session.fact("blind") == "yes"
    with spectrum_session(one_spectrum, "Ada", tmp_path, blind=True) as session:
        assert session.fact("blind") == "yes"


def test_the_sample_is_made_once_and_keeps_its_verdicts(tmp_path):
    with sample_session("Ada", tmp_path / "new folder") as session:
        assert (session.count(), session.task.id) == (60, "CV")
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
    with sample_session("Ada", tmp_path / "new folder") as session:
        assert session.judgement(1).opinion.verdict is Verdict.ACCEPT


def test_one_spectrum_is_a_session_of_one(tmp_path, one_spectrum):
    before = sorted(one_spectrum.parent.iterdir())
    with spectrum_session(one_spectrum, "Ada", tmp_path) as session:
        assert (session.count(), session.task.id) == (1, look_task().id)
        assert session.candidate(1).path == str(one_spectrum)
        session.record_verdict(1, Opinion(comment="He I?"))
        with pytest.raises(SessionError, match="there is no class to judge"):
            session.record_verdict(1, Opinion(verdict=Verdict.UNSURE))
        path = session.location
    with spectrum_session(one_spectrum, "Ada", tmp_path) as session:
        assert session.location == path
        assert session.judgement(1).opinion.comment == "He I?"
    assert sorted(one_spectrum.parent.iterdir()) == before


def test_a_folder_that_cannot_be_made(tmp_path, one_spectrum):
    (tmp_path / "file").touch()
    with pytest.raises(WorkbenchError, match="cannot create the folder"):
        spectrum_session(one_spectrum, "Ada", tmp_path / "file" / "folder")
