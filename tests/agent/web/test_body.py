"""Bodies that are longer or packed otherwise than they may be."""

from itertools import repeat

import pytest

from agent.web.body import is_packed, whole_body


class Refused(Exception):
    pass


def test_a_body_of_the_size_that_is_allowed_comes_whole():
    assert whole_body(iter([b"ab", b"", b"cd"]), 4, Refused(), "4") == b"abcd"
    assert whole_body(iter([]), 4, Refused(), "nonsense") == b""


def test_an_endless_body_is_left_after_the_piece_that_is_too_much():
    come = []

    def pieces():
        for piece in repeat(b"x" * 100):
            come.append(piece)
            yield piece

    with pytest.raises(Refused):
        whole_body(pieces(), 1000, Refused())
    assert len(come) == 11


@pytest.mark.parametrize("announced", ["1001", "9" * 5000])
def test_an_announced_size_is_believed_where_it_is_too_large(announced):
    def pieces():
        pytest.fail("the body was read")
        yield b""

    with pytest.raises(Refused):
        whole_body(pieces(), 1000, Refused(), announced)


def test_what_is_packed():
    assert is_packed({"content-encoding": "gzip"}) and is_packed({"content-encoding": " BR "})
    assert not is_packed({"content-encoding": "Identity"}) and not is_packed({})
