"""Entries between two processes: what is read is what was written."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from app.core.importing.child.wire import entries_of, read_frame, write_entries, write_message
from app.core.importing.entries import FIELDS, Entries
from app.core.importing.formats.contents import Refused

WHOLE = st.integers(0, 2**63 - 1)


REAL = st.none() | st.floats(allow_nan=False, allow_infinity=False)


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


KINDS = {"line": WHOLE, "row": WHOLE} | dict.fromkeys(("ra", "dec", "score", "snr"), REAL)


ROW = st.tuples(*(KINDS.get(name, TEXT) for name in FIELDS))


def made(rows, refused=()):
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in FIELDS]
    return Entries(columns, [Refused(*each) for each in refused])


@given(rows=st.lists(ROW, max_size=20), refused=st.lists(st.tuples(WHOLE, TEXT), max_size=3))
def test_entries_come_back(rows, refused):
    pipe = io.BytesIO()
    write_entries(pipe, made(rows, refused))
    write_message(pipe, {"type": "end"})
    pipe.seek(0)
    found = entries_of(read_frame(pipe))
    assert found == made(rows, refused)
    assert read_frame(pipe)[0]["type"] == "end"
    assert read_frame(pipe) is None


def test_a_message_that_was_cut_off_is_the_end():
    pipe = io.BytesIO()
    write_entries(pipe, made([(1, "a", "/a", 0, 1.0, None, None, "", None, "{}", "a")]))
    whole = pipe.getvalue()
    for size in range(len(whole)):
        assert read_frame(io.BytesIO(whole[:size])) is None
