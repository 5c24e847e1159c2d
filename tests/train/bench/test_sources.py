from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.train.bench.conftest import Made
from tests.train.bench.helpers import ALL
from train.bench.archive import open_archive
from train.bench.measuring import measure
from train.bench.sources import best_of_each_object, faults_of, sources_of
from train.bench.spectrum_facts import SelectionRule


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
