"""What kind a column of text is, and its values as JSON."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.importing.formats.cell_numbers import number_of
from app.core.importing.formats.text_cells import CellMismatch, KindGuess, TextCells


def kind_of(*texts):
    guess = KindGuess()
    guess.add(list(texts))
    return guess.kind


def read(texts, kind):
    return [json.loads(piece) for piece in TextCells(list(texts), kind).json()]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-2", "0"], "int"),
        (["1", "", "nan", "--", "NULL"], "int"),
        (["1", "2.5", "1e5"], "float"),
        ([".5", "+1", "1.", "1e400", "inf"], "float"),
        (["True", "false", ""], "bool"),
        (["True", "1"], "str"),
        (["007", "1"], "str"),
        (["1_000", "2"], "str"),
        (["1", "x"], "str"),
        (["1\n2", "3"], "str"),
        (["9007199254740993", "1"], "int"),
        (["9007199254740993", "1.5"], "str"),
        (["9223372036854775808"], "str"),
        (["", "n/a"], None),
        (["", "a"], "str"),
        (["0x10", "1"], "str"),
    ],
)
def test_kinds(texts, kind):
    assert kind_of(*texts) == kind
    if kind is not None:
        assert read(texts, kind)  # and none is a misfit


def test_kinds_widen_over_blocks():
    guess = KindGuess()
    for text, kind in (("", None), ("3", "int"), ("3.5", "float"), ("", "float"), ("x", "str")):
        guess.add([text])
        assert guess.kind == kind


@pytest.mark.parametrize(
    ("text", "kind"), [("x", None), ("x", "int"), ("1.5", "int"), ("x", "float"), ("1", "bool")]
)
def test_a_misfit_is_noticed(text, kind):
    with pytest.raises(CellMismatch):
        TextCells([text], kind).json()


def test_what_has_no_value_is_null():
    assert read(["1", "NaN", "", "1e999"], "float") == [1.0, None, None, None]
    assert read(["1", "null", "-"], "int") == [1, None, None]
    assert read(["", "N/A"], None) == [None, None]
    assert read(["", "N/A", 'a"\\\n\x01'], "str") == ["", "N/A", 'a"\\\n\x01']


@given(st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=1))
def test_whole_numbers_come_back(numbers):
    texts = list(map(str, numbers))
    assert kind_of(*texts) == "int"
    assert read(texts, "int") == numbers


@given(st.lists(st.floats(), min_size=1))
def test_numbers_come_back(numbers):
    texts = list(map(repr, numbers))
    finite = [number if math.isfinite(number) else None for number in numbers]
    assert read(texts, "float") == finite
    assert TextCells(texts, "float").numbers() == finite


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_texts_come_back(texts):
    assert read(texts, "str") == texts


@given(st.lists(st.text(alphabet="0123456789.eE+-_, nax\n٣", max_size=8), min_size=1))
def test_whatever_is_taken_for_a_kind_can_be_written(texts):
    kind = kind_of(*texts)
    values = read(texts, kind)
    if kind in ("int", "float"):
        told = [None if value is None else float(value) for value in values]
        assert told == [number_of(text) if "," not in text else None for text in texts]


def test_identifiers_that_went_through_a_float():
    assert TextCells(["101008.0", "5.25"], "float").texts() == ["101008", "5.25"]
    assert TextCells(["v1.0"], "str").texts() == ["v1.0"]


def test_numbers_with_a_decimal_comma():
    assert TextCells(["1,5", "-2", "1,2,3", "1_0"], "str").numbers() == [1.5, -2.0, None, None]
