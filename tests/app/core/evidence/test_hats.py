"""Catalogues in the HATS layout: found as they are written, or refused in one sentence.

Which partitions are read, that no neighbour across a border is lost; their row groups.
"""

import os
import shutil

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy.spatial import cKDTree

from app.core.errors import ImportFailed
from app.core.evidence.hats import (
    HatsFolder,
    HatsRows,
    centres,
    children,
    groups,
    layout_of,
    near,
    open_hats,
    pixels_at,
    radii,
)
from app.core.evidence.local_rows import chord
from app.core.importing.sky import unit_vectors
from tests.app.core.evidence.hats_folders import (
    partition_path,
    write_hats,
    write_lists,
    write_partition,
)

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


# Which partitions are read.
ARCSEC = np.pi / 180.0 / 3600.0


@pytest.fixture(scope="module")
def sky():
    """Directions all over the sky, both poles and both sides of RA 0 among them."""
    draw = np.random.default_rng(8)
    ra, dec = draw.uniform(0.0, 360.0, 3000), np.degrees(np.arcsin(draw.uniform(-1, 1, 3000)))
    ra[:4], dec[:4] = [0.0, 0.0, 0.0, 359.99999], [90.0, -90.0, 30.0, 30.0]
    return ra, dec


@pytest.fixture(scope="module")
def stars(sky, tmp_path_factory):
    ra, dec = sky
    return write_hats(tmp_path_factory.mktemp("hats") / "stars", {"ra": ra, "dec": dec}, 2,
                      split=[0, 5, 17, 100, 191])  # fmt: skip


def read(rows, ra, dec, radius):
    return list(rows.blocks(cKDTree(unit_vectors(np.array(ra), np.array(dec))), radius))


def test_far_partitions_are_not_read(stars, sky):
    rows = HatsRows(stars)
    # Away from the borders, one partition.
    blocks = read(rows, [45.0], [19.47], 2.0 * ARCSEC)
    there = len(open_hats(stars).orders)
    assert rows.about["partitions"] == there > 190 and rows.about["partitions_read"] <= 4
    assert sum(block.count for block in blocks) < 100
    assert [block.done for block in blocks][-1] == blocks[-1].of == rows.about["partitions_read"]
    assert sum(block.count for block in read(rows, *sky, 2.0 * ARCSEC)) == 3000


def test_far_partitions_may_be_missing(stars, tmp_path):
    ra, dec = np.array([45.0, 225.0]), np.array([19.47, -19.47])
    place = write_hats(tmp_path / "part", {"ra": ra, "dec": dec}, 3)
    far = int(pixels_at(3, unit_vectors(ra, dec))[1])
    partition_path(place, 3, far).unlink()
    rows = HatsRows(place)
    assert [block.count for block in read(rows, ra[:1], dec[:1], ARCSEC)] == [1]
    with pytest.raises(ImportFailed, match=f"Npix={far}.parquet is missing"):
        read(rows, ra[1:], dec[1:], ARCSEC)


@pytest.mark.parametrize("order", [0, 1, 3])
def test_no_partition_with_a_neighbour_is_left_out(tmp_path, order):
    """Each partition alone: whoever is within the radius of a place in it has it read."""
    draw = np.random.default_rng(order)
    ra = draw.uniform(0.0, 360.0, 400)
    dec = np.degrees(np.arcsin(draw.uniform(-1.0, 1.0, 400)))
    # Many along the borders of the faces: the poles, RA 0, and latitudes where the caps begin.
    ra[:40], dec[40:80] = draw.choice([0.0, 90.0, 180.0, 359.99999], 40), 41.8103
    dec[:10], dec[10:20] = 89.9999, -89.9999
    here = unit_vectors(ra, dec)
    folder = open_hats(write_hats(tmp_path / "stars", {"ra": ra, "dec": dec}, order))
    radius = 30.0 * ARCSEC
    beside = here + draw.normal(size=here.shape) * radius
    beside /= np.linalg.norm(beside, axis=1)[:, np.newaxis]
    crossed = 0
    for place, candidate in zip(here, beside, strict=True):
        if np.linalg.norm(place - candidate) > chord(radius):
            continue
        own, others = (int(pixels_at(order, each[np.newaxis])[0]) for each in (place, candidate))
        crossed += own != others
        assert own in folder.pixels[near(folder, cKDTree(candidate[np.newaxis]), radius)]
    assert crossed


