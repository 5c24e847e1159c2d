from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import ResourceError
from agent.rendering import robust
from agent.rendering.render import render_array
from agent.rendering.style import COMPACT, COMPACT_PANELS, PUBLISHED, Style
from agent.spectra.spectrum import Spectrum

DARK = 100


def slope(points: int = 600) -> Spectrum:
    rng = np.random.default_rng(3)
    wavelength = np.linspace(4000, 7000, points)
    return Spectrum(wavelength=wavelength, flux=wavelength / 500 + rng.normal(0, 0.05, points))


@pytest.mark.parametrize("size", [(336, 224), (112, 84), (448, 448), (1008, 504)])
@pytest.mark.parametrize("panels", ["flux", "flux+normalised"])
@pytest.mark.parametrize("dressed", [True, False])
def test_size_is_exact(size: tuple[int, int], panels: str, dressed: bool) -> None:
    style = replace(
        COMPACT, width=size[0], height=size[1], panels=panels, names=dressed, title=dressed,
        box=dressed, wavelength_ticks=6 * dressed, flux_ticks=3 * dressed, grid=dressed,
    )  # fmt: skip
    picture = render_array(slope(), style=style, title="Spectrum")
    assert picture.shape == (size[1], size[0], 3)
    assert (picture < DARK).all(axis=2).any()


def test_a_cosmic_ray_does_not_flatten_the_spectrum() -> None:
    clean = slope()
    struck = clean.flux.copy()
    struck[300] = 1e6
    low, high = robust.limits(struck)
    assert robust.limits(clean.flux) == pytest.approx((low, high), rel=0.02)
    hit = Spectrum(wavelength=clean.wavelength, flux=struck)
    rows = np.flatnonzero((render_array(hit, style=COMPACT)[:, 60:-20] < DARK).all(axis=2).any(1))
    assert np.ptp(rows) > 0.7 * COMPACT.height


def test_the_second_panel_removes_the_slope() -> None:
    spectrum = slope()
    flat = robust.normalised(spectrum.wavelength, spectrum.flux)
    tilt = np.polyfit(spectrum.wavelength, flat, 1)[0] * 3000
    assert abs(tilt) < 0.02
    assert np.median(flat) == pytest.approx(1.0, abs=0.03)
    one, two = render_array(spectrum, style=COMPACT_PANELS), render_array(spectrum, style=COMPACT)
    assert one.shape[0] == two.shape[0] + 56


def test_no_line_crosses_the_gap_between_two_arms() -> None:
    wavelength = np.r_[np.linspace(4900, 5400, 300), np.linspace(6300, 6900, 300)]
    spectrum = Spectrum(wavelength=wavelength, flux=np.linspace(1, 2, 600))
    picture = render_array(spectrum, style=replace(COMPACT, grid=False))
    middle = picture[20:180, 150:200]
    assert (middle == 255).all()


def test_crowded_pixels_are_shown_with_their_mean() -> None:
    rng = np.random.default_rng(5)
    spectrum = Spectrum(wavelength=np.linspace(4000, 9000, 5000), flux=rng.normal(10, 3, 5000))
    with_mean = render_array(spectrum, style=COMPACT)[10:180, 60:300]
    without = render_array(spectrum, style=replace(COMPACT, mean_line=False))[10:180, 60:300]
    dark = [np.count_nonzero((part < DARK).all(axis=2)) for part in (with_mean, without)]
    assert 0 < dark[0] < 0.5 * dark[1]


def test_labels_thin_out_where_they_would_touch() -> None:
    narrow = replace(COMPACT, width=112, tick_size=20.0)
    assert render_array(slope(), style=narrow).shape == (224, 112, 3)


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
