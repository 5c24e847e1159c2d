from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.train.bench.helpers import ALL
from train.bench.archive import open_archive
from train.bench.measuring import measure
from train.bench.sources import faults_of, sources_of
from train.bench.spectrum_facts import SelectionRule, facts_of_file


def same(one, other) -> bool:
    """NaN equals NaN here."""
    return repr(one.to_pylist()) == repr(other.to_pylist())


class TestMeasuring:
    def copied(self, survey: Path, tmp_path: Path) -> Path:
        shutil.copytree(survey / "spectra", tmp_path / "spectra")
        return tmp_path / "spectra"

    def test_faulty_files_are_named_and_the_rest_goes_on(self, survey: Path, tmp_path: Path):
        folder = self.copied(survey, tmp_path)
        (folder / "broken.fits").write_bytes(b"SIMPLE  =" + bytes(4000))
        (folder / "note.txt").write_text("not a spectrum")
        jobs = open_archive([folder]).jobs
        table = measure(jobs, ALL, tmp_path / "measured")
        faults = {Path(str(each["file"])).name for each in faults_of(table)}
        assert faults == {"broken.fits", "note.txt"}
        assert len(sources_of(jobs, table)) == 12

    def test_goes_on_where_it_stopped(self, survey: Path, tmp_path: Path, monkeypatch):
        folder = self.copied(survey, tmp_path)
        jobs = open_archive([folder]).jobs
        monkeypatch.setattr("train.bench.measuring.ROWS_PER_PART", 1)
        calls: list[str] = []

        def failing(rule: SelectionRule, job):
            if len(calls) == 2:
                raise KeyboardInterrupt
            calls.append(job.path)
            return facts_of_file(rule, job)

        monkeypatch.setattr("train.bench.measuring.facts_of_file", failing)
        with pytest.raises(KeyboardInterrupt):
            measure(jobs, ALL, tmp_path / "measured")
        done = list(calls)

        def noting(rule: SelectionRule, job):
            calls.append(job.path)
            return facts_of_file(rule, job)

        monkeypatch.setattr("train.bench.measuring.facts_of_file", noting)
        table = measure(jobs, ALL, tmp_path / "measured")
        assert len(done) == 2 and calls == [job.path for job in jobs]
        assert same(table, measure(jobs, ALL, tmp_path / "other"))

    def test_a_file_that_changed_is_read_again(self, survey: Path, tmp_path: Path):
        folder = self.copied(survey, tmp_path)
        jobs = open_archive([folder]).jobs
        before = sources_of(jobs, measure(jobs, ALL, tmp_path / "measured"))
        first, second = sorted(folder.rglob("spec-*"))[:2]
        shutil.copy(second, first)
        after = sources_of(jobs, measure(jobs, ALL, tmp_path / "measured"))
        assert len(before) == len(after)
        assert np.count_nonzero(before.content != after.content) == 1
        assert len(set(after.object.tolist())) == len(set(before.object.tolist())) - 1

    def test_more_is_measured_when_more_is_wanted(self, survey: Path, tmp_path: Path):
        jobs = open_archive([survey / "spectra"]).jobs
        few = sources_of(jobs, measure(jobs, SelectionRule("DESI", 0.0), tmp_path / "measured"))
        all_ = sources_of(jobs, measure(jobs, ALL, tmp_path / "measured"))
        assert set(few.survey[few.is_measured]) == {"DESI"}
        assert all_.is_measured.all()
        assert np.isfinite(all_.numbers).mean() > 0.5

    def test_parts_that_are_cut_off_are_made_anew(self, survey: Path, tmp_path: Path):
        jobs = open_archive([survey / "spectra"]).jobs
        whole = measure(jobs, ALL, tmp_path / "measured")
        (part,) = (tmp_path / "measured").glob("part-*.parquet")
        part.write_bytes(part.read_bytes()[:500])
        assert same(measure(jobs, ALL, tmp_path / "measured"), whole)

    def test_two_workers_measure_the_same(self, survey: Path, tmp_path: Path):
        jobs = open_archive([survey]).jobs
        alone = measure(jobs, ALL, tmp_path / "one")
        assert same(measure(jobs, ALL, tmp_path / "two", workers=2), alone)
