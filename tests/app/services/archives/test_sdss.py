"""SDSS by plate, MJD and fibre, or field, MJD and catalogue number."""

import pytest

from app.services.archives.archive import NotTold, Wanted
from app.services.archives.sdss import (
    FIELD_RUN2D,
    PLATE_RUN2D,
    SDSS_RUNS,
    Sdss,
    field_path,
    plate_paths,
)
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


def test_release_and_reduction_follow_from_the_row():
    (plate,) = Sdss().find(wanted(plate=3655, mjd=55240, fiberid=262), 2.0)
    (field,) = Sdss().find(wanted(field=15000, mjd=59146, catalogid=4375924756), 2.0)
    assert (plate.release, field.release) == ("dr17", "dr20")
    assert "/eboss/" in plate.urls[0] and "015XXX" in field.urls[0]
    (found,) = Sdss().find(wanted(plate=3655, mjd=55240, fiberid=262, run2d="v5_13_0"), 2.0)
    assert len(found.urls) == 1 and "/v5_13_0/" in found.urls[0]
    (found,) = Sdss().find(wanted(plate=3655, mjd=55240, fiberid=2, run2d="../../../etc"), 2.0)
    assert ".." not in found.urls[0]
    with pytest.raises(NotTold):
        Sdss("dr99")


@pytest.mark.parametrize("ids", [
    {"plate": 266, "mjd": 51602}, {"plate": 266, "mjd": 51602, "fiberid": -3},
    {"plate": 266, "mjd": 51602, "fiberid": 5000},
    {"plate": "../../x", "mjd": 51602, "fiberid": 1},
    {"field": 15000, "mjd": 59146, "catalogid": 10**19}, {},
])  # fmt: skip
def test_numbers_that_name_no_spectrum_are_refused(ids):
    with pytest.raises(NotTold):
        Sdss().find(wanted(**ids), 2.0)


@pytest.mark.parametrize(("release", "ids"), [
    ("dr20", {"plate": 266, "mjd": 51602, "fiberid": 1}),
    ("dr17", {"field": 15000, "mjd": 59146, "catalogid": 5}),
])  # fmt: skip
def test_a_release_without_such_spectra_says_so(release, ids):
    with pytest.raises(NotTold, match="dr17"):
        Sdss(release).find(wanted(**ids), 2.0)


# Paths of SDSS files, compared with those of the published packages where they are installed.
BASE = "https://data.sdss.org/sas"
PLATES = [(266, 51602, 13), (3000, 54057, 640), (3655, 55240, 262), (10655, 58240, 1000)]
FIELDS = [(15000, 59146, 4375924756), (112359, 60012, 27021598109), (16, 59200, 1)]


def test_paths_are_those_of_the_archive():
    assert plate_paths("dr17", 3655, 55240, 262) == (
        "dr17/eboss/spectro/redux/v5_13_2/spectra/lite/3655/spec-3655-55240-0262.fits",
    )
    first = plate_paths("dr17", 266, 51602, 13)[0]
    assert first == "dr17/sdss/spectro/redux/26/spectra/lite/0266/spec-0266-51602-0013.fits"
    star = 15000, 59146, 4375924756
    assert field_path("dr18", *star).endswith(
        "v6_0_4/spectra/lite/15000p/59146/spec-15000-59146-04375924756.fits"
    )
    assert field_path("dr19", *star).endswith(
        "v6_1_3/spectra/lite/015000/59146/spec-015000-59146-4375924756.fits"
    )
    assert field_path("dr20", *star).endswith(
        "v6_2_1/spectra/daily/lite/015XXX/015000/59146/spec-015000-59146-4375924756.fits"
    )


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Makes addresses as the packages of SDSS do."""
    reason = "sdss-tree and sdss-access are not installed: pip install -e '.[archives]'"
    tree = pytest.importorskip("sdss_access.path", reason=reason)
    monkeypatch.setenv("SAS_BASE_DIR", str(tmp_path))
    return lambda release, name, **keys: tree.Path(release=release).url(name, **keys)


@pytest.mark.parametrize(("plate", "mjd", "fiber"), PLATES)
def test_plates_are_where_the_published_packages_say(published, plate, mjd, fiber):
    for run2d in (*SDSS_RUNS, PLATE_RUN2D):
        (ours,) = plate_paths("dr17", plate, mjd, fiber, run2d)
        theirs = published("dr17", "spec-lite", run2d=run2d, plateid=plate, mjd=mjd, fiberid=fiber)
        assert f"{BASE}/{ours}" == theirs


@pytest.mark.parametrize("release", sorted(FIELD_RUN2D))
@pytest.mark.parametrize(("field", "mjd", "catalogid"), FIELDS)
def test_fields_are_where_the_published_packages_say(published, release, field, mjd, catalogid):
    keys = {"run2d": FIELD_RUN2D[release], "fieldid": field, "mjd": mjd, "catalogid": catalogid}
    theirs = published(release, "specLite", **keys)
    assert f"{BASE}/{field_path(release, field, mjd, catalogid)}" == theirs
