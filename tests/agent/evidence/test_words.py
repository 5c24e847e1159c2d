"""The measured inspector's sentences, word for word."""

import math
import re
from dataclasses import replace

import pytest

from agent.evidence.assessment import Assessment, assess
from agent.evidence.findings import Finding, check_claims
from agent.evidence.line_words import LineWords, ew_text, is_line, line_text, line_words, merged
from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.evidence.said_numbers import Row, SaidNumbers, strength_state
from agent.evidence.words import (
    chance_text,
    class_name,
    finding_texts,
    kind_name,
    kind_signs,
    overview,
)
from agent.inspection.measured_turns import speakable, without_meaning
from agent.spectra.lines import builtin_lines, label_of
from agent.spectra.measure.window_measure import zoom_numbers
from agent.tasks.catalogue import find_task, load_tasks
from agent.tasks.task import Evidence, Task
from tests.agent.evidence.simulated import numbers_of, simulated_spectrum
from tests.agent.tasks.test_task import claim


def test_the_overview_names_range_noise_colour_and_kind():
    assessment = assess(simulated_spectrum("CV"), find_task("CV"))
    low, high = assessment.numbers.spectrum.range
    said = SaidNumbers(assessment.numbers)
    text = overview(assessment, said)
    assert text.startswith(
        f"The spectrum covers {low:.0f} to {high:.0f} Å with a median S/N of "
        f"{assessment.snr:.0f} per pixel."
    )
    assert re.search(r"The continuum .*: the flux at 4240 is \d\.\d\d of that at 6630\.", text)
    assert "At first sight it looks like a cataclysmic variable" in text
    assert "flux at 4240 over 6630" in said.values


def test_signs_of_a_kind_are_few_and_kinds_have_names():
    assessment = assess(simulated_spectrum("MG"), find_task("MG"))
    signs = kind_signs(assessment.kinds, "MG", "M_DWARF", 3, SaidNumbers(assessment.numbers))
    assert 1 <= len(signs) <= 3 and all(signs)
    assert kind_name("SDB") == "a hot subdwarf"
    assert kind_name("SOME_KIND") == "some kind"


@pytest.mark.parametrize(("changes", "value", "error", "text"), [
    ({"kind": "index", "expect": "above"}, 9.0, 0.125, "Hα 9.00 ± 0.12 found"),
    ({"kind": "index", "expect": "above"}, 9.0, 0.001, "Hα 9.00 found"),
    ({"kind": "index", "expect": "above"}, 9.0, 0.0, "Hα 9.00 found"),
    ({"kind": "edge", "expect": "above"}, 9.0, 5.0, "Hα 9.00 ± 5.00 found, within the noise"),
    ({"kind": "quality", "expect": "above"}, 9.0, 0.0, "Hα 9.00 found"),
])  # fmt: skip
def test_a_number_is_told_with_its_error_and_noted(changes, value, error, text):
    about = {"target": ("TiO5",), "text_found": "{label} {value:.2f} found"}
    evidence = claim(**about, **changes)
    said = SaidNumbers(numbers_of("CV"))
    finding = Finding(evidence=evidence, value=value, error=error)
    assert finding_texts([finding], said, find_task("CV")) == [text]
    assert said.values["Hα"]["value"] == value


def told(label: str, task_id: str, **options: object) -> str:
    task, spectrum = find_task(task_id), simulated_spectrum(label, **options)
    said = SaidNumbers(measurements_of(spectrum))
    findings = [each for each in check_claims(task, said.numbers) if each.is_testable]
    return "; ".join(finding_texts(findings, said, task))