CORNERS = {"south": 0, "east": 0x5555555555, "west": 0xAAAAAAAAAA, "north": 0xFFFFFFFFFF}


@pytest.mark.parametrize("corner", CORNERS)
def test_beyond_a_corner(tmp_path, corner):
    """The place of a partition that is farthest from its middle, and a candidate farther still."""
    order, radius = 9, 30.0 * ARCSEC
    pixels = np.random.default_rng(2).integers(0, 12 * 4**order, 50)
    for pixel in pixels.tolist():
        middle = centres(order, np.array([pixel]))[0]
        inside = centres(29, np.array([pixel * 4**20 + CORNERS[corner]]))[0]
        out = (inside - middle) / np.linalg.norm(inside - middle)
        folder = HatsFolder(
            root=tmp_path, properties={}, release="",
            orders=np.array([order]), pixels=np.array([pixel]),
        )  # fmt: skip
        beyond = inside + out * chord(0.99 * radius)
        assert near(folder, cKDTree(beyond[np.newaxis] / np.linalg.norm(beyond)), radius).all()


def test_where_the_catalogue_reaches(stars, sky):
    ra, dec = sky
    rows = HatsRows(stars)
    assert rows.covered(unit_vectors(ra, dec)).all()
    assert rows.notes(unit_vectors(ra, dec))[1:] == []


def test_candidates_beyond_it_are_told(tmp_path):
    ra, dec = np.array([45.0, 50.0]), np.array([19.0, 21.0])
    rows = HatsRows(write_hats(tmp_path / "field", {"ra": ra, "dec": dec}, 1))
    places = unit_vectors(np.array([46.0, 200.0, 201.0]), np.array([20.0, -70.0, 10.0]))
    assert rows.covered(places).tolist() == [True, False, False]
    assert "2 candidates in parts of the sky" in rows.notes(places)[1]


def test_rows_that_lie_elsewhere(tmp_path):
    ra, dec = np.array([45.0, 225.0]), np.array([19.47, -19.47])
    place = write_hats(tmp_path / "mixed", {"ra": ra, "dec": dec}, 3)
    one, other = (partition_path(place, 3, int(each)) for each in open_hats(place).pixels)
    one.write_bytes(other.read_bytes())
    with pytest.raises(ImportFailed, match="rows of another part of the sky") as told:
        read(HatsRows(place), ra, dec, ARCSEC)
    assert one.name in str(told.value)


def test_rows_just_beyond_the_border(tmp_path):
    """A rounded coordinate may be; a row of the neighbour may not, close as it is."""
    order, pixel = 3, 300
    middle = centres(order, np.array([pixel]))[0]
    corner = centres(29, np.array([pixel * 4**26 + CORNERS["east"]]))[0]
    for beyond, is_good in ((-5.0, True), (0.2, True), (30.0, False)):
        place = corner + (corner - middle) / np.linalg.norm(corner - middle) * beyond * ARCSEC
        ra, dec = np.degrees(np.arctan2(place[1], place[0])), np.degrees(np.arcsin(place[2]))
        table = pa.table({"ra": [ra % 360.0], "dec": [dec]})
        folder = tmp_path / f"{beyond}"
        write_partition(folder, order, pixel, table)
        write_lists(folder, [(order, pixel)], 1, {})
        if is_good:
            assert [block.count for block in read(HatsRows(folder), [ra], [dec], ARCSEC)] == [1]
        else:
            with pytest.raises(ImportFailed, match="rows of another part of the sky"):
                read(HatsRows(folder), [ra], [dec], 60.0 * ARCSEC)


def test_right_ascensions_below_zero(tmp_path):
    place = write_hats(tmp_path / "west", {"ra": np.array([-10.0]), "dec": np.array([0.0])}, 1)
    [block] = read(HatsRows(place), [350.0], [0.0], ARCSEC)
    assert block.places == pytest.approx(unit_vectors(np.array([350.0]), np.array([0.0])))


def test_no_candidates(stars):
    assert list(HatsRows(stars).blocks(cKDTree(np.zeros((0, 3))), ARCSEC)) == []


def test_without_its_mathematics_it_says_what_is_needed(stars, monkeypatch):
    monkeypatch.setattr("app.core.evidence.hats.find_spec", lambda name: None)
    with pytest.raises(ImportFailed, match="need astropy-healpix: pip install astropy-healpix"):
        HatsRows(stars)


# Row groups of a partition: positions of all rows, values of the few that are asked for.

PLACE = ("ra", "dec")


