"""What a watcher sees when an attempt breaks off and the turn is said again."""

from __future__ import annotations

from agent.engines.base import RESTARTED
from agent.engines.remote.stream import Preview


def shown(*attempts: list[str]) -> list[str]:
    pieces: list[str] = []
    preview = Preview(pieces.append)
    for attempt in attempts:
        preview.start()
        for piece in attempt:
            preview.add(piece)
    preview.end()
    return pieces


def test_pieces_pass_as_they_come():
    assert shown(["a", "b", "", "c"]) == ["a", "b", "c"]


def test_the_same_words_again_are_not_shown_twice():
    assert shown(["a", "bc"], ["ab", "c", "d"]) == ["a", "bc", "d"]
    assert shown(["a", "bc"], ["abcd"]) == ["a", "bc", "d"]


def test_other_words_are_announced():
    assert shown(["a", "b"], ["a", "x", "y"]) == ["a", "b", RESTARTED, "ax", "y"]


def test_fewer_words_are_announced():
    assert shown(["a", "b"], ["a"]) == ["a", "b", RESTARTED, "a"]
    assert shown(["a", "b"], []) == ["a", "b", RESTARTED]


def test_a_third_attempt_goes_on_from_the_second():
    assert shown(["ab"], ["ax"], ["axy"]) == ["ab", RESTARTED, "ax", "y"]


def test_a_model_cannot_announce():
    assert shown(["a", "\r", "b\r\n"]) == ["a", "b\n"]


def test_nobody_may_listen():
    preview = Preview(None)
    preview.start()
    preview.add("a")
    preview.end()
