"""Checking a service on a star that it is known to have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.services.catalogues.check import AM_HER, GD_153, check_service
from app.services.catalogues.service import all_services
from tests.app.services.fault_server import FAULTS


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
    assert not checked.is_good and len(checked.told) > 10


def test_the_star_of_variable_stars_varies(server, client):
    vsx = replace(all_services()["vsx"].changed(url=server.url), per_second=10.0)
    row = {each.column: None for each in vsx.columns}
    row |= {vsx.ra: AM_HER.position.ra, vsx.dec: AM_HER.position.dec}
    server.tables[vsx.table] = [row]
    assert check_service(vsx, client).told.startswith("AM Her")


def test_a_light_curve(server, client):
    ztf = replace(all_services()["ztf"].changed(url=server.url + "/ztf"), per_second=10.0)
    server.answer = lambda path, fields: (
        b"oid,hjd,mag,magerr,catflags,filtercode\n1,2458000.5,15.0,0.1,0,zg\n", "text/csv",
    )  # fmt: skip
    assert check_service(ztf, client).told == "GD 153: 1 series, 1 points"
