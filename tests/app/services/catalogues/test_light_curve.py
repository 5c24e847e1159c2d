"""Light curves, pictures of the sky and its dust: read whole or not at all, and every fault."""

import json
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from app.services.catalogues import light_curve
from app.services.catalogues.answer import NOT_ASKED, Match, answer_of
from app.services.catalogues.dust import ask_dust, read_dust, reddening, without_dust
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from app.services.catalogues.sky_picture import COVERAGE, PIXELS, SURVEYS, sky_picture
from app.services.web import client as web_client
from app.services.web.errors import BadReply, ServiceError
from tests.app.services.fault_server import FAULTS, OF_FILES, hurried
from tests.app.ui.judge.evidence.small_sky import (
    dust_map,
    forced_photometry,
    gaia_epochs,
    serve_atlas,
    serve_tess,
    tess_file,
)

# Light curves of ZTF: series apart, bad points left out, periods found.
HEAD = "oid,expid,hjd,mjd,mag,magerr,catflags,filtercode,ra,dec\n"
PATH = "/cgi-bin/ZTF/nph_light_curves"
STAR = Position(ra=120.0, dec=20.0)


def curve(period=0.4, points=200):
    draw = np.random.default_rng(4)
    rows = []
    for oid, band, offset in ((1, "zg", 0.0), (2, "zr", -0.7)):
        times = 2458000.0 + np.sort(draw.uniform(0.0, 200.0, points))
        mags = 16.0 + offset + 0.3 * np.sin(2 * np.pi * times / period)
        for time, mag in zip(times, mags, strict=True):
            rows.append(f"{oid},9,{time:.6f},{time:.6f},{mag:.4f},0.02,0,{band},120.0,20.0")
    rows.append("1,9,2458001.0,1,25.0,0.02,32768,zg,120.0,20.0")
    rows.append("1,9,nan,1,15.0,0.02,0,zg,120.0,20.0")
    return (HEAD + "\n".join(rows) + "\n").encode()


@pytest.fixture
def ztf(server):
    server.files[PATH] = (curve(), "text/csv")
    return replace(all_services()["ztf"].changed(url=server.url + PATH), per_second=10.0)


def test_each_band_is_a_series_of_good_points_whose_period_is_found(server, client, ztf):
    (green, red), exchange = light_curve.light_curves(ztf, client, STAR)
    assert (green.band, red.band, green.series) == ("g", "r", "1")
    assert green.hjd.size == 200 and green.mag.max() < 17.0
    assert (np.diff(green.hjd) > 0).all()
    assert "POS=CIRCLE+120.000000+20.000000" in exchange.url
    curves, _ = light_curve.light_curves(ztf, client, STAR)
    assert light_curve.best_period(curves) == pytest.approx(0.4, rel=1e-3)
    assert light_curve.best_period([]) is None
    phase = light_curve.folded(curves[0].hjd, 0.4)
    assert phase.min() >= 0.0 and phase.max() < 1.0


def test_a_place_the_survey_never_saw_is_not_asked(server, client, ztf):
    assert light_curve.light_curves(ztf, client, Position(ra=1.0, dec=-50.0)) == ([], None)
    assert not server.asked


def test_no_rows_are_no_light_curve(server, client, ztf):
    server.files[PATH] = (HEAD.encode(), "text/csv")
    assert light_curve.light_curves(ztf, client, STAR)[0] == []


@pytest.mark.parametrize("content", [
    HEAD.replace("mag,", "m,", 1).encode() + b"\n",
    HEAD.encode() + b"1,2\n",
    HEAD.encode() + b"1,9,x,1,15.0,0.02,0,zg,120.0,20.0\n",
    HEAD.encode() + b"1,9,0.0,1,15.0,0.02,0,zg,120.0,20.0\n",
    HEAD.encode() + b"1,9,1e300,1,15.0,0.02,0,zg,120.0,20.0\n",
    HEAD.encode() + b"1,9,2458001.0,1,-1e300,0.02,0,zg,120.0,20.0\n",
    b"oid\xff\n",
])  # fmt: skip
def test_a_damaged_table_is_a_failure(server, client, ztf, content):
    server.files[PATH] = (content, "text/csv")
    with pytest.raises(ServiceError):
        light_curve.light_curves(ztf, client, STAR)


# Gaia's light curves: a series for each band of each star.
@pytest.fixture
def gaia(server):
    made = all_services()["gaia_epochs"].changed(url=server.url)
    serve(server, gaia_epochs())
    return replace(made, per_second=10.0)


def serve(server, rows, ra=120.0):
    server.tables['"I/355/epphot"'] = [{**row, "RA_ICRS": ra, "DE_ICRS": 20.0} for row in rows]


