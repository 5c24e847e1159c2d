"""Every number that the measured inspector says stands in the record's tables, once."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.instrument import lsf_fwhm
from agent.spectra.lines import label_of
from agent.spectra.measure.window_measure import LEAST_SIGMA, SAME, SAME_FIT
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.readers.registry import read
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task, load_tasks
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from tests.night import BY_NIGHT

SAMPLE = Path(__file__).parents[3] / "resources" / "sample"
BLIND = MeasuredInspector(draw=False)
TASKS = load_tasks()
HE_I, NA_D = 5877.2, 5893.5  # vacuum angstrom, the doublet's middle
NARROWEST = 0.45
"""Of the instrument's width: a line that is resolved, 1.1 times as wide, has that of its own."""
N = r"-?\d+(?:\.\d+)?"
LINE = re.compile(
    rf"(?:; |: |\. |^)(?:no |No |hint of |Hint of )?(?P<name>[^;:.]{{1,40}}?) "
    rf"(?P<state>emission|absorption|unclear), EW (?P<ew>{N}) ± (?P<error>{N}) Å"
    rf"(?:, FWHM (?P<fwhm>\d+) km/s)?"
)
EMITS = re.compile(r"(?:^|[;:.] )([^;:.]{1,30}?) (?:in )?emission[, ]", re.IGNORECASE)
NOT_EMITS = re.compile(r"(?:^|[;:.] )no ([^;:.]{1,30}?) emission[, ]", re.IGNORECASE)
NOT_EMITS_OLD = re.compile(r"(?:^|[;:.] )([^;:.]{1,40}?) not (?:both )?in (?:strong )?emission")


def records() -> Iterator[tuple[str, Task, Trajectory]]:
    """Each of the 60 simulated spectra with two of the classes, so that every pair occurs."""
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60
    for number, row in enumerate(rows):
        spectrum = read(SAMPLE / row["file"], int(row["row"]))
        for task in (TASKS[number % len(TASKS)], find_task("CV")):
            yield f"{row['file']} {task.id}", task, inspected(spectrum, task)


def inspected(spectrum: Spectrum, task: Task) -> Trajectory:
    return run(BLIND.inspect(spectrum, task))


def test_every_number_said_of_the_sample_is_that_of_the_table():
    said = 0
    for where, task, record in records():
        said += checked(where, task, record)
    assert said > 1500