def written(path, count=10, group=4, **more):
    columns = {
        "_healpix_29": np.arange(count),
        "ra": np.linspace(0.0, 90.0, count),
        "dec": np.linspace(-5.0, 5.0, count, dtype=np.float32),
        "name": [f"s{number}" for number in range(count)],
        "number": np.arange(count),
        "night": pa.array([[1.0]] * count),
        **more,
    }
    parquet.write_table(pa.table(columns), path, row_group_size=group, store_schema=False)
    return path


def test_columns_and_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("app.core.evidence.hats.BATCH", 2)
    path = written(tmp_path / "Npix=0.parquet", mag=pa.array([None, *range(9)], pa.float32()))
    layout = layout_of(path, PLACE, ["mag", "nothing", "number"])
    assert layout.given == ("mag", "number", "ra", "dec", "name")
    found = list(groups(path, layout))
    assert [len(group.ra) for group in found] == [4, 4, 2]
    assert np.concatenate([group.ra for group in found]) == pytest.approx(np.linspace(0, 90, 10))
    told = found[0].rows(np.array([0, 3]))
    assert told == [(None, 0, 0.0, -5.0, "s0"), (2.0, 3, 30.0, pytest.approx(-5.0 / 3.0), "s3")]
    assert [row[1] for row in found[2].rows(np.array([1]))] == [9]


def test_a_row_without_a_position(tmp_path):
    path = written(tmp_path / "a.parquet", ra=pa.array([None, *np.arange(9.0)]))
    [group, *_] = groups(path, layout_of(path, PLACE, []))
    assert np.isnan(group.ra[0]) and np.isfinite(group.ra[1:]).all()


def test_a_text_that_many_rows_repeat_takes_room_once(tmp_path):
    long = pa.DictionaryArray.from_arrays(np.zeros(60_000, np.int8), ["x" * 8_000_000])
    path = written(tmp_path / "a.parquet", 60_000, 60_000, name=long)
    layout = layout_of(path, PLACE, [])
    [group] = groups(path, layout)
    [row] = group.rows(np.array([59_999]))
    assert row[layout.given.index("number")] == 59_999
    assert len(row[layout.given.index("name")]) < 50_000


def test_texts_packed_otherwise_are_refused(tmp_path):
    table = parquet.read_table(written(tmp_path / "a.parquet"))
    parquet.write_table(
        table, tmp_path / "b.parquet", use_dictionary=False,
        column_encoding={"name": "DELTA_BYTE_ARRAY"},
    )  # fmt: skip
    layout = layout_of(tmp_path / "a.parquet", PLACE, [])
    with pytest.raises(ImportFailed, match="'name' are packed in a way that is not read"):
        list(groups(tmp_path / "b.parquet", layout))


def test_other_columns_than_the_first(tmp_path):
    layout = layout_of(written(tmp_path / "a.parquet"), PLACE, [])
    other = written(tmp_path / "b.parquet", number=["one"] * 10)
    with pytest.raises(ImportFailed, match="not the column 'number' of the other partitions"):
        list(groups(other, layout))


@pytest.mark.parametrize("ra", [["a"] * 10, np.arange(10), [[1.0]] * 10])
def test_a_position_that_is_none(tmp_path, ra):
    path = written(tmp_path / "a.parquet", ra=pa.array(ra))
    with pytest.raises(ImportFailed, match="no column 'ra' with positions in degrees"):
        layout_of(path, PLACE, [])


def test_too_many_rows_together(tmp_path, monkeypatch):
    monkeypatch.setattr("app.core.evidence.hats.MAX_GROUP_ROWS", 3)
    path = written(tmp_path / "a.parquet")
    with pytest.raises(ImportFailed, match="a row group has 4 rows"):
        list(groups(path, layout_of(path, PLACE, [])))


def test_damaged_files(tmp_path):
    path = written(tmp_path / "a.parquet", 2000, 1000)
    layout = layout_of(path, PLACE, [])
    whole = path.read_bytes()
    draw = np.random.default_rng(6)
    refused = 0
    for _ in range(60):
        spoilt = bytearray(whole)
        for at in draw.integers(0, len(whole), 8):
            spoilt[at] = draw.integers(0, 256)
        path.write_bytes(spoilt[: draw.integers(len(whole) // 2, 2 * len(whole))])
        try:
            for group in groups(path, layout):
                group.rows(np.array([0, 5, len(group.ra) - 1]))
        except ImportFailed:
            refused += 1
    assert refused > 20
