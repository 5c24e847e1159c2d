from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from astropy.table import Table

from agent.errors import WorkbenchError
from tests.train.bench.helpers import ALL
from train.bench.archive import class_folders, label_of, open_archive
from train.bench.spectrum_facts import facts_of_file
from train.bench.tables import columns, number, position_of, read_rows


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

    def test_nothing_there_is_an_error(self, tmp_path: Path):
        with pytest.raises(WorkbenchError, match="no spectra found"):
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
        names = f"../secret.fits.gz\n{tmp_path}/secret.fits.gz\nlink.fits.gz\ngone.fits"
        (inner / "list.csv").write_text(f"file\n{names}\n")
        jobs = open_archive([inner / "list.csv"]).jobs
        faults = [facts_of_file(ALL, job)[0]["fault"] for job in jobs]
        assert ["outside" in fault for fault in faults] == [True, True, True, False]
        assert faults[3] == "no such file"

    def test_without_a_column_of_files_say_so(self, tmp_path: Path):
        (tmp_path / "l.csv").write_text("ra,dec\n1,2\n")
        with pytest.raises(WorkbenchError, match="no column that names files"):
            open_archive([tmp_path / "l.csv"])


class TestLabels:
    def test_folders_named_after_classes_label_their_files(self, survey: Path, tmp_path: Path):
        files = sorted((survey / "spectra").rglob("spec-*"))[:3]
        for name, path in zip(("Carbon_Stars", "wd", "others"), files, strict=True):
            (tmp_path / name / "deeper").mkdir(parents=True)
            shutil.copy(path, tmp_path / name / "deeper" / path.name)
        shutil.copy(files[0], tmp_path / "loose.fits.gz")
        archive = open_archive([tmp_path])
        assert archive.is_labelled and not archive.simulated
        labels = {Path(job.path).name: [each.label for each in job.stated] for job in archive.jobs}
        names = ("loose.fits.gz", *(path.name for path in files))
        assert labels == dict(zip(names, ([], ["CS"], ["WD"], ["others"]), strict=True))
        seen = [facts_of_file(ALL, job) for job in archive.jobs]
        assert [[each["fault"] for each in rows] for rows in seen] == [[""]] * 4

    def test_folders_of_other_names_say_nothing(self, survey: Path):
        assert not open_archive([survey / "spectra"]).is_labelled

    def test_a_list_of_file_names_with_labels(self, survey: Path, tmp_path: Path):
        files = sorted((survey / "spectra").rglob("spec-*"))[:2]
        path = tmp_path / "labels.csv"
        rows = [f"{path},{label}" for path, label in zip(files, ("carbon star", "K"), strict=True)]
        path.write_text("\n".join(["filename,label", *rows]))
        archive = open_archive([path], survey)
        assert [job.stated[0].label for job in archive.jobs] == ["CS", "K"]
        assert archive.is_labelled


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("CV", "CV"), ("cv", "CV"), ("carbon", "CS"), ("Carbon Stars", "CS"), ("white_dwarf", "WD"),
        ("K", "K"), ("not carbon", "not carbon"), ("B6210", "B6210"), ("", ""),
    ],
)  # fmt: skip
def test_labels(text: str, label: str):
    assert label_of(text) == label


def test_folders(tmp_path: Path):
    for name in ("carbon", "normal", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "list.csv").write_text("")
    assert class_folders(tmp_path) == {"carbon": "CS", "normal": "normal"}
    (tmp_path / "carbon").rmdir()
    assert class_folders(tmp_path) == {}


def test_text_that_is_not_a_finite_number_is_nan():
    assert number(" 2.5 ") == 2.5
    assert np.isnan([number(text) for text in ("", None, "none", "inf")]).all()


def test_positions_are_in_degrees_or_both_unknown():
    assert position_of({"ra": "10:00:00", "dec": "-1.5"}) == (150.0, -1.5)
    for row in ({"ra": "10"}, {"ra": "400", "dec": "1"}, {"ra": "x", "dec": "1"}):
        assert np.isnan(position_of(row)).all()


def test_a_column_plays_a_role_by_any_of_its_names(tmp_path: Path):
    found = columns(["Other", "File-Name", "RAJ2000"], ("file", "ra", "dec"), tmp_path)
    assert found == {"file": 1, "ra": 2}
    with pytest.raises(WorkbenchError, match="none of the columns file; it has a, b"):
        columns(["a", "b"], ("file",), tmp_path)


def test_comments_and_empty_lines_are_no_rows(tmp_path: Path):
    path = tmp_path / "list.tsv"
    path.write_text("# made by hand\nFile\tClass\n\na.fits\tSTAR\nb.fits\n")
    assert list(read_rows(path)) == [{"file": "a.fits", "class_name": "STAR"}, {"file": "b.fits"}]


def test_sexagesimal_places_are_understood(survey: Path, tmp_path: Path):
    name = next((survey / "spectra").rglob("spec-*")).relative_to(survey)
    (tmp_path / "l.csv").write_text(f"path,RA,Dec\n{name},10:00:00,-01:30:00\n")
    (job,) = open_archive([tmp_path / "l.csv"], survey).jobs
    assert (job.stated[0].ra, job.stated[0].dec) == (150.0, -1.5)


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
def test_hostile_tables_are_one_line_errors(tmp_path: Path, name: str, content: bytes):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(WorkbenchError) as told:
        open_archive([tmp_path / name])
    assert "\n" not in str(told.value)
