from __future__ import annotations

from tests.train.simulate.sky.helpers import draws, median


def test_helium_follows_temperature() -> None:
    assert median(draws("B", "B V"), "EW_HeI_4471") > 0.3
    cool_a = tuple(s for s in draws("A", "A V") if float(s.parameters["kelvin"]) < 8500)
    assert len(cool_a) > 5 and median(cool_a, "EW_HeI_4471") < 0.15
    assert median(draws("O"), "EW_HeII_4542") > 0.25
    assert abs(median(draws("B", "B V"), "EW_HeII_4542")) < 0.15
