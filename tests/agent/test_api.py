"""The Python interface gives the numbers of the window, and says what is wrong with a call."""

from pathlib import Path

import pytest

from agent import WorkbenchError, draw, inspect, measure, measure_index, measure_line, read_spectrum
from agent.evidence.measurements import measurements_of
from agent.spectra.measure.window_measure import line_row

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def spectrum():
    folder = ROOT / "resources" / "sample" / "spectra"
    return read_spectrum(folder / "000" / "spec-59128-SIM0000_sp01-002.fits.gz")


def test_a_line_has_the_number_of_the_inspection(spectrum):
    record = inspect(spectrum, ROOT / "resources" / "tasks" / "cv.toml", "measured")
    listed = {row["name"]: row for step in record.looks for row in step.measured.get("lines", ())}
    in_window = {line.line: line for line in measure(spectrum, (4550, 5050)).lines}
    for name in ("HeII_4686", "H_beta"):
        assert line_row(measure_line(spectrum, name), 1.0)["ew"] == listed[name]["ew"]
        assert line_row(in_window[name], 1.0)["ew"] == listed[name]["ew"]
    velocity = measurements_of(spectrum).velocity_kms
    assert abs(velocity) > 20
    assert measure_line(spectrum, "H_beta", velocity_kms=0.0) != measure_line(spectrum, "H_beta")
    assert measure_index(spectrum, "TiO5") == measurements_of(spectrum).indices["TiO5"]


@pytest.mark.parametrize(("call", "told"), [
    (lambda it: measure_line(it, "H_alfa"), r'"H_alfa"; did you mean "H_alpha".*line_names'),
    (lambda it: measure_line(it, "Hα"), r"there is no line .*line_names\(\) lists them"),
    (lambda it: measure_index(it, "TiO55"), r'did you mean "TiO5".*index_names'),
    (lambda it: measure(it, (5000, 4000)), "starts below its end, in angstrom: not 5000 to"),
    (lambda it: draw(it, (float("nan"), 5000)), "starts below its end"),
    (lambda it: draw(it, (15000, 16000)), "the spectrum covers 3693 to 9082 Å"),
])  # fmt: skip
def test_what_is_wrong_with_a_call(spectrum, call, told):
    with pytest.raises(WorkbenchError, match=told):
        call(spectrum)
