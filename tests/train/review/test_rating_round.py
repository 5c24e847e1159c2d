"""A round of rating: what a person has rated is known again, what others wrote is kept apart."""

from collections import Counter
from dataclasses import replace

import pytest
from filelock import FileLock

pytest.importorskip("pyarrow")

from agent.errors import TrajectoryError, WorkbenchError
from agent.examples.examples import example, write_examples
from agent.inspection.pictures import spectrum_ref
from agent.spectra.readers import read_numbered
from agent.trajectory.trajectory_file import write_trajectories
from tests.agent.ratings.made import rating, trajectory
from tests.app.ui.candidates import SAMPLE
from train.review import rating_round
from train.review.rating_round import (
    MAX_LINE,
    Spectra,
    add_records,
    in_order,
    open_round,
    pairs_of,
    ratings_beside,
    read_records,
    unique,
)

SIX = [trajectory(f"s{n}", model) for n in range(3) for model in ("ours", "theirs")]


@pytest.fixture
def night(tmp_path):
    write_trajectories(tmp_path / "night.jsonl", SIX)
    return tmp_path / "night.jsonl"


def test_the_work_goes_on_where_it_stopped(night):
    mine = open_round([night], " Ada  Lovelace ")
    assert mine.by == "Ada Lovelace" and mine.first_unrated() == 0 and len(mine.pairs) == 3
    mine.rate(mine.trajectories[0], 5, 4, "fine")
    mine.choose(mine.pairs[0], "left")
    again = open_round([night], "Ada Lovelace")
    assert again.trajectories == mine.trajectories and again.pairs == mine.pairs
    assert again.rated == again.chosen == again.first_unrated() == again.first_open_pair() == 1
    assert again.rating_of(again.trajectories[0]).note == "fine"
    assert len(list(read_records(again.out))) == 2


def test_several_people_share_a_file(night):
    ada, ben = (open_round([night], name) for name in ("Ada", "Ben"))
    ada.rate(SIX[0], 5, 5)
    ben.rate(SIX[0], 0, 0)
    again = open_round([night], "Ada")
    assert again.rating_of(SIX[0]).coherence == 5 and len(again.records) == 2


def test_ratings_of_others_are_shown_and_not_written(night, tmp_path):
    add_records(tmp_path / "judge.jsonl", [rating(SIX[0], "judge", 1, 1, by_model=True)])
    mine = open_round([night], "Ada", others=[tmp_path / "judge.jsonl"])
    assert mine.rated == 0 and len(mine.records) == 1 and not mine.out.exists()


def test_all_rated_begins_again(night):
    mine = open_round([night], "Ada")
    for one in mine.trajectories:
        mine.rate(one, 3, 3)
    assert mine.first_unrated() == 0 and mine.rated == 6


def test_what_cannot_be_opened(night, tmp_path):
    with pytest.raises(WorkbenchError, match="needs your name"):
        open_round([night], "  ")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(WorkbenchError, match="no trajectory"):
        open_round([tmp_path / "empty.jsonl"], "Ada")
    (tmp_path / "night.ratings.jsonl").write_text("{}\n")
    with pytest.raises(WorkbenchError, match=r"night\.ratings\.jsonl, line 1"):
        open_round([night], "Ada")


MANY = [trajectory(f"s{n}", model) for n in range(40) for model in ("ours", "theirs")]


def test_the_order_depends_on_seed_and_rater_alone():
    first = in_order(MANY, 0, "Ada")
    assert first == in_order(list(reversed(MANY)), 0, "Ada")
    assert sorted(map(id, first)) == sorted(map(id, MANY))
    assert first != in_order(MANY, 1, "Ada") and first != in_order(MANY, 0, "Ben")


def test_pairs_are_of_one_spectrum_and_two_models():
    twice = [trajectory("s1", "ours", "no"), trajectory("s1", "ours", "maybe")]
    pairs = pairs_of([*MANY, *twice], 0, "Ada")
    assert all(pair.first.spectrum == pair.second.spectrum for pair in pairs)
    assert all(pair.first.model != pair.second.model for pair in pairs)
    assert len(pairs) == 42 and pairs == pairs_of([*MANY, *twice], 0, "Ada")
    assert pairs != pairs_of([*MANY, *twice], 1, "Ada")


def test_either_model_is_on_the_left_about_half_the_time():
    lefts = Counter(pair.shown[0].model.name for pair in pairs_of(MANY, 3, "Ada"))
    assert sum(lefts.values()) == 40 and min(lefts.values()) >= 12


def test_what_was_pressed_is_stored_by_trajectory():
    for pair in pairs_of(MANY, 0, "Ada"):
        left, right = pair.shown
        chosen = pair.choice("left", "Ada")
        better = chosen.first if chosen.preferred == "first" else chosen.second
        assert better.model == left.model.name
        assert pair.choice("right", "Ada").preferred != chosen.preferred
        assert pair.choice("tie", "Ada").preferred == "tie" and right.model != left.model


def test_a_trajectory_of_two_files_is_rated_once():
    assert len(unique([MANY[0], MANY[1], MANY[0]])) == 2