def test_each_band_is_a_series_in_time_whose_period_is_found(server, client, gaia):
    curves, exchange = light_curve.gaia_light_curves(gaia, client, STAR)
    assert [(each.band, each.mag.size) for each in curves] == [("BP", 50), ("G", 50), ("RP", 49)]
    green = curves[1]
    assert green.time == "BJD" and green.series == "2123837555230207744"
    assert green.hjd[0] == pytest.approx(light_curve.FIRST_DAY + gaia_epochs()[0]["TimeG"])
    assert green.error == pytest.approx(1.0857 * 25.0 / 5000.0, rel=1e-3)
    assert np.isnan(curves[0].error).all()
    assert exchange.question.count("I/355/epphot") == 1
    again = light_curve.read_gaia_light_curves(gaia, STAR, exchange.content)
    assert [each.series for each in again] == [each.series for each in curves]
    curves, _ = light_curve.gaia_light_curves(gaia, client, STAR)
    assert light_curve.best_period(curves, shortest_d=0.1) == pytest.approx(0.128927, rel=1e-4)


def test_stars_beyond_the_radius_are_not_mixed_in(server, client, gaia):
    serve(server, gaia_epochs(), ra=120.0 + 3.0 / 3600.0)
    assert light_curve.gaia_light_curves(gaia, client, STAR)[0] == []


def test_more_than_fifty_passages_are_read(server, client, gaia):
    serve(server, gaia_epochs() * 12)
    assert light_curve.gaia_light_curves(gaia, client, STAR)[0][0].mag.size == 600


@pytest.mark.parametrize("wrong", [{"TimeG": -9e9}, {"Gmag": 1e200}])
def test_times_and_magnitudes_of_no_star_are_damage(server, client, gaia, wrong):
    serve(server, [gaia_epochs()[0] | wrong])
    with pytest.raises(BadReply, match="times or magnitudes of no star"):
        light_curve.gaia_light_curves(gaia, client, STAR)


# ATLAS: a job in a queue, with a token that goes to nobody else.
@pytest.fixture
def atlas(server, monkeypatch):
    monkeypatch.setenv(light_curve.ATLAS_TOKEN, "a-token")
    serve_atlas(server)
    service = all_services()["atlas"].changed(url=f"{server.url}/queue/")
    return replace(service, per_second=50.0)


def test_atlas_measures_and_faint_and_disowned_points_are_left_out(server, client, atlas):
    (cyan, orange), exchange = light_curve.ask_light_curves(atlas, client, STAR)
    assert (cyan.band, orange.band, cyan.time) == ("c", "o", "JD")
    assert cyan.mag.size == orange.mag.size == 300 and cyan.error == pytest.approx(0.03)
    assert cyan.hjd[0] > 2_458_200.5 and cyan.mag.min() > 13.0
    period = light_curve.best_period([cyan, orange], shortest_d=0.1)
    assert period == pytest.approx(0.128927, rel=1e-4)
    asked = server.asked[0]
    assert [each["path"] for each in server.asked] == ["/queue/", "/queue/7/", "/results/job7.txt"]
    assert (asked["ra"], asked["dec"], asked["use_reduced"]) == ("120.000000", "20.000000", "true")
    assert exchange.url == f"{server.url}/results/job7.txt" and b"a-token" not in exchange.content
    again = light_curve.read_atlas_light_curves(exchange.content)
    assert [each.mag.tolist() for each in again] == [cyan.mag.tolist(), orange.mag.tolist()]


def test_without_a_token_atlas_is_not_asked(server, client, atlas, monkeypatch):
    monkeypatch.delenv(light_curve.ATLAS_TOKEN)
    monkeypatch.setattr(web_client, "key_in_keyring", lambda host: None)
    with pytest.raises(ServiceError, match="wants the token of your account"):
        light_curve.ask_light_curves(atlas, client, STAR)
    assert server.asked == []


@pytest.mark.parametrize(("path", "name", "value", "why"), [
    ("/queue/", "url", "https://example.org/queue/7/", "to another server"),
    ("/queue/", "url", 7, "not what the service promises"),
    ("/queue/7/", "result_url", "https://example.org/x.txt", "to another server"),
    ("/queue/7/", "result_url", None, "not what the service promises"),
    ("/queue/7/", "error_msg", "No data returned", "No data returned"),
    ("/queue/7/", "finishtimestamp", None, "no whole answer in 1 s"),
])  # fmt: skip
def test_a_job_that_fails_or_leads_away_is_a_failure(server, client, atlas, path, name, value, why):
    job = json.loads(server.files[path][0]) | {name: value}
    server.files[path] = json.dumps(job).encode(), "application/json"
    with pytest.raises(ServiceError, match=why):
        light_curve.ask_light_curves(replace(atlas, timeout_s=1.0), client, STAR)


