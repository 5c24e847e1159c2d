from __future__ import annotations

from tests.train.audit.records import ANSWER, LOOK, OPENING, made
from train.audit.statements import take_apart


def test_a_record_is_taken_apart_into_its_claims():
    found = take_apart(made(OPENING, LOOK, ANSWER)).statements
    assert [(one.place, one.look, one.text) for one in found] == [
        ("opening", -1, "Hβ emission, EW -20.0 ± 0.5 Å"),
        ("opening", -1, "smooth continuum (bend 0.04)"),
        ("opening", -1, "4000 Å break 0.94: too hot for a carbon star"),
        ("look", 0, "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow for a CV"),
        ("look", 0, "no [S II] 6716 emission, EW 0.10 ± 0.20 Å"),
        ("answer", -1, "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s: narrow for a CV"),
        ("answer", -1, "TiO bands (TiO5 0.70)"),
        ("answer", -1, "no [S II] 6716 emission, EW 0.10 ± 0.20 Å"),
    ]


def test_the_numbers_of_a_line_are_read():
    line = take_apart(made(OPENING, LOOK, ANSWER)).statements[3].line
    assert line is not None
    assert (line.name, line.state, line.doubt) == ("Hα", "emission", "")
    assert (line.ew, line.error, line.fwhm) == (-15.5, 0.5, 354.0)
    absent = take_apart(made(OPENING, LOOK, ANSWER)).statements[4].line
    assert absent is not None and (absent.name, absent.doubt) == ("[S II] 6716", "no")


def test_words_of_another_model_are_no_claims():
    assert not take_apart(made("The lines are broad.", "A CV, I think.", "Broad Hα.")).statements[
        :-1
    ]