def test_a_model_of_the_same_name_is_another_rater(night, tmp_path):
    given = [rating(SIX[0], "Ada", 1, 1), rating(SIX[1], "Ada", 2, 2, by_model=True)]
    add_records(tmp_path / "others.jsonl", given)
    mine = open_round([night], "Ada", others=[tmp_path / "others.jsonl"])
    assert mine.rating_of(SIX[0]).coherence == 1 and mine.rating_of(SIX[1]) is None


def test_very_many_pairs_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = len(pairs_of(MANY, 0, "Ada"))
    monkeypatch.setattr(rating_round, "MAX_PAIRS", 5)
    assert 0 < len(pairs_of(MANY, 0, "Ada")) <= 5 < whole


# Spectra are read from named places alone, and only with the numbers that were inspected.
FIRST, SECOND = sorted((SAMPLE / "spectra").glob("*/spec-9*.fits.gz"))[:2]


@pytest.fixture
def ref(tmp_path):
    (tmp_path / FIRST.name).write_bytes(FIRST.read_bytes())
    return spectrum_ref(read_numbered(str(tmp_path / FIRST.name), 0))


def test_by_its_path_or_by_its_name(ref, tmp_path):
    assert len(Spectra([tmp_path]).of(ref)) > 1000
    assert len(Spectra([tmp_path]).of(replace(ref, path=f"elsewhere/{FIRST.name}"))) > 1000


def test_in_a_set_of_examples(ref, tmp_path):
    one = example(read_numbered(str(FIRST), 0), task="CV", answer="YES")
    write_examples(tmp_path / "set" / "cold.parquet", [one])
    found = Spectra([tmp_path / "set" / "cold.parquet"]).of(spectrum_ref(one.spectrum))
    assert found.object_id == one.spectrum.object_id


def test_other_values_are_refused(ref, tmp_path):
    (tmp_path / FIRST.name).write_bytes(SECOND.read_bytes())
    with pytest.raises(TrajectoryError, match="other values than were inspected"):
        Spectra([tmp_path]).of(ref)


def test_nothing_outside_the_named_folders_is_read(ref, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    paths = (ref.path, f"../{FIRST.name}", "/etc/passwd", "", "\\\\host\\share\\x.fits")
    for path in paths:
        with pytest.raises(TrajectoryError, match="its file is not there"):
            Spectra([inside]).of(replace(ref, path=path))


# Files of ratings: nothing is lost or run together when a program is killed while it writes.
RATINGS_FILE_FIRST, RATINGS_FILE_SECOND = (rating(trajectory(), by, 4, 5) for by in ("Ada", "Ben"))


def test_what_was_added_is_read_in_order(tmp_path):
    path = tmp_path / "new" / "night.ratings.jsonl"
    assert list(read_records(path)) == []
    add_records(path, [RATINGS_FILE_FIRST])
    add_records(path, [RATINGS_FILE_SECOND])
    assert list(read_records(path)) == [RATINGS_FILE_FIRST, RATINGS_FILE_SECOND]


def test_a_half_written_line_is_skipped_and_then_dropped(tmp_path):
    path = tmp_path / "night.ratings.jsonl"
    add_records(path, [RATINGS_FILE_FIRST, RATINGS_FILE_SECOND])
    whole = path.read_bytes()
    for cut in range(len(whole) - 1, len(whole) - 60, -7):
        path.write_bytes(whole[:cut])
        assert RATINGS_FILE_FIRST in list(read_records(path))
        add_records(path, [RATINGS_FILE_SECOND])
        assert list(read_records(path))[-1] == RATINGS_FILE_SECOND
        assert path.read_bytes().count(b"\n") == len(list(read_records(path)))


def test_a_whole_last_line_without_an_end_stays(tmp_path):
    path = tmp_path / "night.ratings.jsonl"
    add_records(path, [RATINGS_FILE_FIRST])
    path.write_bytes(path.read_bytes().rstrip())
    add_records(path, [RATINGS_FILE_SECOND])
    assert list(read_records(path)) == [RATINGS_FILE_FIRST, RATINGS_FILE_SECOND]


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"kind": "rating"}', '"' + "x" * MAX_LINE + '"', "[" * 5000]
)
def test_an_error_names_the_line(tmp_path, line):
    path = tmp_path / "night.ratings.jsonl"
    add_records(path, [RATINGS_FILE_FIRST])
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(WorkbenchError, match=r"night\.ratings\.jsonl, line 2: "):
        list(read_records(path))


def test_a_folder_is_no_file_of_ratings(tmp_path):
    with pytest.raises(WorkbenchError, match="cannot write"):
        add_records(tmp_path, [RATINGS_FILE_FIRST])


def test_the_file_beside(tmp_path):
    assert ratings_beside(tmp_path / "night.jsonl").name == "night.ratings.jsonl"


def test_another_program_that_writes_is_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "night.ratings.jsonl"
    add_records(path, [RATINGS_FILE_FIRST])
    monkeypatch.setattr(rating_round, "LOCK_TIMEOUT_S", 0.05)
    with FileLock(path.with_name(f".{path.name}.lock")):
        with path.open("ab") as other:
            other.write(b'{"kind": "rat')  # half a line, which is being written
        with pytest.raises(WorkbenchError, match="another program has been writing"):
            add_records(path, [RATINGS_FILE_SECOND])
    assert path.read_bytes().endswith(b'{"kind": "rat')  # it was not taken for that of a crash
