"""Tables of TAP services: every kind of cell, and what is no whole table."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from astropy.io.votable import from_table
from astropy.io.votable import parse as parse_votable
from astropy.table import MaskedColumn, Table

from app.services.catalogues.votable_reply import positions_table, rows_of
from app.services.web.errors import BadReply


def written(form: str) -> bytes:
    table = Table(
        {
            "n_": np.array([0, 1], dtype="int32"),
            "id": MaskedColumn(
                [5853498713190525696, 0], mask=[False, form != "binary"], dtype="int64"
            ),
            "mag": np.array([12.25, np.nan]),
            "small": np.array([0.1, 0.2], dtype="float32"),
            "name": ["V* AM Her", ""],
        }
    )
    stream = BytesIO()
    made = from_table(table)
    made.to_xml(stream, tabledata_format=form)
    return stream.getvalue()


@pytest.mark.parametrize("form", ["tabledata", "binary", "binary2"])
def test_numbers_texts_and_what_is_missing(form):
    first, second = rows_of(written(form), ["n_", "id", "mag", "small", "name"])
    assert first["id"] == 5853498713190525696 and first["mag"] == 12.25
    assert first["small"] == pytest.approx(0.1) and first["name"] == "V* AM Her"
    assert second["n_"] == 1 and second["mag"] is None and second["name"] is None


@pytest.mark.parametrize("form", ["tabledata", "binary", "binary2"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_half_a_table_is_no_answer(form, share):
    content = written(form)
    with pytest.raises(BadReply):
        list(rows_of(content[: int(share * len(content))], ["n_"]))


@pytest.mark.parametrize("content", [b"", b"  ", b"<html>", b"%PDF", b"<?xml version='1.0'?><a/>"])
def test_what_is_no_table_is_named(content):
    with pytest.raises(BadReply):
        list(rows_of(content, ["n_"]))


def test_what_we_upload_is_read_by_astropy():
    sent = positions_table([(10.123456789, -5.5), (359.9, 89.0)])
    table = parse_votable(BytesIO(sent)).get_first_table().to_table()
    assert table["ra"].tolist() == [10.123456789, 359.9] and table["n"].tolist() == [0, 1]
    assert table["dec"].unit == "deg"
