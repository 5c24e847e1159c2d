from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from tests.train.bench.conftest import Made
from tests.train.bench.helpers import ALL, places
from train.bench.archive import open_archive
from train.bench.measuring import measure
from train.bench.sources import (
    best_of_each_object,
    directions,
    faults_of,
    nearest_within,
    object_numbers,
    sources_of,
)
from train.bench.spectrum_facts import SelectionRule

ARCSEC = 1 / 3600


def test_columns_are_of_the_readable_spectra(survey: Path, tmp_path: Path):
    (tmp_path / "broken.fits").write_bytes(b"nothing")
    jobs = open_archive([survey, tmp_path]).jobs
    table = measure(jobs, ALL, tmp_path / "measured")
    (fault,) = faults_of(table)
    assert Path(str(fault["file"])).name == "broken.fits" and fault["fault"]
    sources = sources_of(jobs, table)
    assert len(sources) == 12 and sources.knows_truth and sources.is_measured.all()
    for job, row, label in zip(sources.job, sources.row, sources.label, strict=True):
        stated = dict(zip(jobs[job].rows, jobs[job].stated, strict=True))
        assert stated[row].label == label


def test_the_best_spectrum_of_each_object_is_chosen(made: Made):
    sources = made.bench.sources
    best = best_of_each_object(sources, SelectionRule("", 10.0))
    assert set(sources.survey[best]) == {"LAMOST"}
    assert best.tolist() == sorted(best.tolist())
    for index in best:
        same = (sources.object == sources.object[index]) & sources.is_measured
        assert sources.snr[index] == sources.snr[same].max() > 10
    assert len(set(sources.object[best].tolist())) == best.size
    bright = best_of_each_object(sources, SelectionRule("LAMOST", 40.0))
    assert 0 < bright.size < best.size and (sources.snr[bright] > 40).all()
    assert not np.isnan(sources.numbers[bright]).all(axis=1).any()


def numbers(ra, dec, content=None, names=None):
    content = np.arange(len(ra)) if content is None else np.array(content)
    names = [""] * len(ra) if names is None else names
    return object_numbers(np.array(ra, float), np.array(dec, float), content, names).tolist()


def test_friends_of_friends_are_one_object():
    found = numbers([10, 10, 10, 10], [0, 2 * ARCSEC, 4 * ARCSEC, 8 * ARCSEC])
    assert found[0] == found[1] == found[2] != found[3]


def test_the_limit_is_three_arcsec_at_any_declination_and_across_zero():
    for dec in (0.0, 60.0, 89.0):
        step = ARCSEC / np.cos(np.radians(dec))
        one, other = numbers([360 - step, step, 5], [dec, dec, dec])[:2]
        assert one == other
        one, other = numbers([360 - 1.6 * step, 1.6 * step, 5], [dec, dec, dec])[:2]
        assert one != other


def test_the_same_content_is_the_same_object_wherever_it_is():
    found = numbers([1, 100, 200], [0, 0, 0], content=[7, 8, 7])
    assert found[0] == found[2] != found[1]


def test_names_count_only_where_no_place_is_known():
    nan = float("nan")
    found = numbers([1, nan, nan, nan, 50], [0, nan, nan, nan, 0], names=["a", "a", "b", "b", "a"])
    assert found[2] == found[3]
    assert len({found[0], found[1], found[4]}) == 3


def test_many_at_one_place_are_one_object_at_once():
    assert set(numbers([0.0] * 100_000, [0.0] * 100_000)) == {0}


def test_places_that_are_all_alike_are_refused():
    rng = np.random.default_rng(1)
    with pytest.raises(WorkbenchError, match="in degrees"):
        numbers(rng.uniform(0, 1e-6, 10_000), np.zeros(10_000))


def test_agrees_with_every_pair_compared():
    ra, dec = places(200)
    ra = np.concatenate([ra, ra[:50] + 2.0 * ARCSEC])
    dec = np.concatenate([dec, dec[:50]])
    found = np.array(numbers(ra, dec))
    there = directions(ra, dec)
    near = np.linalg.norm(there[:, None] - there[None], axis=2) < np.radians(3 * ARCSEC)
    assert ((found[:, None] == found[None]) == near).all()


def test_a_catalogue_matches_what_lies_near():
    of = directions(np.array([10.0]), np.array([20.0]))
    ra = np.array([10.0, 10.0, np.nan])
    dec = np.array([20.0 + 2.9 * ARCSEC, 20.0 + 3.1 * ARCSEC, np.nan])
    assert nearest_within(ra, dec, of).tolist() == [True, False, False]
    assert nearest_within(ra, dec, of[:0]).tolist() == [False] * 3
