import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from astropy.table import Table
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.examples.examples import Example, column, count_examples, read_examples
from app.core.importing.sky import chord, unit_vectors
from tests.train.bench.conftest import Made
from tests.train.bench.helpers import ALL, TASKS, objects_in, small
from train.bench.archive import class_folders, label_of, open_archive
from train.bench.build import MEASURED, build, cross_fitted, rebalanced, write_card
from train.bench.measuring import facts_of_file
from train.bench.settings import BenchSettings, Size
from train.bench.tables import columns, number, position_of, read_rows
from train.cli import app
from train.recipe import PRESETS, settings


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


@pytest.mark.parametrize(("name", "content"), [
    ("l.vot", b'<VOTABLE><STREAM href="http://x/y"/></VOTABLE>'),
    ("l.vot", b'<!DOCTYPE x [<!ENTITY a "b">]><VOTABLE/>'),
    ("l.fits", b"SIMPLE  = not at all"),
    ("l.parquet", b"PAR1nothing"),
    ("l.ecsv", b"# %ECSV 1.0\n# ---\n# !!python/object:os.system {}\n"),
    ("l.ecsv", b"# %ECSV 1.0\n# ---\n# meta: &a {b: 1}\n# datatype:\n# - &a {name: file}\nfile\n"),
    ("l.csv", b'a\n"' + b"x" * 200_000),
])  # fmt: skip
def test_hostile_tables_are_one_line_errors(tmp_path: Path, name: str, content: bytes):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(WorkbenchError) as told:
        open_archive([tmp_path / name])
    assert "\n" not in str(told.value)


FILES = ("train", "test", "cold", "cross", "survey-SDSS", "survey-DESI")


def rows(made: Made, name: str) -> list[Example]:
    return list(read_examples(made.out / f"{name}.parquet"))


@pytest.fixture
def measured(made: Made, tmp_path: Path) -> Path:
    """A folder with all measurements made."""
    shutil.copytree(made.out / MEASURED, tmp_path / MEASURED)
    return tmp_path


def separations(one: list[Example], other: list[Example]) -> np.ndarray:
    """Straight distances of every pair of places."""
    places = (np.array([(e.spectrum.ra, e.spectrum.dec) for e in side]).T for side in (one, other))
    first, second = (unit_vectors(*side) for side in places)
    return np.linalg.norm(first[:, None] - second[None], axis=2)


class TestSets:
    def test_have_the_sizes_asked_for(self, made: Made):
        for name, positives, negatives in (("train", 8, 8), ("test", 4, 16)):
            for task in TASKS:
                answers = [each.answer for each in rows(made, name) if each.task == task]
                assert (answers.count("YES"), answers.count("NO")) == (positives, negatives)

    def test_no_object_is_in_train_and_in_a_test(self, made: Made):
        train = rows(made, "train")
        for name in ("test", "cross", "survey-SDSS"):
            other = rows(made, name)
            assert separations(train, other).min() > chord(3.0)
            assert not {each.sha256 for each in train} & {each.sha256 for each in other}

    def test_cold_start_comes_from_training_and_is_balanced(self, made: Made):
        cold, train = rows(made, "cold"), rows(made, "train")
        assert {each.split for each in cold} == {"cold"}
        learned = {(each.task, each.sha256) for each in train}
        assert {(each.task, each.sha256) for each in cold} <= learned
        for task in TASKS:
            assert [each.answer for each in cold if each.task == task].count("YES") == 3

    def test_another_survey_shows_test_objects_with_their_answers(self, made: Made):
        seen = rows(made, "survey-SDSS")
        test = rows(made, "test")
        assert {each.spectrum.survey for each in seen} == {"SDSS"}
        assert [each.answer for each in seen].count("YES") == 2 * 3
        near = separations(seen, test) < chord(3.0)
        for which, each in enumerate(seen):
            matches = [test[at] for at in np.flatnonzero(near[which]) if test[at].task == each.task]
            assert [match.answer for match in matches] == [each.answer]
        assert rows(made, "survey-DESI") == []
        assert any("survey-DESI" in note for note in made.bench.notes)

    def test_answers_are_true_but_for_members_that_no_catalogue_has(self, made: Made):
        for name in ("train", "test", "cross"):
            for each in rows(made, name):
                if each.is_positive:
                    assert each.label == each.task
        figures = json.loads((made.out / "bench.json").read_text())
        tables = [figures["files"][name]["tasks"].values() for name in FILES]
        told = sum(its["wrong_NO"] for own in tables for its in own)
        negatives = [one for name in FILES for one in rows(made, name) if not one.is_positive]
        assert sum(one.label == one.task for one in negatives) == told > 0

    def test_spectra_are_above_the_cut_and_carry_what_the_list_says(self, made: Made):
        for each in rows(made, "train"):
            assert each.spectrum.snr is not None and each.spectrum.snr > 10
            assert each.spectrum.simulated and each.spectrum.object_id.startswith("SIM J")
            assert each.spectrum.survey == "LAMOST"
            assert not any(label in each.spectrum.path for label in ("CV", "CS", "WD"))


