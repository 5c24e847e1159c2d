"""Claims about catalogues: limits, words, weights, and the heaviest of a group."""

from __future__ import annotations

import math

import pytest

from agent.tasks.catalogue import bundled_task
from agent.tasks.catalogue_evidence import CatalogueEvidence, heaviest_of_groups

ABOUT = {"source": "somewhere", "text_found": "{label} {value:.1f} beyond {limit:.1f}",
         "text_absent": "{label} {value:.1f}"}  # fmt: skip
FAINT = CatalogueEvidence(
    id="faint", label="M", value=("gaia.m_g",), expect="above", against="gaia.bp_rp",
    limits=((0.0, 5.0), (1.0, 10.0), (2.0, 12.0)), scale=0.5, weight_for=2.0, weight_against=-1.0,
    **ABOUT,
)  # fmt: skip
NAMED = CatalogueEvidence(
    id="named", label="VSX", value=("vsx.type",), expect="one_of", words=("UG", "NL"),
    other_words=("RR",), weight_for=1.5, weight_against=-1.0, **ABOUT,
)  # fmt: skip


def test_a_limit_is_a_broken_line_and_nothing_outside_its_points():
    assert [FAINT.limit(x) for x in (0.0, 0.5, 1.5, 2.0)] == [5.0, 7.5, 11.0, 12.0]
    assert FAINT.limit(-0.1) is None and FAINT.limit(2.1) is None
    assert FAINT.limit(None) is None and FAINT.limit(math.nan) is None
    assert FAINT.names == ("gaia.m_g", "gaia.bp_rp") and FAINT.services == ("gaia",)


def test_weights_go_from_one_to_the_other_and_errors_soften_them():
    assert FAINT.log_odds(13.0, 10.0) == pytest.approx(2.0, abs=1e-3)
    assert FAINT.log_odds(7.0, 10.0) == pytest.approx(-1.0, abs=1e-3)
    assert FAINT.log_odds(10.0, 10.0) == pytest.approx(0.5)
    share = (FAINT.log_odds(10.5, 10.0) + 1.0) / 3.0
    assert share == pytest.approx(0.88, abs=0.002)
    assert FAINT.log_odds(10.5, 10.0, error=2.0) < FAINT.log_odds(10.5, 10.0)


@pytest.mark.parametrize(
    ("said", "weight"),
    [("UG", 1.5), ("ug:", 1.5), ("NL/VY", 1.5), ("E+NL", 1.5), ("RR", -1.0), ("RRAB", None),
     ("UGX", None), ("", None), ("*", None)],
)  # fmt: skip
def test_a_text_counts_by_its_words_only(said, weight):
    assert NAMED.log_odds_of(said) == weight


def test_a_type_of_simbad_is_a_word_with_its_asterisk():
    (simbad,) = (each for each in bundled_task("CV").catalogue if each.id == "simbad_type")
    assert simbad.log_odds_of("CV*") > 0 > simbad.log_odds_of("QSO")
    assert simbad.log_odds_of("*") is None and simbad.log_odds_of("CV") is None


def test_sentences_hold_the_numbers():
    assert FAINT.sentence(FAINT.text_found, "M", 11.26, 7.5) == "M 11.3 beyond 7.5"
    assert FAINT.sentence("{value:.1f} {limit}", "M", -0.01) == "0.0 ?"
    assert NAMED.sentence("{label}: {value:.1f}", "VSX", "UG {limit}") == "VSX: UG {limit}"


def test_of_a_group_the_heaviest_counts():
    claims = [("a", 0.5), ("", 0.1), ("a", -1.5), ("b", 0.2), ("a", 1.0)]
    assert heaviest_of_groups(claims) == [False, True, True, True, False]
