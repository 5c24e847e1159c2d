"""Names and values that look like a neighbour's."""

from __future__ import annotations

import random

import pytest

from app.core.sharing.known.disguise import Style, beside, other, pattern, varied


@pytest.mark.parametrize(
    ("text", "digits"),
    [("J012345.67+012345.6", 2), ("spec-0001-55555-0123.fits.gz", 3), ("obs 100417", 4)],
)
def test_only_the_last_digits_change(text, digits):
    draw = random.Random(1)
    made = {varied(text, draw, digits) for _ in range(50)}
    assert len(made) > 20
    assert {pattern(each) for each in made} == {pattern(text)}
    head = text[
        : min(index for index, _ in enumerate(text) if _digits_after(text, index) == digits)
    ]
    assert all(each.startswith(head) for each in made)


def _digits_after(text, index):
    stem = text.partition(".fit")[0]
    return sum(letter.isdigit() for letter in stem[index + 1 :])


def test_a_name_written_as_in_the_list_is_kept_and_others_are_made_after_a_neighbour():
    style, draw = Style(), random.Random(2)
    style.add("J0001", "/a/J0001.fits")
    assert style.free("J0777", "J0001", style.names, draw) == "J0777"
    made = style.free("V1234 Cyg", "J0001", style.names, draw)
    assert pattern(made) == "J9999"
    assert made != "J0001"
    assert style.free("J0001", "J0001", style.names, draw) != "J0001"
    assert style.free("HZ Her", "no digits", {"no digits"}, draw) == "HZ Her"


def test_what_names_an_object_differs_and_so_do_numbers():
    draw = random.Random(3)
    assert other("STAR", draw) == "STAR"
    assert other(3, draw) == 3
    assert other(None, draw) is None
    assert other(100417203, draw) != 100417203
    made = other(17.25, draw)
    assert made != 17.25
    assert made == pytest.approx(17.25, rel=0.03)
    assert len(repr(made).partition(".")[2]) <= 2


def test_a_file_beside_another():
    assert beside("/data/a/1.fits", "2.fits") == "/data/a/2.fits"
    assert beside("https://host/a/1.fits", "2.fits") == "https://host/a/2.fits"
    assert beside("1.fits", "2.fits") == "2.fits"
