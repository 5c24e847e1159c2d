"""The combined p(YES) of a candidate follows the answers and the inspections; p(YES) stays."""

import math
from datetime import UTC, datetime

import pytest
from sqlalchemy import update

from agent.tasks.catalogue import bundled_task, load_tasks
from agent.trajectory.p_yes import combined_p
from agent.trajectory.trajectory import ModelRef
from app.core.database.tables import evidence
from app.core.errors import SessionError
from app.core.evidence.said_values import Gap, said_of
from app.core.evidence.store import NewAnswer, save, save_group_act
from app.core.evidence.weighing import update_combined, weigh
from app.core.inspections.shown_opinion import show_model
from app.core.inspections.store import add_inspection
from app.core.queue import page, parse_filter, parse_sort
from app.services.catalogues.answer import Exchange, Match, answer_of, failed
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from tests.app.core.inspected import said as said_by_agent

VSX, GAIA = all_services()["vsx"], all_services()["gaia"]
HERE = Position(ra=10.0, dec=41.0)


def found(kind):
    return answer_of([Match(values={"type": kind}, separation_arcsec=0.2)])


def reply():
    return Exchange(url="https://example.org", asked_at=datetime.now(UTC).isoformat(), content=b"x")


def inspected(session, number, p_yes):
    model = ModelRef(name="m", sha256=f"{p_yes}")
    add_inspection(session, number, said_by_agent("YES", p_yes, model, number=number))


def p_of(session, number):
    each = session.candidate(number)
    return each.agent_p_yes, each.catalogue_log_odds, each.p_combined


def test_it_follows_answers_and_inspections_in_any_order(session):
    assert p_of(session, 1) == (None, None, None)
    save(session, 1, VSX, found("UGSU"), reply(), HERE)
    assert p_of(session, 1) == (None, 1.5, None)
    inspected(session, 1, 0.6)
    expected = 1.0 / (1.0 + math.exp(-(math.log(0.6 / 0.4) + 1.5)))
    assert p_of(session, 1) == (0.6, 1.5, pytest.approx(expected))
    inspected(session, 2, 0.6)
    assert p_of(session, 2) == (0.6, None, 0.6)
    save(session, 2, VSX, failed("busy"), None, HERE)
    assert p_of(session, 2) == (0.6, None, 0.6)
    save(session, 2, VSX, found("RRAB"), reply(), HERE)
    assert p_of(session, 2)[2] < 0.6 and p_of(session, 2)[0] == 0.6
    save(session, 2, VSX, failed("busy"), None, HERE)  # of the same release: it stands no more
    assert p_of(session, 2) == (0.6, None, 0.6)
    inspected(session, 1, 0.9)
    show_model(session, None)
    assert p_of(session, 1)[2] == pytest.approx(combined_p(0.9, 1.5))


def test_filters_and_orders_go_by_it(session):
    for number, p_yes in ((1, 0.5), (2, 0.7), (3, 0.6)):
        inspected(session, number, p_yes)
    new = [NewAnswer(candidate_id=1, answer=found("UG"), position=HERE),
           NewAnswer(candidate_id=2, answer=found("RR"), position=HERE)]  # fmt: skip
    save_group_act(session, VSX, new, reply())
    rows = page(session, sort=parse_sort("p_combined")).rows
    assert [row.candidate.id for row in rows] == [1, 3, 2]
    tree = parse_filter("p_combined>0.55 p_yes<0.65")
    assert {row.candidate.id for row in page(session, tree).rows} == {1, 3}
    rows = page(session, parse_filter("p_combined<0.9"), parse_sort("p_combined:up")).rows
    assert [row.candidate.id for row in rows] == [2, 3, 1]


def test_a_service_that_no_claim_needs_changes_nothing(session):
    inspected(session, 1, 0.5)
    twomass = all_services()["twomass"]
    save(session, 1, twomass, answer_of([Match(values={"j": 1.0}, separation_arcsec=0)]), reply(),
         HERE)  # fmt: skip
    assert p_of(session, 1) == (0.5, None, 0.5)


def test_a_strangers_state_is_told(session):
    save(session, 1, VSX, found("UG"), reply(), HERE)
    with session.database.writing() as connection:
        connection.execute(update(evidence).values(state="odd"))
    with (
        pytest.raises(SessionError, match="evidence about candidate 1"),
        session.database.writing() as connection,
    ):
        update_combined(connection, session.task, [1])
    assert session.candidate(1).catalogue_log_odds == 1.5


# What catalogues weigh: nothing without an answer, never more than the rules of the task say.


CV, WD, MG = (bundled_task(name) for name in ("CV", "WD", "MG"))


def said(**values):
    return answer_of([Match(values=values, separation_arcsec=0.1)])


def by_id(weighed):
    return {each.claim.id: each for each in weighed.claims}


def star(m_g, bp_rp, parallax=10.0, error=0.05):
    return said(g=m_g + 5.0, parallax=parallax, parallax_error=error, bp_rp=bp_rp, ruwe=1.0)


