from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.engines.turn_text import TurnText


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in pairwise(edges)]


@given(text=st.text(), places=st.lists(st.integers(0, 1000)))
def test_pieces_join_to_the_text_however_letters_are_cut(text, places):
    pieces: list[str] = []
    speech = TurnText(on_text=pieces.append)
    for token in cut(text.encode("utf-8", "replace"), places):
        assert not speech.add(token)
    whole = text.encode("utf-8", "replace").decode()
    assert speech.finish() == whole == "".join(pieces)


def test_half_a_letter_waits_for_the_rest():
    pieces: list[str] = []
    speech = TurnText(on_text=pieces.append)
    speech.add("Å".encode()[:1])
    assert pieces == []
    speech.add("Å".encode()[1:])
    assert pieces == ["Å"]


@given(data=st.binary(), places=st.lists(st.integers(0, 1000)))
def test_broken_letters_become_the_replacement_mark(data, places):
    speech = TurnText()
    for token in cut(data, places):
        speech.add(token)
    assert speech.finish() == data.decode("utf-8", "replace")


class TestStop:
    def test_keeps_the_string_and_drops_what_follows(self):
        pieces: list[str] = []
        speech = TurnText(["</tool_call>"], pieces.append)
        assert not speech.add(b"a</tool")
        assert speech.add(b"_call>\n<")
        assert speech.last_token() == b"_call>"
        assert speech.finish() == "a</tool_call>" == "".join(pieces)

    def test_the_first_of_several_ends_it(self):
        speech = TurnText(["late", "ear"])
        assert speech.add(b"an early, late word")
        assert speech.finish() == "an ear"

    def test_no_string_is_no_end(self):
        assert not TurnText([""]).add(b"a")


class TestPlaces:
    def said(self, *tokens: str) -> TurnText:
        speech = TurnText()
        for token in tokens:
            speech.add(token.encode())
        return speech

    def test_the_last_one_counts(self):
        speech = self.said("{YES", "} {", "NO}")
        assert speech.end_of_last("{") == 7
        assert speech.end_of_last("[") is None
        assert not speech.ends_with("{")

    @pytest.mark.parametrize(
        ("end", "expected"), [(0, (0, "")), (3, (1, "")), (5, (1, "de")), (6, (2, ""))]
    )
    def test_between_tokens(self, end, expected):
        assert self.said("abc", "def").tokens_before(end) == expected

    def test_letters_stay_whole(self):
        speech = TurnText()
        for token in (b"a", b"\xc3", b"\x85b"):
            speech.add(token)
        assert speech.tokens_before(3) == (1, "Å")
