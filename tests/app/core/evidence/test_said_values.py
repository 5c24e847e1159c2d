"""Values by name: with errors, limits of the parallax, and every way of having none."""

from __future__ import annotations

import pytest

from app.core.evidence.said_values import ABSOLUTE, Gap, Said, difference, said_of
from app.services.catalogues.answer import ASKING, Match, answer_of, failed


def gaia(**values):
    return {"gaia": answer_of([Match(values=values, separation_arcsec=0.2)])}


def test_a_value_comes_with_its_error_and_the_number_of_matches():
    two = [Match(values={"bp_rp": 0.5, "bp_rp_error": 0.1}, separation_arcsec=0.1),
           Match(values={"bp_rp": 2.0}, separation_arcsec=1.1)]  # fmt: skip
    said = said_of({"gaia": answer_of(two[::-1])}, "gaia.bp_rp")
    assert said == Said(value=0.5, error=0.1, matches=2)
    assert said_of({"simbad": answer_of([Match(values={"type": "CV*"}, separation_arcsec=0)])},
                   "simbad.type") == Said(value="CV*")  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "name", "gap"),
    [
        ({}, "gaia.bp_rp", Gap.NOT_ASKED),
        ({"gaia": ASKING}, "gaia.bp_rp", Gap.NOT_ASKED),
        ({"gaia": failed("busy")}, "gaia.bp_rp", Gap.FAILED),
        ({"gaia": answer_of([])}, "gaia.bp_rp", Gap.NOTHING),
        (gaia(bp_rp=None), "gaia.bp_rp", Gap.NO_VALUE),
        (gaia(bp_rp=True), "gaia.bp_rp", Gap.NO_VALUE),
        ({}, "gaia.bprp", Gap.UNKNOWN),
        ({}, "nobody.knows", Gap.UNKNOWN),
        (gaia(g=15.0), ABSOLUTE, Gap.NO_VALUE),
        (gaia(g=15.0, parallax=-3.0, parallax_error=0.5), ABSOLUTE, Gap.POOR_PARALLAX),
        (gaia(g=15.0, parallax=10.0, parallax_error=0.1, ruwe=3.0), ABSOLUTE, Gap.POOR_PARALLAX),
    ],
)
def test_why_there_is_none(answers, name, gap):
    assert said_of(answers, name) is gap


def test_the_absolute_magnitude_is_of_g_and_parallax_or_a_limit():
    near = said_of(gaia(g=15.0, parallax=10.0, parallax_error=0.1), ABSOLUTE)
    assert near.value == pytest.approx(10.0) and not near.is_faintest
    assert near.error == pytest.approx(0.0217, abs=1e-3)
    far = said_of(gaia(g=15.0, parallax=0.1, parallax_error=0.1), ABSOLUTE)
    assert far.is_faintest and far.value == pytest.approx(15.0 - 12.614, abs=0.01)


def test_a_difference_adds_the_errors_and_keeps_the_gap():
    a, b = Said(value=12.0, error=0.3), Said(value=11.0, error=0.4, matches=3)
    assert difference(a, b) == Said(value=1.0, error=0.5, matches=3)
    assert difference(a, Gap.FAILED) is Gap.FAILED and difference(Gap.NOTHING, b) is Gap.NOTHING
    assert difference(a, Said(value="x")) is Gap.NO_VALUE
    assert difference(a, Said(value=1.0, is_faintest=True)) is Gap.NO_VALUE
