"""Answers read as the published scorer reads them."""

import numpy as np
import pytest

from agent.errors import ToolError
from agent.protocol import reply
from agent.protocol.reply import (
    first_call,
    is_published_form,
    parse_published,
    published_verdict,
    solution,
)
from agent.protocol.tool import LONGEST, WHOLE, reply_text, run_published_tool, run_tool
from agent.rendering.render import AS_PUBLISHED, render_spectrum
from agent.spectra.spectrum import Spectrum
from tests.agent.protocol.wordings import call
from tests.agent.scenes import star

T = "<think>t</think>"


@pytest.mark.parametrize(("said", "verdict", "form"), [
    (T + r"<answer>\boxed{YES}</answer>", "YES", True),
    (T + r"<answer>\boxed{yes} it is</answer>", "YES", True),
    (T + r"<answer>\boxed{ NO }</answer>", "NO", True),
    (T + r"<answer>\boxed{YES} and \boxed{NO}</answer>", "YES", True),
    (T + r"<answer>YES</answer>", "YES", False),
    (T + r"<answer>not a yes, or no</answer>", "YES", False),
    (T + r"<answer>plainly no</answer>", "NO", False),
    (T + r"\boxed{NO}", "NO", False),
    (T + r"\boxed{NO}<answer>hm</answer>", "NO", False),
    (T + "it is a YES, I say", "YES", False),
    (T + r"<answer>\boxed{maybe}</answer>", None, False),
    (T + r"<answer>\boxed{}</answer> yes", "YES", False),
    (T + r"<answer>\boxed{NO}</answer><answer>\boxed{YES}</answer>", "YES", False),
    (T + r"<answer>\boxed{NO}", "NO", False),
    (r"<answer>\boxed{NO}</answer>", "NO", False),
    ("<think>" + T + r"</think><answer>\boxed{NO}</answer>", "NO", True),
    ("</think>" + r"<answer>\boxed{NO}</answer>" + "<think>", "NO", True),
    ("<think>" + r"<answer>\boxed{NO}</answer>", "NO", False),
    ("nothing at all", None, False),
    ("", None, False),
    ("noon, yesterday", None, False),
    (T + r"<answer>\boxed{YES</answer>", "YES", False),
])  # fmt: skip
def test_verdict_and_form(said: str, verdict: str | None, form: bool) -> None:
    assert published_verdict(said) == verdict
    assert is_published_form(said) is form


def test_calls_come_before_answers_and_the_last_turn_has_none() -> None:
    two = call('{"label": "a"}') + call('{"label": "b"}')
    assert parse_published(two).arguments == {"label": "a"}
    thinking = f"<think>{call('{}')}</think>"
    assert parse_published(thinking).kind == "call"
    broken = "<tool_call>{</tool_call><tool_call>[1]</tool_call><tool_call>{}</tool_call>"
    assert first_call(broken) is None
    assert first_call(broken + call('{"label": "c"}')).arguments == {"label": "c"}
    assert first_call("<tool_call>" + "[" * 5000 + "</tool_call>") is None
    assert first_call(call("{}").replace("spectral_visualization_tool", "other")).name == "other"
    both = call("{}") + r"<answer>\boxed{YES} so</answer>"
    assert parse_published(both).kind == "call"
    last = parse_published(both, may_call=False)
    assert (last.kind, last.verdict, last.answer) == ("answer", "YES", r"\boxed{YES} so")


def test_the_verdict_is_of_the_whole_conversation_joined_as_it_was_rolled_out() -> None:
    before = T + r"<answer>\boxed{NO}</answer>" + call("{}")
    assert parse_published("I am done.", before).verdict == "NO"
    assert parse_published("I am done.").kind == "text"
    assert parse_published("I am done.").answer == "I am done."
    assert solution(["a", "b"], ["x"]) == (
        "auser\n<tool_response>\nx\n</tool_response>\nassistant\nb"
    )


@pytest.mark.parametrize("piece", ["<answer>", "\\boxed{", "<tool_call>", "<think>", "yes"])
def test_a_runaway_reply_is_not_searched_again_from_every_piece(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That would take a regular expression hours, where reading it once takes half a second."""
    monkeypatch.setattr(reply, "MAX_TEXT", 10**9)
    runaway = piece * (4_000_000 // len(piece))
    assert parse_published(runaway).text == runaway


# The tool as the published models know it.


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


@pytest.mark.parametrize(("asked", "told"), [
    ([9, 5], "9|5|3800.0|9000.0"), ([1, 2], "1|2|3800.0|9000.0"),
    ([1, None], "1|None|3800.0|9000.0"),
])  # fmt: skip
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
