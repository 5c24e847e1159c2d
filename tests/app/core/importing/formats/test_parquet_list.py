"""Parquet files as lists."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from app.core.errors import ImportFailed
from app.core.importing.formats import parquet_list
from app.core.importing.formats.parquet_list import kind_of, text_bytes, values_of
from app.core.importing.importer import import_list
from app.core.importing.opening import open_list
from tests.app.core.importing.lists import every, owns, values, write_parquet
from tests.processes import loaded

pa = pytest.importorskip("pyarrow")
parquet_files = pytest.importorskip("pyarrow.parquet")


def parquet(folder, **columns):
    path = folder / "list.parquet"
    parquet_files.write_table(pa.table(columns), path)
    return path


def test_types_of_parquet(folder):
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
    table = pa.table({"name": [f"o{n}" for n in range(9000)], "n": list(range(9000))})
    path = folder / "list.pq"
    parquet_files.write_table(table, path, row_group_size=3500)
    import_list(session, path)
    found = every(session)
    assert [each.object_id for each in found] == [f"o{n}" for n in range(9000)]
    assert [own["n"] for own in owns(session)] == list(range(9000))
    assert found[-1].line == 9000


def test_units_of_parquet_and_rows_that_pandas_numbered(folder):
    told = {b"unit": b"deg", b"ucd": b"pos.eq.ra", b"description": b"where"}
    ra = pa.field("ra", pa.float64(), metadata=told)
    fields = [ra, pa.field("__index_level_0__", pa.int64())]
    path = folder / "list.parquet"
    parquet_files.write_table(pa.table([[1.0], [0]], pa.schema(fields)), path)
    (described,) = open_list(path).columns
    assert (described.unit, described.ucd, described.description) == ("deg", "pos.eq.ra", "where")


@pytest.mark.parametrize(("damage", "said"), [
    (lambda raw: raw[:-200], "damaged"),
    (lambda raw: raw[:8], "damaged"),
    (lambda raw: raw[:4] + b"\xff" * 400 + raw[404:], "damaged"),
    (lambda raw: raw[:-8] + b"\xff\xff\xff\x7fPAR1", "damaged"),
])  # fmt: skip
def test_damaged_parquet(session, folder, damage, said):
    path = write_parquet(folder / "list.parquet")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ImportFailed, match=said):
        import_list(session, path)
    assert session.count() == 0


def test_parquet_of_too_large_groups_or_twins(folder, monkeypatch):
    monkeypatch.setattr(parquet_list, "MAX_GROUP_BYTES", 10)
    with pytest.raises(ImportFailed, match="smaller row groups"):
        open_list(parquet(folder, a=[1, 2]))
    path = folder / "twins.parquet"
    parquet_files.write_table(pa.Table.from_arrays([[1], [2]], ["a", "a"]), path)
    with pytest.raises(ImportFailed, match="two of its columns have the same name"):
        open_list(path)


def test_without_pyarrow_it_says_what_to_do(folder, monkeypatch):
    path = write_parquet(folder / "list.parquet")
    monkeypatch.setattr(parquet_list, "find_spec", lambda name: None)
    with pytest.raises(ImportFailed, match="pip install pyarrow"):
        open_list(path)


def test_a_batch_of_long_texts_comes_in_small_blocks(folder, monkeypatch):
    """One text that a dictionary holds once, in many rows."""
    monkeypatch.setattr(parquet_list, "MAX_BLOCK", 10_000)
    path = parquet(folder, name=[f"o{n}" for n in range(300)], note=["x" * 1000] * 300)
    blocks = list(open_list(path).blocks())
    assert {len(block.lines) for block in blocks[:-1]} == {9}
    assert [line for block in blocks for line in block.lines] == list(range(1, 301))
    assert [row[0] for row in values(open_list(path))] == [f"o{n}" for n in range(300)]


def test_a_row_that_is_too_long(folder, monkeypatch):
    monkeypatch.setattr(parquet_list, "MAX_ROW", 2000)
    path = parquet(folder, name=["a", "b", "c"], note=["x", "x", "x" * 3000], more=["y"] * 3)
    with pytest.raises(ImportFailed, match="row 3 holds more than 1 MB: save it without"):
        values(open_list(path))


def test_what_unpacks_to_very_much(folder, monkeypatch):
    monkeypatch.setattr(parquet_list, "FREE_BYTES", 0)
    table, path = pa.table({"name": ["a", "b"], "note": ["x" * 10_000_000, ""]}), folder / "b"
    parquet_files.write_table(table, path, compression="zstd", write_statistics=False)
    with pytest.raises(ImportFailed, match="unpacks to more than 200 times its size"):
        open_list(path)
    assert open_list(write_parquet(folder / "list.parquet")).estimate == 3


def test_very_many_pieces(folder, monkeypatch):
    monkeypatch.setattr(parquet_list, "MAX_CHUNKS", 3)
    with pytest.raises(ImportFailed, match="more than 3 pieces: save it with larger row groups"):
        open_list(parquet(folder, a=[1], b=[2], c=[3], d=[4]))
    assert open_list(parquet(folder, name=[1], b=[2], c=[3])).estimate == 1


def test_cells_left_empty_are_told(folder):
    days = pa.array([2**31 - 1, 0, None], pa.int32()).cast(pa.date32())
    file = open_list(parquet(folder, name=["a", "b", "c"], seen=days))
    assert values(file) == [("a", None), ("b", "1970-01-01"), ("c", None)]
    assert file.warnings() == ["left 1 cell empty, as dates out of range"]


@pytest.mark.parametrize("limit", [0, 2 * 1024**2])
def test_texts_are_the_same_with_and_without_their_dictionary(folder, monkeypatch, limit):
    monkeypatch.setattr(parquet_list, "MAX_DICTIONARY", limit)
    names = [f"o{n}" for n in range(5000)]
    file = open_list(parquet(folder, name=names, kind=["CV", "K5", None, "x\0"] * 1250))
    assert file._as_dictionaries == (["name", "kind"] if limit else [])
    assert [row[0] for row in values(file)] == names
    assert [row[1] for row in values(file)] == ["CV", "K5", None, "x�"] * 1250


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"])
def test_texts_in_every_encoding(folder, encoding):
    path, names = folder / "list.parquet", [f"o{n}" for n in range(300)]
    how = {"use_dictionary": False, "column_encoding": {"name": encoding}}
    parquet_files.write_table(pa.table({"name": names}), path, **how)
    assert [row[0] for row in values(open_list(path))] == names


# Values of Arrow columns, and how many bytes they take, without pandas.
def test_kinds_and_slices_of_arrow():
    kinds = {
        pa.int8(): "int", pa.uint64(): "int", pa.float16(): "float", pa.decimal128(5, 2): "float",
        pa.bool_(): "bool", pa.string(): "str", pa.large_string(): "str", pa.date32(): "str",
        pa.timestamp("ns"): "str", pa.dictionary(pa.int32(), pa.string()): "str",
        pa.dictionary(pa.int32(), pa.int8()): None, pa.binary(): None, pa.list_(pa.int8()): None,
    }  # fmt: skip
    assert {type_: kind_of(type_) for type_ in kinds} == kinds
    numbers = pa.array([0.5, None, 2.5, float("nan")]).slice(1)
    assert values_of(numbers, "float") == ([None, 2.5, None], 0)
    short = pa.array(np.array([0.1, 0.2, 0.3], "f4")).slice(1)
    assert values_of(short, "float") == ([0.2, 0.3], 0)
    assert values_of(pa.array([2**63, 5], pa.uint64()), "int") == ([None, 5], 0)
    texts = pa.array(["a", None, "x\0y"]).dictionary_encode().slice(1)
    assert values_of(texts, "str") == ([None, "x�y"], 0)


@pytest.mark.parametrize("encode", [False, True])
def test_bytes_of_texts(encode):
    array = pa.array(["", "abc", None, "Hα", "abc"])
    array = array.dictionary_encode() if encode else array
    assert list(text_bytes(array)) == [0, 3, 0, 3, 3]
    assert list(text_bytes(array.slice(1, 3))) == [3, 0, 3]
    assert text_bytes(pa.array([1, 2])) == 0
    assert text_bytes(pa.array([1, 2]).dictionary_encode()) == 0


def test_what_python_cannot_hold_is_cut_or_left_out_and_counted():
    whole = pa.array([1_577_934_245_123_456_789, None], pa.int64())
    for type_, text in (
        (pa.timestamp("ns"), "2020-01-02 03:04:05.123456"),
        (pa.timestamp("ns", "UTC"), "2020-01-02 03:04:05.123456+00:00"),
        (pa.duration("ns"), "18263 days, 3:04:05.123456"),
    ):
        assert values_of(whole.view(type_), "str") == ([text, None], 0)
    noon = pa.array([43_200_000_000_001], pa.int64()).view(pa.time64("ns"))
    assert values_of(noon, "str") == (["12:00:00"], 0)
    days = pa.array([2**31 - 1, None, 0, -(2**31)], pa.int32()).cast(pa.date32())
    assert values_of(days, "str") == ([None, None, "1970-01-01", None], 2)
    zoned = pa.array([1, 2], pa.int64()).view(pa.timestamp("us", "Mars/Phobos"))
    assert values_of(zoned, "str") == ([None, None], 2)


def test_pandas_is_not_imported():
    code = (
        "import pyarrow as pa\n"
        "from app.core.importing.formats.parquet_list import text_bytes, values_of\n"
        "numbers = pa.Array.from_buffers(pa.float64(), 2, [None, pa.py_buffer(bytes(16))])\n"
        "assert values_of(numbers, 'float') == ([0.0, 0.0], 0)"
    )
    assert loaded(code, "pandas") == []
