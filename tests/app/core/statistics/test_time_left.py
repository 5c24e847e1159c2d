from __future__ import annotations

from app.core.statistics.time_left import TimeLeft, estimate


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_one_tells_about_the_others():
    assert estimate(0.5, 60, 1) == "", "half a minute is not worth a word"
    assert estimate(12.34, 5000, 4) == ("about 12.3 s a spectrum: 4 h 17 min for the other 5,000\n")


def test_after_the_first_where_the_number_is_known():
    clock = Clock()
    left = TimeLeft(101, now=clock)
    clock.now = 12.0
    assert left.one_more(4) == "about 12.0 s a spectrum: 5 min for the other 100\n"
    clock.now = 99.0
    assert left.one_more(4) == "", "once"


def test_where_the_number_is_found_it_speaks_when_it_is():
    """Two at a time end each ten seconds, then four, then eight, and eight are kept."""
    clock = Clock()
    left = TimeLeft(1000, now=clock)
    said = []
    for at_once, rounds in ((2, 3), (4, 3), (8, 2)):
        for _ in range(rounds):
            clock.now += 10.0
            said += [left.one_more(None) for _ in range(at_once)]
    assert set(said) == {""}
    clock.now += 10.0
    done = len(said) + 1
    assert left.one_more(8) == (
        f"8 at once, about 10.0 s a spectrum: 20 min for the other {1000 - done}\n"
    )
    assert left.one_more(8) == ""


def test_a_short_rest_is_not_worth_a_word_later_either():
    clock = Clock()
    left = TimeLeft(20, now=clock)
    for _ in range(10):
        clock.now += 1.0
        assert left.one_more(None) == ""
    assert left.one_more(2) == ""
