"""Texts that a format cannot represent."""

from __future__ import annotations

import pytest
from astropy.table import Table

from app.core.exporting import export
from tests.app.core.exporting.catalogues import FORMATS, TYPED, listed, read_back, read_csv

ALONE = (
    "x ",
    " x",
    "\t",
    "a\nb",
    "100%",
    "a+b",
    "%41",
    "Hα",
    "\x7f",
    "\x85",
    "\u2028",
    "\r",
    "x" * 300,
)


@pytest.mark.parametrize("suffix", TYPED)
def test_each_odd_text_alone(session_path, suffix):
    """In a column with nothing else that would have it escaped."""
    own = {f"c{number}": text for number, text in enumerate(ALONE)}
    out = session_path.with_suffix(f".{suffix}")
    rows = [{"own": own}, {"own": dict.fromkeys(own, "plain")}]
    with listed(session_path, rows, [{"name": name} for name in own]) as session:
        export(session, out, which="all")
    found = read_back(out)
    assert {name: found[name] for name in own} == {
        name: [text, "plain"] for name, text in own.items()
    }


def test_half_characters_stop_nothing(session_path):
    with listed(session_path, [{"own": '{"a": "x\\ud83d"}'}], [{"name": "a"}]) as session:
        for suffix in FORMATS:
            out = session_path.with_suffix(f".{suffix}")
            assert export(session, out, which="all").rows == 1
    assert read_csv(session_path.with_suffix(".csv"))["a"] == ["x?"]
    assert Table.read(session_path.with_suffix(".fits"))["a"][0] == "x%ED%A0%BD"
