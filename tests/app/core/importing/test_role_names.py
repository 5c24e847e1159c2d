"""Known names of columns."""

from __future__ import annotations

import pytest

from app.core.importing.role_names import is_known_name, normalized_name


@pytest.mark.parametrize("name", ["ra", "RA", "_RA", "RA (deg)", "Ra [deg]", " ra "])
def test_units_case_and_marks_do_not_matter(name):
    assert normalized_name(name) == "ra"
    assert is_known_name(name)


@pytest.mark.parametrize("name", ["", "Hα", "51602", "u_mag", "spec-0266.fits"])
def test_what_is_no_known_name(name):
    assert not is_known_name(name)
