import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from agent.errors import ReadError
from agent.spectra.readers import parquet_table, read
from agent.spectra.readers.registry import read_bytes
from tests.app.nursery import nurseries, quick_children
from tests.night import seeds

__all__ = ["nurseries", "quick_children"]  # children are forked, not started
PIXELS, ROWS = 300, 70
WAVELENGTH = np.linspace(4000.0, 7000.0, PIXELS)
RECORD = pa.struct(
    {
        "flux": pa.list_(pa.float32()),
        "ivar": pa.list_(pa.float32()),
        "lambda": pa.list_(pa.float64()),
        "mask": pa.list_(pa.bool_()),
    }
)


def flux_of(row):
    return 1.0 + row + 0.1 * np.sin(np.arange(PIXELS))


def columns():
    """A vector in each cell."""
    flux = [flux_of(row) for row in range(ROWS)]
    return {
        "wavelength": pa.array([WAVELENGTH] * ROWS, pa.large_list(pa.float64())),
        "flux": pa.array(flux, pa.list_(pa.float64(), PIXELS)),
        "flux_error": pa.array([np.full(PIXELS, 0.5)] * ROWS, pa.list_(pa.float32())),
        "targetid": np.arange(ROWS) + 10**12,
    }


def records():
    """A record in each cell, as collections for learning have them."""
    spectra = [
        {
            "flux": flux_of(row),
            "ivar": np.full(PIXELS, 4.0),
            "lambda": WAVELENGTH,
            "mask": np.arange(PIXELS) == 5,
        }
        for row in range(ROWS)
    ]
    return {
        "object_id": [f"J{row}" for row in range(ROWS)],
        "ra": np.arange(ROWS) + 0.5,
        "dec": np.arange(ROWS) - 10.5,
        "Z": np.full(ROWS, 1e-3),
        "spectrum": pa.array(spectra, RECORD),
        "survey": ["DESI"] * ROWS,
    }


def written(place, made, **options):
    pq.write_table(pa.table(made), place, **options)
    return place


@pytest.fixture(scope="module", params=[columns, records])
def table(request, tmp_path_factory):
    """Rows of a block lie in two row groups."""
    place = tmp_path_factory.mktemp("parquet") / "a.parquet"
    return written(place, request.param(), row_group_size=20)


def test_each_row_is_a_spectrum(table):
    for row in range(ROWS):
        found = read(table, row=row)
        assert (found.row, found.rows, found.format) == (row, ROWS, "Parquet table")
        np.testing.assert_allclose(found.wavelength, WAVELENGTH)
        np.testing.assert_allclose(found.flux, flux_of(row), rtol=1e-6)
        np.testing.assert_allclose(found.ivar, 4.0)


@pytest.mark.parametrize("row", [-1, ROWS])
def test_there_are_no_other_rows(table, row):
    with pytest.raises(ReadError, match=rf"70 spectra .*no row {row}"):
        read(table, row=row)


def test_what_else_is_in_the_row(tmp_path):
    found = read(written(tmp_path / "a.parquet", records()), row=3)
    assert (found.object_id, found.ra, found.dec, found.z) == ("J3", 3.5, -7.5, 1e-3)
    assert found.survey == found.meta["survey"] == "DESI"
    assert np.flatnonzero(~found.good).tolist() == [5]


def test_columns_of_one_name_and_what_is_not_known(tmp_path):
    """A flux of the object beside those of its pixels; z beside g, r and i is a magnitude."""
    bands = {band: np.full(ROWS, 17.0) for band in "gri"}
    made = records() | {"flux": np.full(ROWS, np.nan), "Z": np.full(ROWS, 16.5)} | bands
    found = read(written(tmp_path / "a.parquet", made))
    np.testing.assert_allclose(found.flux, flux_of(0), rtol=1e-6)
    assert found.z is None
    assert "flux" not in found.meta
    assert found.meta["g"] == 17.0


def test_rows_without_names_have_that_of_the_file(tmp_path):
    made = columns()
    del made["targetid"]
    place = written(tmp_path / "a.parquet", made)
    assert (
        read(place, row=69).object_id == [name for name, _, _ in parquet_table.targets(place)][69]
    )


def test_by_the_name_of_a_target(tmp_path):
    place = written(tmp_path / "a.parquet", columns())
    assert read(place, target=10**12 + 7).row == 7
    with pytest.raises(ReadError, match="no row of it is named 7"):
        read(place, target=7)


def test_a_written_table_is_read_anew(tmp_path):
    place = written(tmp_path / "a.parquet", records())
    read(place)
    written(place, {**records(), "object_id": ["new"] * ROWS})
    assert read(place).object_id == "new"


def test_an_empty_row_is_refused_and_the_next_read(tmp_path):
    made = records()
    made["spectrum"] = pa.array([None, *made["spectrum"].to_pylist()[1:]], RECORD)
    place = written(tmp_path / "a.parquet", made)
    with pytest.raises(ReadError, match="row 0 has no spectrum"):
        read(place)
    np.testing.assert_allclose(read(place, row=1).flux, flux_of(1), rtol=1e-6)


def test_a_row_that_is_too_long_is_refused_and_the_next_read(tmp_path):
    many = np.arange(parquet_table.LONGEST + 1) + 4000.0
    made = {"wave": [many, WAVELENGTH], "flux": [many, flux_of(1)]}
    place = written(tmp_path / "a.parquet", made)
    with pytest.raises(ReadError, match="row 0 has no spectrum, or one of more than 100,000"):
        read(place)
    assert read(place, row=1).flux.size == PIXELS


def test_a_catalogue_has_no_spectra(tmp_path):
    place = written(tmp_path / "a.parquet", {"ra": [1.0], "dec": [2.0], "flux": [3.0]})
    with pytest.raises(ReadError) as raised:
        read(place)
    assert "no column is named like a wavelength" in raised.value.reasons["Parquet table"]


def test_only_a_file_on_the_disk_is_read(tmp_path):
    data = written(tmp_path / "a.parquet", columns()).read_bytes()
    with pytest.raises(ReadError, match="download it and give its path"):
        read_bytes(data, str(tmp_path / "a.parquet"))


@pytest.mark.parametrize("seed", seeds(by_day=4, by_night=500))
def test_a_damaged_table_is_read_or_refused(tmp_path, table, seed):
    chance = random.Random(seed)
    data = bytearray(table.read_bytes())
    for _ in range(chance.choice([1, 10, 200])):
        data[chance.randrange(4, len(data))] = chance.randrange(256)
    place = tmp_path / "a.parquet"
    place.write_bytes(data[: chance.randrange(12, len(data))] if seed % 4 == 0 else data)
    try:
        read(place, row=chance.randrange(ROWS))
    except ReadError as error:
        assert "failed with" not in str(error.reasons)
