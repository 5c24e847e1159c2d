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
from tests.train.review.sentence_records import ANSWER, LOOK, OPENING, made, saying
from train.cli import app
from train.review.sentence_audit import (
    RULES,
    audit_records,
    check,
    inspections,
    records_of,
    take_apart,
)
from train.simulate.realism.library import Library

SAMPLE = Path(__file__).parents[3] / "resources" / "sample" / "spectra"


def test_what_is_said_of_simulated_spectra_of_every_class_is_right(tmp_path: Path):
    path = tmp_path / "asked.parquet"
    each = 8 if BY_NIGHT else 4
    asked = [one for task in load_tasks() for one in simulated(task.id, each, seed=17)]
    write_examples(path, asked)
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


def faults(record) -> set[str]:
    return {fault.rule for fault in check(take_apart(record))}


HA = "Hα emission, EW -15.5 ± 0.5 Å"


RULE_WRONG_RIGHT = [
    ("sign against its word", "Hα emission, EW 0.61 ± 0.02 Å", HA),
    ("sign against its word",
     "no Hα absorption, EW 5.00 ± 0.20 Å", "no Hα absorption, EW 0.10 ± 0.20 Å"),
    ("there, and within the error", "Hα emission, EW -0.33 ± 0.24 Å", HA),
    ("one line, two states",
     "hint of Hα emission, EW -0.50 ± 0.20 Å; no Hα emission, EW -0.50 ± 0.20 Å",
     "no Hα emission, EW -0.20 ± 0.20 Å"),
    ("two numbers for one quantity", f"{HA}; Hα emission, EW -20.0 ± 0.5 Å: narrow", HA),
    ("width of 0 km/s", f"{HA}, FWHM 0 km/s", f"{HA}, FWHM 300 km/s"),
    ("forbidden line in absorption",
     "[S II] 6716 absorption, EW 0.77 ± 0.08 Å", "no [S II] 6716 emission, EW 0.77 ± 0.08 Å"),
    ("opposite statements",
     "TiO 4940 index 1.15: M type; no blue TiO (TiO 4940 ratio 1.15)",
     "TiO 4940 index 1.15: M type; TiO in the blue (TiO 4940 ratio 1.15)"),
    ("outside the windows opened", "He I 5876 emission, EW -3.63 ± 0.82 Å", HA),
    ("minus zero", "no C2 edge at 5637.1 (step -0.00)", "no C2 edge at 5637.1 (step 0.00)"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "wrong", "right"), RULE_WRONG_RIGHT)
def test_a_wrong_sentence_is_found_and_a_right_one_is_not(rule: str, wrong: str, right: str):
    assert rule in faults(saying(wrong))
    assert not faults(saying(right))


def test_tables_are_checked_too():
    line = {"name": "H_alpha", "kind": "emission", "ew": -15.5, "ew_error": 0.5}
    assert not faults(saying(HA, lines=[line]))
    assert "width of 0 km/s" in faults(saying(HA, lines=[line | {"fwhm_kms": 0.0}]))
    other = line | {"ew": -20.0}
    assert "two numbers for one quantity" in faults(saying(HA, lines=[line, other]))
    dip = {"name": "SII_6716", "kind": "absorption", "ew": 0.8, "ew_error": 0.1}
    assert "forbidden line in absorption" in faults(saying(HA, lines=[dip]))


def test_an_index_has_one_number_under_all_its_names():
    first, second = {"name": "TiO5", "value": 0.75}, {"name": "TiO5 index", "value": 0.75}
    assert not faults(saying(HA, task="MG", values=[first, second]))
    wrong = faults(saying(HA, task="MG", values=[first, second | {"value": 0.8}]))
    assert "two numbers for one quantity" in wrong


def test_a_giant_is_no_dwarf():
    answer = "\\boxed{YES} MgH edge at 5212.5 jumps by 0.20: a dwarf."
    look = "Measured in Hα: nothing. This decides little."
    assert "a giant called a dwarf" in faults(made(OPENING, look, answer, "MG", "YES"))
    assert "a giant called a dwarf" not in faults(made(answer=answer, task="MG"))


def test_absorption_words_for_a_star_in_emission():
    row = {"name": "H_alpha", "kind": "emission", "ew": -15.5, "ew_error": 0.5}
    wrong = faults(saying("weak Hγ core (HgF -6.9 Å)", lines=[row]))
    assert "absorption of an emission line" in wrong
    assert not faults(saying("weak Hγ core (HgF -6.9 Å)"))


def test_hot_lines_in_an_m_star():
    deep = [{"name": "TiO5", "value": 0.6}]
    said = "He I 6678 absorption, EW 5.37 ± 1.35 Å"
    assert "a band called a line" in faults(saying(said, values=deep))
    assert not faults(saying(said))


def test_the_last_thought_agrees_with_the_verdict():
    assert not faults(made())
    assert "thought against answer" in faults(made(verdict="YES"))


def test_every_rule_is_described():
    assert all(rule.__doc__ for rule in RULES.values())


def test_a_record_is_taken_apart_into_its_claims():
    found = take_apart(made(OPENING, LOOK, ANSWER)).statements
    assert [(one.place, one.look, one.text) for one in found] == [
        ("opening", -1, "Hβ emission, EW -20.0 ± 0.5 Å"),
        ("opening", -1, "smooth continuum (bend 0.04)"),
        ("opening", -1, "4000 Å break 0.94: too hot for a carbon star"),
        ("look", 0, "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow for a CV"),
        ("look", 0, "no [S II] 6716 emission, EW 0.10 ± 0.20 Å"),
        ("answer", -1, "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow for a CV"),
        ("answer", -1, "TiO bands (TiO5 0.70)"),
        ("answer", -1, "no [S II] 6716 emission, EW 0.10 ± 0.20 Å"),
    ]


def test_the_numbers_of_a_line_are_read():
    line = take_apart(made(OPENING, LOOK, ANSWER)).statements[3].line
    assert line is not None
    assert (line.name, line.state, line.doubt) == ("Hα", "emission", "")
    assert (line.ew, line.error, line.fwhm) == (-15.5, 0.5, 354.0)
    absent = take_apart(made(OPENING, LOOK, ANSWER)).statements[4].line
    assert absent is not None and (absent.name, absent.doubt) == ("[S II] 6716", "no")


def test_words_of_another_model_are_no_claims():
    found = take_apart(made("The lines are broad.", "A CV, I think.", "Broad Hα."))
    assert not found.statements[:-1]
