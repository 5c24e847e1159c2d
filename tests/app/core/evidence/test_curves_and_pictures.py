"""Asking about one candidate: what is known is not asked again, what failed is."""

from dataclasses import replace

import pytest

from agent.web.body import never
from app.core.evidence import enriching
from app.core.evidence.curves_and_pictures import NO_POSITION, ask_any, with_content
from app.core.evidence.enriching import enrich, in_order
from app.core.evidence.store import answers, answers_of, raw_reply, save
from app.core.session.session import open_session
from app.services.catalogues.answer import Match, State, answer_of
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from app.services.catalogues.sky_picture import COVERAGE
from app.services.web.errors import Stopped
from tests.app.services.fault_server import FAULTS
from tests.app.ui.judge.evidence.small_sky import linked, picture, store_picture


def asked(session, client, service, candidate):
    return ask_any(session, client, service, candidate, never).stored


def test_found_and_nothing_are_stored_and_not_asked_again(session, client, twomass, server):
    found = asked(session, client, twomass, session.candidate(1))
    assert found.answer.state is State.FOUND and len(found.answer.matches) == 2
    assert found.answer.nearest.values["j"] == 12.5
    assert answers(session, 1) == {"twomass": found}
    assert b"VOTABLE" in raw_reply(session, found.reply_id)
    nothing = asked(session, client, twomass, session.candidate(2))
    assert nothing.answer.state is State.NOTHING and nothing.reply_id is not None
    for _ in range(2):
        asked(session, client, twomass, session.candidate(1))
        asked(session, client, twomass, session.candidate(2))
    assert len(server.asked) == 2
    for other in (replace(twomass, radius_arcsec=1.0), replace(twomass, release="2")):
        asked(session, client, other, session.candidate(1))
    assert len(server.asked) == 4
    asked(session, client, twomass, replace(session.candidate(1), ra=10.001))
    assert len(server.asked) == 5


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_stored_as_failed_with_its_reason_and_asked_again(
    session, server, client, twomass, fault
):
    server.always = fault
    service = replace(twomass, timeout_s=0.5 if fault == "stall" else 30.0)
    stored = asked(session, client, service, session.candidate(1))
    assert stored.answer.state is State.FAILED and len(stored.answer.reason) > 10
    assert answers(session, 1)["twomass"] == stored
    server.always = ""
    if fault in ("busy", "down", "hang up"):
        return  # the host has its rest now
    assert asked(session, client, twomass, session.candidate(1)).answer.state is State.FOUND


def test_nothing_is_asked_without_a_position_nor_stored_at_a_stop(session, server, client, twomass):
    stored = asked(session, client, twomass, session.candidate(3))
    assert stored.answer.state is State.FAILED and stored.answer.reason == NO_POSITION
    assert not server.asked
    with pytest.raises(Stopped):
        ask_any(session, client, twomass, session.candidate(1), lambda: True)
    assert answers(session, 1) == {}


def test_gaias_proper_motion_moves_the_position_for_others(session, server, client, twomass, gaia):
    """Seen in 2016 at 10.0, 41.0; 17 years before, when 2MASS looked, it was 61 arcsec north."""
    star = replace(session.candidate(1), own={"ref_epoch": 2016.0})
    north = 41.0 + 17.0 * 3.6 / 3600.0
    server.tables['"II/246/out"'] = [
        row | {"RAJ2000": 10.0 - 1.7 / 3600.0 / 0.7547, "DEJ2000": north}
        for row in server.tables['"II/246/out"'][:1]
    ]
    assert asked(session, client, twomass, star).answer.state is State.NOTHING
    assert asked(session, client, gaia, star).answer.state is State.FOUND
    found = asked(session, client, twomass, star)
    assert found.answer.state is State.FOUND and found.answer.nearest.separation_arcsec < 0.2
    assert found.dec == pytest.approx(north)


def test_a_session_that_is_only_read_shows_answers_and_keeps_none(
    session, client, twomass, location
):
    with open_session(location, "Ben", read_only=True) as reading:
        stored = asked(reading, client, twomass, reading.candidate(1))
        assert stored.answer.state is State.FOUND and stored.reply_id is None
        assert answers(reading, 1) == {}


def test_what_is_known_from_elsewhere_is_not_asked(session, server, client, twomass):
    known = answer_of([Match(values={"j": 9.0}, separation_arcsec=0.1)])
    save(session, 1, twomass, known, None, Position(ra=10.0, dec=41.0))
    assert asked(session, client, twomass, session.candidate(1)).answer == known
    assert not server.asked


# What is read back is checked as what comes from the net: a session may be a stranger's.
HOSTILE_PICTURES = (
    (linked("/etc/passwd"), {}), (linked("a.png", 8000), {}), (picture()[:1500], {}),
    (picture(), {"arcsec": 1e-300}), (picture(), {"epoch": "late"}), (picture(), {"survey": "<b>"}),
    (picture(), {"more": 1}),
)  # fmt: skip


@pytest.mark.parametrize(("content", "said"), HOSTILE_PICTURES)
def test_a_stored_picture_that_no_service_would_give_is_asked_anew(
    session, client, server, content, said
):
    service = all_services()["picture"].changed(url=server.url + "/hips2fits")
    store_picture(session, 1, content, **said)
    found = with_content(session, answers(session, 1)["picture"])
    assert found.picture is None and found.stored.answer.state is State.FAILED
    server.files[COVERAGE] = b"[]", "application/json"
    assert asked(session, client, service, session.candidate(1)).answer.state is State.NOTHING
    store_picture(session, 1, picture())
    assert with_content(session, answers(session, 1)["picture"]).picture.content == picture()
    assert asked(session, client, service, session.candidate(1)).answer.state is State.FOUND
    assert len(server.asked) == 1


# A whole list against a catalogue: uploads of a thousand, resumed, failures asked again.


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
    told = {number: each["twomass"].answer.state for number, each in found.items()}
    assert told == {1: State.FOUND, 2: State.NOTHING}
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


def test_a_service_to_which_everything_is_too_much_is_left_alone(
    session, server, client, twomass, monkeypatch
):
    monkeypatch.setattr(enriching, "MAX_TOO_MANY", 2)
    server.always = "overflow"
    tally = enrich(session, client, twomass)
    assert (tally.failed, len(server.asked)) == (2, 2)
    assert any("one upload after the other" in reason for reason in tally.reasons)


def test_who_stops_keeps_what_was_answered(session, server, client, twomass, small_uploads):
    done = []
    with pytest.raises(Stopped):
        enrich(
            session, client, twomass,
            progress=lambda count, _: done.append(count), should_stop=lambda: 1 in done,
        )  # fmt: skip
    assert answers(session, 1)["twomass"].answer.state is State.FOUND
    assert answers(session, 2) == {} and enrich(session, client, twomass).known == 1


def test_a_limit_is_kept(session, server, client, twomass):
    assert enrich(session, client, twomass, limit=1).found == 1
    assert answers(session, 2) == {}


def test_gaia_is_asked_first():
    services = [all_services()[name] for name in ("simbad", "gaia", "twomass")]
    assert [each.id for each in in_order(services)] == ["gaia", "simbad", "twomass"]
