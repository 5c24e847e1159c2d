"""Titles of the axes, and what the badges say."""

import pytest

from agent.spectra.lines import builtin_lines
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.judge.plot.axes.titles import badges, flux_axis_title, wavelength_title
from app.ui.judge.plot.trace import trace
from app.ui.session.candidate.view_options import ViewOptions
from tests.app.ui.judge.plot.spectra import spectrum

HALPHA = builtin_lines()["H_alpha"]


@pytest.mark.parametrize(
    ("frame", "title"),
    [
        (WavelengthFrame(), "Wavelength (Å, vacuum)"),
        (WavelengthFrame(unit="nm", is_air=True), "Wavelength (nm, air)"),
        (WavelengthFrame(is_rest=True), "Rest wavelength (Å, vacuum)"),
        (WavelengthFrame(is_rest=True, is_air=True), "Rest wavelength (Å, air)"),
        (WavelengthFrame(line=HALPHA), "Velocity about Hα (km/s)"),
        (WavelengthFrame(line=HALPHA, is_rest=True), "Velocity about Hα at rest (km/s)"),
    ],
)
def test_the_wavelength_axis_says_unit_frame_and_medium(frame, title):
    assert wavelength_title(frame) == title


def test_the_flux_axis_says_quantity_and_unit():
    for quantity, title in [
        ("file", "Flux (10⁻¹⁷ erg s⁻¹ cm⁻² Å⁻¹)"),
        ("per_wavelength", "f_λ (10⁻¹⁷ erg s⁻¹ cm⁻² Å⁻¹)"),
        ("per_frequency", "f_ν (10⁻²⁸ erg s⁻¹ cm⁻² Hz⁻¹)"),
        ("normalised", "Normalised flux"),
    ]:
        made = spectrum(flux_unit="1e-17 erg/s/cm2/A", peak=0.0)
        made = spectrum(flux_unit="1e-17 erg/s/cm2/A", flux=2.0 * made.flux)
        assert flux_axis_title(trace(made, quantity=quantity), made.flux_unit) == title
    assert flux_axis_title(trace(spectrum()), "") == "Relative flux"
    assert flux_axis_title(None, "mJy") == "Flux (mJy)"


def test_badges_say_what_is_not_as_usual():
    made = spectrum(flux_unit="")
    assert badges(ViewOptions(), WavelengthFrame(), made) == []
    options = ViewOptions(z=-160 / 299792.458, flux="per_frequency", flux_log=True, medium="air")
    assert badges(options, options.frame(made), made) == [
        *("RV \N{MINUS SIGN}160 km/s", "air", "no f_ν from this unit · log")
    ]
    assert badges(ViewOptions(z=0.5), WavelengthFrame(z=0.5), made) == ["z = 0.5000"]
