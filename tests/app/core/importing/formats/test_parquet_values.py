"""Values of Arrow columns, and how many bytes they take, without pandas."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

from app.core.importing.formats.parquet_values import kind_of, text_bytes, values_of  # noqa: E402


def test_kinds():
    kinds = {
        pa.int8(): "int", pa.uint64(): "int", pa.float16(): "float", pa.decimal128(5, 2): "float",
        pa.bool_(): "bool", pa.string(): "str", pa.large_string(): "str", pa.date32(): "str",
        pa.timestamp("ns"): "str", pa.dictionary(pa.int32(), pa.string()): "str",
        pa.dictionary(pa.int32(), pa.int8()): None, pa.binary(): None, pa.list_(pa.int8()): None,
    }  # fmt: skip
    assert {type_: kind_of(type_) for type_ in kinds} == kinds


@pytest.mark.parametrize("encode", [False, True])
def test_bytes_of_texts(encode):
    array = pa.array(["", "abc", None, "Hα", "abc"])
    array = array.dictionary_encode() if encode else array
    assert list(text_bytes(array)) == [0, 3, 0, 3, 3]
    assert list(text_bytes(array.slice(1, 3))) == [3, 0, 3]
    assert text_bytes(pa.array([1, 2])) == 0
    assert text_bytes(pa.array([1, 2]).dictionary_encode()) == 0


def test_slices_have_their_own_values():
    numbers = pa.array([0.5, None, 2.5, float("nan")]).slice(1)
    assert values_of(numbers, "float") == ([None, 2.5, None], 0)
    short = pa.array(np.array([0.1, 0.2, 0.3], "f4")).slice(1)
    assert values_of(short, "float") == ([0.2, 0.3], 0)
    assert values_of(pa.array([2**63, 5], pa.uint64()), "int") == ([None, 5], 0)
    texts = pa.array(["a", None, "x\0y"]).dictionary_encode().slice(1)
    assert values_of(texts, "str") == ([None, "x�y"], 0)


def test_nanoseconds_are_cut():
    whole = pa.array([1_577_934_245_123_456_789, None], pa.int64())
    for type_, text in (
        (pa.timestamp("ns"), "2020-01-02 03:04:05.123456"),
        (pa.timestamp("ns", "UTC"), "2020-01-02 03:04:05.123456+00:00"),
        (pa.duration("ns"), "18263 days, 3:04:05.123456"),
    ):
        assert values_of(whole.view(type_), "str") == ([text, None], 0)
    noon = pa.array([43_200_000_000_001], pa.int64()).view(pa.time64("ns"))
    assert values_of(noon, "str") == (["12:00:00"], 0)


def test_what_python_cannot_hold_is_left_out_and_counted():
    days = pa.array([2**31 - 1, None, 0, -(2**31)], pa.int32()).cast(pa.date32())
    assert values_of(days, "str") == ([None, None, "1970-01-01", None], 2)
    zoned = pa.array([1, 2], pa.int64()).view(pa.timestamp("us", "Mars/Phobos"))
    assert values_of(zoned, "str") == ([None, None], 2)


def test_pandas_is_not_imported():
    code = (
        "import sys, pyarrow as pa\n"
        "from app.core.importing.formats.parquet_values import text_bytes, values_of\n"
        "numbers = pa.Array.from_buffers(pa.float64(), 2, [None, pa.py_buffer(bytes(16))])\n"
        "assert values_of(numbers, 'float') == ([0.0, 0.0], 0)\n"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
