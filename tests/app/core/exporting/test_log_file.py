"""The log as people and programs read it."""

import itertools
import json

import pytest

from app.core.exporting.log_file import COLUMNS, log_lines, write_log
from app.core.session import verdict_log
from app.core.session.records import Opinion, Verdict
from app.core.sharing import merge
from tests.app.core.exporting.catalogues import listed, read_csv
from tests.app.core.session.test_rebuild import moment
from tests.app.core.sessions import REJECT, UNSURE


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    seconds = itertools.count(1)
    monkeypatch.setattr(verdict_log, "now", lambda: moment(next(seconds)))


def written(location):
    session = listed(location, [{}, {"object_id": "=J2\x1b[31m"}])
    full = Opinion(
        verdict=Verdict.ACCEPT, confidence=4, flags=("a;b", "c"), comment='Hα "宽"\n\x1b]0;x\x07'
    )
    session.record_verdict(1, full, seconds=2.25, shown={"verdict": "YES", "p_yes": 0.9})
    session.record_verdict(2, REJECT)
    session.undo()
    session.redo()
    return session


def test_a_line_for_each(location, tmp_path):
    with written(location) as session:
        first, second, undone, redone = log_lines(session)
        assert first.startswith("2026-01-01 00:00:0")
        assert first.endswith(
            '  Ada  J000001  ACCEPT, confidence 4, [a;b, c], "Hα "宽" ?]0;x?", 2.2 s, '
            "agent opinion shown: verdict YES p_yes 0.9"
        )
        assert second.endswith("  Ada  =J2?[31m  REJECT")
        assert undone.endswith("  undo: no verdict")
        assert redone.endswith("  redo: REJECT")
        assert list(log_lines(session, 1)) == [first]
        other = tmp_path / "b.speco3"
        with listed(other, [{}, {}], reviewer="Ben") as ben:
            ben.record_verdict(1, UNSURE)
            merge(session, ben)
            identity = ben.id
        assert list(log_lines(session))[-1].endswith("  Ben  J000001  UNSURE, merged")
        assert write_log(session, tmp_path / "log.csv") == 5
        found = read_csv(tmp_path / "log.csv")
    assert tuple(found) == COLUMNS
    assert found["line"] == ["1", "2", "3", "4", "5"]
    assert found["action"] == ["set", "set", "undo", "redo", "set"]
    assert found["object_id"] == ["J000001", *["=J2\x1b[31m"] * 3, "J000001"]
    assert found["verdict"] == ["ACCEPT", "REJECT", "", "REJECT", "UNSURE"]
    assert found["comment"] == ['Hα "宽"\n\x1b]0;x\x07', "", "", "", ""]
    assert found["flags"][0] == "a%3Bb;c"
    assert found["seconds"] == ["2.25", "", "", "", ""]
    assert json.loads(found["agent_shown"][0]) == {"verdict": "YES", "p_yes": 0.9}
    assert found["from_session"] == ["", "", "", "", identity]
    assert found["from_line"] == ["", "", "", "", "1"]
    assert "'=J2" in (tmp_path / "log.csv").read_text()
    assert all(at.endswith(".000Z") for at in found["at"])


def test_more_than_a_page(tmp_path):
    with listed(tmp_path / "a.speco3", [{} for _ in range(1100)]) as session:
        for number in range(1, 1101):
            session.record_verdict(number, REJECT)
        assert len(list(log_lines(session))) == 1100
        assert write_log(session, tmp_path / "log.csv") == 1100
    assert read_csv(tmp_path / "log.csv")["candidate"] == [str(n) for n in range(1, 1101)]


def test_nothing_said_yet(tmp_path):
    with listed(tmp_path / "a.speco3", [{}]) as session:
        assert list(log_lines(session)) == []
        assert write_log(session, tmp_path / "log.csv") == 0
    assert read_csv(tmp_path / "log.csv") == {name: [] for name in COLUMNS}
