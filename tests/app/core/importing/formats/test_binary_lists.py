"""FITS tables and Parquet: their types, and files that are not what they say."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from app.core.errors import ImportFailed
from app.core.importing.formats import parquet_list
from app.core.importing.formats.formats import open_list
from app.core.importing.importer import import_list
from tests.app.core.importing.lists import every, fits_bytes, owns, rng, write_parquet


def opened(folder, content, name="list.fits"):
    path = folder / name
    path.write_bytes(content)
    return open_list(path)


def values(file):
    blocks = [zip(*(c.values() for c in block.cells), strict=True) for block in file.blocks()]
    return [row for block in blocks for row in block]


def column(folder, form, array, **cards):
    file = opened(folder, fits_bytes({"X": (form, array)}, **cards))
    (described,) = file.columns
    return described.kind, [row[0] for row in values(file)]


@pytest.mark.parametrize(
    ("form", "array", "kind", "expected"),
    [
        ("J", [1, -2], "int", [1, -2]),
        ("K", [39627658462234737, 0], "int", [39627658462234737, 0]),
        ("E", [0.1, np.nan], "float", [0.1, None]),
        ("D", [0.1, np.inf], "float", [0.1, np.inf]),
        ("L", [True, False], "bool", [True, False]),
        ("5A", ["ab", " c d "], "str", ["ab", "c d"]),
        ("B", [0, 255], "int", [0, 255]),
    ],
)
def test_types_of_fits(folder, form, array, kind, expected):
    assert column(folder, form, array) == (kind, expected)


def test_whole_numbers_of_fits_that_are_shifted_scaled_or_null(folder):
    assert column(folder, "J", [1, -2], TNULL1=-2) == ("int", [1, None])
    assert column(folder, "I", [1, -2], TZERO1=32768) == ("int", [32769, 32766])
    assert column(folder, "I", [1, -2], TSCAL1=0.5, TZERO1=10) == ("float", [10.5, 9.0])
    assert column(folder, "I", [1, -2], TSCAL1=0.5, TNULL1=-2) == ("float", [0.5, None])
    beyond = [2**63 - 1, 5 - 2**63]  # as 64 bits without a sign are written
    assert column(folder, "K", beyond, TZERO1=2**63) == ("str", [str(2**64 - 1), "5"])


def test_columns_of_arrays_are_left_out(folder):
    made = {"ID": ("K", [1, 2]), "MAGS": ("5E", np.ones((2, 5))), "BITS": ("3X", np.ones((2, 3)))}
    file = opened(folder, fits_bytes(made))
    assert [c.name for c in file.columns] == ["ID"]
    assert file.warnings() == ["skipped 2 array columns"]


def test_blocks_of_fits_join_up(folder):
    numbers = rng().integers(0, 2**62, 7001)
    texts = [f"s{number}" for number in numbers]
    file = opened(folder, fits_bytes({"ID": ("K", numbers), "S": ("6A", texts)}))
    assert [row[0] for row in values(file)] == numbers.tolist()
    lines = [line for block in file.blocks() for line in block.lines]
    assert lines == list(range(1, 7002))


def test_units_of_fits(folder):
    made = fits_bytes({"RA": ("D", [1.0])}, TUNIT1="hourangle", TUCD1="pos.eq.ra", TCOMM1="x")
    (described,) = opened(folder, made).columns
    assert (described.unit, described.ucd, described.description) == ("hourangle", "pos.eq.ra", "x")


def test_positions_in_other_units(session, folder):
    made = {"NAME": ("3A", ["abc"]), "RA": ("D", [2.5]), "DEC": ("D", [0.5])}
    path = folder / "list.fits"
    path.write_bytes(fits_bytes(made, TUNIT2="hourangle", TUNIT3="rad"))
    import_list(session, path)
    (candidate,) = every(session)
    assert (candidate.ra, candidate.dec) == (37.5, pytest.approx(28.6478897565))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda raw: raw[:8640], "truncated"),
        (lambda raw: raw[:6000], "truncated|no END"),
        (lambda raw: raw[:2880], "no table with rows"),
        (lambda raw: raw.replace(b"NAXIS2  =                 2000",
                                 b"NAXIS2  =            200000000"), "truncated"),
        (lambda raw: raw.replace(b"NAXIS1  =                   13",
                                 b"NAXIS1  =            100000000"), "need 13 bytes per row"),
        (lambda raw: raw.replace(b"'BINTABLE'", b"'TABLE   '"), "XTENSION TABLE"),
        (lambda raw: raw.replace(b"TFORM1  = 'K", b"TFORM1  = '?"), "no readable TFORM"),
        (lambda raw: b"SIMPLE  =" + raw[:400], "no END"),
    ],
)  # fmt: skip
def test_damaged_fits(session, folder, damage, said):
    raw = fits_bytes({"ID": ("K", np.arange(2000)), "NAME": ("5A", ["abcde"] * 2000)})
    path = folder / "list.fits"
    path.write_bytes(damage(raw))
    with pytest.raises(ImportFailed, match=said):
        import_list(session, path)
    assert session.count() == 0


def parquet(folder, **columns):
    import pyarrow
    import pyarrow.parquet

    path = folder / "list.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


def test_types_of_parquet(folder):
    import pyarrow as pa

    path = parquet(
        folder,
        i=pa.array([1, None], pa.int8()),
        u=pa.array([2**64 - 1, 5], pa.uint64()),
        e=pa.array([0.1, None], pa.float32()),
        d=pa.array([0.1, float("nan")]),
        dec=pa.array([None, Decimal("2.25")]),
        b=pa.array([True, None]),
        s=pa.array(["Hα", None]),
        big=pa.array(["x\0y", "z"], pa.large_string()),
        c=pa.array(["p", "q"]).dictionary_encode(),
        t=pa.array([date(2020, 1, 2), None]),
        flux=pa.array([[1.0], [2.0]]),
        raw=pa.array([b"x", b"y"]),
    )
    file = open_list(path)
    assert {c.name: c.kind for c in file.columns} == {
        "i": "int", "u": "int", "e": "float", "d": "float", "dec": "float", "b": "bool",
        "s": "str", "big": "str", "c": "str", "t": "str",
    }  # fmt: skip
    assert values(file) == [
        (1, None, 0.1, 0.1, None, True, "Hα", "x�y", "p", "2020-01-02"),
        (None, 5, None, None, 2.25, None, None, "z", "q", None),
    ]
    assert file.warnings() == ["skipped 2 array columns"]
    assert file.estimate == 2


def test_row_groups_and_batches_join_up(session, folder):
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"name": [f"o{n}" for n in range(9000)], "n": list(range(9000))})
    path = folder / "list.pq"
    pyarrow.parquet.write_table(table, path, row_group_size=3500)
    import_list(session, path)
    found = every(session)
    assert [each.object_id for each in found] == [f"o{n}" for n in range(9000)]
    assert [own["n"] for own in owns(session)] == list(range(9000))
    assert found[-1].line == 9000


def test_units_of_parquet_and_rows_that_pandas_numbered(folder):
    import pyarrow as pa
    import pyarrow.parquet

    told = {b"unit": b"deg", b"ucd": b"pos.eq.ra", b"description": b"where"}
    ra = pa.field("ra", pa.float64(), metadata=told)
    fields = [ra, pa.field("__index_level_0__", pa.int64())]
    path = folder / "list.parquet"
    pyarrow.parquet.write_table(pa.table([[1.0], [0]], pa.schema(fields)), path)
    (described,) = open_list(path).columns
    assert (described.unit, described.ucd, described.description) == ("deg", "pos.eq.ra", "where")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda raw: raw[:-200], "damaged"),
        (lambda raw: raw[:8], "damaged"),
        (lambda raw: raw[:4] + b"\xff" * 400 + raw[404:], "damaged"),
        (lambda raw: raw[:-8] + b"\xff\xff\xff\x7fPAR1", "damaged"),
    ],
)
def test_damaged_parquet(session, folder, damage, said):
    path = write_parquet(folder / "list.parquet")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ImportFailed, match=said):
        import_list(session, path)
    assert session.count() == 0


def test_parquet_of_too_large_groups_or_twins(folder, monkeypatch):
    import pyarrow as pa
    import pyarrow.parquet

    monkeypatch.setattr(parquet_list, "MAX_GROUP_BYTES", 10)
    with pytest.raises(ImportFailed, match="smaller row groups"):
        open_list(parquet(folder, a=[1, 2]))
    path = folder / "twins.parquet"
    pyarrow.parquet.write_table(pa.Table.from_arrays([[1], [2]], ["a", "a"]), path)
    with pytest.raises(ImportFailed, match="two of its columns have the same name"):
        open_list(path)


def test_without_pyarrow_it_says_what_to_do(folder, monkeypatch):
    path = write_parquet(folder / "list.parquet")
    monkeypatch.setattr(parquet_list, "find_spec", lambda name: None)
    with pytest.raises(ImportFailed, match="pip install pyarrow"):
        open_list(path)


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"SQLite format 3\0" + b"\0" * 100, "x.speco3", "a SQLite database; merge sessions"),
        (b"\x89HDF\r\n\x1a\n", "x.h5", "HDF5"),
        (b"PK\x03\x04abc", "x.xlsx", "a spreadsheet: save it as CSV"),
        (b"PK\x03\x04abc", "x.csv", "packed with zip"),
        (bytes(range(256)) * 20, "x.csv", "format is unknown"),
        (b"", "x.csv", "it is empty"),
        (b"\n\n\n", "x.csv", "no rows"),
        (b"# only a comment\n", "x.csv", "no rows"),
        (b"name,path\n", "x.csv", "no rows"),
    ],
)
def test_what_is_no_list(session, folder, content, name, said):
    path = folder / name
    path.write_bytes(content)
    with pytest.raises(ImportFailed, match=said):
        import_list(session, path)


def test_the_format_goes_by_what_a_file_holds(session, folder):
    path = folder / "list.csv"
    path.write_bytes(fits_bytes({"NAME": ("3A", ["abc"])}))
    assert import_list(session, path).format == "FITS"
