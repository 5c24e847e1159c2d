from __future__ import annotations

from train.stars.labels import (
    AMONG_THE_LABELLED,
    AT_MOST,
    Star,
    label_from_parameters,
    label_from_spectral_type,
    thinned,
)


def test_a_cool_star_is_a_giant_or_a_dwarf_by_its_gravity() -> None:
    assert label_from_parameters("0001", 3500, 0.9) == "MG"
    assert label_from_parameters("0001", 3500, 4.9) == "M_DWARF"
    assert label_from_parameters("0001", 3500, 3.3) is None


def test_stars_between_two_classes_are_left_out() -> None:
    for kelvin in (3900, 5100, 6000, 7300, 10_000, 29_500):
        assert label_from_parameters("0001", kelvin, 3.5) is None
    assert (
        label_from_spectral_type("HD1", "K7III") is None
        and label_from_spectral_type("HD1", "sdF5") is None
    )


def test_none_of_the_labelled_spectra_comes_again() -> None:
    assert (
        label_from_parameters("0816", 3008, 0.0) is None
        and label_from_spectral_type("HD086161", "WN") is None
    )
    assert len(AMONG_THE_LABELLED) == 41


def test_giants_with_deep_zirconium_oxide_are_s_stars() -> None:
    assert label_from_parameters("0781", 3400, 0.3) == "SS"


def test_types_of_stelib() -> None:
    assert (
        label_from_spectral_type("HD1", "M6III") == "MG"
        and label_from_spectral_type("HD1", "M2V") == "M_DWARF"
    )
    assert (
        label_from_spectral_type("HD1", "B5III") == "B"
        and label_from_spectral_type("HD1", "WC") == "OTHER"
    )
    assert (
        label_from_spectral_type("Feige110", "DA:") == "OTHER"
        and label_from_spectral_type("LTT4364", "DC:") == "WD"
    )


def test_of_a_common_label_only_some_are_kept_from_all_of_the_list() -> None:
    many = [Star(f"{n:04}", "MILES", "K", "") for n in range(100)]
    few = [Star(f"{n:04}", "MILES", "MG", "") for n in range(30)]
    kept = thinned(many + few)
    common = [int(star.name) for star in kept if star.label == "K"]
    assert len(common) == AT_MOST["K"] and len(set(common)) == len(common)
    assert min(common) < 10 and max(common) > 90
    assert [star for star in kept if star.label == "MG"] == few
