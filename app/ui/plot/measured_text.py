"""What is measured in the window, as text for a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.spectra.spectrum import Spectrum
from agent.zoom_numbers import zoom_numbers
from app.ui.plot.trace import Range

UNITS = {"centroid": "Å", "ew": "Å", "ew_error": "Å", "fwhm_kms": "km/s", "sigma": "σ"}


def measured_text(spectrum: Spectrum, window: Range, z: float) -> str:
    """Lines of `name: value`; wavelengths in vacuum angstrom, at rest where z is not 0."""
    lo, hi = (end / (1.0 + z) for end in window)
    found = zoom_numbers(spectrum, lo, hi, z)
    lines = [
        f"object: {spectrum.object_id}" + (" (SIMULATED)" if spectrum.simulated else ""),
        f"range: {window[0]:.2f} to {window[1]:.2f} Å, observed, vacuum",
        *([f"z: {z:.6g}; range at rest: {lo:.2f} to {hi:.2f} Å"] if z else []),
        f"pixels: {found['n_pixels']}, bad: {found['n_bad']}",
    ]
    if "snr" in found:
        lines.append(f"S/N per pixel: {found['snr']}")
    if "feature" in found:
        lines.append(f"strongest feature: {_line_text(found['feature'])}")
    lines += [_line_text(line) for line in found.get("lines", ())]
    lines += [
        f"{edge['name']}: drop {edge['drop']}, {edge['sigma']} σ" for edge in found.get("edges", ())
    ]
    if "reason" in found:
        lines.append(str(found["reason"]))
    return "\n".join(lines) + "\n"


def _line_text(line: Mapping[str, Any]) -> str:
    names = {"ew": "EW", "fwhm_kms": "FWHM"}
    values = [
        f"{names.get(key, key)} {line[key]}"
        + (f" ± {line['ew_error']}" if key == "ew" and "ew_error" in line else "")
        + f" {UNITS[key]}"
        for key in ("centroid", "ew", "fwhm_kms", "sigma")
        if key in line
    ]
    return f"{line['name']} ({line['kind']}): " + ", ".join(values)
