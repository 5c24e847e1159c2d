import csv
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyarrow")

import numpy as np

from agent.errors import WorkbenchError
from agent.examples.examples import Example, example, read_examples, write_examples
from agent.tasks.catalogue import load_tasks
from tests.agent.scenes import star
from train.baselines.specialist import Head, Specialist, grid_of, save_specialist
from train.cli import app
from train.evaluate.judges import OtherSpectra, covered
from train.evaluate.sight import LIBRARY_SET, write_library_set

LABELS = ("CV", "CV", "CV", *("WD", "K", "MG") * 9)


def asked(labels: tuple[str, ...] = LABELS, named: bool = True) -> list[Example]:
    found = []
    for seed, label in enumerate(labels):
        answer = "YES" if label == "CV" else "NO"
        told = {"answer": answer, "label": label if named else "", "key": f"CV-{seed}"}
        found.append(example(star(seed), task="CV", **told))
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("set") / "asked.parquet"
    write_examples(path, asked())
    return path


def test_each_gets_a_spectrum_of_another_class(path: Path):
    own = {one.sha256: one for one in asked()}
    others = OtherSpectra(path)
    differing = 0
    for one in asked():
        spectrum, answer = others.of(one)
        drawn = own[replace(one, spectrum=spectrum).sha256]
        assert drawn.label != one.label and drawn.answer == answer
        differing += answer != one.answer
    # All members get a NO, and about half of the others get a member.
    assert len(LABELS) * 0.4 < differing < len(LABELS) * 0.9


def test_it_is_the_same_one_every_time(path: Path):
    first, again = OtherSpectra(path), OtherSpectra(path)
    for one in asked()[:5]:
        assert (first.of(one)[0].flux == again.of(one)[0].flux).all()


def test_without_classes_the_answer_differs(tmp_path: Path):
    rows = asked(("CV", "K", "K"), named=False)
    write_examples(tmp_path / "asked.parquet", rows)
    others = OtherSpectra(tmp_path / "asked.parquet")
    assert [others.of(one)[1] for one in rows] == ["NO", "YES", "YES"]


def test_a_set_of_one_class_is_refused(tmp_path: Path):
    rows = asked(("CV", "CV"))
    write_examples(tmp_path / "asked.parquet", rows)
    with pytest.raises(WorkbenchError, match="no spectrum of another class for CV-0"):
        OtherSpectra(tmp_path / "asked.parquet").of(rows[0])


def test_a_spectrum_that_covers_the_same_wavelengths_is_preferred(tmp_path: Path):
    own = asked(("CV",))[0]
    blue = star(1)
    columns = {name: getattr(blue, name)[:900] for name in ("wavelength", "flux", "ivar")}
    part = replace(blue, **columns)
    assert covered(own.spectrum, part) == pytest.approx(900 / 2600, abs=0.01)
    rows = [own, *(example(each, task="CV", answer="NO", label="K") for each in (part, star(2)))]
    write_examples(tmp_path / "asked.parquet", rows)
    spectrum, _ = OtherSpectra(tmp_path / "asked.parquet").of(own)
    assert len(spectrum) == 2600


# Labelled real spectra as a set of questions.
@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two spectra as plain columns, and a file that is none."""
    rng = np.random.default_rng(3)
    wavelength = np.linspace(3800.0, 9000.0, 2600)
    found = tmp_path / "labelled"
    found.mkdir()
    rows = [("one.csv", "CV"), ("two.csv", "K"), ("none.csv", "WD")]
    for name, label in rows[:2]:
        emission = 3.0 * (label == "CV") * np.exp(-0.5 * ((wavelength - 6564.6) / 12.0) ** 2)
        flux = 1.0 + emission + 0.02 * rng.standard_normal(wavelength.size)
        np.savetxt(
            found / name, np.column_stack([wavelength, flux]), delimiter=",",
            header="wavelength,flux", comments="",
        )  # fmt: skip
    (found / "none.csv").write_text("no spectrum\n")
    with (found / "MANIFEST.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("file", "label"), *rows])
    return found


def test_every_spectrum_is_asked_about_every_class(folder: Path, tmp_path: Path):
    count = write_library_set(folder, tmp_path)
    asked = list(read_examples(tmp_path / LIBRARY_SET))
    assert count == len(asked) == 2 * len(load_tasks())
    assert {one.key for one in asked if one.is_positive} == {"CV-0-one.csv"}
    assert {one.label for one in asked} == {"CV", "K"}
    assert not any(one.spectrum.simulated for one in asked)


def test_a_folder_without_a_spectrum_is_refused(folder: Path, tmp_path: Path):
    for name in ("one.csv", "two.csv"):
        (folder / name).write_text("gone\n")
    with pytest.raises(WorkbenchError, match="no readable spectrum"):
        write_library_set(folder, tmp_path)
    assert not (tmp_path / LIBRARY_SET).exists()


def test_the_command_writes_a_table_of_its_own(folder: Path, tmp_path: Path):
    words = ["evaluate", "library", str(folder), str(tmp_path / "out"), "--model", "measured"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    text = (tmp_path / "out" / "library.md").read_text()
    assert "judged for every class" in text and "### labelled: 1 positives" in text
    assert (tmp_path / "out" / "library-hot.json").is_file()


class TestNetworks:
    """Asked about the classes that they were trained for, and about no others."""

    def network(self, folder: Path, tasks: tuple[str, ...]) -> Path:
        """One of chance weights."""
        pytest.importorskip("torch")
        from train.baselines.fit import make_network

        told = {"threshold": 0.5, "slope": 1.0, "intercept": 0.0, "held_out_f1": 0.0}
        head = Head(**told, networks=1, epochs=(1,))
        networks = {task: [make_network("plain-cnn", grid_of("plain-cnn").size)] for task in tasks}
        heads = dict.fromkeys(tasks, head)
        save_specialist(folder, Specialist("plain-cnn", heads, networks), {})
        return folder

    def test_a_table_of_others_goes_without_it(self, folder: Path, tmp_path: Path):
        five = self.network(tmp_path / "five", ("CV", "CS", "SS", "MG", "WD"))
        words = ["evaluate", "library", str(folder), str(tmp_path / "out"), "--model", "measured"]
        result = CliRunner().invoke(app, [*words, "--specialist", str(five)])
        assert result.exit_code == 0, result.output
        assert "five was not trained for all of O, B, A" in result.output
        assert "| five |" in (tmp_path / "out" / "library.md").read_text()
        hot = (tmp_path / "out" / "library-hot.md").read_text()
        assert "| measured |" in hot and "| five |" not in hot

    def test_of_one_class_alone_there_is_nothing_to_judge(self, folder: Path, tmp_path: Path):
        one = self.network(tmp_path / "one", ("CV",))
        words = ["evaluate", "library", str(folder), str(tmp_path / "out")]
        result = CliRunner().invoke(app, [*words, "--specialist", str(one)])
        assert isinstance(result.exception, WorkbenchError)
        assert "no judges" in str(result.exception)
