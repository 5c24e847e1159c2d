"""Folders in the HATS layout: found as they are written, and refused in one sentence."""

import os
import shutil

import numpy as np
import pytest

from app.core.errors import ImportFailed
from app.core.evidence.hats.folder import centres, children, open_hats, pixels_at, radii
from app.core.importing.sky import unit_vectors
from tests.app.core.evidence.hats_folders import partition_path, write_hats

RA, DEC = np.array([10.0, 100.0, 190.0, 280.0]), np.array([41.0, -10.0, 80.0, -85.0])


@pytest.fixture
def hats(tmp_path):
    return write_hats(tmp_path / "stars", {"ra": RA, "dec": DEC}, 1)


def add(path, text):
    path.write_text(path.read_text() + text)


def test_what_a_folder_says(hats):
    add(hats / "hats.properties", "hats_cols_default=dec, ra\\\n;mag\n! obs_title=none\n")
    add(hats / "hats.properties", " obs_title = Bright stars \n")
    found = open_hats(hats)
    assert found.position == ("ra", "dec") and found.defaults == ["dec", "ra", "mag"]
    assert found.about["obs_title"] == "Bright stars" and "hats_nrows" not in found.about
    assert len(found.orders) == 4 and set(found.orders) == {1}
    assert found.schema_file().name == "_common_metadata"
    for number, pixel in enumerate(found.pixels):
        assert list(found.files(number)) == [partition_path(found.root, 1, pixel)]


def test_its_release_changes_with_what_it_says(hats):
    before = open_hats(hats).release
    assert open_hats(hats).release == before
    add(hats / "hats.properties", "hats_release_date=2027-01-01\n")
    assert open_hats(hats).release != before


def test_older_names_and_folders_for_partitions(tmp_path):
    hats = write_hats(tmp_path / "stars", {"ra": RA, "dec": DEC}, 6, suffix="/")
    (hats / "hats.properties").rename(hats / "properties")
    (hats / "dataset" / "_common_metadata").unlink()
    found = open_hats(hats)
    paths = [path for number in range(4) for path in found.files(number)]
    assert all(path.is_file() for path in paths) and len(paths) == 4
    assert any("Dir=10000" in str(path) or "Dir=20000" in str(path) for path in paths)
    assert found.schema_file() == paths[0]


def test_the_main_table_of_a_collection(tmp_path):
    hats = write_hats(tmp_path / "all" / "stars", {"ra": RA, "dec": DEC}, 1)
    said = tmp_path / "all" / "collection.properties"
    said.write_text("#HATS Collection\nobs_collection=all\nhats_primary_table_url=stars\n")
    assert open_hats(tmp_path / "all").root == hats
    for elsewhere in ("https://data.lsdb.io/stars", "../stars", "/etc", "", ".", "a\0b"):
        said.write_text(f"hats_primary_table_url={elsewhere}\n")
        with pytest.raises(ImportFailed, match="main table of this collection is not in the"):
            open_hats(tmp_path / "all")


def spoilt_properties(old, new):
    def spoil(hats):
        said = hats / "hats.properties"
        text = said.read_text()
        assert old in text
        said.write_text(text.replace(old, new))

    return spoil


def spoilt_partitions(text):
    return lambda hats: (hats / "partition_info.csv").write_text(text)


