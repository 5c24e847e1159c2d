"""Sessions from a script: read-only unless a reviewer is named, and the tables of one."""

import numpy as np
import pytest

from agent.errors import ReadError, WorkbenchError
from app import Velocity, open_session
from app.core.errors import SessionHeldError
from app.core.inspections.store import add_inspection
from app.core.session import session as sessions
from app.core.session.own_fields import OwnField, set_own_fields
from app.core.session.records import Opinion, Verdict
from app.core.session.spectra_folders import OutsideFoldersError
from app.core.statistics.verdicts import ACCEPT, NONE, REJECT, read_verdicts
from tests.app.cli.commands import run, sample_rows, write_list
from tests.app.core.exporting.catalogues import listed
from tests.app.core.inspected import panel_said, said


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
    assert history["order_met"].tolist() == [None, None]


def test_a_verdict_of_a_script_is_blind_only_where_it_has_read_no_answer(location):
    with sessions.open_session(location, "Ada") as session:
        add_inspection(session, 1, panel_said("NO", "YES"))
        add_inspection(session, 2, said(number=2))
    with open_session(location, reviewer="Bo") as session:
        hidden = session.candidates(without_agent=True)
        told = {"agent_p_yes", "agent_nano_p_yes", "agent_members"}
        assert not told & set(hidden.colnames)
        for each in session.iterate(without_agent=True):
            assert (each.agent_verdict, each.agent_p_yes, each.agent_model) == (None, None, "")
            assert each.agent_members == ""
        with pytest.raises(WorkbenchError, match="tells what an agent"):
            session.iterate("p_yes>0.5", without_agent=True)
        assert session.add_verdict(1, "accept", agent_seen=False)
        assert session.add_verdict(2, "accept") and session.add_verdict(3, "accept")
        assert session.candidate(2).agent_p_yes == 0.9
    with open_session(location, reviewer="Cy") as session:
        assert session.candidates("mag<18")["agent_p_yes"].tolist() == [0.8]
    with open_session(location, reviewer="Cy") as session:  # remembers it
        with pytest.raises(WorkbenchError, match="candidate 1 was read: a verdict on it is not"):
            session.add_verdict(1, "accept", agent_seen=False)
        assert next(session.iterate("p_yes>0.5")).id == 1
        assert session.add_verdict(2, "reject", agent_seen=False)
    with sessions.open_session(location, "Ada") as session:
        found = read_verdicts(session)
        seen = [dict(each.shown) for each in session.history()]
    blind = [found.blind[found.of(number)].tolist() for number in (2, 3)]
    assert blind == [[ACCEPT, NONE, NONE], [REJECT]]
    assert seen[2:4] == [
        {"by": "script", "verdict": "YES", "p_yes": 0.9, "model": "nano"},
        {"by": "script"},
    ]


def test_sub_class_own_fields_velocity_and_undo(location):
    with sessions.open_session(location, "Ada") as session:
        kinds = [("period_h", "number"), ("odd", "tick")]
        set_own_fields(session, [OwnField(name=name, kind=kind) for name, kind in kinds])
    with open_session(location, reviewer="Bo") as session:
        assert "polar" in session.subclasses and [each.name for each in session.fields][1] == "odd"
        more = {"subclass": "polar", "fields": {"period_h": 1.9, "odd": False}}
        velocity = Velocity(kms=188.0, error_kms=9.0, source="template", quality=3)
        assert session.add_verdict(1, "accept", velocity=velocity, **more)
        for wrong, words in (
            ({"subclass": "nothing"}, "no sub-class 'nothing'"),
            ({"fields": {"size": 1}}, "no field 'size'; there are period_h, odd"),
            ({"fields": {"period_h": "long"}}, "is a number"),
            ({"velocity": float("nan")}, "a velocity is at most"),
        ):
            with pytest.raises(WorkbenchError, match=words):
                session.add_verdict(1, "accept", **wrong)
        row = session.candidates()[0]
        assert (row["subclass"], row["period_h"], row["velocity_kms"]) == ("polar", 1.9, 188.0)
        assert session.verdicts()["velocity_kms"].tolist() == [188.0, None]
        assert session.history()["subclass"].tolist()[-1] == "polar"
        assert (session.undo(), session.undo(), session.redo()) == (1, 0, 1)
    with open_session(location) as session, pytest.raises(WorkbenchError, match="only read"):
        session.undo()


def test_vetting_and_merging(tmp_path):
    rows = sample_rows(tmp_path, 2)
    for name in ("ada", "bo"):
        run("new", tmp_path / f"{name}.speco3", write_list(tmp_path, rows), "--task", "CV")
    with open_session(tmp_path / "bo.speco3", reviewer="Bo") as session:
        assert session.vet("measured", limit=1).total() == 1
        assert session.vet("measured").total() == 1 and not session.vet("measured")
        session.add_verdict(2, "accept", agent_seen=False)
    with open_session(tmp_path / "ada.speco3", reviewer="Ada") as session:
        report = session.merge(tmp_path / "bo.speco3")
        assert (report.lines, report.inspections, report.reviewers) == (1, 2, ("Bo",))
        assert session.verdicts()["reviewer"].tolist() == ["Bo"]


def test_nothing_is_written_without_a_reviewer(location):
    before = location.read_bytes()
    with open_session(location) as session:
        with pytest.raises(WorkbenchError, match="only read"):
            session.add_verdict(1, "accept")
        with pytest.raises(WorkbenchError, match="only read"):
            session.vet()
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
