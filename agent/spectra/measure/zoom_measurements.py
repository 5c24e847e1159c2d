"""Measurements of a window that the agent zooms into, to check the lines it claims to see."""

from __future__ import annotations

import math
from typing import Any

from agent.spectra.lines import builtin_lines
from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.measure.window_measure import measure_window
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.rebinning import measurable
from agent.spectra.spectrum import Spectrum


def zoom_numbers(
    spectrum: Spectrum,
    lo: float,
    hi: float,
    z: float | None = None,
    velocity_kms: float | None = None,
) -> dict[str, Any]:
    """S/N, the strongest feature, known lines and band heads between `lo` and `hi`, as JSON.

    The window and the returned wavelengths are in the frame of the pictures, which is at rest if
    `z` is given. Lines are expected at `velocity_kms` in the frame of the file, or at that of `z`.
    """
    spectrum = measurable(spectrum)
    shift = 1.0 + (z or 0.0)
    if velocity_kms is None:
        velocity_kms = LIGHT_KMS * (z or 0.0)
    window = measure_window(spectrum, lo * shift, hi * shift, velocity_kms)
    numbers: dict[str, Any] = {"n_pixels": window.n_pixels, "n_bad": window.n_bad}
    if window.snr.value is not None:
        numbers["snr"] = rounded(window.snr.value)
    if window.feature is not None:
        numbers["feature"] = line_row(window.feature, shift)
        if window.nearest:
            numbers["feature"]["nearest"] = [near.line.label for near in window.nearest]
    if window.lines:
        numbers["lines"] = [line_row(line, shift) for line in window.lines]
    if window.edges:
        numbers["edges"] = [
            {"name": edge.name, "drop": rounded(edge.number), "sigma": rounded(edge.significance)}
            for edge in window.edges
        ]
    if window.unsafe:
        numbers["unsafe"] = list(window.unsafe)
    if window.reason:
        numbers["reason"] = window.reason
    return numbers


def line_row(line: LineMeasurement, shift: float) -> dict[str, Any]:
    """A line as JSON; `shift` divides its wavelength into the frame of the pictures.

    A forbidden line has no kind where there is a dip: something else absorbs there. Nor has a line
    whose peak and equivalent width have opposite signs, such as an emission core in broad wings.
    """
    values: dict[str, float | None] = {
        "centroid": None if line.centroid is None else line.centroid / shift,
        "ew": line.ew,
        "ew_error": line.ew_error,
        "fwhm_kms": line.fwhm_kms or None,  # 0 is an unresolved line, which has no width
        "sigma": significance_of(line),
    }
    known = {
        key: rounded(value, 6 if key == "centroid" else 3)
        for key, value in values.items()
        if value is not None and math.isfinite(value)
    }
    lists = builtin_lines()
    is_dip = line.kind == "absorption" and line.line in lists and lists[line.line].is_forbidden
    is_mixed = line.ew is not None and (
        (line.kind == "emission" and line.ew > 0) or (line.kind == "absorption" and line.ew < 0)
    )
    return {"name": line.line, "kind": "" if is_dip or is_mixed else line.kind, **known}


def significance_of(line: LineMeasurement) -> float | None:
    """That of the profile, or that of the equivalent width where no profile was found.

    There `line.significance` is that of the highest noise around, which is no line.
    """
    if line.is_detected:
        return line.significance
    if line.ew is None or not line.ew_error:
        return None
    return abs(line.ew) / line.ew_error


def rounded(value: float, digits: int = 3) -> float:
    """Rounded to significant digits, since the numbers are stored with every step."""
    return float(f"{value:.{digits}g}")
