"""The redshift that the header of a file or the list gives for an object."""

from __future__ import annotations

import math
from typing import Literal

from agent.spectra.spectrum import Spectrum
from app.core.importing.role_names import normalized_name
from app.core.session.records import Candidate

COLUMNS = ("z", "redshift", "z_best", "zbest", "z_spec", "zspec", "z_helio")
LOWEST, HIGHEST = -0.1, 20.0

Origin = Literal["header", "list"]


def listed_redshift(
    spectrum: Spectrum | None, candidate: Candidate | None
) -> tuple[float, Origin] | None:
    """The redshift and where it is from, the header first; None if neither gives one."""
    if spectrum is not None and spectrum.z is not None and _is_possible(spectrum.z):
        return spectrum.z, "header"
    own = {} if candidate is None else candidate.own
    by_name = {normalized_name(name): value for name, value in own.items()}
    for name in COLUMNS:
        z = _number(by_name.get(name))
        if z is not None and _is_possible(z):
            return z, "list"
    return None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _is_possible(z: float) -> bool:
    return math.isfinite(z) and LOWEST < z < HIGHEST and z != 0.0
