"""The tool as the published models know it."""

import numpy as np
import pytest

from agent.errors import ToolError
from agent.protocol.published_tool import LONGEST, WHOLE, run_published_tool
from agent.protocol.tool import reply_text, run_tool
from agent.rendering.render import AS_PUBLISHED, render_spectrum
from agent.spectra.spectrum import Spectrum
from tests.agent.scenes import star

REPLIES = {"whole": "All.", "whole_for": "All: {label}.", "refused": "{low}|{high}|{start}|{end}"}


def test_a_window_is_drawn_as_ever() -> None:
    arguments = {"wavelength_range": [6400, 6700.5], "label": "Hα"}
    ours, published = run_tool(star(), arguments), run_published_tool(star(), arguments)
    assert np.array_equal(np.asarray(ours.picture), np.asarray(published.picture))
    assert (published.text, published.range, published.whole) == (ours.text, ours.range, False)


def test_without_a_range_the_whole_is_drawn() -> None:
    for arguments in ({}, {"wavelength_range": None, "label": None}):
        result = run_published_tool(star(), arguments, AS_PUBLISHED, title="Spectrum")
        whole = render_spectrum(star(), title="Spectrum", style=AS_PUBLISHED)
        assert np.array_equal(np.asarray(result.picture), np.asarray(whole))
        assert (result.text, result.whole, result.label) == (WHOLE, True, None)
    assert run_published_tool(star(), {"label": "x"}, replies=REPLIES).text == "All: x."
    assert run_published_tool(star(), {}, replies=REPLIES).text == "All."


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ([9, 5], "9|5|3800.0|9000.0"),
        ([1, 2], "1|2|3800.0|9000.0"),
        ([1, None], "1|None|3800.0|9000.0"),
    ],
)
def test_a_faulty_range_is_refused_in_given_words(asked: list, told: str) -> None:
    with pytest.raises(ToolError) as caught:
        run_published_tool(star(), {"wavelength_range": asked}, replies=REPLIES)
    assert str(caught.value) == told


@pytest.mark.parametrize(
    "arguments", [None, [], "x", {"wavelength_range": 3}, {"wavelength_range": [1]}]
)
def test_what_no_sentence_fits_is_refused_in_ours(arguments: object) -> None:
    with pytest.raises(ToolError, match="must be"):
        run_published_tool(star(), arguments, replies=REPLIES)


def test_labels_are_printed_as_they_are_and_a_long_reply_loses_its_middle() -> None:
    two = run_published_tool(star(), {"wavelength_range": [6400, 6700], "label": "a  b\n"})
    assert two.text == reply_text((6400, 6700), "a  b\n")
    assert two.label == "a b"
    number = run_published_tool(star(), {"wavelength_range": [6400, 6700], "label": 7})
    assert number.text.endswith("for 7.")
    long = run_published_tool(star(), {"wavelength_range": [6400, 6700], "label": "x" * 10**6})
    assert long.text.startswith("Generated") and long.text.endswith("x.")
    assert LONGEST < len(long.text) < LONGEST + 30


def test_a_spectrum_without_pixels_is_a_tool_error() -> None:
    wavelength = np.linspace(4000.0, 5000.0, 100)
    nothing = Spectrum(wavelength=wavelength, flux=np.full(100, np.nan))
    for arguments in ({}, {"wavelength_range": [4100, 4200]}):
        with pytest.raises(ToolError, match="no finite"):
            run_published_tool(nothing, arguments)