def test_a_line_is_told_with_its_state_and_what_it_means():
    cv = told("CV", "CV")
    assert re.search(
        r"Hα emission, EW -[\d.]+ ± [\d.]+ Å, FWHM \d+ km/s: (?:wide as in|narrow for) a CV", cv
    )
    assert cv.count("Hα emission") == 1
    width = next(each for each in find_task("CV").evidence if each.id == "balmer_width")
    said = SaidNumbers(numbers_of("CV"))
    for value, error, remark in ((596.0, 17.0, "borderline"), (560.0, 17.0, "narrow for a CV")):
        finding = Finding(evidence=width, value=value, error=error)
        words = line_words(finding, "H_alpha", said, "a CV")
        assert words is not None and words.remark == remark
    narrow = told("YSO", "CV", seed=5)
    assert re.search(r"Hα emission, EW [-\d.]+ ± [\d.]+ Å, FWHM \d+ km/s: narrow for a CV", narrow)
    dwarf = told("K", "CV")
    assert re.search(r"no He I \d{4} emission, EW [-\d.]+ ± [\d.]+ Å", dwarf)
    assert "in emission" not in cv + dwarf


@pytest.mark.parametrize(("p_yes", "text"), [
    (0.995, "above 99 per cent"), (0.004, "below 1 per cent"), (0.5, "at 50 per cent"),
    (math.nextafter(0.99, 0), "at 99 per cent"),
])  # fmt: skip
def test_a_chance_is_told_in_per_cent(p_yes, text):
    assert chance_text(p_yes) == text


# What is said of a line: its state, its numbers, and what they mean.
@pytest.mark.parametrize(("row", "text"), [
    ({"kind": "emission", "ew": -15.5, "ew_error": 0.5, "fwhm_kms": 354.0},
     "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s"),
    ({"kind": "emission", "ew": -15.5, "fwhm_kms": 0.0}, "Hα emission, EW -15.5 Å"),
    ({"kind": "", "ew": 3.0, "ew_error": 0.5}, "Hα absorption, EW 3.00 ± 0.50 Å"),
    ({"kind": "", "ew": 0.1, "ew_error": 0.5}, "no Hα emission, EW 0.10 ± 0.50 Å"),
    ({"kind": "", "ew": -1.1, "ew_error": 0.5}, "hint of Hα emission, EW -1.10 ± 0.50 Å"),
    ({"kind": "absorption", "ew": -1.1, "ew_error": 0.5, "fwhm_kms": 90.0},
     "Hα unclear, EW -1.10 ± 0.50 Å"),
    ({"kind": "emission", "ew": -1.4, "ew_error": 0.5, "fwhm_kms": 90.0},
     "Hα unclear, EW -1.40 ± 0.50 Å"),
    ({"kind": "", "ew": 1.4, "ew_error": 0.5}, "no Hα emission, EW 1.40 ± 0.50 Å"),
])  # fmt: skip
def test_a_line_is_told_as_it_was_measured(row, text):
    assert line_text("H_alpha", row, "emission") == text


def test_widths_have_the_digits_they_deserve_and_what_is_said_of_one_line_is_said_once():
    assert ew_text(-9.994, 0.2) == "-9.99 ± 0.20"
    assert ew_text(-0.004, 12.0) == "0.0 ± 12.0"
    assert ew_text(-0.001, None) == "0.00"
    parts = [LineWords("Hα emission"), "TiO", LineWords("Hα emission", "narrow"), LineWords("Hβ")]
    assert merged(parts) == ["Hα emission: narrow", "TiO", "Hβ"]
    dip = {"name": "SII_6716", "kind": "", "ew": 0.77, "ew_error": 0.08}
    assert line_text("SII_6716", dip, "emission") == "no [S II] 6716 emission, EW 0.77 ± 0.08 Å"
    assert line_text("SII_6716", dip, "absorption").startswith("no [S II] 6716 absorption")
    bump = dip | {"kind": "emission", "ew": -0.77}
    assert line_text("SII_6716", bump, "emission") == "[S II] 6716 emission, EW -0.77 ± 0.08 Å"


# Claims in words lead to one conclusion; the verdict does not change.
@pytest.fixture(scope="module")
def giant() -> Assessment:
    return assess(simulated_spectrum("MG"), find_task("MG"))


def found(assessment: Assessment, claim: str) -> Finding:
    return next(each for each in speakable(assessment) if each.evidence.id == claim)