@pytest.mark.parametrize(("old", "new"), [
    (b"###MJD", b"MJD"), (b" duJy", b" noise"), (b" 0.030 ", b" x "), (b" 0.030 ", b" nan "),
    (b" 0.030 ", b" "), (b"\n5820", b"\n9920"), (b"01a58000o0000\n", b"a-token\n"),
])  # fmt: skip
def test_a_damaged_table_of_atlas_is_a_failure(server, client, atlas, old, new):
    content = forced_photometry().replace(old, new)
    server.files["/results/job7.txt"] = content, "text/plain"
    with pytest.raises(ServiceError):
        light_curve.ask_light_curves(atlas, client, STAR)


# TESS: the newest of the mission's own files.
@pytest.fixture
def tess(server):
    serve_tess(server)
    service = all_services()["tess"].changed(url=f"{server.url}/api/v0/invoke")
    return replace(service, per_second=50.0)


def test_of_tess_the_newest_sector_is_a_series_of_good_points(server, client, tess):
    (curve,), exchange = light_curve.ask_light_curves(tess, client, STAR)
    assert (curve.band, curve.series, curve.time, curve.mag.size) == ("T", "41", "BJD", 1998)
    assert np.median(curve.mag) == pytest.approx(13.2)
    assert curve.mag.max() == pytest.approx(13.4, abs=0.01)
    assert curve.hjd[0] == pytest.approx(2_458_683.0)
    assert curve.error == pytest.approx(1.0857 * 5.0 / 5000.0, rel=0.25)
    assert light_curve.best_period([curve], longest_d=1.0) == pytest.approx(0.128927, rel=0.01)
    search, got = server.asked
    asked = json.loads(search["request"])
    assert asked["params"]["position"] == "120.000000, 20.000000, 0.000833"
    assert "-s0041-" in got["uri"] and got["path"] == light_curve.TESS_FILES
    again = light_curve.read_tess_light_curves(exchange.content)
    assert again[0].mag.tolist() == curve.mag.tolist()


def test_a_star_of_which_tess_has_no_file_has_no_light_curve(server, client, tess):
    serve_tess(server, ())
    curves, exchange = light_curve.ask_light_curves(tess, client, STAR)
    assert curves == [] and b"COMPLETE" in exchange.content


@pytest.mark.parametrize("told", [
    {"status": "ERROR", "msg": "no such service"}, {"status": "EXECUTING"}, {"status": "COMPLETE"},
    {"status": "COMPLETE", "data": {}}, [],
])  # fmt: skip
def test_a_search_that_fails_is_a_failure(server, client, tess, told):
    server.files["/api/v0/invoke"] = json.dumps(told).encode(), "application/json"
    with pytest.raises(ServiceError):
        light_curve.ask_light_curves(tess, client, STAR)


@pytest.mark.parametrize("content", [
    b"SIMPLE", tess_file()[:9000], tess_file().replace(b"LIGHTCURVE", b"LIGHTCURVX"),
    tess_file().replace(b"TESSMAG ", b"OTHERMAG"), tess_file().replace(b"'QUALITY ", b"'QUALITX "),
    tess_file(TIME=np.full(2000, -9e9)), tess_file(TIME=np.full(2000, 1e300)),
    tess_file(PDCSAP_FLUX=np.where(np.arange(2000) % 2, 1e-30, 1e30)),
])  # fmt: skip
def test_a_damaged_file_of_tess_is_a_failure(content):
    with pytest.raises(ServiceError):
        light_curve.read_tess_light_curves(content)


# Pictures of the sky: coverage is asked first, so that black is never shown as sky.
def jpeg(size=PIXELS, **options):
    stream = BytesIO()
    Image.effect_noise((size, size), 50.0).convert("RGB").save(stream, "JPEG", **options)
    return stream.getvalue()


def many_scans():
    """A progressive JPEG whose last scan comes again and again, each over the whole picture."""
    whole = jpeg(progressive=True)
    return whole[:-2] + whole[whole.rindex(b"\xff\xda") : -2] * 50 + whole[-2:]


@pytest.fixture
def pictures(server):
    server.files[COVERAGE] = (
        json.dumps([SURVEYS[2][0], SURVEYS[3][0]]).encode(),
        "application/json",
    )
    server.files["/hips2fits"] = (jpeg(), "image/jpeg")
    return replace(all_services()["picture"].changed(url=server.url + "/hips2fits"), per_second=10)


