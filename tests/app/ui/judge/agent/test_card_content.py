"""From steps to cards; unsupported claims are found, and other text is not mistaken for them."""

import random
from dataclasses import replace

import pytest

from agent.trajectory.trajectory import Step
from app.ui.judge.agent import card_content
from app.ui.judge.agent.card_content import card_contents, partial_turn_card, visible_text
from app.ui.judge.agent.claims import claims, unsupported
from app.ui.judge.agent.measured_rows import measured_rows, measurement_notes, window_text
from tests.app.ui.judge.agent.trajectories import MEASURED_THERE, look, record

TURN = '<think>The line is broad.</think>\n<tool_call>\n{"name": "x"}\n</tool_call>'


def test_a_record_step_by_step_in_the_wavelengths_of_the_plot():
    steps = record().steps
    cards = card_contents(steps)
    assert [card.kind for card in cards] == ["thought", "look", "thought", "look", "answer"]
    assert [card.index for card in cards] == [0, 1, 2, 3, 4]
    first = cards[1]
    assert (first.title, first.aside, first.label) == ("Look 1", "6450 – 6750 Å", "Hα")
    assert first.rows[0].name == "Hα" and first.numbers.startswith("S/N 16.7")
    answer = cards[-1]
    assert answer.aside == "YES" and answer.text.startswith("Broad Hα")
    assert answer.warnings == ("Unsupported, window not viewed: Na D",)
    start, end = answer.marks[0]
    assert answer.text[start:end] == "Na D" and cards[2].warnings == ()
    words = first.full_text
    assert words.splitlines()[0] == "Look 1 6450 – 6750 Å Hα" and "−30.1 ± 1.1" in words
    # The record is at rest; its card is observed, as the plot is, and says so.
    observed = card_contents(steps, z=0.01)[1]
    assert first.rows[0].centroid == "6565.1"
    assert observed.aside == "6514.5 – 6817.5 Å" and observed.rows[0].centroid == "6630.8"
    assert observed.rows[0].ew == first.rows[0].ew and "observed, vacuum" in observed.numbers


def test_claims_are_checked_from_the_first_look_on_when_the_run_is_over():
    steps = (Step(kind="think", text="Hδ looks broad."), look(6450, 6750))
    assert card_contents(steps)[0].warnings == ()
    assert all(card.warnings == () for card in card_contents(record().steps, is_over=False))
    assert card_contents(record().steps) == card_contents(replace(record()).steps)


def test_a_thought_that_passes_over_its_table_is_marked_and_counted():
    clear = look(6450, 6750)
    said = "The line is there.", "Nothing clear."
    steps = [step for text in said for step in (clear, Step(kind="think", text=text))]
    cards = card_contents((*steps, Step(kind="answer", text="So it is.", verdict="YES")))
    assert cards[1].warnings == ()
    (warning,) = cards[3].warnings
    assert warning.startswith("Measured otherwise: Hα in emission, EW −30.1 Å, ")
    assert cards[4].warnings == ("1 of 2 thoughts: measured otherwise",)
    # What a person looked at is not what the agent's thought is about.
    theirs = look(6450, 6750, by="person"), Step(kind="think", text="Nothing clear.")
    assert card_contents(theirs)[1].warnings == ()


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


def test_an_unfinished_turn_shows_no_tag_and_the_end_of_a_long_text():
    card = partial_turn_card("<think>The line is broad.</think>\n<tool_call>{")
    assert (card.index, card.text, card.aside) == (-1, "The line is broad.", "requests a picture")
    for end in range(len(TURN) + 1):
        words, is_asking = visible_text(TURN[:end])
        assert "The line is broad.".startswith(words)
        assert is_asking == ("<tool_call>" in TURN[:end])
    assert visible_text("S/N < 5 and 3 <")[0] == "S/N < 5 and 3"
    words, _ = visible_text("begin " + "on and on " * 10_000)
    assert len(words) <= card_content.MAX_PARTIAL_TEXT + 2
    assert words.startswith("… ") and words.endswith("and on")


def test_a_strangers_record_is_limited_and_wrong_types_skipped():
    steps = [look(6450, 6750)] + [Step(kind="think", text="Hβ " * 100_000)] * 999
    cards = card_contents(steps)
    assert len(cards) == card_content.MAX_STEPS
    assert max(len(card.text) for card in cards) < card_content.MAX_TEXT + 5
    assert cards[1].warnings and not cards[-1].warnings
    odd = {
        "snr": "high", "n_pixels": True, "n_bad": float("nan"),
        "lines": [None, 3, {"centroid": "x"}, {"centroid": 5e300}, {"name": 7, "centroid": 5000}],
        "feature": ["centroid"], "edges": {"name": 1}, "unsafe": 5, "reason": {},
    }  # fmt: skip
    assert measured_rows(odd) == (("", "5000.0", "", "", ""),)
    assert window_text(odd) == "" and measurement_notes(odd) == ()
    assert measured_rows({}) == () and window_text({}) == ""


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


def test_lines_have_their_names_and_the_strongest_feature_is_listed_once():
    (row,) = measured_rows(MEASURED_THERE)
    assert row == ("Hα", "6565.1", "−30.1 ± 1.1", "1200", "40")
    assert window_text(MEASURED_THERE) == "S/N 16.7 · 198 px · 6 bad · λ observed, vacuum"
    assert measurement_notes(MEASURED_THERE) == ("Contaminated by: O₂ B",)
    bump = MEASURED_THERE["feature"] | {"centroid": 6700.0, "ew": 2.345, "ew_error": 0.5}
    first, second = measured_rows(MEASURED_THERE | {"feature": bump})
    assert first == ("Hα?", "6700.0", "2.35 ± 0.50", "1210", "41") and second.name == "Hα"
    (alone,) = measured_rows({"feature": {"centroid": 5000.0, "kind": "emission"}})
    assert alone == ("emission", "5000.0", "", "", "")
    lines = [{"name": "H_beta", "centroid": 4861.9, "ew": -113.0, "fwhm_kms": 1700.0}]
    feature = {"centroid": 4866.0, "ew": -86.1, "fwhm_kms": 1700.0, "kind": "emission"}
    (row,) = measured_rows({"lines": lines, "feature": feature})
    assert row.name == "Hβ" and row.ew == "−113.0"


