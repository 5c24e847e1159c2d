"""What a spectrum says of itself, as plain values for JSON."""

from __future__ import annotations

import math
from typing import Any

from agent.spectra.spectrum import Spectrum


def summary(spectrum: Spectrum) -> dict[str, Any]:
    """The record whose keys scripts rely on; None for unknown values."""
    return {
        "survey": spectrum.survey,
        "release": spectrum.release,
        "format": spectrum.format,
        "object_id": spectrum.object_id,
        "ra": finite(spectrum.ra),
        "dec": finite(spectrum.dec),
        "class": spectrum.class_name,
        "subclass": spectrum.subclass,
        "snr": finite(spectrum.snr),
        "z": finite(spectrum.z),
        "n_pixels": len(spectrum),
        "n_bad": spectrum.n_bad,
        "wavelength": list(spectrum.range),
        "medium_in_file": spectrum.medium_in_file,
        "flux_unit": spectrum.flux_unit,
        "row": spectrum.row,
        "rows": spectrum.rows,
        "simulated": spectrum.simulated,
        "warnings": list(spectrum.warnings),
    }


def finite(value: float | None) -> float | None:
    """None for a number that JSON cannot hold."""
    return value if value is not None and math.isfinite(value) else None
