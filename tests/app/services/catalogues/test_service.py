"""The files that describe the services."""

import math
import re
from dataclasses import replace

import pytest
from astropy import units
from astropy.io.votable.ucd import check_ucd

from app.cli.services.services import AM_HER, GD_153, check_service
from app.core.evidence.said_values import Gap, said_of
from app.services.catalogues.position import Position, separation_arcsec
from app.services.catalogues.service import all_services
from app.services.catalogues.tap import match_positions, query
from app.services.web.client import FAULTS_TO_REST, Request
from app.services.web.errors import NotAllowed, ServiceError
from app.ui.judge.evidence.value_table import value_rows
from tests.app.services.fault_server import FAULTS

SERVICES = list(all_services().values())


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.id)
def test_each_service_says_what_it_sends_and_asks_over_https(service):
    assert service.sends.endswith(".") and service.url.startswith("https://")
    assert service.page.startswith("https://")


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.id)
def test_each_column_has_a_valid_unit_and_ucd_and_a_description(service):
    for column in service.columns:
        units.Unit(column.unit)
        assert check_ucd(column.ucd, check_controlled_vocabulary=True), column.ucd
        assert column.description


def test_names_of_columns_are_unique_and_a_user_sets_release_and_server():
    for service in SERVICES:
        names = [column.name for column in service.columns]
        assert len(set(names)) == len(names)
        if service.kind == "tap":
            aliases = re.findall(r'AS "(.+?)"', query(service))
            assert len(set(aliases)) == len(aliases) and set(names) <= set(aliases)
    gaia = all_services()["gaia"]
    changed = gaia.changed(
        url="https://example.org/tap", release="DR4", table="gaiadr4.gaia_source"
    )
    assert changed == replace(gaia, url=changed.url, release="DR4", table="gaiadr4.gaia_source")
    with pytest.raises(NotAllowed):
        gaia.changed(url="http://example.org/tap")


# Positions and their motion.
def test_stars_move_with_their_proper_motion_across_zero_hours_and_at_the_pole():
    star = Position(ra=269.452, dec=4.693, epoch=2016.0, pm_ra=-801.6, pm_dec=10362.4)
    moved = star.at(2000.0)
    found = separation_arcsec(star, moved)
    assert found == pytest.approx(16 * math.hypot(0.8016, 10.3624), rel=1e-3)
    assert separation_arcsec(moved.at(2016.0), star) < 1e-3
    assert Position(ra=1.0, dec=2.0, pm_ra=1e4).at(1999.0).ra == 1.0
    a, b = Position(ra=359.9999, dec=0.0), Position(ra=0.0001, dec=0.0)
    assert separation_arcsec(a, b) == pytest.approx(0.72)
    assert separation_arcsec(Position(ra=0.0, dec=90.0), Position(ra=180.0, dec=90.0)) < 1e-6


@pytest.mark.parametrize("ra, dec", [(math.nan, 0.0), (0.0, math.inf), (0.0, 90.1)])
def test_what_is_no_position_is_refused(ra, dec):
    with pytest.raises(ValueError):
        Position(ra=ra, dec=dec)


# Checking a service on a star that it is known to have.
@pytest.fixture
def twomass(server):
    row = {"RAJ2000": GD_153.position.ra, "DEJ2000": GD_153.position.dec, "Jmag": 14.0,
           "e_Jmag": 0.1, "Hmag": 14.2, "e_Hmag": None, "Kmag": 14.3, "e_Kmag": None,
           "Qflg": "AAA"}  # fmt: skip
    server.tables['"II/246/out"'] = [row]
    return replace(all_services()["twomass"].changed(url=server.url), per_second=10.0)


def test_one_that_answers(client, twomass):
    checked = check_service(twomass, client)
    assert checked.is_good and checked.missing == () and checked.seconds > 0
    assert checked.told == 'GD 153: at 0.21", 5 values'


def test_one_that_does_not_have_the_star(server, client, twomass):
    server.tables['"II/246/out"'][0]["DEJ2000"] = 0.0
    checked = check_service(twomass, client)
    assert not checked.is_good and checked.told == "answers, but does not find GD 153"


