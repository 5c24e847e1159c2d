"""Shorthand of small models becomes sentences with the numbers of the table."""

from __future__ import annotations

import pytest

from agent.trajectory.trajectory import Step
from app.ui.agent.card_content import card_contents
from app.ui.agent.spoken import spoken
from app.ui.translation.languages import LANGUAGES
from app.ui.translation.measured_texts import translate_measured_text
from tests.app.ui.agent.trajectories import look
from tests.app.ui.steps import speaking

TABLE = {
    "lines": [
        {
            "name": "H_alpha", "kind": "emission", "centroid": 6565.1,
            "ew": -15.5, "ew_error": 0.5, "fwhm_kms": 354.0,
        },
        {"name": "HeI_6678", "kind": "", "ew": 0.09, "ew_error": 0.14},
        {"name": "OIII_5007", "kind": "", "ew": 0.61, "ew_error": 0.05},
    ],
    "values": [{"name": "TiO5", "value": 0.2349, "error": 0.0024}],
}  # fmt: skip
STEPS = (look(6450, 6750, label="Hα", measured=TABLE),)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "Hα (--) -20; Hα FWHM (+) 350 km/s. Like an M dwarf. Check Balmer series.",
            "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow. Like an M dwarf. "
            "Check Balmer series.",
        ),
        ("He I 6678 (---) -11.", "No He I 6678 emission, EW 0.09 ± 0.14 Å."),
        ("[O III] 5007 (---) -1.", "No [O III] 5007 emission, EW 0.61 ± 0.05 Å."),
        (
            "TiO5 (---) 0.24; step at 6475 (=) 0.04. Fits.",
            "TiO bands (TiO5 0.23); step at 6475 is 0.04. Fits.",
        ),
        ("But Hβ (--) -9.", "But Hβ EW is -9 Å."),
        ("Hβ FWHM (++) 1700 km/s", "Hβ FWHM is 1700 km/s"),
    ],
)
def test_shorthand_is_written_out(said, shown):
    assert spoken(said, STEPS) == (shown[:1].upper() + shown[1:])


@pytest.mark.parametrize(
    "text", ["The Hα line (broad) is there.", "", "S/N 28.", "Own (++) 3.5", "f(x) = (-) 3"]
)
def test_other_words_stay(text):
    assert spoken(text, STEPS) == text


def test_a_strangers_table_does_no_harm():
    odd = {
        "lines": [None, {"name": ["x"], "ew": 1}, {"name": "H_alpha", "ew": "1"},
                  {"name": "H_alpha", "ew": -1.0, "ew_error": {}, "kind": 7, "fwhm_kms": "wide"}],
        "values": {"name": "TiO5"},
    }  # fmt: skip
    steps = (look(6450, 6750, measured=odd),)
    assert spoken("Hα (-) -20; TiO5 (+) 1.00.", steps) == (
        "Hα emission, EW -1.00 Å; no TiO bands (TiO5 1.00)."
    )


def test_the_card_has_the_sentence_and_the_table_the_same_number():
    steps = (*STEPS, Step(kind="think", turn=1, text="Hα (--) -20. Like an M dwarf."))
    table, thought = card_contents(steps)
    assert table.rows[0].ew == "−15.5 ± 0.5"
    assert thought.text == "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s. Like an M dwarf."
    assert steps[1].text == "Hα (--) -20. Like an M dwarf.", "the record keeps the model's words"


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_it_is_translated(qapp, language):
    text = "Hα (--) -20; Hα FWHM (+) 350 km/s; step at 6475 (=) 0.04. Like an M dwarf. Fits."
    with speaking(language):
        said = translate_measured_text(spoken(text, STEPS))
    assert said.startswith("Hα 发射，EW -15.5 ± 0.5 Å，FWHM 354 km/s：窄") and "矮星" in said
