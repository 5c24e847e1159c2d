"""Row groups of a partition: positions of all rows, values of the few that are asked for."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from app.core.errors import ImportFailed
from app.core.evidence.hats import parquet_rows
from app.core.evidence.hats.parquet_rows import groups, layout_of

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
    monkeypatch.setattr(parquet_rows, "BATCH", 2)
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
    monkeypatch.setattr(parquet_rows, "MAX_GROUP_ROWS", 3)
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
