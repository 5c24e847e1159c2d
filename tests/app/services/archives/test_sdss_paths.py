"""Paths of SDSS files, compared with those of the published packages where they are installed."""

from __future__ import annotations

import pytest

from app.services.archives.sdss_paths import (
    FIELD_RUN2D,
    PLATE_RUN2D,
    SDSS_RUNS,
    field_path,
    plate_paths,
)

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
