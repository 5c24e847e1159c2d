"""Server-sent events, honest and hostile."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.engines.remote import stream
from agent.engines.remote.stream import TooLong, events, lines, read_all, read_json

LIMIT = 10_000


def data(*pieces: bytes) -> list[str]:
    return [event for event in events(pieces, LIMIT) if event is not None]


@given(st.lists(st.integers(0, 60), max_size=8))
def test_where_the_bytes_are_cut_does_not_matter(cuts):
    whole = 'data: {"a": "é"}\r\n\r\ndata: x\ndata: y\n\n: ping\n\ndata:z\n\n'.encode()
    edges = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    pieces = [whole[start:end] for start, end in pairwise(edges)]
    assert data(*pieces) == ['{"a": "é"}', "x\ny", "z"]


def test_what_was_cut_off_is_left_out():
    assert data(b"data: a\n\ndata: b\n") == ["a"]
    assert data(b"data: a\n\ndata: b") == ["a"]


def test_other_lines_are_heard_as_silence():
    found = list(events([b": ping\n\nevent: message\nid: 7\nretry: 1\ndata: a\n\n"], LIMIT))
    assert found == [None, None, None, None, "a"]


def test_error_lines_count_as_data():
    assert data(b'error: {"code": 500}\n\n') == ['{"code": 500}']


def test_a_reply_without_end_is_cut(monkeypatch):
    def forever(piece: bytes):
        while True:
            yield piece

    with pytest.raises(TooLong):
        list(lines(forever(b"data: x\n\n"), LIMIT))
    with pytest.raises(TooLong):
        read_all(forever(b"x"), LIMIT)
    monkeypatch.setattr(stream, "MAX_LINE", 1000)
    with pytest.raises(TooLong, match="line"):
        list(lines(forever(b"x"), 10**9))
    with pytest.raises(TooLong, match="event"):
        list(events(forever(b"data: xxxxxxxxxx\n"), 10**9))


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_no_bytes_raise(pieces):
    list(events(pieces, LIMIT))


@pytest.mark.parametrize(
    "text", ["", "nul", "[]", "1", '"a"', "[" * 100_000, "{" * 50, '{"a":' + "9" * 10_000 + "}"]
)
def test_only_objects_are_read(text):
    with pytest.raises(ValueError):
        read_json(text)


def test_an_object_is_read():
    assert read_json(b'{"a": 1}') == {"a": 1}