def test_columns_that_are_gone_are_named(server, client, twomass):
    server.tables['"II/246/out"'][0].pop("Qflg")
    server.faults = ["query error"]
    checked = check_service(twomass, client)
    assert not checked.is_good and checked.missing == ("Qflg",)
    assert "refuses" in checked.told


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"stall", "huge"}))
def test_one_that_fails_says_why(server, client, twomass, fault):
    server.always = fault
    checked = check_service(twomass, client)
    assert not checked.is_good and checked.is_asked and len(checked.told) > 10


def test_one_that_stalls_is_asked_once_in_the_time_of_one_question(server, client, twomass):
    server.always = "stall"
    checked = check_service(replace(twomass, timeout_s=0.3), client)
    assert checked.told == "no whole answer in 0 s" and len(server.asked) == 1


def test_one_whose_server_failed_at_others_is_not_told_to_have_failed(server, client, twomass):
    server.always = "down"
    for _ in range(FAULTS_TO_REST):
        with pytest.raises(ServiceError):
            client.ask(Request(url=server.url + "/x", attempts=1, per_second=10.0))
    checked = check_service(twomass, client)
    assert not checked.is_asked and checked.told.startswith("not asked: its server failed 5 times")


def test_the_star_of_variable_stars_varies(server, client):
    vsx = replace(all_services()["vsx"].changed(url=server.url), per_second=10.0)
    row = {each.column: None for each in vsx.columns}
    row |= {vsx.ra: AM_HER.position.ra, vsx.dec: AM_HER.position.dec}
    server.tables[vsx.table] = [row]
    assert check_service(vsx, client).told.startswith("AM Her")


def test_the_zero_point_of_gaias_parallaxes_is_that_of_its_third_release(server, client):
    gaia = replace(all_services()["gaia"].changed(url=server.url), per_second=10.0)
    row = {gaia.ra: 10.0, gaia.dec: 20.0, gaia.pm_ra: 0.0, gaia.pm_dec: 0.0, "ecl_lat": 0.0}
    row |= {"phot_g_mean_mag": 20.0, "nu_eff_used_in_astrometry": 1.48, "parallax": 1.0}
    for table, zero in ((gaia.table, -0.0102), ("gaiadr4.gaia_source", None)):
        server.tables[table] = [row]
        asked = replace(gaia, table=table)
        ((answer,), _) = match_positions(asked, client, [Position(ra=10.0, dec=20.0)])
        assert answer.nearest.values.get("zero_point") == zero


@pytest.mark.parametrize(("f_min", "told"), [
    ("", {"faintest": "< 15.7 mag (CV)", "amplitude": "–"}),
    ("(", {"faintest": "–", "amplitude": "< 15.7 mag (CV)"}),
])  # fmt: skip
def test_the_minimum_of_vsx_may_be_an_amplitude(server, client, f_min, told):
    vsx = replace(all_services()["vsx"].changed(url=server.url), per_second=10.0)
    row = {vsx.ra: 10.0, vsx.dec: 20.0, "max": 13.4, "min": 15.7, "l_max": "", "n_max": "V"}
    server.tables[vsx.table] = [row | {"f_min": f_min, "l_min": "<", "n_min": "CV"}]
    ((answer,), _) = match_positions(vsx, client, [Position(ra=10.0, dec=20.0)])
    shown = {each.name: each.text for each in value_rows(vsx, answer.nearest)}
    assert told.items() <= shown.items() and shown["brightest"] == "13.4 mag (V)"
    assert said_of({"vsx": answer}, "vsx.faintest") is Gap.NO_VALUE


def test_a_light_curve(server, client):
    ztf = replace(all_services()["ztf"].changed(url=server.url + "/ztf"), per_second=10.0)
    server.answer = lambda path, fields: (
        b"oid,hjd,mag,magerr,catflags,filtercode\n1,2458000.5,15.0,0.1,0,zg\n", "text/csv",
    )  # fmt: skip
    assert check_service(ztf, client).told == "GD 153: 1 series, 1 points"
