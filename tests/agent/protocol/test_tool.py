import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.errors import ToolError
from agent.protocol.tool import MAX_LABEL, TOOL_NAME, TOOL_SCHEMA, checked_arguments, run_tool
from agent.rendering.render import COMPACT, PUBLISHED, render_array
from agent.spectra.spectrum import Spectrum
from tests.night import examples


@pytest.fixture(scope="module")
def spectrum() -> Spectrum:
    wavelength = np.arange(4000.0, 7000.0, 1.5)
    flux = np.random.default_rng(2).normal(10, 1, wavelength.size)
    return Spectrum(wavelength=wavelength, flux=flux, path="/data/spec-1.fits")


def call(wavelength_range: object, **more: object) -> dict[str, object]:
    return {"wavelength_range": wavelength_range, **more}


def test_the_schema_is_json_and_names_both_arguments() -> None:
    function = json.loads(json.dumps(TOOL_SCHEMA))["function"]
    assert TOOL_SCHEMA["type"] == "function"
    assert function["name"] == TOOL_NAME == "spectral_visualization_tool"
    parameters = function["parameters"]
    assert parameters["properties"]["wavelength_range"]["items"] == {"type": "number"}
    assert parameters["properties"]["label"]["type"] == "string"
    assert parameters["required"] == ["wavelength_range"]


@pytest.mark.parametrize(("arguments", "line"), [
    (
        call([6500, 6600], label="Hα"),
        "Generated spectral visualization focused on wavelength range (6500, 6600) Å for Hα.",
    ),
    (
        call([6500, 6600.5]),
        "Generated spectral visualization focused on wavelength range (6500, 6600.5) Å.",
    ),
    (
        call((6500.0, 6600), label=None),
        "Generated spectral visualization focused on wavelength range (6500.0, 6600) Å.",
    ),
    (
        call([6500, 6600], label=" \n", extra=1),
        "Generated spectral visualization focused on wavelength range (6500, 6600) Å.",
    ),
])  # fmt: skip
def test_the_reply_line(spectrum: Spectrum, arguments: dict[str, Any], line: str) -> None:
    assert run_tool(spectrum, arguments).text == line


@pytest.mark.parametrize("style", [PUBLISHED, COMPACT], ids=lambda style: style.name)
def test_the_picture_is_that_of_the_range(spectrum: Spectrum, style: Any) -> None:
    result = run_tool(spectrum, call([6500, 6600]), style)
    expected = render_array(spectrum, (6500, 6600), title="Spectrum: spec-1.fits", style=style)
    assert np.array_equal(np.asarray(result.picture), expected)
    assert (result.range, result.label, result.points) == ((6500, 6600), None, 67)


def test_a_partly_overlapping_range_is_drawn_as_far_as_there_are_data(spectrum: Spectrum) -> None:
    result = run_tool(spectrum, call([6900, 9000]))
    assert "(6900, 9000)" in result.text
    expected = render_array(spectrum, (6900, 6999))
    assert np.array_equal(np.asarray(result.picture), expected)


def test_a_redshift_moves_the_range_to_the_rest_frame(spectrum: Spectrum) -> None:
    result = run_tool(spectrum, call([2500, 3000]), z=1.0)
    inside = (spectrum.wavelength >= 5000) & (spectrum.wavelength <= 6000)
    assert result.points == np.count_nonzero(inside)
    with pytest.raises(ToolError, match="redshift"):
        run_tool(spectrum, call([2500, 3000]), z=float("inf"))


def test_pixels_that_are_not_finite_are_not_counted() -> None:
    flux = np.r_[np.ones(5), np.nan, np.inf, np.ones(5)]
    holed = Spectrum(wavelength=np.arange(5000.0, 5012.0), flux=flux)
    assert run_tool(holed, call([5000, 5020])).points == 10
    with pytest.raises(ToolError, match="no pixel"):
        run_tool(holed, call([5005, 5006]))
    blind = Spectrum(wavelength=np.arange(5000.0, 5012.0), flux=np.full(12, np.nan))
    with pytest.raises(ToolError, match="no finite pixels"):
        run_tool(blind, call([5000, 5020]))


@pytest.mark.parametrize(("arguments", "reason"), [
    (None, "must be an object"),
    ([6500, 6600], "must be an object"),
    ("6500", "must be an object"),
    ({}, "missing"),
    ({"range": [6500, 6600]}, "missing"),
    (call(None), "list of two numbers"),
    (call("6500-6600"), "list of two numbers"),
    (call("65"), "list of two numbers"),
    (call({"0": 6500, "1": 6600}), "list of two numbers"),
    (call([6500]), "list of two numbers"),
    (call([6500, 6550, 6600]), "list of two numbers"),
    (call(["6500", "6600"]), "two finite numbers"),
    (call([6500, None]), "two finite numbers"),
    (call([False, True]), "two finite numbers"),
    (call([[6500], [6600]]), "two finite numbers"),
    (call([float("nan"), 6600]), "two finite numbers"),
    (call([6500, float("inf")]), "two finite numbers"),
    (call([6500, 10**6000]), "two finite numbers"),
    (call([-(10**6000), 6500]), "two finite numbers"),
    (call([1e300, 2e300]), "two finite numbers"),
    (call([6500 + 0j, 6600]), "two finite numbers"),
    (call([6600, 6500]), "6600 >= 6500"),
    (call([6500, 6500]), "6500 >= 6500"),
    (call([8000, 9000]), "does not overlap the data, which cover 4000.0 to 6998.5"),
    (call([-100, 3999.9]), "does not overlap"),
    (call([6500.1, 6500.2]), "no pixel"),
    (call([6499.9, 6500.9]), "one pixel"),
    (call([6500, 6600], label={"text": "Hα"}), "label must be a string"),
    (call([6500, 6600], label=["Hα"]), "label must be a string"),
    (call([6500, 6600], label=True), "label must be a string"),
])  # fmt: skip
def test_refusals_say_why(spectrum: Spectrum, arguments: object, reason: str) -> None:
    with pytest.raises(ToolError, match=reason) as refused:
        run_tool(spectrum, arguments)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(("label", "kept"), [
    ("Hα", "Hα"),
    ("  Na I\r\nD\t1\x00\x1b[31m ", "Na I D 1 [31m"),
    ("\ud800 line\u202e", "line"),
    ("x" * 1_000_000, "x" * (MAX_LABEL - 1) + "…"),
    ("\x00" * 1_000_000, None),
])  # fmt: skip
def test_labels_are_one_bounded_line(label: str, kept: str | None) -> None:
    assert checked_arguments(call([1, 2], label=label)) == ((1, 2), kept)


numbers = st.one_of(
    st.integers(), st.floats(), st.floats(3000, 8000), st.integers(3000, 8000), st.booleans()
)
anything = st.recursive(
    st.one_of(st.none(), numbers, st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
calls = st.fixed_dictionaries(
    {},
    optional={
        "wavelength_range": st.one_of(anything, st.lists(numbers, min_size=2, max_size=2)),
        "label": anything,
        "other": anything,
    },
)


@settings(max_examples=examples(200), deadline=None)
@given(arguments=st.one_of(anything, calls))
def test_whatever_a_model_sends_is_answered_or_refused(
    spectrum: Spectrum, arguments: object
) -> None:
    try:
        result = run_tool(spectrum, arguments, COMPACT)
    except ToolError as refused:
        assert str(refused)
    else:
        assert result.picture.size == (COMPACT.width, COMPACT.height)
        assert "\n" not in result.text
        result.text.encode()
