"""Gaia's light curves: a series for each band of each star, and every fault."""

from dataclasses import replace

import numpy as np
import pytest

from app.services.catalogues.gaia_epochs import FIRST_DAY, gaia_light_curves, read_gaia_light_curves
from app.services.catalogues.light_curve import best_period
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from app.services.web.errors import BadReply, ServiceError
from tests.app.services.fault_server import FAULTS
from tests.app.ui.evidence.small_sky import gaia_epochs

STAR = Position(ra=120.0, dec=20.0)


@pytest.fixture
def service(server):
    made = all_services()["gaia_epochs"].changed(url=server.url)
    serve(server, gaia_epochs())
    return replace(made, per_second=10.0)


def serve(server, rows, ra=120.0):
    server.tables['"I/355/epphot"'] = [{**row, "RA_ICRS": ra, "DE_ICRS": 20.0} for row in rows]


def test_each_band_is_a_series_in_time_whose_period_is_found(server, client, service):
    curves, exchange = gaia_light_curves(service, client, STAR)
    assert [(each.band, each.mag.size) for each in curves] == [("BP", 50), ("G", 50), ("RP", 49)]
    green = curves[1]
    assert green.time == "BJD" and green.series == "2123837555230207744"
    assert green.hjd[0] == pytest.approx(FIRST_DAY + gaia_epochs()[0]["TimeG"])
    assert green.error == pytest.approx(1.0857 * 25.0 / 5000.0, rel=1e-3)
    assert np.isnan(curves[0].error).all()
    assert exchange.question.count("I/355/epphot") == 1
    again = read_gaia_light_curves(service, STAR, exchange.content)
    assert [each.series for each in again] == [each.series for each in curves]
    curves, _ = gaia_light_curves(service, client, STAR)
    assert best_period(curves) == pytest.approx(0.128927, rel=1e-4)


def test_stars_beyond_the_radius_are_not_mixed_in(server, client, service):
    serve(server, gaia_epochs(), ra=120.0 + 3.0 / 3600.0)
    assert gaia_light_curves(service, client, STAR)[0] == []


def test_more_than_fifty_passages_are_read(server, client, service):
    serve(server, gaia_epochs() * 12)
    assert gaia_light_curves(service, client, STAR)[0][0].mag.size == 600


@pytest.mark.parametrize("wrong", [{"TimeG": -9e9}, {"Gmag": 1e200}])
def test_times_and_magnitudes_of_no_star_are_damage(server, client, service, wrong):
    serve(server, [gaia_epochs()[0] | wrong])
    with pytest.raises(BadReply, match="times or magnitudes of no star"):
        gaia_light_curves(service, client, STAR)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_never_an_empty_light_curve(server, client, service, fault):
    server.always = fault
    with pytest.raises(ServiceError):
        gaia_light_curves(
            replace(service, timeout_s=0.5 if fault == "stall" else 30.0), client, STAR
        )
