"""Which partitions are read, and that no neighbour across a border is lost; their row groups."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy.spatial import cKDTree

from app.core.errors import ImportFailed
from app.core.evidence.hats import catalogue
from app.core.evidence.hats.catalogue import HatsRows, groups, layout_of, near
from app.core.evidence.hats.folder import HatsFolder, centres, open_hats, pixels_at
from app.core.evidence.local_rows import chord
from app.core.importing.sky import unit_vectors
from tests.app.core.evidence.hats_folders import (
    partition_path,
    write_hats,
    write_lists,
    write_partition,
)

ARCSEC = np.pi / 180.0 / 3600.0


@pytest.fixture(scope="module")
def sky():
    """Directions all over the sky, both poles and both sides of RA 0 among them."""
    draw = np.random.default_rng(8)
    ra, dec = draw.uniform(0.0, 360.0, 3000), np.degrees(np.arcsin(draw.uniform(-1, 1, 3000)))
    ra[:4], dec[:4] = [0.0, 0.0, 0.0, 359.99999], [90.0, -90.0, 30.0, 30.0]
    return ra, dec


@pytest.fixture(scope="module")
def hats(sky, tmp_path_factory):
    ra, dec = sky
    return write_hats(tmp_path_factory.mktemp("hats") / "stars", {"ra": ra, "dec": dec}, 2,
                      split=[0, 5, 17, 100, 191])  # fmt: skip


def read(rows, ra, dec, radius):
    return list(rows.blocks(cKDTree(unit_vectors(np.array(ra), np.array(dec))), radius))


def test_far_partitions_are_not_read(hats, sky):
    rows = HatsRows(hats)
    # Away from the borders, one partition.
    blocks = read(rows, [45.0], [19.47], 2.0 * ARCSEC)
    there = len(open_hats(hats).orders)
    assert rows.about["partitions"] == there > 190 and rows.about["partitions_read"] <= 4
    assert sum(block.count for block in blocks) < 100
    assert [block.done for block in blocks][-1] == blocks[-1].of == rows.about["partitions_read"]
    assert sum(block.count for block in read(rows, *sky, 2.0 * ARCSEC)) == 3000


def test_far_partitions_may_be_missing(hats, tmp_path):
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


def test_where_the_catalogue_reaches(hats, sky):
    ra, dec = sky
    rows = HatsRows(hats)
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


def test_no_candidates(hats):
    assert list(HatsRows(hats).blocks(cKDTree(np.zeros((0, 3))), ARCSEC)) == []


def test_without_its_mathematics_it_says_what_is_needed(hats, monkeypatch):
    monkeypatch.setattr("app.core.evidence.hats.catalogue.find_spec", lambda name: None)
    with pytest.raises(ImportFailed, match="need astropy-healpix: pip install astropy-healpix"):
        HatsRows(hats)


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
    monkeypatch.setattr(catalogue, "BATCH", 2)
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
    monkeypatch.setattr(catalogue, "MAX_GROUP_ROWS", 3)
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
