"""Sessions from a script: read-only unless a reviewer is named, and the tables of one."""

from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError, WorkbenchError
from app import open_session
from app.core.errors import SessionHeldError
from app.core.session.records import Opinion, Verdict
from app.core.session.spectra_folders import OutsideFoldersError
from tests.app.core.exporting.catalogues import listed


@pytest.fixture
def location(tmp_path):
    rows = [
        {"object_id": f"star {n}", "ra": 10.0 * n, "dec": -5.0, "own": {"mag": 17.5 + n}}
        for n in range(3)
    ]
    with listed(tmp_path / "night.speco3", rows, [{"name": "mag"}]) as session:
        session.record_verdict(2, Opinion(verdict=Verdict.REJECT, comment="宽"), seconds=4.0)
    return tmp_path / "night.speco3"


def test_candidates_are_a_table_with_units_and_masked_cells(location):
    with open_session(location) as session:
        assert (len(session), session.task.id, session.is_read_only) == (3, "CV", True)
        assert [each.object_id for each in session] == ["star 0", "star 1", "star 2"]
        table = session.candidates()
    assert str(table["ra"].unit) == "deg" and table["mag"].tolist() == [17.5, 18.5, 19.5]
    assert table["ra"].dtype == np.float64
    assert table["verdict"].mask.tolist() == [True, False, True]
    assert table["verdict"][1] == "REJECT"
    assert table.meta["provenance"]["program"].startswith("Spec-o3")


def test_a_filter_and_a_reviewer(location):
    with open_session(location, reviewer="Bo") as session:
        session.add_verdict(2, "accept")
        assert [each.id for each in session.iterate("mag>18")] == [2, 3]
        by = {name: session.candidates("mag>18", reviewer=name) for name in ("Ada", "Bo")}
    assert by["Ada"]["verdict"].tolist() == ["REJECT", None]
    assert by["Bo"]["verdict"].tolist() == ["ACCEPT", None]


def test_verdicts_and_history(location):
    with open_session(location, reviewer="Bo") as session:
        assert session.add_verdict(session.candidate(2), "unsure", confidence=1, flags=["blend"])
        assert not session.add_verdict(2, "unsure", confidence=1, flags=["blend"])
        verdicts, history = session.verdicts(), session.history()
    assert verdicts["reviewer"].tolist() == ["Ada", "Bo"]
    assert verdicts["confidence"].tolist() == [None, 1] and verdicts["comment"][0] == "宽"
    assert verdicts["flags"][1] == "blend"
    assert history["action"].tolist() == ["set", "set"]
    assert history["seconds"].tolist() == [4.0, None]


def test_nothing_is_written_without_a_reviewer(location):
    before = location.read_bytes()
    with open_session(location) as session:
        with pytest.raises(WorkbenchError, match="only read"):
            session.add_verdict(1, "accept")
        with open_session(location, reviewer="Bo") as writing:
            assert not writing.is_read_only
            with pytest.raises(SessionHeldError):
                open_session(location, reviewer="Cy")
    assert location.read_bytes() == before


def test_what_cannot_be_is_refused(location):
    with open_session(location, reviewer="Bo") as session:
        with pytest.raises(WorkbenchError, match="use one of accept, reject, unsure"):
            session.add_verdict(1, "YES")
        with pytest.raises(WorkbenchError, match="no candidate 77"):
            session.add_verdict(77, "accept")
        with pytest.raises(WorkbenchError):
            session.add_verdict(1, "accept", confidence=9)
        with pytest.raises(ReadError, match="no such file"):
            session.spectrum(1)
        assert len(session.verdicts()) == 1


def test_an_empty_session_gives_empty_tables(tmp_path):
    listed(tmp_path / "none.speco3", []).close()
    with open_session(tmp_path / "none.speco3") as session:
        assert [len(table) for table in (session.candidates(), session.verdicts())] == [0, 0]
        assert "ra" in session.candidates().colnames


def test_spectra_elsewhere_are_read_only_when_trusted(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = elsewhere / "star.csv"
    rows = "".join(f"{4000 + n},{1 + n % 7}\n" for n in range(200))
    path.write_text("wavelength,flux\n" + rows)
    (tmp_path / "own").mkdir()
    place = tmp_path / "own" / "night.speco3"
    listed(place, [{"path": str(path)}]).close()
    with open_session(place) as session, pytest.raises(OutsideFoldersError):
        session.spectrum(1)
    with open_session(place, trust_paths=True) as session:
        assert len(session.spectrum(1)) == 200
