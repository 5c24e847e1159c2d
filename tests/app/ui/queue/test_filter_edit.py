"""What is offered while a filter is typed, and where it goes."""

from __future__ import annotations

import pytest

from app.core.queue import parse_filter
from app.ui.queue.filter_edit import CHOICES, completed, completions


@pytest.mark.parametrize(
    "text, offered",
    [
        ("verd", "verdict:unjudged"),
        ("snr>10 fl", "flag:star"),
        ("(-has:", "has:fault"),
        ("acc", "verdict:accept"),
        ("OWN.m", "own.mag_r"),
    ],
)
def test_for_the_word_in_front_of_the_cursor(text, offered):
    assert offered in completions(text, len(text), ("mag_r",))


@pytest.mark.parametrize("text", ["", "snr>10 ", "x", "verdict:unjudged"])
def test_nothing_where_nothing_is_meant(text):
    assert "verdict:unjudged" not in completions(text, len(text))


def test_a_choice_replaces_the_word_and_no_more():
    text = "snr>10 -fl other"
    assert completed(text, 10, "flag:star") == ("snr>10 -flag:star other", 17)


@pytest.mark.parametrize("choice", [each for each in CHOICES if each[-1] not in ":<>"])
def test_what_is_offered_can_be_read(choice):
    parse_filter(choice)


def test_odd_names_of_columns_are_quoted():
    (offered,) = completions("own.od", 6, ("odd name",))[:1] or ("",)
    assert offered == ""
    assert completions("own", 3, ("odd name",))[0] == 'own."odd name"'
