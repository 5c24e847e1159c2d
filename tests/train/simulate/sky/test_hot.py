from __future__ import annotations

from tests.train.simulate.sky.helpers import draws, median


def test_helium_follows_temperature() -> None:
    assert median(draws("B", "B V"), "EW_HeI_4471") > 0.3
    cool_a = tuple(s for s in draws("A", "A V") if float(s.parameters["kelvin"]) < 8500)
    assert len(cool_a) > 5 and median(cool_a, "EW_HeI_4471") < 0.15
    assert median(draws("O"), "EW_HeII_4542") > 0.25
    assert abs(median(draws("B", "B V"), "EW_HeII_4542")) < 0.15


def test_the_balmer_series_of_a_b_star_goes_further_than_that_of_a_hot_subdwarf() -> None:
    """H10 over H gamma is 0.5 to 0.7 in the B stars of MILES, and below 0.4 in hot subdwarfs."""
    shares = {
        label: median(some, "EW_H_10") / median(some, "EW_H_gamma")
        for label, some in (("B", draws("B", "B V")), ("SDB", draws("SDB", "sdB")))
    }
    assert shares["B"] > 0.45 > 0.38 > shares["SDB"]


def test_a_and_f_stars_have_the_jump_of_real_ones() -> None:
    """The flux at 4040 over that at 3720 is 2.3 to 2.6 in the A stars of MILES, 1.6 to 1.8 in F."""
    warm = tuple(s for s in draws("F", "F dwarf") if float(s.parameters["kelvin"]) > 6300)
    assert 1.4 < median(warm, "Balmer_jump_3720") < 2.0
    assert 2.0 < median(draws("A", "A V"), "Balmer_jump_3720") < 3.0
    assert median(warm, "HgA") > 3.0
