"""The index: nearest neighbours against a plain sort, and what is kept in its file."""

import os
from dataclasses import replace

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.core.database.session_file import side_file
from app.core.session.session import new_session, open_session
from app.core.similar.features import SIZE, features, features_key
from app.core.similar.index import HEADER, RECORD, SUFFIX, SimilarIndex, build_some, index_of
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
