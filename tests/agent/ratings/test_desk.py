"""A person's desk: what they have rated is known again, and what others wrote is kept apart."""

from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from agent.ratings.desk import open_desk
from agent.ratings.ratings_file import add_records, read_records
from agent.trajectory.trajectory_file import write_trajectories
from tests.agent.ratings.made import rating, trajectory

SIX = [trajectory(f"s{n}", model) for n in range(3) for model in ("ours", "theirs")]


@pytest.fixture
def night(tmp_path):
    write_trajectories(tmp_path / "night.jsonl", SIX)
    return tmp_path / "night.jsonl"


def test_the_work_goes_on_where_it_stopped(night):
    desk = open_desk([night], " Ada  Lovelace ")
    assert desk.by == "Ada Lovelace" and desk.first_unrated() == 0 and len(desk.pairs) == 3
    desk.rate(desk.trajectories[0], 5, 4, "fine")
    desk.choose(desk.pairs[0], "left")
    again = open_desk([night], "Ada Lovelace")
    assert again.trajectories == desk.trajectories and again.pairs == desk.pairs
    assert (again.rated, again.chosen, again.first_unrated(), again.first_open_pair()) == (
        1,
        1,
        1,
        1,
    )
    assert again.rating_of(again.trajectories[0]).note == "fine"
    assert len(list(read_records(again.out))) == 2


def test_several_people_share_a_file(night):
    ada, ben = (open_desk([night], name) for name in ("Ada", "Ben"))
    ada.rate(SIX[0], 5, 5)
    ben.rate(SIX[0], 0, 0)
    again = open_desk([night], "Ada")
    assert again.rating_of(SIX[0]).coherence == 5 and len(again.records) == 2


def test_ratings_of_others_are_shown_and_not_written(night, tmp_path):
    add_records(tmp_path / "judge.jsonl", [rating(SIX[0], "judge", 1, 1, by_model=True)])
    desk = open_desk([night], "Ada", others=[tmp_path / "judge.jsonl"])
    assert desk.rated == 0 and len(desk.records) == 1 and not desk.out.exists()


def test_all_rated_begins_again(night):
    desk = open_desk([night], "Ada")
    for one in desk.trajectories:
        desk.rate(one, 3, 3)
    assert desk.first_unrated() == 0 and desk.rated == 6


def test_what_cannot_be_opened(night, tmp_path):
    with pytest.raises(WorkbenchError, match="needs your name"):
        open_desk([night], "  ")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(WorkbenchError, match="no trajectory"):
        open_desk([tmp_path / "empty.jsonl"], "Ada")
    (tmp_path / "night.ratings.jsonl").write_text("{}\n")
    with pytest.raises(WorkbenchError, match=r"night\.ratings\.jsonl, line 1"):
        open_desk([night], "Ada")
