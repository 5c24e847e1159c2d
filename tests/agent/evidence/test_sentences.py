"""Every claim of every task, said of numbers on both sides of its threshold."""

import re

import pytest

from agent.evidence.findings import Finding
from agent.evidence.line_words import is_line, line_words
from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.evidence.said_numbers import Row, SaidNumbers
from agent.evidence.words import class_name, finding_texts
from agent.spectra.lines import builtin_lines, label_of
from agent.tasks.catalogue import load_tasks
from agent.tasks.task import Evidence, Task
from tests.agent.evidence.simulated import simulated_spectrum

CLAIMS = [(task, evidence) for task in load_tasks() for evidence in task.evidence]
OF_LINES = [pair for pair in CLAIMS if pair[1].kind == "line"]
OF_NUMBERS = [
    pair
    for pair in CLAIMS
    if pair[1].kind in ("index", "edge", "colour", "ratio") and not is_line(pair[1].target[0])
]
NUMBER = re.compile(r"-?\d+\.?\d*")


def named(pair: tuple[Task, Evidence]) -> str:
    return f"{pair[0].id}-{pair[1].id}"


class OneLine(SaidNumbers):
    """Numbers in which each line has this equivalent width."""

    def __init__(self, numbers: SpectrumMeasurements, ew: float, error: float) -> None:
        super().__init__(numbers)
        self.row = {"ew": ew, "ew_error": error}

    def line(self, name: str) -> Row:
        return {"name": name, "kind": "", **self.row}


@pytest.fixture(scope="module")
def numbers() -> SpectrumMeasurements:
    return measurements_of(simulated_spectrum("A"))


@pytest.mark.parametrize("pair", OF_LINES, ids=named)
@pytest.mark.parametrize("sigma", [-9.0, -2.5, -1.0, 1.0, 2.5, 9.0])
def test_the_word_for_a_line_has_the_sign_of_its_width(
    pair: tuple[Task, Evidence], sigma: float, numbers: SpectrumMeasurements
):
    task, evidence = pair
    name = evidence.target[0]
    ew, error = sigma * 0.5, 0.5
    finding = Finding(evidence=evidence, value=ew, error=error)
    words = line_words(finding, name, OneLine(numbers, ew, error), class_name(task))
    assert words is not None
    expected = "emission" if evidence.expect == "emission" else "absorption"
    label, sought = label_of(name), -1.0 if expected == "emission" else 1.0
    side = "emission" if ew < 0 else "absorption"
    is_dip = builtin_lines()[name].is_forbidden and ew > 0
    if abs(sigma) >= 3 and not is_dip:
        assert words.text.startswith(f"{label} {side}, EW {ew:.2f} ± 0.50 Å")
    elif abs(sigma) >= 2 and sigma * sought > 0 and not is_dip:
        assert words.text.startswith(f"hint of {label} {expected}, EW {ew:.2f} ± 0.50 Å")
    else:
        assert words.text.startswith(f"no {label} {expected}, EW {ew:.2f} ± 0.50 Å")


@pytest.mark.parametrize("pair", OF_LINES, ids=named)
def test_what_a_line_means_is_told_on_the_side_of_its_threshold(
    pair: tuple[Task, Evidence], numbers: SpectrumMeasurements
):
    task, evidence = pair
    side = -1.0 if evidence.expect == "emission" else 1.0
    for factor in (0.2, 5.0):
        ew = side * factor * max(evidence.threshold, 0.1)
        finding = Finding(evidence=evidence, value=ew, error=0.001)
        words = line_words(
            finding, evidence.target[0], OneLine(numbers, ew, 0.001), class_name(task)
        )
        assert words is not None
        beyond = factor > 1
        assert finding.is_found == (beyond == (evidence.expect != "below"))
        if finding.meaning:
            assert words.remark == finding.meaning
        else:
            assert words.remark in ("", "weak", f"weak for {class_name(task)}")


@pytest.mark.parametrize("pair", OF_NUMBERS, ids=named)
def test_a_number_is_told_with_the_words_of_its_side(
    pair: tuple[Task, Evidence], numbers: SpectrumMeasurements
):
    task, evidence = pair
    for distance in (-2.0, 2.0):
        value = evidence.threshold + distance * evidence.scale
        finding = Finding(evidence=evidence, value=value, error=0.0)
        (text,) = finding_texts([finding], SaidNumbers(numbers), task)
        found = (value > evidence.threshold) == (evidence.expect != "below")
        template = evidence.text_found if found else evidence.text_absent
        start, _, end = template.partition("{value")
        assert text.startswith(start.replace("{label}", evidence.label))
        assert text.endswith(end.partition("}")[2]) or "{value" not in template
        said = [float(number) for number in NUMBER.findall(text)]
        if "{value" in template:
            assert min(abs(number - value) for number in said) <= 0.5


def test_a_measurement_that_failed_is_not_told(numbers: SpectrumMeasurements):
    class NoLine(SaidNumbers):
        def line(self, name: str) -> Row:
            return {"name": name, "kind": ""}

    task, evidence = OF_LINES[0]
    finding = Finding(evidence=evidence, value=-5.0)
    assert line_words(finding, "H_alpha", NoLine(numbers), class_name(task)) is None
