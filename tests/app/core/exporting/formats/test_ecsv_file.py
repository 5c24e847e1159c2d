"""YAML in the header of ECSV."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.core.exporting.formats.ecsv_file import yaml_line

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("aβ: ", max_size=4), inner),
    max_leaves=8,
)


@given(VALUES)
def test_any_value_is_one_line_of_ascii_that_is_read_back(value):
    line = yaml_line(value)
    assert line.isascii()
    assert line.isprintable()
    assert yaml.safe_load(line) == value


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="object"):
        yaml_line(object())