SPOILT = {
    "no properties": (lambda hats: (hats / "hats.properties").unlink(), "no catalogue in the HATS"),
    "giant properties": (
        lambda hats: (hats / "hats.properties").write_bytes(b"a=b\n" * 100_000),
        "hats.properties is larger than 256 kB",
    ),
    "endless properties": (
        lambda hats: os.truncate(hats / "hats.properties", 2**40),
        "hats.properties is larger than 256 kB",
    ),
    "binary properties": (
        lambda hats: (hats / "hats.properties").write_bytes(b"\xff\xfe"),
        "hats.properties is no text",
    ),
    "properties that are a pipe": (
        lambda hats: ((hats / "hats.properties").unlink(), os.mkfifo(hats / "hats.properties")),
        "hats.properties cannot be read: it is not a regular file",
    ),
    "properties elsewhere": (
        lambda hats: (
            (hats / "hats.properties").rename(hats.parent / "elsewhere"),
            (hats / "hats.properties").symlink_to(hats.parent / "elsewhere"),
        ),
        "hats.properties is a link that leads out of the folder",
    ),
    "a margin": (
        spoilt_properties("dataproduct_type=object", "dataproduct_type=margin"),
        "no catalogue of objects: its properties call it 'margin'",
    ),
    "no position": (spoilt_properties("hats_col_ra=ra", ""), "hats_col_ra and hats_col_dec"),
    "suffix elsewhere": (
        spoilt_properties("npix_suffix=.parquet", "npix_suffix=/../../../../etc/passwd"),
        "its files cannot end in",
    ),
    "no partition list": (
        lambda hats: (hats / "partition_info.csv").unlink(),
        "partition_info.csv is missing: download the catalogue again",
    ),
    "empty partition list": (spoilt_partitions(""), "no list of partitions"),
    "no partitions": (spoilt_partitions("Norder,Npix\n"), "lists no partitions"),
    "other columns": (spoilt_partitions("order,pixel\n1,2\n"), "no list of partitions"),
    "words": (spoilt_partitions("Norder,Npix\n1,two\n"), "no list of partitions"),
    "short rows": (spoilt_partitions("Norder,Npix\n1\n"), "no list of partitions"),
    "vast numbers": (spoilt_partitions(f"Norder,Npix\n1,{10**30}\n"), "no list of partitions"),
    "order": (spoilt_partitions("Norder,Npix\n29,1\n"), "Norder must be from 0 to 25"),
    "negative order": (spoilt_partitions("Norder,Npix\n-1,1\n"), "Norder must be from 0 to 25"),
    "beside the sky": (spoilt_partitions("Norder,Npix\n1,48\n"), "not on the sky"),
    "negative pixel": (spoilt_partitions("Norder,Npix\n1,-3\n"), "not on the sky"),
    "twice": (spoilt_partitions("Norder,Npix\n1,7\n1,7\n"), "part of the sky twice"),
    "overlap": (spoilt_partitions("Norder,Npix\n3,112\n1,7\n"), "part of the sky twice"),
    "too many partitions": (
        spoilt_partitions("Norder,Npix\n" + "".join(f"9,{n}\n" for n in range(100_001))),
        "lists more than 100,000 partitions",
    ),
    "giant partition list": (
        lambda hats: os.truncate(hats / "partition_info.csv", 2**40),
        "partition_info.csv is larger than 16,384 kB",
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_what_is_refused(hats, how):
    spoil, reason = SPOILT[how]
    spoil(hats)
    with pytest.raises(ImportFailed, match=reason) as told:
        open_hats(hats)
    assert "\n" not in str(told.value) and len(str(told.value)) < 200


def test_files_that_are_missing_or_elsewhere(hats):
    found = open_hats(hats)
    path = next(found.files(0))
    path.rename(hats.parent / "moved.parquet")
    with pytest.raises(ImportFailed, match=r"Npix=\d+\.parquet is missing: download"):
        next(found.files(0))
    path.symlink_to(hats.parent / "moved.parquet")
    with pytest.raises(ImportFailed, match=r"Npix=\d+\.parquet is a link that leads out"):
        next(found.files(0))
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(ImportFailed, match="is missing"):
        next(found.files(0))


def test_empty_folders_of_partitions(tmp_path):
    found = open_hats(write_hats(tmp_path / "stars", {"ra": RA, "dec": DEC}, 1, suffix="/"))
    path = next(found.files(0))
    path.unlink()
    with pytest.raises(ImportFailed, match="has no Parquet files"):
        next(found.files(0))
    for number in range(1001):
        (path.parent / f"part{number}.parquet").touch()
    with pytest.raises(ImportFailed, match="has more than 1,000 Parquet files"):
        next(found.files(0))
    shutil.rmtree(path.parent)
    path.parent.write_text("")
    with pytest.raises(ImportFailed, match="is no folder"):
        next(found.files(0))


# Pixels of HEALPix against values of cdshealpix 0.9, another program.
# Order, nested pixel, longitude and latitude of its centre in degrees.
CENTRES = [
    (0, 0, 45.0, 41.810314895778596),
    (0, 5, 90.0, 0.0),
    (0, 11, 315.0, -41.810314895778596),
    (1, 3, 45.0, 66.44353569089878),
    (1, 47, 315.0, -19.47122063449069),
    (2, 100, 202.5, -9.594068226860461),
    (3, 63, 45.0, 84.14973293629666),
    (5, 7777, 254.53125, -2.388015463268777),
    (8, 524287, 270.0, 41.61044308863079),
    (13, 400000000, 97.91015625, 30.870688458856137),
    (20, 13194139533311, 315.0, -3.6427675573403794e-05),
    (29, 0, 45.0, 7.114780385429948e-08),
    (29, 1729382256910270463, 90.0, 41.810314800323795),
    (29, 3458764513820540927, 315.0, -7.114780385429948e-08),
]
# Longitude and latitude, and the pixel there at order 29.
PIXELS = [
    (0.0, 90.0, 288230376151711743),
    (0.0, -90.0, 2305843009213693952),
    (123.4, 89.999999, 576460752303423434),
    (300.0, -89.99999, 3170534137668838580),
    (0.0, 0.0, 1369094286720630784),
    (359.999999, 0.0, 1321055890695345510),
    (359.99999, 41.81, 1441151880754606476),
    (1e-05, -41.82, 2497996582566899151),
    (83.633083, 22.0145, 1701909093095840580),
    (266.416817, -29.007825, 2028740913184676779),
    (180.0, 41.810314, 2017612633061982159),
    (90.0, -41.8104, 2786226969465880608),
    (201.365063, -43.019113, 3044352322598060879),
    (10.684708, 41.26875, 190633513587146677),
]


def directions(longitude, latitude):
    return unit_vectors(np.atleast_1d(longitude), np.atleast_1d(latitude))


@pytest.mark.parametrize(("order", "pixel", "longitude", "latitude"), CENTRES)
def test_centres(order, pixel, longitude, latitude):
    found = centres(order, np.array([pixel]))
    assert np.linalg.norm(found - directions(longitude, latitude)) < 1e-14
    assert pixels_at(order, found) == [pixel]


@pytest.mark.parametrize(("longitude", "latitude", "pixel"), PIXELS)
def test_pixels(longitude, latitude, pixel):
    found = int(pixels_at(29, directions(longitude, latitude))[0])
    # A pixel is 0.4 milliarcsec wide: what is coarser by two orders is beyond errors of rounding.
    assert found >> 4 == pixel >> 4
    for order in (0, 1, 2, 7, 20):
        assert pixels_at(order, directions(longitude, latitude)) == [pixel >> 2 * (29 - order)]


@pytest.mark.parametrize("order", [0, 1, 2, 4])
def test_every_pixel_is_at_its_own_centre(order):
    pixels = np.arange(12 * 4**order)
    assert (pixels_at(order, centres(order, pixels)) == pixels).all()
    made_of = children(pixels, 2)
    assert (pixels_at(order, centres(order + 2, made_of.ravel())) == pixels.repeat(16)).all()


@pytest.mark.parametrize("order", [0, 1, 3, 6])
def test_a_pixel_lies_within_its_circle(order):
    around = np.random.default_rng(4).normal(size=(20_000, 3))
    around /= np.linalg.norm(around, axis=1)[:, np.newaxis]
    around[:2] = [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]
    pixels = pixels_at(order, around)
    assert pixels.min() >= 0 and pixels.max() < 12 * 4**order
    apart = 2.0 * np.arcsin(np.linalg.norm(centres(order, pixels) - around, axis=1) / 2.0)
    reach = radii(order, pixels)
    assert (apart <= reach).all()
    # And the circle is no wider than it must be: some point comes near it.
    assert (apart / reach).max() > 0.97
