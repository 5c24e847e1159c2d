"""TOPCAT refuses anything but texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.services.samp import sent


@pytest.mark.parametrize(
    "params",
    [
        sent.table(Path("/a b/ü.vot"), "t", "n"),
        sent.row("t", "u", 5),
        sent.rows("t", "u", [1, 2]),
        sent.position(np.float64(10.5), -3),
        sent.spectrum(Path("/s.vot"), "s", "n"),
    ],
)
def test_all_values_are_texts(params):
    for value in params.values():
        inner = value.values() if isinstance(value, dict) else value
        for each in inner if not isinstance(value, str) else [value]:
            assert type(each) is str


def test_addresses_and_numbers():
    assert sent.table(Path("/a b/ü.vot"), "t", "n")["url"] == "file:///a%20b/%C3%BC.vot"
    assert sent.position(np.float64(10.5), -3) == {"ra": "10.5", "dec": "-3.0"}