def with_value(assessment: Assessment, claim: str, value: float) -> Assessment:
    """The assessment as if this claim had another value."""
    changed = tuple(
        replace(each, value=value, log_odds=0.1 * each.evidence.log_odds(value))
        if each.evidence.id == claim
        else each
        for each in assessment.findings
    )
    return replace(assessment, findings=changed)


def test_a_finding_leads_to_a_conclusion_only_where_its_value_does(giant: Assessment):
    assert found(giant, "cah1").meaning.endswith("a giant")
    assert found(with_value(giant, "na8190", 5.0), "na8190").meaning == ""
    assert found(with_value(giant, "na8190", -1.0), "na8190").meaning.endswith("a giant")
    assert found(with_value(giant, "tio", 0.78), "tio").meaning == ""
    assert found(with_value(giant, "tio", 0.60), "tio").meaning == "M type"
    assert found(with_value(giant, "zro", 0.0), "zro_band").meaning == "no ZrO band"
    assert found(with_value(giant, "zro", 0.4), "zro_band").meaning == ""


def test_the_blue_tio_of_a_star_without_tio_is_not_told():
    assessment = with_value(assess(simulated_spectrum("CV"), find_task("MG")), "tio_blue", 1.4)
    assert "tio_blue" not in [each.evidence.id for each in speakable(assessment)]


@pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)
def test_claims_without_their_conclusion_keep_their_numbers(task):
    for evidence in task.evidence:
        plain = without_meaning(evidence)
        for value in (evidence.threshold + 1.0, evidence.threshold - 1.0):
            full = Finding(evidence=evidence, value=value)
            short = Finding(evidence=plain, value=value)
            assert full.text.startswith(short.text) and short.meaning == ""
            assert short.is_found == full.is_found


# The rows of what was said: each once, rounded as stored, added to what a look lists.
def test_a_line_has_the_row_of_the_table_of_its_window():
    spectrum = simulated_spectrum("CV")
    numbers = measurements_of(spectrum)
    table = zoom_numbers(spectrum, 6450.0, 6750.0, None, numbers.velocity_kms)
    said = SaidNumbers(numbers)
    assert said.line("H_alpha") in table["lines"]
    said.line("SII_6716")
    said.value("TiO5", 0.1234567, 0.012345)
    whole = said.table(table)
    names = [row["name"] for row in whole["lines"]]
    assert names.count("H_alpha") == 1 and "SII_6716" in names
    assert whole["values"] == [{"name": "TiO5", "value": 0.123457, "error": 0.0123}]
    assert said.without(whole).table() == {}
    assert "SII_6716" not in [row["name"] for row in table["lines"]]


@pytest.mark.parametrize(("row", "state"), [
    ({}, ""),
    ({"kind": "emission", "ew": -9.0, "ew_error": 3.0}, "emission"),
    ({"kind": "emission", "ew": -1.0, "ew_error": 3.0}, "unclear"),
    ({"name": "OIII_5007", "kind": "", "ew": 9.0, "ew_error": 1.0}, ""),
    ({"name": "OIII_5007", "kind": "emission", "ew": -9.0, "ew_error": 1.0}, "emission"),
    ({"kind": "emission", "ew": 1.0, "ew_error": 3.0}, "unclear"),
    ({"kind": "", "ew": 1.0, "ew_error": 0.5}, ""),
    ({"kind": "", "ew": -1.0, "ew_error": 0.2}, "emission"),
])  # fmt: skip
def test_the_state_of_a_line(row, state):
    assert strength_state(row) == state


# Every claim of every task, said of numbers on both sides of its threshold.
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
    return numbers_of("A")


@pytest.mark.parametrize("pair", OF_LINES, ids=named)
@pytest.mark.parametrize("sigma", [-9.0, -2.5, -1.0, 1.0, 2.5, 9.0])
def test_the_word_for_a_line_has_the_sign_of_its_width(
    pair: tuple[Task, Evidence], sigma: float, numbers: SpectrumMeasurements
):
    task, evidence = pair
    name, ew, error = evidence.target[0], sigma * 0.5, 0.5
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
        seen = OneLine(numbers, ew, 0.001)
        words = line_words(finding, evidence.target[0], seen, class_name(task))
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
