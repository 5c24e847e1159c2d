"""The index: nearest neighbours against a plain sort, and what is kept in its file."""

import os

import numpy as np
import pytest

from app.core.database.file_opening import side_file
from app.core.session.session import new_session, open_session
from app.core.similar.features import SIZE
from app.core.similar.index import HEADER, RECORD, SUFFIX, SimilarIndex, build_some, index_of
from app.core.spectra.prefetch import SpectrumKey
from tests.app.core.similar.conftest import COUNT
from tests.processes import LONG_S


def key(number):
    return SpectrumKey(number, f"/data/{number}.fits")


def vectors(count, seed=1):
    return np.random.default_rng(seed).integers(-127, 128, (count, SIZE), dtype=np.int8)


def filled(index, drawn):
    for number, vector in enumerate(drawn, 1):
        index.add(key(number), vector)
    return index


def by_hand(drawn, vector):
    plain = drawn.astype(float)
    alike = plain @ vector.astype(float) / np.linalg.norm(plain, axis=1)
    return 1 + np.argsort(-alike, kind="stable")


def test_nearest_and_order_are_those_of_a_plain_sort_also_of_few():
    drawn = vectors(5000)
    index = filled(SimilarIndex(), drawn)
    for number in (1, 2500, 5000):
        expected = by_hand(drawn, drawn[number - 1])
        found = index.nearest(drawn[number - 1], 6, without=number)
        assert [each.candidate_id for each in found] == expected[1:7].tolist()
        assert found[0].likeness <= 1.0
        assert index.order(drawn[number - 1])[:50].tolist() == expected[:50].tolist()
    drawn = vectors(3)
    assert SimilarIndex().nearest(drawn[0], 6) == []
    assert len(filled(SimilarIndex(), drawn).nearest(drawn[0], 6, without=1)) == 2


def test_what_was_saved_is_there_again(tmp_path):
    path, drawn = tmp_path / "a", vectors(20)
    index = filled(SimilarIndex(path, "id", writes=True), drawn)
    index.save()
    index.add(key(3), drawn[7])
    index.save()
    again = SimilarIndex(path, "id", writes=True)
    assert len(again) == 20 and again.knows(key(5)) and not again.knows(SpectrumKey(5, "/else"))
    assert (again.vector(3) == drawn[7]).all() and (again.vector(4) == drawn[3]).all()
    assert len(SimilarIndex(path, "other")) == 0


def test_a_record_cut_short_is_lost_and_nothing_else(tmp_path):
    path, drawn = tmp_path / "a", vectors(6)
    filled(SimilarIndex(path, "id", writes=True), drawn[:4]).save()
    with path.open("r+b") as file:
        file.truncate(HEADER.size + 3 * RECORD.itemsize + 11)
    index = SimilarIndex(path, "id", writes=True)
    assert len(index) == 3
    index.add(key(6), drawn[5])
    index.save()
    assert SimilarIndex(path, "id").vector(6).tolist() == drawn[5].tolist()


def test_a_file_of_another_kind_is_left_alone(tmp_path):
    theirs, link, folder = tmp_path / "letter", tmp_path / "link", tmp_path / "folder"
    theirs.write_text("Dear Ada")
    link.symlink_to(theirs)
    folder.mkdir()
    for path in (theirs, link, folder, tmp_path / "no" / "folder"):
        index = filled(SimilarIndex(path, "id", writes=True), vectors(2))
        index.save()
        assert len(index) == 2
    assert theirs.read_text() == "Dear Ada"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_a_pipe_in_its_place_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    index = filled(SimilarIndex(tmp_path / "pipe", "id", writes=True), vectors(2))
    index.save()
    assert len(index) == 2


def test_any_bytes_are_taken_or_left(tmp_path):
    path, draw = tmp_path / "a", np.random.default_rng(4)
    filled(SimilarIndex(path, "id", writes=True), vectors(2)).save()
    start = path.read_bytes()[: HEADER.size]
    for _ in range(20):
        path.write_bytes(start + draw.bytes(RECORD.itemsize * 50 + 3))
        index = SimilarIndex(path, "id")
        found = index.nearest(vectors(1)[0], 6)
        assert all(np.isfinite(each.likeness) for each in found)


def test_a_session_reads_on_where_it_stopped(session, place):
    index = index_of(session.database)
    after = build_some(session, index, seconds=0.0)
    assert after == 0 and len(index) == 0
    assert build_some(session, index, seconds=LONG_S) is None
    assert len(index) == COUNT and index.generation == 1
    assert side_file(place, SUFFIX).stat().st_size == HEADER.size + COUNT * RECORD.itemsize
    again = SimilarIndex(side_file(place, SUFFIX), session.id)
    assert build_some(session, again, seconds=0.0) is None  # nothing is left to read


def test_a_read_only_session_writes_nothing(place):
    with open_session(place, "Ada", read_only=True) as session:
        index = index_of(session.database)
        assert build_some(session, index, seconds=LONG_S) is None
        assert len(index) == COUNT
    assert not side_file(place, SUFFIX).exists()


def test_a_session_on_a_server_keeps_it_in_memory(cluster, session):
    name = cluster.new_database()
    with new_session(cluster.url(name), session.task, "Ada") as team:
        index = index_of(team.database)
        assert build_some(team, index) is None and index.generation == 1
    cluster.drop(name)
