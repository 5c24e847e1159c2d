from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from tests.train.bench.helpers import ALL, simulated
from train.bench.archive import FileJob, ListedValues, open_archive
from train.bench.measuring import measure
from train.bench.sources import faults_of, sources_of
from train.bench.spectrum_facts import (
    SelectionRule,
    content_of,
    digest_of,
    facts_of_file,
    file_stamp,
    merged,
)


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


def spectrum(**values: object) -> Spectrum:
    wavelength = np.arange(4000.0, 5000.0)
    return Spectrum(wavelength=wavelength, flux=np.ones(1000), **values)  # type: ignore[arg-type]


def test_a_list_adds_only_what_the_file_does_not_state():
    stated = ListedValues(object_id="listed", ra=10.0, dec=2.0, snr=30.0, z=0.1, survey="BOSS")
    seen = merged(spectrum(ra=5.0, object_id="own", z=0.2), stated)
    assert (seen.object_id, seen.z, seen.snr) == ("own", 0.2, 30.0)
    # Without a declination the position of the file is not usable.
    assert (seen.ra, seen.dec) == (10.0, 2.0)
    assert seen.survey == "SDSS"


def test_equal_fluxes_have_equal_content_in_any_format():
    one = spectrum()
    assert content_of(one) == content_of(replace(one, format="other", path="x"))
    assert content_of(one) != content_of(replace(one, flux=one.flux * 2))


def test_a_stamp_and_a_digest_change_with_file_and_list(tmp_path: Path):
    path = tmp_path / "a.txt"
    assert file_stamp(str(path)) == (0, 0)
    path.write_text("1 2")
    assert file_stamp(str(path))[0] == 3
    one, same, other = (digest_of(ListedValues(**own)) for own in ({"ra": 1.0}, {"ra": 1.0}, {}))
    assert one == same != other


def test_only_spectra_of_the_rule_are_measured(survey: Path):
    rule, jobs = SelectionRule("DESI", 0.0), open_archive([survey / "spectra"]).jobs
    facts = [each for job in jobs for each in facts_of_file(rule, job)]
    assert {each["survey"] for each in facts if each["numbers"] is not None} == {"DESI"}
    assert {each["survey"] for each in facts} == {"DESI", "LAMOST"}


def test_rows_that_a_file_does_not_have_are_faults(survey: Path, tmp_path: Path):
    shutil.copy(next((survey / "spectra").rglob("spec-*")), tmp_path / "one.fits.gz")
    job = FileJob(str(tmp_path / "one.fits.gz"), (-1, 7), (ListedValues(), ListedValues()))
    assert all(each["fault"] for each in facts_of_file(ALL, job))
    refused = replace(job, refusal="outside")
    assert [each["fault"] for each in facts_of_file(ALL, refused)] == ["outside", "outside"]


def test_arrays_take_place_and_survey_from_the_list(tmp_path: Path):
    folder = simulated(tmp_path / "arrays", "BOSS", seed=1, count=3)
    (job,) = open_archive([folder]).jobs
    seen = facts_of_file(ALL, job)
    assert [each["survey"] for each in seen] == ["SDSS"] * 3
    assert all(0 <= each["ra"] < 360 for each in seen)
