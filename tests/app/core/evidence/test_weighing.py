"""What catalogues weigh: nothing without an answer, never more than the rules of the task say."""

import pytest

from agent.tasks.catalogue import bundled_task, load_tasks
from app.core.evidence.said_values import Gap, said_of
from app.core.evidence.weighing import weigh
from app.services.catalogues.answer import Match, answer_of, failed

CV, WD, MG = (bundled_task(name) for name in ("CV", "WD", "MG"))


def said(**values):
    return answer_of([Match(values=values, separation_arcsec=0.1)])


def by_id(weighed):
    return {each.claim.id: each for each in weighed.claims}


def star(m_g, bp_rp, parallax=10.0, error=0.05):
    return said(g=m_g + 5.0, parallax=parallax, parallax_error=error, bp_rp=bp_rp, ruwe=1.0)


def test_every_value_that_a_bundled_claim_names_is_known():
    for task in load_tasks():
        for claim in task.catalogue:
            for name in claim.names:
                assert said_of({}, name) is Gap.NOT_ASKED, (task.id, claim.id, name)


def test_nothing_is_weighed_where_nobody_answered():
    for answers in ({}, {name: failed("busy") for name in ("gaia", "vsx", "simbad")}):
        weighed = weigh(CV, answers)
        assert weighed.log_odds is None
        assert all(each.log_odds is None and each.gap for each in weighed.claims)
    assert by_id(weighed)["vsx_type"].short == "vsx_type failed"
    assert by_id(weigh(CV, {}))["vsx_type"].short == "vsx_type not asked"
    # That the VSX has no variable there is an answer, but no evidence.
    assert weigh(CV, {"vsx": answer_of([])}).log_odds is None


@pytest.mark.parametrize(
    ("task", "m_g", "bp_rp", "sign"),
    [
        (WD, 12.0, 0.0, 1),  # a DA of 12,000 K
        (WD, 1.2, 0.0, -1),  # A0 V
        (WD, 9.3, 2.2, None),  # M2 V: redder than the published cut reaches
        (CV, 10.1, 0.56, 1),  # where Abril et al. find most
        (CV, 3.0, 0.5, -1),  # F0 V
        (MG, -1.0, 2.3, 1),  # M2 III
        (MG, 9.3, 2.2, -1),  # M2 V
    ],
)
def test_stars_fall_on_the_side_where_they_belong(task, m_g, bp_rp, sign):
    weighed = weigh(task, {"gaia": star(m_g, bp_rp)})
    place = weighed.claims[0]
    if sign is None:
        assert place.log_odds is None and place.gap is None
        assert place.short.endswith("undecided")
    else:
        assert place.log_odds * sign > 0.8 and place.is_found == (sign > 0)


def test_a_poor_parallax_decides_only_where_every_distance_agrees():
    far = star(0.0, 2.3, parallax=0.05, error=0.05)  # at most so faint: a giant in any case
    assert by_id(weigh(MG, {"gaia": far}))["luminosity"].log_odds > 1.0
    faint = said(g=19.0, parallax=0.1, parallax_error=0.5, bp_rp=2.3, ruwe=1.0)
    claim = by_id(weigh(MG, {"gaia": faint}))["luminosity"]
    assert claim.gap is Gap.POOR_PARALLAX and claim.log_odds is None
    bright = said(g=12.0, parallax=0.1, parallax_error=0.5, bp_rp=0.0, ruwe=1.0)
    assert by_id(weigh(WD, {"gaia": bright}))["below_main_sequence"].log_odds < 0.0
    white = said(g=19.0, parallax=0.1, parallax_error=0.5, bp_rp=0.0, ruwe=1.0)
    assert by_id(weigh(WD, {"gaia": white}))["below_main_sequence"].gap is Gap.POOR_PARALLAX


def test_two_catalogues_that_repeat_each_other_count_once():
    both = {"vsx": said(type="UGSU"), "simbad": said(type="CV*")}
    weighed = weigh(CV, both)
    claims = by_id(weighed)
    assert weighed.log_odds == claims["vsx_type"].log_odds == 1.5
    assert claims["simbad_type"].is_repeat
    assert claims["simbad_type"].short == "simbad_type repeats another"
    against = weigh(CV, {"vsx": said(type="RRAB"), "simbad": said(type="*")})
    assert against.log_odds == -1.0
    assert by_id(against)["simbad_type"].short == "simbad_type undecided"
    assert by_id(against)["vsx_type"].template.endswith("not this class")


def test_a_colour_of_two_values_and_a_text_in_place_of_a_number():
    giant = weigh(MG, {"twomass": said(j=8.0, h=7.1, j_error=0.02, h_error=0.03)})
    assert by_id(giant)["j_h"].log_odds > 0.5
    odd = weigh(MG, {"twomass": said(j="8", h=7.1), "simbad": said(type=5)})
    assert odd.log_odds is None
