"""Templates in the order of how well they fit a spectrum, each with its velocity."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from agent.spectra.matching.template_velocity import peak
from agent.spectra.matching.velocity_scan import MIN_PIXELS, Prepared, prepare, scan, stretches
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import FloatArray, Spectrum

ORDER = 6
"""Of the polynomial for the continuum; a higher one would take the bands of cool stars away."""
STAR_KMS, STAR_STEP_KMS = 1000.0, 60.0
FAR_STEP_KMS = 150.0


@dataclass(frozen=True, eq=False)
class RankedTemplate:
    """A template to be compared, at rest; it is shifted up to the redshift `z_max`."""

    name: str
    wavelength: FloatArray
    flux: FloatArray
    z_max: float = 0.0


@dataclass(frozen=True)
class Match:
    """How well a template fits: chi2 of a pixel, and the best 1 + z."""

    name: str
    chi2: float
    z: float
    is_trusted: bool
    """Whether the velocity stands out; without lines in common none does."""

    @property
    def velocity_kms(self) -> float:
        return LIGHT_KMS * self.z


def rank_templates(spectrum: Spectrum, templates: Iterable[RankedTemplate]) -> list[Match]:
    """All templates that overlap the spectrum enough, the best first. Any thread."""
    offered = list(templates)
    data = prepare(spectrum, ORDER)
    if data is None or not offered:
        return []
    data = _covered_by_most(data, offered)
    if data is None:
        return []
    found = [match for each in offered if (match := _match(data, each)) is not None]
    return sorted(found, key=lambda match: match.chi2)


def _covered_by_most(data: Prepared, templates: list[RankedTemplate]) -> Prepared | None:
    """The pixels that a typical template covers, so that all are compared over the same ones."""
    low = float(np.median([each.wavelength[0] for each in templates]))
    high = float(np.median([each.wavelength[-1] for each in templates]))
    margin = 1.0 + STAR_KMS / LIGHT_KMS
    inside = (data.wavelength > low * margin) & (data.wavelength < high / margin)
    return data.only(inside) if inside.sum() >= MIN_PIXELS else None


def _match(data: Prepared, template: RankedTemplate) -> Match | None:
    low, high = 1.0 - STAR_KMS / LIGHT_KMS, 1.0 + STAR_KMS / LIGHT_KMS
    step = STAR_STEP_KMS
    if template.z_max > 0.0:
        high, step = 1.0 + template.z_max, FAR_STEP_KMS
    coarse = scan(data, template.wavelength, template.flux, stretches(low, high, step))
    chi2 = float(coarse.chi2[coarse.best])
    if not math.isfinite(chi2):
        return None
    fit = peak(data, coarse, template.wavelength, template.flux)
    z = float(coarse.stretch[coarse.best]) - 1.0
    if math.isfinite(fit.velocity_kms):
        z = fit.velocity_kms / LIGHT_KMS
    return Match(template.name, chi2 / coarse.n_pixels, z, fit.is_trusted)
