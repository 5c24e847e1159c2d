"""The agents' records: of which candidates, in which order, and whole or not at all."""

import pytest

from agent.trajectory.trajectory_file import read_trajectories
from app.core.errors import SessionError
from app.core.exporting.formats.records_file import write_records
from app.core.exporting.rows import selected_ids
from app.core.inspections.store import add_inspection
from app.core.progress import StoppedError
from app.core.statistics.adjudication import set_adjudicator
from tests.app.core.exporting.catalogues import people
from tests.app.core.inspected import MEASURED, NANO, said
from tests.app.core.sessions import change


@pytest.fixture
def session(location):
    """Five candidates: all inspected but the fourth, the first by two models."""
    with people(location) as opened:
        for number, model in ((3, NANO), (1, NANO), (2, NANO), (5, NANO), (1, MEASURED)):
            add_inspection(opened, number, said(model=model, number=number))
        yield opened


def written(session, out, **which):
    count = write_records(session, out, **which)
    found = [(each.spectrum.object_id[-1], each.model.name) for each in read_trajectories(out)]
    assert count == len(found)
    return found


def test_of_all_as_they_were_made(session, tmp_path):
    found = written(session, tmp_path / "all.jsonl")
    assert found == [
        *(("3", "nano"), ("1", "nano"), ("2", "nano"), ("5", "nano"), ("1", "measured"))
    ]
    (_, _, _, _, last) = read_trajectories(tmp_path / "all.jsonl")
    assert last == said(model=MEASURED)


def test_of_some_by_candidate(session, tmp_path):
    out = tmp_path / "some.jsonl"
    first = [("1", "nano"), ("1", "measured")]
    assert written(session, out, which="judged") == [*first, ("2", "nano"), ("3", "nano")]
    assert written(session, out, which="accepted") == first
    assert written(session, out, which="accepted", reviewer="Ada") == [*first, ("2", "nano")]
    assert written(session, out, which=[5, 4, 1]) == [("5", "nano"), *first]
    assert written(session, out, which=[]) == []


def test_those_a_catalogue_would_have(session):
    assert list(selected_ids(session, "judged")) == [1, 2, 3]
    assert list(selected_ids(session, "accepted")) == [1]
    assert list(selected_ids(session, "all")) == [1, 2, 3, 4, 5]
    set_adjudicator(session, "Ada")
    assert list(selected_ids(session, "accepted")) == [1, 2]
    assert list(selected_ids(session, [3, 1])) == [3, 1]
    with pytest.raises(SessionError, match="no reviewer Cy"):
        selected_ids(session, "judged", "Cy")


def test_whole_or_not_at_all(session, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / "records.jsonl"
    out.write_text("as it was")
    with pytest.raises(StoppedError):
        write_records(session, out, should_stop=lambda: True)
    change(session, "UPDATE inspections SET record = '{}' WHERE candidate_id = 2")
    with pytest.raises(SessionError, match="damaged"):
        write_records(session, out)
    assert out.read_text() == "as it was"
    assert list(folder.iterdir()) == [out]


def test_how_far_it_is(session, tmp_path, monkeypatch):
    monkeypatch.setattr("app.core.exporting.formats.records_file.PROGRESS_EVERY", 2)
    told = []
    write_records(session, tmp_path / "all.jsonl", progress=lambda *done: told.append(done))
    assert told == [(2, 5), (4, 5), (5, 5)]
