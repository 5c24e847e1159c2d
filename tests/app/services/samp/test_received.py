"""Messages of strangers: what is sound is understood, all else is refused with a reason."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.samp import sent
from app.services.samp.library import RefusedMessage
from app.services.samp.received import (
    HIGHLIGHT,
    LOAD_FITS,
    LOAD_SPECTRUM,
    LOAD_VOTABLE,
    MAX_ROWS,
    MTYPES,
    POINT,
    SELECT,
    FileOffered,
    PointedAt,
    RowPicked,
    RowsPicked,
    checked,
)


def test_sound_messages():
    row = checked(HIGHLIGHT, {"table-id": "t", "row": "12"}, "topcat")
    assert row == RowPicked(sender="topcat", table_id="t", url="", row=12)
    # Against the standard, but some programs do it.
    assert checked(HIGHLIGHT, {"url": "u", "row": 12}, "x") == RowPicked(
        sender="x", table_id="", url="u", row=12
    )
    rows = checked(SELECT, {"table-id": "t", "row-list": ["0", "2"]}, "x")
    assert rows == RowsPicked(sender="x", table_id="t", url="", rows=(0, 2))
    assert checked(SELECT, {"table-id": "t", "row-list": []}, "x").rows == ()
    point = checked(POINT, {"ra": "359.9", "dec": "-90"}, "x")
    assert point == PointedAt(sender="x", ra=359.9, dec=-90.0)
    table = checked(LOAD_FITS, {"url": "file:///t", "table-id": "t", "name": "a\nb"}, "x")
    assert table == FileOffered(
        sender="x", mtype=LOAD_FITS, url="file:///t", name="a b", table_id="t"
    )
    assert table.is_table
    spectrum = checked(LOAD_SPECTRUM, {"url": "file:///s", "meta": {"any": "thing"}}, "x")
    assert isinstance(spectrum, FileOffered) and not spectrum.is_table


@pytest.mark.parametrize(
    ("mtype", "params"),
    [
        *((mtype, None) for mtype in MTYPES),
        *((mtype, []) for mtype in MTYPES),
        *((mtype, {}) for mtype in MTYPES),
        *((HIGHLIGHT, {"table-id": "t", "row": row}) for row in ("-1", "1.5", "٣", "", None, True)),
        *((HIGHLIGHT, {"table-id": "t", "row": row}) for row in ("9" * 19, "9" * 10_000, [], -3)),
        (HIGHLIGHT, {"row": "1"}),
        (HIGHLIGHT, {"table-id": 5, "row": "1"}),
        (HIGHLIGHT, {"table-id": "t" * 10_000, "row": "1"}),
        (SELECT, {"table-id": "t", "row-list": "1"}),
        (SELECT, {"table-id": "t", "row-list": [["1"]]}),
        (SELECT, {"table-id": "t", "row-list": ["1"] * (MAX_ROWS + 1)}),
        *((POINT, {"ra": ra, "dec": "0"}) for ra in ("nan", "inf", "361", "-1", "x", None, [], {})),
        *((POINT, {"ra": "0", "dec": dec}) for dec in ("91", "nan", "1" * 1000, True)),
        (LOAD_VOTABLE, {"url": ["file:///t"]}),
        (LOAD_VOTABLE, {"url": "file:///" + "x" * 10_000}),
        ("client.env.get", {"name": "HOME"}),
    ],
)
def test_what_is_refused(mtype, params):
    with pytest.raises(RefusedMessage) as refused:
        checked(mtype, params, "x")
    assert str(refused.value) and len(str(refused.value)) < 300


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(("table-id", "url", "row", "row-list", "ra", "dec", "name"))


@given(st.sampled_from(MTYPES), ANYTHING | st.dictionaries(KEYS, ANYTHING))
def test_nothing_but_a_refusal_comes_of_nonsense(mtype, params):
    try:
        found = checked(mtype, params, "x")
    except RefusedMessage:
        return
    assert isinstance(found, RowPicked | RowsPicked | PointedAt | FileOffered)


# TOPCAT refuses anything but texts.
@pytest.mark.parametrize(
    "params",
    [
        sent.table(Path("/a b/ü.vot"), "t", "n"), sent.row("t", "u", 5),
        sent.rows("t", "u", [1, 2]), sent.position(np.float64(10.5), -3),
        sent.spectrum(Path("/s.vot"), "s", "n"),
    ],
)  # fmt: skip
def test_all_values_are_texts(params):
    for value in params.values():
        inner = value.values() if isinstance(value, dict) else value
        for each in inner if not isinstance(value, str) else [value]:
            assert type(each) is str


def test_addresses_and_numbers():
    assert sent.table(Path("/a b/ü.vot"), "t", "n")["url"] == "file:///a%20b/%C3%BC.vot"
    assert sent.position(np.float64(10.5), -3) == {"ra": "10.5", "dec": "-3.0"}
