"""Lines of JSON, whatever is in them."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.worker.errors import WireError
from app.worker.wire import MAX_BYTES, encode, read_message

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), JSON, max_size=5), st.text())
def test_what_is_sent_is_what_arrives(body: dict[str, object], kind: str) -> None:
    message = {**body, "type": kind}
    line = encode(message)
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert read_message(BytesIO(line)) == message


def test_half_a_surrogate_and_no_number_pass() -> None:
    message = read_message(BytesIO(encode({"type": "text", "text": "\ud800", "x": float("inf")})))
    assert message == {"type": "text", "text": "\ud800", "x": float("inf")}


@given(st.binary(max_size=200))
def test_any_bytes_are_messages_or_refused_line_by_line(junk: bytes) -> None:
    stream = BytesIO(junk + b"\n" + encode({"type": "end"}))
    for _ in range(junk.count(b"\n") + 1):
        try:
            assert read_message(stream) is not None
        except WireError as error:
            assert "\n" not in str(error)
    assert read_message(stream) == {"type": "end"}
    assert read_message(stream) is None


def test_a_line_too_long_is_skipped() -> None:
    stream = BytesIO(b'{"type": "' + b"x" * (2 * MAX_BYTES) + b'"}\n' + encode({"type": "end"}))
    with pytest.raises(WireError, match="16 MB"):
        read_message(stream)
    assert read_message(stream) == {"type": "end"}


def test_a_line_cut_off_is_the_end() -> None:
    assert read_message(BytesIO(b'{"type": "done"}')) is None
    assert read_message(BytesIO()) is None


def test_the_longest_line_passes_and_one_more_byte_does_not() -> None:
    room = MAX_BYTES - len(encode({"type": "x", "t": ""}))
    assert read_message(BytesIO(encode({"type": "x", "t": "y" * room}))) is not None
    with pytest.raises(WireError, match="too long"):
        encode({"type": "x", "t": "y" * (room + 1)})


def test_what_is_no_json_is_not_sent() -> None:
    loop: dict[str, object] = {"type": "x"}
    loop["self"] = loop
    for message in ({"type": "x", "n": np.float32(1)}, {"type": "x", "n": {1, 2}}, loop):
        with pytest.raises(WireError):
            encode(message)
