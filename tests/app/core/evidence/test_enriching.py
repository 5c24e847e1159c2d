"""A whole list against a catalogue: uploads of a thousand, resumed, failures asked again."""

from dataclasses import replace

import pytest

from app.core.evidence import enriching
from app.core.evidence.enriching import enrich, in_order
from app.core.evidence.store import answers, answers_of
from app.services.catalogues.answer import State
from app.services.catalogues.service import all_services
from app.services.web.pace import Stopped


@pytest.fixture
def small_uploads(monkeypatch):
    monkeypatch.setattr(enriching, "MAX_POSITIONS", 1)


def test_a_list_is_asked_about_in_one_question(session, server, client, twomass):
    steps = []
    tally = enrich(session, client, twomass, progress=lambda *step: steps.append(step))
    assert (tally.found, tally.nothing, tally.failed) == (1, 1, 0)
    assert (tally.known, tally.without_position, tally.not_asked) == (0, 1, 0)
    assert len(server.asked) == 1 and steps[-1] == (2, 2)
    found = answers_of(session, [1, 2, 3])
    assert {number: each["twomass"].answer.state for number, each in found.items()} == {
        1: State.FOUND, 2: State.NOTHING
    }  # fmt: skip
    again = enrich(session, client, twomass)
    assert (again.known, again.found, len(server.asked)) == (2, 0, 1)
    wider = enrich(session, client, replace(twomass, radius_arcsec=5.0))
    assert (wider.known, wider.found, len(server.asked)) == (0, 1, 2)


def test_what_failed_is_told_and_asked_again(session, server, client, twomass):
    server.always = "html"
    tally = enrich(session, client, twomass)
    assert (tally.found, tally.failed) == (0, 2)
    assert dict(tally.reasons) == {"the answer is no table but a web page": 2}
    server.always = ""
    again = enrich(session, client, twomass)
    assert (again.found, again.nothing, again.known) == (1, 1, 0)
    assert answers(session, 1)["twomass"].answer.reason == ""


def test_a_service_that_fails_twice_is_left_alone(
    session, server, client, twomass, small_uploads, monkeypatch
):
    monkeypatch.setattr(enriching, "MAX_FAILED_UPLOADS", 1)
    server.always = "html"
    tally = enrich(session, client, twomass)
    assert (tally.failed, tally.not_asked, len(server.asked)) == (1, 1, 1)


def test_where_a_service_leaves_rows_out_halves_are_asked_about(session, server, client, twomass):
    [star, _] = server.tables['"II/246/out"']
    server.tables['"II/246/out"'] += [star | {"RAJ2000": 200.0, "DEJ2000": -5.0}]
    server.most_rows = 2
    tally = enrich(session, client, twomass)
    assert (tally.found, tally.nothing, tally.failed, tally.without_position) == (2, 0, 0, 1)
    assert len(server.asked) == 3
    assert len(answers(session, 1)["twomass"].answer.matches) == 2


def test_a_crowd_that_is_too_much_even_alone_fails_alone(session, server, client, twomass):
    server.most_rows = 1
    tally = enrich(session, client, twomass)
    assert (tally.found, tally.nothing, tally.failed, tally.not_asked) == (0, 1, 1, 0)
    assert dict(tally.reasons) == {"the service left rows out: ask for fewer at once": 1}


def test_who_stops_keeps_what_was_answered(session, server, client, twomass, small_uploads):
    done = []
    with pytest.raises(Stopped):
        enrich(
            session, client, twomass,
            progress=lambda count, _: done.append(count), should_stop=lambda: 1 in done,
        )  # fmt: skip
    assert answers(session, 1)["twomass"].answer.state is State.FOUND
    assert answers(session, 2) == {}
    assert enrich(session, client, twomass).known == 1


def test_a_limit_is_kept(session, server, client, twomass):
    assert enrich(session, client, twomass, limit=1).found == 1
    assert answers(session, 2) == {}


def test_gaia_is_asked_first():
    services = [all_services()[name] for name in ("simbad", "gaia", "twomass")]
    assert [each.id for each in in_order(services)] == ["gaia", "simbad", "twomass"]
