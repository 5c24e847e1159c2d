"""What we measure in a window the agent looks at, as plain numbers: so that invented lines show."""

from __future__ import annotations

import math
from typing import Any

from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.measure.window_measure import measure_window
from agent.spectra.sampling import LIGHT_KMS
from agent.spectra.spectrum import Spectrum


def zoom_numbers(
    spectrum: Spectrum, lo: float, hi: float, z: float | None = None
) -> dict[str, Any]:
    """S/N, the strongest feature, the known lines found and the band heads between `lo` and `hi`.

    The window is in the frame of the pictures, which `z` moved; wavelengths that come back are in
    that frame, too. Only names, numbers and texts: it goes into a line of JSON.
    """
    shift = 1.0 + (z or 0.0)
    found = measure_window(spectrum, lo * shift, hi * shift, velocity_kms=LIGHT_KMS * (z or 0.0))
    numbers: dict[str, Any] = {"n_pixels": found.n_pixels, "n_bad": found.n_bad}
    if found.snr.value is not None:
        numbers["snr"] = _rounded(found.snr.value)
    if found.feature is not None:
        numbers["feature"] = _line(found.feature, shift)
        if found.nearest:
            numbers["feature"]["nearest"] = [near.line.label for near in found.nearest]
    if found.lines:
        numbers["lines"] = [_line(line, shift) for line in found.lines]
    if found.edges:
        numbers["edges"] = [
            {"name": edge.name, "drop": _rounded(edge.number), "sigma": _rounded(edge.significance)}
            for edge in found.edges
        ]
    if found.unsafe:
        numbers["unsafe"] = list(found.unsafe)
    if found.reason:
        numbers["reason"] = found.reason
    return numbers


def _line(line: LineMeasurement, shift: float) -> dict[str, Any]:
    values: dict[str, float | None] = {
        "centroid": None if line.centroid is None else line.centroid / shift,
        "ew": line.ew,
        "ew_error": line.ew_error,
        "fwhm_kms": line.fwhm_kms,
        "sigma": line.significance,
    }
    known = {
        key: _rounded(value, 6 if key == "centroid" else 3)
        for key, value in values.items()
        if value is not None and math.isfinite(value)
    }
    return {"name": line.line, "kind": line.kind, **known}


def _rounded(value: float, digits: int = 3) -> float:
    """To so many significant digits: the record is read by people and kept small."""
    return float(f"{value:.{digits}g}")
