"""Pictures of the sky: coverage is asked first, so that black is never shown as sky."""

import json
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from app.services.catalogues.sky_picture import COVERAGE, PIXELS, SURVEYS, sky_picture
from app.services.web.errors import ServiceError
from tests.app.services.fault_server import FAULTS

STAR = Position(ra=120.0, dec=20.0)
NOT_HERE = {"renamed column", "nan position", "query error", "overflow", "bad rows"}


def jpeg(size=PIXELS):
    stream = BytesIO()
    Image.effect_noise((size, size), 50.0).convert("RGB").save(stream, "JPEG")
    return stream.getvalue()


@pytest.fixture
def pictures(server):
    server.files[COVERAGE] = (
        json.dumps([SURVEYS[2][0], SURVEYS[3][0]]).encode(),
        "application/json",
    )
    server.files["/hips2fits"] = (jpeg(), "image/jpeg")
    return replace(all_services()["picture"].changed(url=server.url + "/hips2fits"), per_second=10)


def ask(server, client, service):
    return sky_picture(service, client, STAR)


def test_the_best_survey_that_covers_the_place_is_asked(server, client, pictures):
    picture, exchange = ask(server, client, pictures)
    assert (picture.survey, picture.arcsec) == ("SDSS", 60.0)
    assert [each["path"] for each in server.asked] == [COVERAGE, "/hips2fits"]
    assert server.asked[1]["hips"] == SURVEYS[2][0] and exchange.content == picture.content


def test_where_no_survey_has_been_no_picture_is_asked(server, client, pictures):
    server.files[COVERAGE] = (b"[]", "application/json")
    picture, _ = ask(server, client, pictures)
    assert picture is None and len(server.asked) == 1


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - NOT_HERE))
@pytest.mark.parametrize("first", [True, False])
def test_a_fault_is_never_a_place_without_a_picture(server, client, pictures, fault, first):
    server.faults = [] if first else [""]
    server.always = fault
    with pytest.raises(ServiceError):
        ask(server, client, replace(pictures, timeout_s=0.5 if fault == "stall" else 30.0))


@pytest.mark.parametrize("content", [b"\xff\xd8 no", jpeg(64), jpeg()[:2000]])
def test_what_is_no_whole_picture_is_a_failure(server, client, pictures, content):
    server.files["/hips2fits"] = (content, "image/jpeg")
    with pytest.raises(ServiceError):
        ask(server, client, pictures)


@pytest.mark.parametrize("content", [b"{}", b"<html>", b"[" * 100_000])
def test_coverage_that_is_no_list_is_a_failure(server, client, pictures, content):
    server.files[COVERAGE] = (content, "application/json")
    with pytest.raises(ServiceError):
        ask(server, client, pictures)
