"""What a person has chosen about columns, as text; a stranger's text breaks nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.queue.columns import (
    MAX_ENTRIES,
    MAX_NAME,
    ColumnChoice,
    checked_name,
    choice_text,
    names_text,
    parse_choice,
    parse_names,
)


def test_a_choice_is_read_back():
    choice = ColumnChoice(
        shown={"own.mag": True, "snr": False}, order=("snr", "own.a\nb"), widths={"snr": 70}
    )
    assert parse_choice(choice_text(choice)) == choice


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "null", '{"shown": 3, "order": {}, "widths": []}', "[" * 100_000,
     '{"shown": {"a": "yes"}, "order": [1, null], "widths": {"a": 1e9, "b": true}}'],
)  # fmt: skip
def test_what_is_no_choice_counts_as_none(text):
    assert parse_choice(text) == ColumnChoice()


def test_a_stranger_cannot_make_it_large():
    text = choice_text(
        ColumnChoice(
            shown={f"own.{number}": True for number in range(5000)},
            order=tuple(map(str, range(5000))),
            widths={"snr": 10**9},
        )
    )
    choice = parse_choice(text)
    assert len(choice.shown) == len(choice.order) == MAX_ENTRIES
    assert choice.widths["snr"] <= 2000


def test_names_are_read_back_and_checked():
    assert parse_names(names_text({"snr": "S to N"})) == {"snr": "S to N"}
    assert parse_names('{"snr": 3, "ra": "", "dec": "a\\nb"}') == {"dec": "a b"}


@given(st.text(max_size=200))
def test_a_name_is_one_line(text):
    name = checked_name(text)
    assert len(name) <= MAX_NAME
    assert name.isprintable()
