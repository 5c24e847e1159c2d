from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest
from astropy.table import Table

from agent.errors import WorkbenchError
from tests.train.bench.helpers import simulated
from train.bench.archive import open_archive
from train.bench.measuring import measure
from train.bench.sources import faults_of, sources_of
from train.bench.spectrum_facts import SelectionRule, facts_of_file
from train.simulate.archive import run_campaign
from train.simulate.campaign import Settings

ALL = SelectionRule("", 0.0)


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """FITS files of two surveys, eight DESI targets to a file."""
    folder = tmp_path_factory.mktemp("survey")
    run_campaign(folder, Settings(seed=3, count=12, labels=("A", "K"), survey="LAMOST,DESI"))
    return folder


@pytest.fixture(scope="module")
def listed(survey: Path) -> list[dict[str, str]]:
    with (survey / "candidates.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def same(one, other) -> bool:
    """NaN equals NaN here."""
    return repr(one.to_pylist()) == repr(other.to_pylist())


class TestFolders:
    def test_every_target_of_every_file_is_found_without_a_list(self, survey: Path, listed):
        archive = open_archive([survey / "spectra"])
        seen = [each for job in archive.jobs for each in facts_of_file(ALL, job)]
        assert {each["object_id"] for each in seen} == {row["object_id"] for row in listed}
        assert {each["fault"] for each in seen} == {""}

    def test_a_simulation_brings_its_truth(self, survey: Path):
        archive = open_archive([survey])
        assert archive.simulated == (survey,)
        labels = {stated.label for job in archive.jobs for stated in job.stated}
        assert labels == {"A", "K"}

    def test_arrays_take_place_and_survey_from_the_list(self, tmp_path: Path):
        folder = simulated(tmp_path / "arrays", "BOSS", seed=1, count=3)
        (job,) = open_archive([folder]).jobs
        seen = facts_of_file(ALL, job)
        assert [each["survey"] for each in seen] == ["SDSS"] * 3
        assert all(0 <= each["ra"] < 360 for each in seen)

    def test_nothing_there_is_an_error(self, tmp_path: Path):
        with pytest.raises(WorkbenchError, match="no spectra there"):
            open_archive([tmp_path])
        with pytest.raises(WorkbenchError, match="no such folder or list"):
            open_archive([tmp_path / "none"])


class TestLists:
    @pytest.mark.parametrize("suffix", ["csv", "tsv", "fits", "vot", "ecsv", "parquet"])
    def test_name_files_and_rows_in_any_format(self, survey, listed, tmp_path, suffix):
        path = tmp_path / f"list.{suffix}"
        names, numbers = [row["file"] for row in listed], [int(row["row"]) for row in listed]
        if suffix == "parquet":
            import pyarrow
            import pyarrow.parquet as parquet

            parquet.write_table(pyarrow.table({"Filename": names, "Row": numbers}), path)
        else:
            kinds = {"csv": "ascii.csv", "tsv": "ascii.tab", "vot": "votable", "ecsv": "ascii.ecsv"}
            Table({"Filename": names, "Row": numbers}).write(path, format=kinds.get(suffix, suffix))
        archive = open_archive([path], survey)
        seen = [each for job in archive.jobs for each in facts_of_file(ALL, job)]
        assert {each["object_id"] for each in seen} == {row["object_id"] for row in listed}

    def test_do_not_lead_out_of_the_folders_given(self, survey: Path, tmp_path: Path):
        inner = tmp_path / "lists"
        inner.mkdir()
        shutil.copy(next((survey / "spectra").rglob("spec-*")), tmp_path / "secret.fits.gz")
        (inner / "link.fits.gz").symlink_to(tmp_path / "secret.fits.gz")
        (inner / "list.csv").write_text(
            f"file\n../secret.fits.gz\n{tmp_path}/secret.fits.gz\nlink.fits.gz\ngone.fits\n"
        )
        jobs = open_archive([inner / "list.csv"]).jobs
        faults = [facts_of_file(ALL, job)[0]["fault"] for job in jobs]
        assert ["outside" in fault for fault in faults] == [True, True, True, False]
        assert faults[3] == "no such file"

    def test_sexagesimal_places_are_understood(self, survey: Path, tmp_path: Path):
        name = next((survey / "spectra").rglob("spec-*")).relative_to(survey)
        (tmp_path / "l.csv").write_text(f"path,RA,Dec\n{name},10:00:00,-01:30:00\n")
        (job,) = open_archive([tmp_path / "l.csv"], survey).jobs
        assert (job.stated[0].ra, job.stated[0].dec) == (150.0, -1.5)

    def test_without_a_column_of_files_say_so(self, tmp_path: Path):
        (tmp_path / "l.csv").write_text("ra,dec\n1,2\n")
        with pytest.raises(WorkbenchError, match="no column that names files"):
            open_archive([tmp_path / "l.csv"])

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("l.vot", b'<VOTABLE><STREAM href="http://x/y"/></VOTABLE>'),
            ("l.vot", b'<!DOCTYPE x [<!ENTITY a "b">]><VOTABLE/>'),
            ("l.fits", b"SIMPLE  = not at all"),
            ("l.parquet", b"PAR1nothing"),
            ("l.ecsv", b"# %ECSV 1.0\n# ---\n# !!python/object:os.system {}\n"),
            ("l.csv", b'a\n"' + b"x" * 200_000),
        ],
    )
    def test_hostile_tables_are_one_line_errors(self, tmp_path: Path, name: str, content: bytes):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(WorkbenchError) as told:
            open_archive([tmp_path / name])
        assert "\n" not in str(told.value)


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

        monkeypatch.setattr("train.bench.measuring.look", failing)
        with pytest.raises(KeyboardInterrupt):
            measure(jobs, ALL, tmp_path / "measured")
        done = list(calls)

        def noting(rule: SelectionRule, job):
            calls.append(job.path)
            return facts_of_file(rule, job)

        monkeypatch.setattr("train.bench.measuring.look", noting)
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