def test_values_of_claims_are_known_of_two_values_of_texts_and_of_poor_parallaxes():
    for task in load_tasks():
        for claim in task.catalogue:
            for name in claim.names:
                assert said_of({}, name) is Gap.NOT_ASKED, (task.id, claim.id, name)
    giant = weigh(MG, {"twomass": said(j=8.0, h=7.1, j_error=0.02, h_error=0.03)})
    assert by_id(giant)["j_h"].log_odds > 0.5
    assert weigh(MG, {"twomass": said(j="8", h=7.1), "simbad": said(type=5)}).log_odds is None
    far = star(0.0, 2.3, parallax=0.05, error=0.05)  # at most so faint: a giant in any case
    assert by_id(weigh(MG, {"gaia": far}))["luminosity"].log_odds > 1.0
    faint = said(g=19.0, parallax=0.1, parallax_error=0.5, bp_rp=2.3, ruwe=1.0)
    claim = by_id(weigh(MG, {"gaia": faint}))["luminosity"]
    assert claim.gap is Gap.POOR_PARALLAX and claim.log_odds is None
    bright = said(g=12.0, parallax=0.1, parallax_error=0.5, bp_rp=0.0, ruwe=1.0)
    assert by_id(weigh(WD, {"gaia": bright}))["below_main_sequence"].log_odds < 0.0
    white = said(g=19.0, parallax=0.1, parallax_error=0.5, bp_rp=0.0, ruwe=1.0)
    assert by_id(weigh(WD, {"gaia": white}))["below_main_sequence"].gap is Gap.POOR_PARALLAX


def test_of_a_star_with_and_without_the_dust_of_the_map_the_smaller_weight_counts(session):
    def weighed(gaia, ebv=None):
        dust = {} if ebv is None else {"dust": said(ebv=ebv, ebv_error=0.0)}
        return by_id(weigh(MG, {"gaia": gaia} | dust))["luminosity"]

    giant, dwarf = star(0.0, 2.3), star(9.5, 2.3)
    seen, freed = weighed(giant), weighed(giant, 0.3)
    assert freed.said == seen.said and freed.said_without_dust.value == pytest.approx(-0.822)
    assert 0.0 < freed.log_odds <= seen.log_odds
    assert weighed(giant, 0.0) == seen
    assert weighed(dwarf, 0.1).log_odds > weighed(dwarf).log_odds  # less against it
    assert weighed(dwarf, 4.0).log_odds == 0.0  # a giant behind all that dust, a dwarf before it
    colour = by_id(weigh(CV, {"gaia": said(bp_rp=1.3), "dust": said(ebv=0.5)}))["blue"]
    assert colour.log_odds == 0.0 and colour.said.value == 1.3
    save(session, 1, GAIA, said(bp_rp=1.3), reply(), HERE)
    assert p_of(session, 1)[1] < 0.0
    save(session, 1, all_services()["dust"], said(ebv=0.5), reply(), HERE)
    assert p_of(session, 1)[1] == 0.0


def test_nothing_is_weighed_where_nobody_answered_and_a_sure_model_can_still_be_moved():
    for answers in ({}, {name: failed("busy") for name in ("gaia", "vsx", "simbad")}):
        weighed = weigh(CV, answers)
        assert weighed.log_odds is None
        assert all(each.log_odds is None and each.gap for each in weighed.claims)
    assert by_id(weighed)["vsx_type"].short == "vsx_type failed"
    assert by_id(weigh(CV, {}))["vsx_type"].short == "vsx_type not asked"
    # That the VSX has no variable there is an answer, but no evidence.
    assert weigh(CV, {"vsx": answer_of([])}).log_odds is None
    assert combined_p(1.0, -2.0) < 1.0 and combined_p(0.0, 2.0) > 0.0
    assert combined_p(None, 2.0) is None and combined_p(0.3, None) == 0.3


@pytest.mark.parametrize(("task", "m_g", "bp_rp", "sign"), [
    (WD, 12.0, 0.0, 1),  # a DA of 12,000 K
    (WD, 1.2, 0.0, -1),  # A0 V
    (WD, 9.3, 2.2, None),  # M2 V: redder than the published cut reaches
    (CV, 10.1, 0.56, 1),  # where Abril et al. find most
    (CV, 3.0, 0.5, -1),  # F0 V
    (MG, -1.0, 2.3, 1),  # M2 III
    (MG, 9.3, 2.2, -1),  # M2 V
])  # fmt: skip
def test_stars_fall_on_the_side_where_they_belong(task, m_g, bp_rp, sign):
    place = weigh(task, {"gaia": star(m_g, bp_rp)}).claims[0]
    if sign is None:
        assert place.log_odds is None and place.gap is None
        assert place.short.endswith("undecided")
    else:
        assert place.log_odds * sign > 0.8 and place.is_found == (sign > 0)


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
