"""How long the rest of a list takes: as measured here, as published, or as one says."""

from dataclasses import replace
from itertools import chain

import pytest

from agent.trajectory.trajectory import ModelRef
from app.cli.plan import PUBLISHED_S, plan_inspections
from app.core.errors import SessionError
from app.core.inspections.store import Share, add_inspection, count_pending, pending_candidates
from tests.app.core.inspected import NANO, said
from tests.app.core.sessions import made


def test_what_inspections_of_the_session_took(location):
    with made(location, 12) as session:
        for number, seconds in enumerate((2.0, 4.0, 0.0), 1):
            record = replace(said(number=number), seconds=seconds, overview_text="Hα " * 2000)
            add_inspection(session, number, record)
        found = plan_inspections(session, "NANO", 2)
        assert (found.candidates, found.pending) == (12, 9)
        assert found.seconds_each == 3.0 and "measured" in found.source
        assert found.gpu_seconds == 27.0
        assert found.seconds == 13.5
        assert 9 * 100 < found.disk_bytes < 9 * 6000, "compressed"


def test_what_was_published(location):
    with made(location, 100) as session:
        found = plan_inspections(session, "spec-o3-7b", 8)
        assert found.pending == 100
        assert found.seconds == pytest.approx(20.0), "0.2 s a sample on 8 H100"
        assert "published" in found.source
        seen = ModelRef(name="spec-o3-7b", sha256="cc")
        add_inspection(session, 1, replace(said(model=seen), seconds=0.0))
        untimed = plan_inspections(session, "spec-o3-7b", 8)
        assert untimed.pending == 99
        assert untimed.seconds_each == PUBLISHED_S


def test_what_one_says_and_a_share(location):
    with made(location, 10) as session:
        add_inspection(session, 1, replace(said(), seconds=9.0))
        found = plan_inspections(session, "nano", 1, seconds_each=0.5, share=Share.parse("1/2"))
        assert found.pending == 5
        assert found.gpu_seconds == 2.5
        assert found.source == "as given"


def test_the_newest_weights_of_a_name_count(location):
    with made(location, 4) as session:
        old = ModelRef(name="nano", sha256="ff" * 32)
        for number in (1, 2, 3):
            add_inspection(session, number, replace(said(model=old, number=number), seconds=8.0))
        add_inspection(session, 1, replace(said(model=NANO), seconds=2.0))
        found = plan_inspections(session, "nano", 1)
        assert (found.pending, found.seconds_each) == (3, 2.0)


def test_an_unknown_model(location):
    with made(location, 1) as session, pytest.raises(SessionError, match="give --seconds-each"):
        plan_inspections(session, "mine", 1)


def test_each_candidate_is_pending_in_one_share_as_it_is_read(tmp_path):
    assert Share.parse("2/4") == Share(2, 4)
    assert Share.parse(" 1/1 ") == Share(1, 1)
    with made(tmp_path / "night.speco3", 120) as session:
        add_inspection(session, 8, said(number=8))
        shares = [Share(part, 7) for part in range(1, 8)]
        found = [[c.id for c in pending_candidates(session, NANO, share=each)] for each in shares]
        assert all(some == sorted(some) for some in found)
        assert sorted(chain(*found)) == [n for n in range(1, 121) if n != 8]
        counts = [count_pending(session, NANO, share=each) for each in shares]
        assert counts == [len(some) for some in found]
        assert len(list(pending_candidates(session, NANO, 3, share=shares[2]))) == 3


@pytest.mark.parametrize("text", ["", "0/4", "5/4", "2", "2/0", "-1/4", "1/99999", "a/b", "٢/٤"])
def test_what_is_no_share_is_refused(text):
    with pytest.raises(SessionError, match="no share: write 2/4"):
        Share.parse(text)


def test_nothing_of_other_shares_is_read(tmp_path, monkeypatch):
    with made(tmp_path / "night.speco3", 200) as session:
        read, candidates = [], session.candidates
        monkeypatch.setattr(
            session, "candidates", lambda numbers: read.extend(numbers) or candidates(numbers)
        )
        found = [each.id for each in pending_candidates(session, NANO, share=Share(1, 100))]
        assert found == read == [100, 200]
