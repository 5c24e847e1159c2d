"""Numbers of things."""

from __future__ import annotations

from app.core.session.counted_text import counted_text


def test_one_and_many():
    assert counted_text(1, "row") == "1 row"
    assert counted_text(0, "row") == "0 rows"
    assert counted_text(2000, "spectrum", "spectra") == "2,000 spectra"
    assert counted_text(1, "spectrum", "spectra") == "1 spectrum"