def test_the_best_survey_that_covers_the_place_is_asked(server, client, pictures):
    picture, exchange = sky_picture(pictures, client, STAR)
    assert (picture.survey, picture.arcsec) == ("SDSS", 60.0)
    assert [each["path"] for each in server.asked] == [COVERAGE, "/hips2fits"]
    assert server.asked[1]["hips"] == SURVEYS[2][0] and exchange.content == picture.content


def test_where_no_survey_has_been_no_picture_is_asked(server, client, pictures):
    server.files[COVERAGE] = (b"[]", "application/json")
    picture, _ = sky_picture(pictures, client, STAR)
    assert picture is None and len(server.asked) == 1


@pytest.mark.parametrize(("path", "content"), [
    *(("/hips2fits", content) for content in (b"\xff\xd8 no", jpeg(64), jpeg()[:2000])),
    ("/hips2fits", jpeg().replace(b"\0\xf0\0\xf0", b"\xff\xf0\xff\xf0", 1)),  # of 65,520 pixels
    ("/hips2fits", many_scans()),
    *((COVERAGE, content) for content in (b"{}", b"<html>", b"[" * 100_000)),
])  # fmt: skip
def test_no_whole_picture_and_coverage_that_is_no_list(server, client, pictures, path, content):
    server.files[path] = (content, "image/jpeg")
    with pytest.raises(ServiceError):
        sky_picture(pictures, client, STAR)


# The dust of a direction, taken off as an upper limit.
DUST_PATH = "/cgi-bin/DUST/nph-dust"


@pytest.fixture
def dust(server):
    server.files[DUST_PATH] = dust_map(), "text/xml"
    return replace(all_services()["dust"].changed(url=server.url + DUST_PATH), per_second=10.0)


def test_the_maps_are_read_with_their_scatter(server, client, dust):
    answer, exchange = ask_dust(dust, client, Position(ra=210.80227, dec=-54.34895))
    assert answer.nearest.values == {
        "ebv": 0.0740, "ebv_error": 0.0012, "ebv_sfd": 0.0861, "ebv_sfd_error": 0.0014
    }  # fmt: skip
    (asked,) = server.asked
    assert asked["locstr"] == "210.802270 -54.348950" and asked["regSize"] == "2.0"
    assert exchange.content == dust_map()


@pytest.mark.parametrize(("old", "new"), [
    (b'"ok"', b'"error"'), (b"0.0740", b"nan"), (b"0.0740", b"1e9"), (b"0.0740", b"9999"),
    (b"0.0740", b"-0.1"), (b"stdSandF", b"std"), (b"(mag)", b"(K)"), (b"0.0740", b"."),
])  # fmt: skip
def test_a_damaged_map_of_dust_is_a_failure(dust, old, new):
    with pytest.raises(BadReply):
        read_dust(dust, dust_map().replace(old, new))


def test_gaias_values_without_the_dust_have_the_error_of_the_map():
    assert reddening(None) is reddening(NOT_ASKED) is None
    found = answer_of([Match(values={"ebv": 0.5, "ebv_error": 0.06}, separation_arcsec=0.0)])
    ebv, error = reddening(found)
    assert (ebv, error) == (0.5, pytest.approx(0.1))
    freed = without_dust({"g": 15.0, "bp_rp": 1.5, "bp": None, "ruwe": 1.0}, (ebv, error))
    assert freed["g"] == pytest.approx(15.0 - 1.370) and freed["g_error"] == pytest.approx(0.274)
    assert freed["bp_rp"] == pytest.approx(1.5 - 0.6695)
    assert freed["bp"] is None and freed["ruwe"] == 1.0 and "rp" not in freed


ASKED = (
    ("ztf", light_curve.light_curves, 1), ("gaia", light_curve.gaia_light_curves, 1),
    ("atlas", light_curve.ask_light_curves, 3), ("tess", light_curve.ask_light_curves, 2),
    ("pictures", sky_picture, 2), ("dust", ask_dust, 1),
)  # fmt: skip
"""Fixture, what asks the service, and in how many steps, of which each may meet the fault."""


@pytest.mark.parametrize(("name", "ask", "step", "fault"), [
    (name, ask, step, fault) for name, ask, steps in ASKED for step in range(steps)
    for fault in (FAULTS if name == "gaia" else OF_FILES)
])  # fmt: skip
def test_a_fault_is_never_an_answer_that_is_empty(request, server, client, name, ask, step, fault):
    service = hurried(request.getfixturevalue(name), fault)
    server.faults = [*[""] * step, *[fault] * 5]
    with pytest.raises(ServiceError):
        ask(service, client, STAR)
