from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as each
from hypothesis import strategies as some

from agent.spectra.fits.fits_header import Header
from tests.agent.spectra.readers.samples import card


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("K       =                   42 / comment", 42),
        ("K       = -1.5E-3", -0.0015),
        ("K       = 1.5D3", 1500.0),
        ("K       = -.5d-1/half", -0.05),
        ("K       = +7", 7),
        ("K       = .5", 0.5),
        ("K       = 5.", 5.0),
        ("K       = --5", "--5"),
        ("K       = .", "."),
        ("K       = 1_000", "1_000"),
        ("K       = -inf", "-inf"),
        ("K       = 1-2", "1-2"),
        ("K       = F", False),
        ("K       = ''", ""),
        ("K       = 'a' 'b'", "a"),
        ("K       =                    T / yes", True),
        ("K       = 'it''s / here'      / comment", "it's / here"),
        ("K       = 'no end", "no end"),
        ("K       =", None),
        ("K         42", None),
        ("HIERARCH ESO OBS ID = 7 / c", None),
    ],
)
def test_card_values(text: str, value: object) -> None:
    assert Header(card(text)).value("K") == value


def test_hierarch_and_repeated_cards() -> None:
    header = Header(card("HIERARCH ESO OBS ID = 7 / c") + card("A       = 1") + card("A       = 2"))
    assert header.value("ESO OBS ID") == 7
    assert header.integer("A") == 1


def test_numbers_written_as_text_and_not_finite_ones() -> None:
    header = Header(card("A       = '126     '") + card("B       = 1E999") + card("C       = NaN"))
    assert header.integer("A") == 126
    assert header.number("B") is None
    assert header.number("C") is None


@each(some.binary(max_size=400) | some.text(max_size=400).map(str.encode))
def test_any_bytes_are_a_header(raw: bytes) -> None:
    header = Header(raw)
    for keyword in header:
        header.value(keyword)
        number = header.number(keyword)
        assert number is None or np.isfinite(number)
