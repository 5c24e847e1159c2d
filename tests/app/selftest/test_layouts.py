"""Layouts written for the self-test."""

from __future__ import annotations

import pytest

from agent.spectra.readers import read
from app.selftest import spectra
from app.selftest.layouts import LAYOUTS


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_read_as_what_it_is(name, tmp_path):
    file_name, write = LAYOUTS[name]
    write(tmp_path / file_name, spectra.first_of("LAMOST"))
    found = read(tmp_path / file_name).format
    assert name in found or (name, found) == ("text", "CSV")
