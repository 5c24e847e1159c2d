"""SDSS by plate, MJD and fibre, or field, MJD and catalogue number."""

from __future__ import annotations

import pytest

from app.services.archives.archive import NotTold
from app.services.archives.sdss import Sdss
from app.services.archives.wanted import Wanted
from app.services.web.errors import NotFound
from tests.app.services.archives.archive_play import SDSS_PATH, SDSS_STAR, archive, play_archives


def wanted(**ids):
    return Wanted(ids={name: str(value) for name, value in ids.items()})


def test_a_plate_of_a_later_reduction_is_looked_for_in_each(server, client):
    play_archives(server)
    sdss = archive("sdss", server)
    server.answer, answer = (
        lambda path, fields: (
            answer(path.replace("/103/", "/26/"), fields) if "/103/" in path else (b"", "")
        ),
        server.answer,
    )
    (found,) = sdss.find(SDSS_STAR, 2.0)
    got = sdss.get(found, client, lambda: False)
    assert got.url == server.url + SDSS_PATH.replace("/26/", "/103/")
    assert [each["path"].split("/")[5] for each in server.asked] == ["26", "104", "103"]


def test_what_no_reduction_has_is_not_found(server, client):
    sdss = archive("sdss", server)
    with pytest.raises(NotFound):
        sdss.get(sdss.find(SDSS_STAR, 2.0)[0], client, lambda: False)
    assert len(server.asked) == 3


def test_the_release_follows_from_the_numbers():
    (plate,) = Sdss().find(wanted(plate=3655, mjd=55240, fiberid=262), 2.0)
    (field,) = Sdss().find(wanted(field=15000, mjd=59146, catalogid=4375924756), 2.0)
    assert (plate.release, field.release) == ("dr17", "dr20")
    assert "/eboss/" in plate.urls[0] and "015XXX" in field.urls[0]


def test_the_reduction_of_the_list_is_used():
    (found,) = Sdss().find(wanted(plate=3655, mjd=55240, fiberid=262, run2d="v5_13_0"), 2.0)
    assert len(found.urls) == 1 and "/v5_13_0/" in found.urls[0]


@pytest.mark.parametrize(
    "ids",
    [
        {"plate": 266, "mjd": 51602},
        {"plate": 266, "mjd": 51602, "fiberid": -3},
        {"plate": 266, "mjd": 51602, "fiberid": 5000},
        {"plate": "../../x", "mjd": 51602, "fiberid": 1},
        {"field": 15000, "mjd": 59146, "catalogid": 10**19},
        {},
    ],
)
def test_numbers_that_name_no_spectrum_are_refused(ids):
    with pytest.raises(NotTold):
        Sdss().find(wanted(**ids), 2.0)


def test_a_hostile_reduction_is_no_part_of_an_address():
    (found,) = Sdss().find(wanted(plate=3655, mjd=55240, fiberid=2, run2d="../../../etc"), 2.0)
    assert ".." not in found.urls[0]


@pytest.mark.parametrize(
    ("release", "ids"),
    [
        ("dr20", {"plate": 266, "mjd": 51602, "fiberid": 1}),
        ("dr17", {"field": 15000, "mjd": 59146, "catalogid": 5}),
    ],
)
def test_a_release_without_such_spectra_says_so(release, ids):
    with pytest.raises(NotTold, match="dr17"):
        Sdss(release).find(wanted(**ids), 2.0)


def test_unknown_releases_are_refused():
    with pytest.raises(NotTold):
        Sdss("dr99")
