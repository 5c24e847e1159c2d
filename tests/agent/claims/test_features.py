from __future__ import annotations

import pytest

from agent.claims.features import Feature


@pytest.mark.parametrize(
    ("feature", "name"),
    [
        (Feature("H_alpha", is_line=True), "Hα"),
        (Feature("ZrO_6474_edge"), "ZrO edge at 6475.5"),
        (Feature("Dn4000"), "4000 Å break"),
        (Feature("H_gamma_D2"), "Hγ width at half depth"),
        (Feature("TiO5"), "TiO5"),
    ],
)
def test_names(feature: Feature, name: str) -> None:
    assert feature.name == name


def test_units_of_sums_and_edges_without_an_index() -> None:
    assert Feature("CaT").unit == "Å"
    assert Feature("CN_4216_edge").index.head is not None
