"""The index: nearest neighbours against a plain sort, and what is kept in its file; the learner."""

import os
from dataclasses import replace

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.core.database.session_file import side_file
from app.core.session.session import new_session, open_session
from app.core.similar.features import SIZE, features, features_key
from app.core.similar.index import HEADER, RECORD, SUFFIX, SimilarIndex, build_some, index_of
from app.core.similar.learner import at_most_left, best_first, examples_vector, learn
from app.core.spectra.prefetch import SpectrumKey
from tests.app.core.similar.conftest import COUNT
from tests.bench.bench_similar import labelled, precision_at_5, unit
from tests.conftest import SHARED
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
        found = SimilarIndex(path, "id").nearest(vectors(1)[0], 6)
        assert all(np.isfinite(each.likeness) for each in found)


def test_a_session_reads_on_where_it_stopped(session, place):
    index = index_of(session.database)
    assert build_some(session, index, seconds=0.0) == 0 and len(index) == 0
    assert build_some(session, index, seconds=LONG_S) is None
    assert len(index) == COUNT and index.generation == 1
    assert side_file(place, SUFFIX).stat().st_size == HEADER.size + COUNT * RECORD.itemsize
    again = SimilarIndex(side_file(place, SUFFIX), session.id)
    assert build_some(session, again, seconds=0.0) is None  # nothing is left to read


def test_a_read_only_session_writes_nothing(place):
    with open_session(place, "Ada", read_only=True) as session:
        index = index_of(session.database)
        assert build_some(session, index, seconds=LONG_S) is None and len(index) == COUNT
    assert not side_file(place, SUFFIX).exists()


def test_a_session_on_a_server_keeps_it_in_memory(cluster, session):
    name = cluster.new_database()
    with new_session(cluster.url(name), session.task, "Ada") as team:
        index = index_of(team.database)
        assert build_some(team, index) is None and index.generation == 1
    cluster.drop(name)


# Features of spectra: what changes them, what does not, and that they tell classes apart.
def star(*lines, slope=0.0, noise=0.0, seed=1, depth=-0.6):
    """A spectrum with lines of 30 angstrom FWHM at these wavelengths."""
    wavelength = np.arange(3700.0, 9100.0, 1.5)
    flux = (wavelength / 6000.0) ** slope
    for line in lines:
        flux *= 1.0 + depth * np.exp(-0.5 * ((wavelength - line) / 13.0) ** 2)
    flux = flux + np.random.default_rng(seed).normal(0.0, noise, wavelength.size)
    ivar = np.full(wavelength.size, 1.0 / noise**2) if noise else None
    return Spectrum(wavelength=wavelength, flux=flux, ivar=ivar)


def likeness(one, other):
    return float(unit(features(one)) @ unit(features(other)))


BALMER = (4341.0, 4862.0, 6564.0)


def test_scale_and_continuum_do_not_count_lines_do():
    blue = star(*BALMER, slope=-2.0)
    assert likeness(blue, replace(blue, flux=1e-17 * star(*BALMER, slope=2.0).flux)) > 0.9
    here = star(*BALMER)
    assert likeness(here, star(4500.0, 5200.0, 7000.0)) < 0.3
    assert likeness(here, star(*BALMER, depth=0.6)) < -0.5
    plain = star(*BALMER)
    flux, mask = plain.flux.copy(), np.zeros(len(plain), bool)
    flux[900:920], mask[900:920] = 50.0, True
    assert likeness(plain, replace(plain, flux=flux, mask=mask)) > 0.99
    assert likeness(plain, replace(plain, flux=flux)) < 0.95
    plain, noisy = star(*BALMER), star(*BALMER, noise=0.3)
    assert likeness(plain, noisy) > likeness(plain, replace(noisy, ivar=None)) + 0.05
    keys = {features_key(SpectrumKey(7, path, row)) for path in ("a", "b\udcff") for row in (0, 1)}
    assert len(keys) == 4
    assert features_key(SpectrumKey(7, "a")) == features_key(SpectrumKey(8, "a"))


@pytest.mark.parametrize("spectrum", [
    Spectrum(wavelength=np.arange(10_000.0, 11_000.0), flux=np.ones(1000)),
    Spectrum(wavelength=np.arange(4000.0, 9000.0), flux=np.zeros(5000)),
    Spectrum(wavelength=np.arange(4000.0, 9000.0), flux=np.full(5000, np.nan)),
    Spectrum(wavelength=np.array([5000.0, 5001.0]), flux=np.array([1.0, 2.0])),
    Spectrum(wavelength=np.arange(4000.0, 9000.0), flux=np.ones(5000)),
])  # fmt: skip
def test_where_nothing_can_be_compared_there_are_none(spectrum):
    assert features(spectrum) is None


@pytest.mark.parametrize("scale", [1e-300, 1e300, -1.0])
def test_any_scale_is_taken(scale):
    spectrum = star(*BALMER)
    vector = features(replace(spectrum, flux=spectrum.flux * scale))
    assert vector is None or (vector.shape == (SIZE,) and vector.dtype == np.int8)


@pytest.mark.skipif(not (SHARED / "labelled").is_dir(), reason="real survey files are not here")
def test_neighbours_of_real_spectra_are_mostly_of_their_class():
    spectra, classes = labelled()
    vectors = np.array([unit(features(each)) for each in spectra])
    assert precision_at_5(vectors, classes)[0] > 0.75