def test_notes_of_band_heads_noise_and_other_numbers():
    edges = [{"name": "C2_4382_edge", "drop": 0.2}, {"name": "their_own_edge", "drop": 0.1}]
    (heads,) = measurement_notes({"edges": edges})
    assert heads == "Band heads, drop: C₂ 4383 20 %, their_own_edge 10 %"
    measured = {"edges": [{"name": "TiO 7054", "drop": 0.23}], "reason": "outside the spectrum"}
    heads, why = measurement_notes(measured)
    assert heads == "Band heads, drop: TiO 7054 23 %"
    assert why == "Not measured: outside the spectrum"
    measured = {
        "lines": [{"name": "HeI_6678", "kind": "", "ew": 0.09, "ew_error": 0.14}],
        "values": [
            {"name": "TiO5", "value": -0.75321, "error": 0.0123},
            {"name": "Hβ width", "value": 24.0, "unit": "Å"},
            {"name": 3, "value": 1.0},
            {"name": "x", "value": "1"},
        ],
    }
    (row,) = measured_rows(measured)
    assert row == ("He I 6678", "", "0.09 ± 0.14", "", "")
    assert measurement_notes(measured) == ("TiO5 −0.753 ± 0.012 · Hβ width 24 Å",)


def test_sentences_of_the_agent_begin_with_a_capital():
    thought = Step(kind="think", by="agent", text="very blue from 4200 to 5400 Å; Hα seen")
    word = Step(kind="think", by="person", text="as is")
    own, others = card_contents([thought, word])
    assert own.text == "Very blue from 4200 to 5400 Å; Hα seen" and others.text == "as is"


def named(text):
    return [claim.text for claim in claims(text)]


@pytest.mark.parametrize(
    "text, words",
    [
        ("Hα and H-beta in emission, Hgamma too", ["Hα", "H-beta", "Hgamma"]),
        ("He II 4686 is strong", ["He II 4686"]),
        ("HeII 4686 is strong", ["HeII 4686"]),
        ("He I 4471, 5876 and 6678 are seen", ["He I 4471", "He I 5876", "He I 6678"]),
        ("[O III] 4959/5007 are absent", ["[O III] 4959", "[O III] 5007"]),
        ("TiO 7054 and C₂ 5165 band heads", ["TiO 7054", "C₂ 5165"]),
        ("ZrO edge at 5719.7 or 5553.2, VO head at 7898", ["ZrO 5719.7", "ZrO 5553.2", "VO 7898"]),
        ("Ca II K, Ca K and Na D", ["Ca II K", "Ca K", "Na D"]),
        ("a bump at 6563.5 Å and a dip at 5170 A", ["6563.5 Å", "5170 A"]),
        ("flat from 5000 to 6000 Å", ["5000 to 6000 Å"]),
        ("a feature near 4640 angstroms", ["4640 angstroms"]),
    ],
)
def test_lines_and_wavelengths(text, words):
    assert named(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "", "The temperature is about 4500 K and the velocity 1500 km/s.",
        "An equivalent width of -30.5 Å; S/N 5000; flux 4240 over 6630.",
        "Balmer lines and He I emission, broad TiO bands, the H I series.",
        "Next I look at Hβ, 4800 to 4900 Å.", "I will check He II 4686.",
        "Not testable here: Hα.", "Na D cannot be measured; Hα lies outside the spectrum.",
        "The redshifted C IV 1549 line.", "Chapter 5 of H2O and HD 5980, obsid 123456789.",
    ],
)  # fmt: skip
def test_text_without_a_claim(text):
    assert named(text) == []


def test_a_window_supports_claims_within_it_or_just_outside():
    text = "Hα is broad. He II 4686 stands beside Hβ. Na D is deep."
    found = [claim.text for claim in unsupported(text, [(6450, 6750)])]
    assert found == ["He II 4686", "Hβ", "Na D"]
    assert [claim.text for claim in unsupported(text, [(6450, 6750), (4550, 5050)])] == ["Na D"]
    assert unsupported(text, [(3700, 9000)]) == ()
    assert unsupported("rising from 5000 to 6000 Å", [(5900, 6100)]) == ()
    assert unsupported("rising from 5000 to 6000 Å", [(6500, 6600)]) != ()
    assert unsupported("Hα at its edge", [(6400, 6550)]) == ()
    assert unsupported("Hα at its edge", [(6400, 6500)]) != ()
    text = "Hα is there. Hα again, and He I 5876."
    first, second = unsupported(text, [(3700, 3800)])
    assert text[first.start : first.end] == "Hα" and first.start == 0
    assert text[second.start : second.end] == "He I 5876"


def test_any_text_of_a_model_is_handled():
    pieces = ["Hα", "He I ", "4", "44", "4686", " and ", ", ", "Å", ".", "\n", " ", "[O III", "]"]
    chance = random.Random(5)
    for _ in range(300):
        text = "".join(chance.choices(pieces, k=chance.randrange(60)))
        for claim in unsupported(text, [(4000, 4100)]):
            assert 0 <= claim.start < claim.end <= len(text)
    assert len(unsupported("Hβ " * 50_000, [])) == 1