def test_card_tells_sizes_rate_noise_and_seed(made: Made):
    card = (made.out / "README.md").read_text()
    told = ("| train | CV | 8 | 8 |", "accepted:", "1.74 %", "Seed 0", "simulated", "Licence")
    assert [words for words in told if words not in card] == []


class TestNegatives:
    def test_rate_is_accepted_over_all_in_no_catalogue(self, made: Made):
        figures = json.loads((made.out / "bench.json").read_text())
        for task in TASKS:
            its = figures["tasks"][task]
            assert its["acceptance"] == its["accepted"] / its["scored"]
            assert 0 < its["scored"] < 240
            assert its["members_accepted"] <= its["accepted"]

    def test_without_filling_up_only_the_accepted_are_taken_and_this_is_said(
        self, made: Made, measured: Path
    ):
        bench = build(measured, made.archives, small(fill=False), catalogues={})
        for task in TASKS:
            made_rows = (*bench.files["train"], *bench.files["test"])
            taken = [row for row in made_rows if (row.task, row.answer) == (task, "NO")]
            assert not any(row.filled for row in taken)
            assert len(taken) <= bench.tasks[task].accepted
            assert any(note.startswith(f"{task} train") for note in bench.notes)

    def test_members_can_be_left_out_where_the_truth_is_known(self, made: Made, measured: Path):
        bench = build(measured, made.archives, small(label_noise="drop"), catalogues={})
        labels = bench.sources.label
        for name in ("train", "test", "cross"):
            for row in bench.files[name]:
                assert (labels[row.source] == row.task) == (row.answer == "YES")


class TestAgain:
    def test_the_same_seed_makes_the_same_sets_and_measures_nothing(
        self, made: Made, monkeypatch: pytest.MonkeyPatch
    ):
        before = {name: (made.out / f"{name}.parquet").read_bytes() for name in FILES}

        def refuse(*_: object) -> None:
            raise AssertionError("measured again")

        monkeypatch.setattr("train.bench.measuring.facts_of_file", refuse)
        bench = build(made.out, made.archives, small(), catalogues={})
        write_card(made.out, bench, made.archives, [])
        assert {name: (made.out / f"{name}.parquet").read_bytes() for name in FILES} == before

    def test_another_seed_makes_others(self, made: Made, measured: Path):
        bench = build(measured, made.archives, small(seed=1), catalogues={})
        assert objects_in(bench, "train") != objects_in(made.bench, "train")


def test_a_task_of_too_few_members_is_left_out_and_told(made: Made, measured: Path):
    settings = small(tasks=("CV", "SS"), cross_tasks=())
    bench = build(measured, made.archives, settings, catalogues={})
    assert any(note.startswith("SS: left out") for note in bench.notes)
    assert {row["task"] for row in column(measured / "train.parquet", "task")} == {"CV"}


def test_it_is_told_when_members_are_of_another_survey(made: Made, measured: Path, monkeypatch):
    monkeypatch.setattr("train.bench.build.LEAST_POSITIVES", 10**6)
    with pytest.raises(WorkbenchError, match=r"in the archive of LAMOST .* another survey: --set"):
        build(measured, made.archives, small(tasks=("CV",), cross_tasks=()), catalogues={})


def test_an_archive_without_the_survey_names_those_it_has(made: Made, measured: Path):
    with pytest.raises(WorkbenchError, match=r"no spectrum of DESI .*LAMOST 240, SDSS 240"):
        build(measured, made.archives, small(survey="DESI"), catalogues={})


