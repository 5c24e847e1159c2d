"""What a fitted line says: its numbers on the message line and in a copy, or why there is none."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication

from agent.spectra.measure.fitted_profile import FitError, FittedProfile
from app.core.spectra.wavelength_frame import WavelengthFrame

translate = QCoreApplication.translate
MOST_DECIMALS = 4


def fit_text(fit: FittedProfile, line: str, frame: WavelengthFrame) -> str:
    """One sentence about a fit, with its centre in the frame of the axis."""
    frame = frame.of_wavelengths
    step = abs(frame.shown(fit.centre + fit.centre_error) - frame.shown(fit.centre))
    centre = f"{_with_error(frame.shown(fit.centre), step)} {frame.unit_shown}"
    text = (
        translate("fit_texts", "Gaussian fit of {line}: {numbers}")
        if fit.shape == "gaussian"
        else translate("fit_texts", "Voigt fit of {line}: {numbers}")
    )
    text = text.replace("{numbers}", f"{centre} · {_numbers(fit)}").replace("{line}", line)
    if fit.is_poor:
        text += " · " + translate("fit_texts", "the shape does not fit; more than one line?")
    return text


def copied_fit(fit: FittedProfile) -> str:
    """A line of the copied measurements: observed vacuum angstrom."""
    centre = f"{_with_error(fit.centre, fit.centre_error)} Å (observed, vacuum)"
    return f"{fit.shape} fit: {centre} · {_numbers(fit)}"


def why_not_fitted(error: FitError) -> str:
    match error.reason:
        case "no_pixels":
            return translate("fit_texts", "Not fitted: too few good pixels between the points")
        case "not_positive":
            return translate("fit_texts", "Not fitted: the continuum is not positive")
        case "noise":
            return translate("fit_texts", "Not fitted: no line stands out of the noise by 5 σ")
        case "wide":
            return translate(
                "fit_texts", "Not fitted: the line is as wide as the range; measure a wider one"
            )
        case "narrow":
            return translate("fit_texts", "Not fitted: it is narrower than a pixel, as a spike is")
        case "edge":
            return translate("fit_texts", "Not fitted: the centre runs into one of the two points")
        case "wings":
            return translate("fit_texts", "Not fitted: no Lorentzian wings show; fit a Gaussian")
    return translate("fit_texts", "Not fitted: no best profile was found")


def _numbers(fit: FittedProfile) -> str:
    kms = _with_error(fit.fwhm_kms, fit.fwhm_kms_error)
    parts = [
        f"FWHM {_with_error(fit.fwhm, fit.fwhm_error)} Å ({kms} km/s)",
        f"EW {_with_error(fit.ew, fit.ew_error)} Å",
    ]
    if fit.reduced_chi2 is not None:
        parts.append(f"χ²/ν {fit.reduced_chi2:.2f}")
    return " · ".join(parts).replace("-", "\N{MINUS SIGN}")


def _with_error(value: float, error: float) -> str:
    """Both with two digits of the error."""
    digits = 1 - math.floor(math.log10(error)) if error > 0 else MOST_DECIMALS
    digits = min(max(digits, 0), MOST_DECIMALS)
    return f"{value:.{digits}f} ± {error:.{digits}f}"
