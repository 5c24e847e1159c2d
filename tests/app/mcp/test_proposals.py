"""Proposals of an assistant."""

import pytest

from app.core.errors import SessionError
from app.core.inspections.shown_opinion import show_model
from app.core.inspections.store import add_inspection, inspections_of
from app.core.session.session import open_session
from app.mcp.proposals import Proposals, SeenWindow, assistant
from app.mcp.sources import SourceError, Sources
from tests.app.core.inspected import NANO, agent_of, said


@pytest.fixture
def opened(own_night):
    with open_session(own_night, "Ada", read_only=True) as session:
        yield session


@pytest.fixture
def proposals(own_night, opened):
    return Proposals(own_night, "Ada", Sources([], opened), assistant("planner"))


def test_windows_are_kept_with_what_we_measure_there_and_an_unsure_one_says_so(opened, proposals):
    windows = [SeenWindow(6400, 6700, "Hα\n"), SeenWindow(4800, 4900)]
    proposals.add(1, "REJECT", " narrow\nlines ", windows)
    (stored,) = inspections_of(opened, 1)
    record = stored.trajectory
    assert (record.verdict, record.p_yes, record.reasons) == ("NO", None, "narrow\nlines")
    assert [step.label for step in record.looks] == ["Hα", ""]
    assert all(step.measured["n_pixels"] > 10 for step in record.looks)
    assert record.model.name == "mcp: planner" and record.task == "CV"
    proposals.add(1, "UNSURE", "too noisy", [])
    (stored,) = inspections_of(opened, 1)
    assert stored.trajectory.verdict is None
    assert stored.trajectory.reasons == "UNSURE: too noisy"


def test_a_model_that_a_person_chose_stays_the_one_shown(own_night, opened, proposals):
    with open_session(own_night, "Ada") as session:
        add_inspection(session, 1, said("NO", 0.1))
        show_model(session, NANO)
    proposals.add(1, "ACCEPT", "broad lines", [])
    assert agent_of(opened)[:3] == ("NO", 0.1, "nano")
    assert len(inspections_of(opened, 1)) == 2


def test_faulty_proposals_leave_nothing_and_a_name_is_one_line(opened, proposals):
    with pytest.raises(SourceError, match="starts below its end"):
        proposals.add(1, "ACCEPT", "x", [SeenWindow(6700, 6400)])
    with pytest.raises(SessionError, match="no candidate 99"):
        proposals.add(99, "ACCEPT", "x", [])
    assert inspections_of(opened, 1) == []
    assert assistant(" a\nb\x1b ").name == "mcp: a b"
    assert len(assistant("x" * 500).name) < 80
    with pytest.raises(SourceError, match="--name"):
        assistant("\n ")