def test_labels_are_the_catalogue_of_real_spectra(sky: tuple[Path, Path], tmp_path: Path):
    """A list of file names with labels stands in for catalogues."""
    lamost, _ = sky
    candidates = {row["file"] + row["row"]: row for row in read_rows(lamost / "candidates.csv")}
    lines = ["file,row,label,survey,ra,dec,snr"]
    for row in read_rows(lamost / "truth.csv", ("file", "row", "label")):
        known = candidates[row["file"] + row["row"]]
        values = (lamost / row["file"], row["row"], row["label"], "LAMOST")
        lines.append(",".join(map(str, (*values, known["ra"], known["dec"], known["snr"]))))
    (tmp_path / "labels.csv").write_text("\n".join(lines))
    lists = [tmp_path / "labels.csv"]
    bench = build(tmp_path / "out", lists, small(), catalogues={}, spectra_folder=lamost)
    assert not bench.simulated
    train = list(read_examples(tmp_path / "out" / "train.parquet"))
    assert {one.label for one in train if one.answer == "YES" and one.task == "CV"} == {"CV"}
    answers = [one.answer for one in train if one.task == "CS"]
    assert (answers.count("YES"), answers.count("NO")) == (8, 8)


class TestWeak:
    def data(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(3)
        is_member = np.arange(600) < 60
        numbers = rng.normal(0, 1, (600, 5)).astype(np.float32)
        numbers[is_member, 0] += 3.0
        numbers[rng.random((600, 5)) < 0.2] = np.nan
        numbers[:, 4] = np.nan
        return numbers, is_member

    def test_tells_members_from_the_rest(self):
        numbers, is_member = self.data()
        p = cross_fitted(numbers, is_member, random_per_positive=5, folds=3, seed=1)
        assert p.shape == (600,) and (p >= 0).all() and (p <= 1).all()
        assert p[is_member].mean() > 0.6 > 0.3 > p[~is_member].mean()

    def test_a_source_is_not_scored_by_a_model_that_saw_it(self):
        """Of pure noise a model that saw its rows would know them by heart."""
        rng = np.random.default_rng(5)
        numbers = rng.normal(size=(400, 8)).astype(np.float32)
        is_member = np.arange(400) < 100
        p = cross_fitted(numbers, is_member, random_per_positive=3, folds=5, seed=1)
        assert abs(p[is_member].mean() - p[~is_member].mean()) < 0.1

    def test_p_is_as_of_balanced_classes(self):
        assert rebalanced(np.array([0.2]), 0.2) == pytest.approx(0.5)
        assert rebalanced(np.array([0.0, 1.0]), 0.1).tolist() == [0.0, 1.0]


def bench(*words: object):
    return CliRunner().invoke(app, ["bench", *map(str, words)])


def test_makes_the_sets_and_says_what_fell_short(made: Made, tmp_path: Path):
    shutil.copytree(made.out / MEASURED, tmp_path / MEASURED)
    archives = [word for path in made.archives for word in ("--archive", path)]
    sets = ("tasks=CV,CS", "cross_tasks=", "sizes=* 4/4 2/8", "folds=2", "cross_surveys=SDSS")
    options = [word for text in sets for word in ("--set", text)]
    result = bench(tmp_path, *archives, *options, "--seed", 5)
    assert result.exit_code == 0, result.output
    assert "CV test:" in result.stderr
    assert result.stdout.strip().startswith(f"{tmp_path}: train")
    assert count_examples(tmp_path / "train.parquet") > 0
    figures = json.loads((tmp_path / "bench.json").read_text())
    assert figures["settings"]["seed"] == 5
    assert figures["files"]["train"]["tasks"]["CV"]["YES"] == 4


def test_needs_an_archive_or_published_files(tmp_path: Path):
    assert bench(tmp_path).exit_code == 2


def test_a_setting_that_is_none_is_told(tmp_path: Path):
    result = bench(tmp_path, "--archive", tmp_path, "--set", "colds=1")
    assert result.exit_code == 1 and "no setting" in str(result.exception)


class TestSettings:
    def test_defaults_are_the_published_sizes(self):
        published = BenchSettings()
        assert published.size("CV") == Size((343, 368), (229, 1229))
        assert published.size("O") == Size((0, 0), (50, 250))
        assert (published.min_snr, published.p_negative) == (10.0, 0.8)

    @pytest.mark.parametrize("preset", PRESETS)
    def test_every_preset_is_accepted(self, preset: str):
        found = settings(BenchSettings, "bench", preset=preset)
        if preset in ("3b", "7b"):
            assert found == BenchSettings()

    @pytest.mark.parametrize("wrong", [
        {"sizes": ("CV 1/1",)},
        {"sizes": ("CV 1/1 1/1",)},
        {"tasks": ()},
        {"cross_survey_size": "many"},
        {"p_negative": 1.5},
        {"folds": 1},
        {"seed": -1},
    ])  # fmt: skip
    def test_what_makes_no_sense_is_refused(self, wrong):
        with pytest.raises(WorkbenchError):
            BenchSettings(**wrong)
