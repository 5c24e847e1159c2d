"""One number for one quantity: sentences, panel, windows row, copied text, terminal and export."""

import csv
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from agent.evidence.measurements import window_table
from agent.evidence.said_numbers import CLEAR_SIGMA
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.lines import label_of
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum, frame_z
from agent.tasks.catalogue import load_tasks
from agent.trajectory.trajectory import Step, Trajectory
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from app.cli.inspection_text import _line_words
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.judge.agent.measured_rows import measured_rows
from app.ui.judge.plot.readout import measurements_text
from tests.night import BY_NIGHT

EVERY = 4 if BY_NIGHT else 12
"""Labelled spectra that are tried; what is said of all of them is tested in tests/agent."""
SAMPLE = Path(__file__).parents[5] / "resources" / "sample"
COUNT = 60 if BY_NIGHT else 19
N = r"-?\d+(?:\.\d+)?"
SENTENCE = re.compile(rf"([^;:.}}]{{1,40}}?) (\w+), EW ({N}) ± ({N}) Å")
DOUBT = re.compile(r"^(?:no|hint of) ", re.IGNORECASE)
EW = re.compile(rf"EW ({N} ± {N}) Å")
SIGMA = re.compile(rf"({N}) σ$")


def spectra(folder: Path, column: str) -> Iterator[tuple[str, Spectrum]]:
    with (folder / column).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield row["file"], read(folder / row["file"], int(row.get("row") or 0))


def check_spectrum(name: str, spectrum: Spectrum, number: int, folder: Path) -> int:
    """Compare all that is said and shown of a spectrum; returns the number of comparisons."""
    task = load_tasks()[number % 8]
    record = run(MeasuredInspector(draw=False).inspect(spectrum, task))
    lines: dict[str, Mapping[str, Any]] = {}
    for row in (row for step in record.steps for row in step.measured.get("lines", ())):
        lines.setdefault(row["name"], row)
    compared = 0
    for text in (step.text for step in record.steps if step.kind in ("think", "answer")):
        for label, state, ew, error in SENTENCE.findall(text):
            line = DOUBT.sub("", label.strip())
            row = next(row for key, row in lines.items() if label_of(key) == line)
            assert alike(ew, row["ew"]) and alike(error, row["ew_error"]), (name, label)
            for told in told_of(record, line):
                assert f"EW {ew} ± {error} Å" in told, (name, label, told)
                assert_same_state(DOUBT.match(label.strip()) is not None, state, told)
            compared += 1
    for step in record.looks:
        compared += check_look(name, spectrum, step, lines)
    assert exported(record, folder).steps == record.steps
    return compared


def check_look(
    name: str, spectrum: Spectrum, step: Step, lines: Mapping[str, Mapping[str, Any]]
) -> int:
    assert step.range is not None
    rows = list(step.measured.get("lines", ()))
    panel = {row.name: row for row in measured_rows(step.measured)}
    window = float(step.range[0]), float(step.range[1])
    z = frame_z(spectrum) or 0.0
    beside = window_table(spectrum, *window, z=z or None)
    shown = {row["name"]: row for row in beside.get("lines", ())}
    observed = window[0] * (1 + z), window[1] * (1 + z)
    copied = measurements_text(spectrum, observed, WavelengthFrame(z=z))
    for row in rows:
        where = name, row["name"]
        assert lines[row["name"]]["ew"] == row["ew"], where
        label, told = label_of(row["name"]), EW.search(_line_words(row))
        assert told is not None, where
        ew, _, error = told[1].partition(" ± ")
        assert alike(ew, row["ew"]) and alike(error, row["ew_error"]), where
        assert_one_significance(row, _line_words(row), where)
        if label in panel:
            assert panel[label].ew.replace("−", "-") == told[1], where
            sigma = SIGMA.search(_line_words(row))
            assert sigma is None or sigma[1] == panel[label].sigma, where
        if row["name"] in shown:
            assert shown[row["name"]] == row, where
            begins = re.compile(rf"{re.escape(label)}( \(|:)")
            (line,) = filter(begins.match, copied.splitlines())
            assert f"EW {told[1]} Å" in line, where
            assert line.endswith(f"{panel[label].sigma} σ"), where
    assert {row["name"] for row in rows} >= shown.keys(), name
    return len(rows)


def told_of(record: Trajectory, label: str) -> list[str]:
    """What the terminal says of a line, look by look."""
    rows = [row for step in record.looks for row in step.measured.get("lines", ())]
    return [_line_words(row) for row in rows if label_of(row["name"]) == label]


def assert_same_state(is_doubted: bool, state: str, told: str) -> None:
    """A line that a sentence doubts is in no table as seen, and the other way round."""
    if is_doubted or state == "unclear":
        assert " in the noise" in told or " unclear" in told, told
    else:
        assert f" in {state}," in told, told


def assert_one_significance(row: Mapping[str, Any], told: str, where: object) -> None:
    """The significance without a profile is that of the width; what is noise, has none beside."""
    if "centroid" not in row:
        assert abs(row["sigma"] - abs(row["ew"]) / row["ew_error"]) <= 0.02 * row["sigma"], where
    if " in the noise" in told:
        assert row["sigma"] < CLEAR_SIGMA and "σ" not in told, where


def exported(record: Trajectory, folder: Path) -> Trajectory:
    path = folder / "looks.jsonl"
    write_trajectories(path, [record])
    (back,) = read_trajectories(path)
    return back


def alike(said: str, listed: float) -> bool:
    digits = len(said.partition(".")[2])
    return float(said) == float(f"{listed:.{digits}f}")


def test_of_simulated_spectra_everything_says_the_same(tmp_path: Path):
    compared = 0
    for number, (name, spectrum) in enumerate(islice(spectra(SAMPLE, "candidates.csv"), COUNT)):
        compared += check_spectrum(name, spectrum, number, tmp_path)
    assert compared > 150


def test_of_labelled_spectra_everything_says_the_same(labelled_spectra: Path, tmp_path: Path):
    for number, (name, spectrum) in enumerate(spectra(labelled_spectra, "MANIFEST.csv")):
        if number % EVERY == 0:
            check_spectrum(name, spectrum, number, tmp_path)
