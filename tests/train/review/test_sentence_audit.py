"""The audit of whole folders and sets; what the measured inspector says passes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.examples.examples import write_examples
from agent.spectra.readers import read
from agent.tasks.catalogue import load_tasks
from agent.trajectory.trajectory_file import write_trajectories
from tests.night import BY_NIGHT
from tests.train.evaluate.helpers import simulated
from tests.train.review.sentence_records import saying
from train.cli import app
from train.review.sentence_audit import audit_records, inspections, records_of
from train.simulate.realism.library import Library

SAMPLE = Path(__file__).parents[3] / "resources" / "sample" / "spectra"


def test_what_is_said_of_simulated_spectra_of_every_class_is_right(tmp_path: Path):
    path = tmp_path / "asked.parquet"
    each = 8 if BY_NIGHT else 4
    write_examples(
        path, [one for task in load_tasks() for one in simulated(task.id, each, seed=17)]
    )
    found = audit_records(records_of(path))
    assert found.records == 8 * each and found.statements > 60 * each
    assert not found.faults, found.markdown()


def test_what_is_said_of_labelled_spectra_is_right(labelled_spectra: Path):
    """Every other spectrum with one class by day, each with all of them by night."""
    tasks = load_tasks()
    for number, base in enumerate(Library(labelled_spectra).bases[:: 1 if BY_NIGHT else 2]):
        asked = [task.id for task in (tasks if BY_NIGHT else tasks[number % 8 :: 8])]
        found = audit_records(inspections(read(base.path), tuple(asked)))
        assert not found.faults, found.markdown()


class TestCommand:
    def test_records_of_a_session(self, tmp_path: Path):
        write_trajectories(tmp_path / "looks.jsonl", [saying("Hα emission, EW 0.61 ± 0.02 Å")])
        result = CliRunner().invoke(app, ["audit", str(tmp_path / "looks.jsonl")])
        assert result.exit_code == 1
        assert "1 records, 1 statements: 1 faults in 1 records" in result.stdout
        assert "| sign against its word | 1 |" in result.stdout
        assert "star.fits, CV: Hα emission, EW 0.61" in result.stdout

    def test_one_class_of_a_folder(self, tmp_path: Path):
        for path in [each for each in sorted(SAMPLE.rglob("*")) if each.is_file()][:4]:
            shutil.copy(path, tmp_path)  # one of them holds the redshifts of another
        result = CliRunner().invoke(app, ["audit", str(tmp_path), "--task", "CV"])
        assert result.exit_code == 0, result.output
        assert "3 records, " in result.stdout and " 0 faults in 0 records" in result.stdout

    def test_nothing_to_audit(self, tmp_path: Path):
        with pytest.raises(WorkbenchError, match="no folder of spectra"):
            list(records_of(tmp_path / "missing"))