# The learner: what it makes of examples, that a p(YES) is not made worse, and its bound.
@pytest.fixture
def stars():
    """Of 400, every tenth has a line that the others have not."""
    draw = np.random.default_rng(3)
    is_yes = np.arange(400) % 10 == 0
    vectors = draw.normal(size=(400, SIZE)) + 4.0 * np.outer(is_yes, np.eye(SIZE)[7])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / lengths).astype(np.float32), is_yes


def score(learned, vectors, columns):
    return vectors @ learned.weights + columns @ learned.of_columns + learned.intercept


def test_one_yes_and_one_no_are_enough_and_more_are_better(stars):
    vectors, is_yes = stars
    none = np.zeros((len(vectors), 1), np.float32)
    found = []
    for count in (2, 20, 200):
        rows = np.arange(10, 10 + count)
        learned = learn(vectors[rows], none[rows], is_yes[rows], from_agent=False)
        assert (learned.yes, learned.no) == (count // 10 or 1, count - (count // 10 or 1))
        best = best_first(score(learned, vectors, none))[:40]
        found.append(is_yes[best].mean())
    assert 0.2 < found[0] < found[1] < found[2] and found[2] > 0.8


def test_without_a_no_it_is_more_like_this_and_without_any_it_is_nothing(stars):
    vectors, is_yes = stars
    none = np.zeros((len(vectors), 1), np.float32)
    yes = learn(vectors[[0, 10]], none[:2], is_yes[[0, 10]], from_agent=False)
    alike = examples_vector(vectors[[0, 10]], vectors[:0])
    assert best_first(vectors @ yes.weights).tolist() == best_first(vectors @ alike).tolist()
    assert learn(vectors[:0], none[:0], is_yes[:0], from_agent=False).is_nothing
    no = examples_vector(vectors[:0], vectors[[1]])
    assert np.argmin(vectors @ no) == 1


def test_it_begins_with_the_agent_and_stays_with_one_that_is_right(stars):
    vectors, is_yes = stars
    draw = np.random.default_rng(1)
    logit = (6.0 * is_yes - 3.0 + draw.normal(size=len(is_yes))).astype(np.float32)[:, None]
    begun = learn(vectors[:0], logit[:0], is_yes[:0], from_agent=True)
    assert score(begun, vectors, logit) == pytest.approx(logit[:, 0])
    rows = best_first(logit[:, 0])[:60]
    learned = learn(vectors[rows], logit[rows], is_yes[rows], from_agent=True)
    ranks = np.argsort(best_first(score(learned, vectors, logit)))
    agents = np.argsort(best_first(logit[:, 0]))
    assert ranks[is_yes].max() <= 1.05 * agents[is_yes].max()


def test_what_an_agent_gets_wrong_is_learned(stars):
    vectors, is_yes = stars
    logit = np.random.default_rng(2).normal(size=(len(is_yes), 1)).astype(np.float32)
    rows = np.arange(200)
    learned = learn(vectors[rows], logit[rows], is_yes[rows], from_agent=True)
    best = best_first(score(learned, vectors, logit)[200:])[:20]
    assert is_yes[200:][best].mean() > 0.5


@pytest.mark.parametrize("count", [0, 1, 7, 30_000])
def test_rows_come_by_falling_score_and_the_unknown_last(count):
    scores = np.random.default_rng(5).normal(size=count).astype(np.float32)
    scores[1::3] = np.nan
    order = best_first(scores)
    assert sorted(order.tolist()) == list(range(count))
    known = scores[order][: np.isfinite(scores).sum()]
    step = 1e-9 if count <= 7 else np.ptp(known) / 60_000  # many are sorted by levels
    assert np.isfinite(known).all() and (np.diff(known) <= step).all()
    unknown = order[len(known) :]
    assert (np.diff(unknown) > 0).all()
    equal = np.full(count, 2.5, np.float32)
    assert best_first(equal).tolist() == list(range(count))


def test_the_bound_on_what_is_left():
    assert at_most_left(0, [], 700) == 700
    assert at_most_left(0, [1000] * 60, 700) == 48  # 1 - 0.05 ** (1 / 60) of a thousand
    assert at_most_left(5, [1000] * 60, 100) == 100
    few = at_most_left(0, [1000] * 200, 700)
    assert few < at_most_left(1, [1000] * 200, 700) < at_most_left(0, [1000] * 60, 700) + 1


@pytest.mark.parametrize("skill", [-2.0, 0.0, 2.0])
def test_the_bound_holds_whatever_was_taken_out_in_between(skill):
    """Also where the learner prefers what is not wanted."""
    draw, holds = np.random.default_rng(8), 0
    for _ in range(200):
        is_yes = draw.random(600) < 0.05
        worth = skill * is_yes + draw.normal(size=600)
        order = best_first(worth.astype(np.float32)).tolist()
        left, lefts, hits = set(range(600)), [], 0
        for step in range(300):
            if step % 10 == 9:
                pick = int(draw.choice(sorted(left)))
                lefts.append(len(left))
                hits += bool(is_yes[pick])
            else:
                pick = next(each for each in order if each in left)
            left.discard(pick)
        holds += int(is_yes[sorted(left)].sum()) <= at_most_left(hits, lefts, len(left))
    assert holds >= 190
