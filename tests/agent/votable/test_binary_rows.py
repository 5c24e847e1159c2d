from __future__ import annotations

import base64
import struct

import pytest

from agent.votable.binary_rows import BinaryRows, Cell
from agent.votable.fields import VOTableError, VOTableField

FIELDS = (
    VOTableField("name", "char", "*"),
    VOTableField("n", "int"),
    VOTableField("bits", "bit", "12"),
    VOTableField("flux", "float", "2"),
)
FLUX = struct.pack(">2f", 1.5, -2)
ROW = b"\0\0\0\2HD" + struct.pack(">i", 7) + b"\xff\xf0" + FLUX


def decoded(content: bytes, piece: int, *, with_nulls: bool = False) -> list[list[Cell]]:
    text = base64.encodebytes(content).decode()
    binary = BinaryRows(FIELDS, with_nulls=with_nulls)
    pieces = [text[at : at + piece] for at in range(0, len(text), piece)]
    rows = [row for each in pieces for row in binary.rows(each)]
    binary.end()
    return rows


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_rows_are_complete_in_pieces_of_any_size(piece: int) -> None:
    row = [b"HD", b"\0\0\0\7", b"\xff\xf0", FLUX]
    assert decoded(ROW * 3, piece) == [row] * 3
    assert decoded((b"\x50" + ROW) * 2, piece, with_nulls=True) == [[b"HD", None, row[2], None]] * 2


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        (VOTableField("a", "int"), "!!!!", "damaged"),
        (VOTableField("a", "int"), "AAAA", "cut short"),
        (VOTableField("a", "char", "*"), "f////w==", "a cell of more than 16 MB"),
        (VOTableField("a", "char", "0"), "", "have no size"),
        (VOTableField("a", "x"), "", "unknown type"),
    ],
)
def test_damaged_streams_are_refused(field: VOTableField, text: str, message: str) -> None:
    with pytest.raises(VOTableError, match=message):
        binary = BinaryRows([field], with_nulls=False)
        list(binary.rows(text))
        binary.end()


@pytest.mark.parametrize("columns", [65, 2000])
def test_many_columns_without_size_are_refused(columns: int) -> None:
    """Rows of one byte would become lists of thousands of cells."""
    fields = [VOTableField("a", "int"), *[VOTableField("b", "char", "0")] * (columns * 4)]
    with pytest.raises(VOTableError, match="columns without size"):
        BinaryRows(fields, with_nulls=False)
    assert list(BinaryRows(fields[:100], with_nulls=False).rows("AAAAAQ==")) == [
        [b"\0\0\0\1", *[b""] * 99]
    ]
