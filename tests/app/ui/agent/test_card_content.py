"""From steps to cards."""

from __future__ import annotations

from dataclasses import replace

from agent.trajectory.trajectory import Step
from app.ui.agent.card_content import (
    MAX_PARTIAL_TEXT,
    MAX_STEPS,
    MAX_TEXT,
    card_contents,
    partial_turn_card,
    visible_text,
)
from tests.app.ui.agent.trajectories import look, record

TURN = '<think>The line is broad.</think>\n<tool_call>\n{"name": "x"}\n</tool_call>'


def test_a_record_step_by_step():
    cards = card_contents(record().steps)
    assert [card.kind for card in cards] == ["thought", "look", "thought", "look", "answer"]
    assert [card.index for card in cards] == [0, 1, 2, 3, 4]
    first = cards[1]
    assert (first.title, first.aside, first.label) == ("Look 1", "6450 – 6750 Å", "Hα")
    assert first.rows[0].name == "Hα" and first.numbers.startswith("S/N 16.7")
    answer = cards[-1]
    assert answer.aside == "YES" and answer.text.startswith("Broad Hα")
    assert answer.warnings == ("Unsupported, window not viewed: Na D",)
    start, end = answer.marks[0]
    assert answer.text[start:end] == "Na D"
    assert cards[2].warnings == ()


def test_claims_before_the_first_look_are_not_checked():
    steps = (Step(kind="think", text="Hδ looks broad."), look(6450, 6750))
    assert card_contents(steps)[0].warnings == ()


def test_claims_are_checked_only_when_the_run_is_over():
    assert all(card.warnings == () for card in card_contents(record().steps, is_over=False))


def test_errors_and_steps_of_the_person():
    steps = (
        Step(kind="zoom", error="wavelength_range must start below its end", range=(5.0, 4.0)),
        Step(kind="text", by="person", text="look at Na D"),
        look(5880, 5900, by="person", text="here"),
        Step(kind="zoom", by="person", range=(1.0, 2.0), error="does not overlap the data"),
    )
    slip, remark, mine, missed = card_contents(steps)
    assert slip.kind == "fault" and slip.warnings == ("wavelength_range must start below its end",)
    assert (remark.title, remark.kind, remark.warnings) == ("You", "remark", ())
    assert (mine.title, mine.text) == ("Look 1 (yours)", "here")
    assert missed.title == "Could not be shown" and missed.aside == "1 – 2 Å"


def test_an_unfinished_turn():
    card = partial_turn_card("<think>The line is broad.</think>\n<tool_call>{")
    assert (card.index, card.text, card.aside) == (-1, "The line is broad.", "requests a picture")


def test_full_text_for_the_clipboard():
    words = card_contents(record().steps)[1].full_text
    assert words.splitlines()[0] == "Look 1 6450 – 6750 Å Hα" and "−30.1 ± 1.1" in words


def test_the_same_steps_make_equal_cards():
    assert card_contents(record().steps) == card_contents(replace(record()).steps)


def test_a_strangers_record_is_limited():
    steps = [look(6450, 6750)] + [Step(kind="think", text="Hβ " * 100_000)] * 999
    cards = card_contents(steps)
    assert len(cards) == MAX_STEPS and all(len(card.text) < MAX_TEXT + 5 for card in cards)
    assert cards[1].warnings and not cards[-1].warnings


def test_tags_never_show_wherever_the_text_ends():
    for end in range(len(TURN) + 1):
        words, is_asking = visible_text(TURN[:end])
        assert "The line is broad.".startswith(words)
        assert is_asking == ("<tool_call>" in TURN[:end])


def test_a_less_than_sign_is_no_tag():
    assert visible_text("S/N < 5 and 3 <")[0] == "S/N < 5 and 3"


def test_of_a_long_text_the_end_is_kept():
    words, _ = visible_text("begin " + "on and on " * 10_000)
    assert (
        len(words) <= MAX_PARTIAL_TEXT + 2 and words.startswith("… ") and words.endswith("and on")
    )


def test_the_card_speaks_of_the_wavelengths_of_the_plot():
    """The record is at rest; its card is observed, as the plot is, and says so."""
    steps = record().steps
    rest, observed = card_contents(steps)[1], card_contents(steps, z=0.01)[1]
    assert rest.aside == "6450 – 6750 Å" and rest.rows[0].centroid == "6565.1"
    assert observed.aside == "6514.5 – 6817.5 Å" and observed.rows[0].centroid == "6630.8"
    assert observed.rows[0].ew == rest.rows[0].ew
    assert "observed, vacuum" in observed.numbers


PANEL_SAID = (
    "\\boxed{YES} nano-eye: YES, p 0.86: Hα and Na D broad.\n"
    "measured: NO, p 0.40: No Hα emission, EW 0.02 ± 0.14 Å.\n"
    "Together p(YES) 0.61. They disagree: look at this one."
)


def test_a_panels_answer_is_named_and_only_what_was_seen_is_checked():
    """The measured inspector looks through no window, so it cannot have missed one."""
    said = Step(kind="answer", turn=2, text=PANEL_SAID, verdict="YES", label="panel")
    card = card_contents((look(6450, 6750), said))[-1]
    assert (card.title, card.aside, card.label) == ("Answer", "YES", "panel")
    assert card.text.startswith("nano-eye: YES") and card.text.count("\n") == 2
    assert card.warnings == ("Unsupported, window not viewed: Na D",)
    elsewhere = PANEL_SAID.replace("Hα and Na D broad", "Hα broad").replace("No Hα", "No Na D")
    assert card_contents((look(6450, 6750), replace(said, text=elsewhere)))[-1].warnings == ()
