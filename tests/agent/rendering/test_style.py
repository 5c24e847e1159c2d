from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import ResourceError
from agent.rendering.style import COMPACT, COMPACT_PANELS, PUBLISHED, Style


def test_a_card_names_a_built_in_style_or_spells_one_out() -> None:
    assert Style.from_table({"name": "published"}) == PUBLISHED
    assert Style.from_table({"name": "compact"}) == COMPACT
    sizes = {"width": 336, "height": 280, "tick_size": 13}
    spelt = {"name": "compact-panels", "panels": "flux+normalised", **sizes}
    assert Style.from_table(spelt) == COMPACT_PANELS


@pytest.mark.parametrize(("table", "reason"), [
    ({}, "needs a name"),
    ({"name": 3}, "needs a name"),
    ({"name": "x", "widht": 336}, "unknown key widht"),
    ({"name": "x", "width": 330}, "multiples of 28"),
    ({"name": "x", "width": "336"}, "width must be a int"),
    ({"name": "x", "width": True}, "width must be a int"),
    ({"name": "x", "width": 28_000}, "between"),
    ({"name": "x", "line_width": float("nan")}, "between"),
    ({"name": "x", "grid": 1}, "grid must be a bool"),
    ({"name": "x", "panels": "three"}, "panels must be one of"),
    ({"name": "x", "layout": "own"}, "layout must be one of"),
    ({"name": "x", "layout": []}, "layout must be a str"),
    ({"name": "published", "width": 336}, "has no options"),
])  # fmt: skip
def test_faulty_tables_say_what_is_wrong(table: dict[str, Any], reason: str) -> None:
    with pytest.raises(ResourceError, match=reason):
        Style.from_table(table)


@given(
    st.dictionaries(
        st.sampled_from(["name", *Style.__dataclass_fields__]),
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.none())
        ),
    )
)
def test_only_resource_errors_come_out_of_any_table(table: dict[str, Any]) -> None:
    try:
        style = Style.from_table(table)
    except ResourceError:
        return
    assert style.width % style.multiple == 0
