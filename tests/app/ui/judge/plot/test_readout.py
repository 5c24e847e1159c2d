"""Texts about a position on the spectrum."""

import numpy as np
import pytest

from agent.spectra.lines import builtin_lines
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.judge.plot import readout
from app.ui.judge.plot.readout import lines_nearby, measurements_text, readout_text
from app.ui.judge.plot.trace import trace
from tests.app.ui.judge.plot.spectra import spectrum

USUAL = WavelengthFrame()


def test_the_readout_says_wavelengths_flux_and_bad_pixels():
    made = spectrum(flux=np.full(3000, 3.2e-17), ivar=None)
    assert readout_text(made, 5000.0, USUAL) == "5000.0 Å   F 3.200e-17"
    assert "λ₀ 4950.5 Å" in readout_text(made, 5000.0, WavelengthFrame(z=0.01))
    assert "F" not in readout_text(made, 9999.0, USUAL)
    ivar = np.ones(3000)
    ivar[1500] = 0.0
    made = spectrum(ivar=ivar)
    assert readout_text(made, made.wavelength[1500], USUAL).endswith("✕")
    assert [readout.flux_text(x) for x in (0.0, 12.3456, -1e-19)] == ["0", "12.35", "-1.000e-19"]


@pytest.mark.parametrize(
    ("unit", "exponent", "title"),
    [
        ("", 0, "Relative flux"), ("", -17, "Relative flux (10⁻¹⁷)"),
        ("1e-17 erg/s/cm2/A", 0, "Flux (10⁻¹⁷ erg s⁻¹ cm⁻² Å⁻¹)"),
        ("1e-17 erg/s/cm2/A", 2, "Flux (10⁻¹⁵ erg s⁻¹ cm⁻² Å⁻¹)"),
        ("1e-17 erg/s/cm2/A", 17, "Flux (erg s⁻¹ cm⁻² Å⁻¹)"),
        ("10**-17 erg/(s cm2 Angstrom)", 0, "Flux (10⁻¹⁷ erg s⁻¹ cm⁻² Å⁻¹)"),
        ("10^(-17) erg cm^-2 s^-1 Ang^-1", 0, "Flux (10⁻¹⁷ erg cm⁻² s⁻¹ Å⁻¹)"),
        ("erg / (s cm2 Å)", -16, "Flux (10⁻¹⁶ erg s⁻¹ cm⁻² Å⁻¹)"),
        ("2.5e-17 W m-2 um-1", 0, "Flux (2.5 × 10⁻¹⁷ W m⁻² µm⁻¹)"),
        ("MJy/sr", 0, "Flux (MJy sr⁻¹)"), ("counts", 0, "Flux (ct)"),
        ("DN / furlong2", -3, "Flux (10⁻³ DN / furlong2)"),
        ("erg/(s cm2", 0, "Flux (erg/(s cm2)"), ("erg/s)", 0, "Flux (erg/s))"),
        ("1e-17 <b>erg</b>", 0, "Flux (1e-17 <b>erg</b>)"),
        ("x" * 500, 0, f"Flux ({'x' * 39}…)"), ("/" * 500, 0, f"Flux ({'/' * 39}…)"),
    ],
)  # fmt: skip
def test_the_axis_says_its_unit(unit, exponent, title):
    assert readout.flux_title("Relative flux", "Flux", unit, exponent) == title


def test_measurements_name_lines_and_what_was_on_screen():
    text = measurements_text(spectrum(), (6450.0, 6750.0), USUAL)
    assert "range: 6450.00 to 6750.00 Å, observed, vacuum" in text
    (line,) = (each for each in text.splitlines() if each.startswith("Hα (emission): "))
    assert line.endswith(" σ") and "sigma" not in line and ".0 σ" not in line
    assert "strongest feature (emission): centroid" in text
    frame = WavelengthFrame(unit="nm", is_air=True, z=0.001)
    text = measurements_text(spectrum(), (6450.0, 6750.0), frame)
    assert "range on screen: 644.822 to 674.814 nm, observed, air" in text
    assert "range: 6450.00 to 6750.00 Å, observed, vacuum" in text
    assert "Hα +109 km/s" in lines_nearby(builtin_lines(), 6567.0, 0.0)
    assert lines_nearby(builtin_lines(), 8000.0 * 1e3, 0.0) == ""
    assert "sky" in lines_nearby(builtin_lines(), 5578.5, 0.3)


def test_the_readout_has_unit_medium_frame_and_quantity_of_the_axis():
    made = spectrum()
    at_rest = WavelengthFrame(unit="nm", is_air=True, is_rest=True, z=0.01)
    text = readout_text(made, 6630.257, at_rest)
    assert text.startswith("λ₀ 656.28 nm   λ 662.84 nm   (air)   F ")
    halpha = builtin_lines()["H_alpha"]
    text = readout_text(made, halpha.wavelength * 1.001, WavelengthFrame(line=halpha))
    assert text.startswith("+300 km/s   6571.2 Å   F ")
    made = spectrum(flux_unit="1e-17 erg/s/cm2/A", flux=np.full(3000, 3.0), ivar=None)
    drawn = trace(made, quantity="per_frequency")
    # 3e-17 erg/s/cm2/Å at 5000 Å is 3e-17 * 5000² / c.
    assert readout_text(made, 5000.0, USUAL, drawn=drawn).endswith("f_ν 2.502e-28")