def test_every_number_said_of_labelled_spectra_is_that_of_the_table(labelled_spectra: Path):
    with (labelled_spectra / "MANIFEST.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    step = 1 if BY_NIGHT else 3
    for number, row in enumerate(rows[::step]):
        task = TASKS[number % len(TASKS)]
        spectrum = read(labelled_spectra / row["file"])
        for each in TASKS if BY_NIGHT else (task,):
            where, record = f"{row['file']} {each.id}", inspected(spectrum, each)
            checked(where, each, record)
            assert not faults_of_tables(spectrum, record), where


def faults_of_tables(spectrum: Spectrum, record: Trajectory) -> list[str]:
    """What a look lists twice, by a wrong name, in the noise or narrower than the instrument."""
    found = []
    for step in record.steps:
        rows = [row for row in step.measured.get("lines", ()) if "centroid" in row]
        names = Counter(row["name"] for row in step.measured.get("lines", ()))
        found += [f"{name} twice" for name, count in names.items() if count > 1]
        strongest = step.measured.get("feature", {})
        for row in rows:
            told = f"{row['name']} at {row['centroid']}"
            apart = SAME_FIT * width_of(row) / LIGHT_KMS * row["centroid"]
            is_strongest = abs(strongest.get("centroid", 0.0) - row["centroid"]) < apart
            if is_strongest and strongest["kind"] == row["kind"] and strongest["ew"] != row["ew"]:
                found.append(f"{told} has two equivalent widths")
            if row["sigma"] < LEAST_SIGMA:
                found.append(f"{told} has {row['sigma']} sigma")
            # The emission of a disc is so wide that its centre may lie there.
            within = SAME * width_of(row) / LIGHT_KMS * HE_I if row["kind"] == "emission" else 0.0
            most = HE_I + max(within, 0.5 * (NA_D - HE_I) + 1.0)
            if row["name"] == "HeI_5876" and row["centroid"] > most:
                found.append(f"{told} is Na D")
            known = lsf_fwhm(spectrum, row["centroid"])
            least = NARROWEST * (known or 0.0) / row["centroid"] * LIGHT_KMS
            if row.get("fwhm_kms", least) < least:
                found.append(f"{told} is {row['fwhm_kms']} km/s wide, {least:.0f} at least")
        for one, other in combinations(rows, 2):
            near = abs(one["centroid"] - other["centroid"]) / one["centroid"] * LIGHT_KMS
            if near < SAME * width_of(one) and near < SAME * width_of(other):
                found.append(f"{one['name']} and {other['name']} are one feature")
    return found


def width_of(row: Mapping[str, Any]) -> float:
    return float(row.get("fwhm_kms", 0.0))


def checked(where: str, task: Task, record: Trajectory) -> int:
    """Check one record; returns how many numbers it says."""
    steps = [step for step in record.steps if step.kind in ("think", "answer")]
    texts = [re.sub(r"^.boxed\{\w+\} ", "", step.text) for step in steps]
    lines, values = tables(record)
    said = 0
    for text in texts:
        for match in LINE.finditer(text):
            row = lines[match["name"]]
            assert alike(match["ew"], row["ew"]), (where, match.group(), row)
            assert alike(match["error"], row["ew_error"]), (where, match.group(), row)
            assert not match["fwhm"] or alike(match["fwhm"], row["fwhm_kms"]), (where, row)
            said += 2
        said += check_others(where, task, text, values)
    check_no_contradiction(where, " ".join(texts))
    return said


def tables(record: Trajectory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Lines by their label and other numbers by theirs; a label has one number in a record."""
    lines: dict[str, Mapping[str, Any]] = {}
    values: dict[str, Mapping[str, Any]] = {}
    for step in record.steps:
        for row in step.measured.get("lines", ()):
            name = label_of(row["name"])
            assert lines.setdefault(name, row) == row, name
        for row in step.measured.get("values", ()):
            assert values.setdefault(row["name"], row) == row, row["name"]
    return lines, values


def check_others(where: str, task: Task, text: str, values: dict[str, Any]) -> int:
    """Numbers beside those of lines: of indices, bands and colours, with their errors."""
    text = LINE.sub("; ", text)
    for window in task.windows:
        text = text.replace(window.look, "").replace(f"Measured in {window.label}", "")
    text = re.sub(r"^.*?per pixel\.|The velocity is [^.]*\)\.|Caution: [^%]*?\.(?= )", "", text)
    text = re.sub(r"(?:First|Next) I look at .*|All in all .*", "", text)
    text = re.sub(r"Not testable here: .*?\.(?= [A-Z]|$)|4240|6630", "", text)
    said = 0
    rest = text
    for name in sorted(values, key=len, reverse=True):
        rest = rest.replace(name, "<>").replace(name[:1].upper() + name[1:], "<>")
    known = [row[key] for row in values.values() for key in ("value", "error") if key in row]
    for match in re.finditer(rf"(?<![\w.]){N}(?![\w.]*[A-Za-z])", rest):
        number = match.group()
        if "." in number or "±" in rest[: match.end()][-6:]:
            assert any(alike(number, value) for value in known), (where, number, rest, values)
            said += 1
    return said


def check_no_contradiction(where: str, text: str) -> None:
    seen = {plain(name) for name in EMITS.findall(text) if not name.casefold().startswith("no ")}
    unseen = {plain(name) for name in NOT_EMITS.findall(text) + NOT_EMITS_OLD.findall(text)}
    for name in unseen:
        for other in seen:
            assert name != other and not name.startswith(f"{other} "), (where, name, text)


def plain(name: str) -> str:
    return re.sub(r"^(?:hint of|and) ", "", name.strip(" ,").casefold())


def alike(said: str, listed: float) -> bool:
    """Whether a number in a text is the listed one, rounded to the digits of the text."""
    digits = len(said.partition(".")[2])
    return said == f"{listed:.{digits}f}" or float(said) == float(f"{listed:.{digits}f}")


@pytest.mark.parametrize(("number", "task_id", "p_yes"), [
    (0, "CV", 0.00025911015962660545), (6, "CS", 6.144174602214718e-06),
    (12, "SS", 6.144174602214718e-06), (18, "MG", 6.144174602214718e-06),
    (24, "WD", 1.7475682036320105e-05), (30, "O", 5.054749883122389e-05),
    (36, "B", 0.00022155602480675277), (42, "A", 3.630692487740028e-05),
    (48, "CV", 0.004449376601733097), (54, "CS", 0.00012569561437131844),
])  # fmt: skip
def test_the_verdict_does_not_depend_on_the_words(number: int, task_id: str, p_yes: float):
    """p(YES) as measured, whatever the sentences say."""
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        row = list(csv.DictReader(file))[number]
    record = inspected(read(SAMPLE / row["file"], int(row["row"])), find_task(task_id))
    assert record.p_yes == pytest.approx(p_yes, abs=1e-9)
    assert record.verdict == ("YES" if p_yes >= 0.5 else "NO")
