"""Titles of the axes, and the badges that say which of them are not as usual."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from agent.spectra.spectrum import Spectrum
from app.core.spectra.flux_quantity import NORMALISED
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.candidate.axis_words import SYMBOLS, flux_words, wavelength_words
from app.ui.candidate.view_options import RV_LIMIT_KMS, ViewOptions
from app.ui.plot.readout import flux_title
from app.ui.plot.trace import Trace

translate = QCoreApplication.translate


def wavelength_title(frame: WavelengthFrame) -> str:
    if frame.line is not None:
        text = translate("titles", "Velocity about {line} (km/s)")
        if frame.is_rest:
            text = translate("titles", "Velocity about {line} at rest (km/s)")
        return text.replace("{line}", frame.line.label)
    if frame.is_rest:
        text = translate("titles", "Rest wavelength ({unit}, vacuum)")
        if frame.is_air:
            text = translate("titles", "Rest wavelength ({unit}, air)")
    else:
        text = translate("titles", "Wavelength ({unit}, vacuum)")
        if frame.is_air:
            text = translate("titles", "Wavelength ({unit}, air)")
    return text.replace("{unit}", frame.unit)


def flux_axis_title(drawn: Trace | None, unit: str) -> str:
    """`unit` is that of the file, for a plot without a spectrum."""
    if drawn is not None and drawn.quantity == NORMALISED:
        return translate("titles", "Normalised flux")
    relative, absolute = (
        translate("titles", "Relative flux"),
        translate("titles", "Flux"),
    )
    if drawn is None:
        return flux_title(relative, absolute, unit, 0)
    name = SYMBOLS.get(drawn.quantity, absolute)
    return flux_title(relative, name, drawn.flux_unit, drawn.exponent)


def badges(options: ViewOptions, frame: WavelengthFrame, spectrum: Spectrum | None) -> list[str]:
    """What the axes show that is not as usual, and the velocity by which lines are shifted."""
    velocity = [velocity_badge(options)] if options.z else []
    words = wavelength_words(frame), flux_words(options, spectrum)
    return [*velocity, *(" · ".join(each) for each in words if each)]


def velocity_badge(options: ViewOptions) -> str:
    if abs(options.velocity_kms) > RV_LIMIT_KMS:
        return f"z = {options.z:.4f}"
    return f"RV {options.velocity_kms:+.0f} km/s".replace("-", "\N{MINUS SIGN}")
