"""What the flux axis shows: the flux of the file, per wavelength or frequency, or normalised."""

from dataclasses import replace

import numpy as np

from agent.spectra.measure.continuum import continuum_of
from agent.spectra.pixel_grid import LIGHT_KMS, pixel_grid
from agent.spectra.spectrum import FloatArray, Spectrum
from app.core.spectra.flux_unit import CGS, flux_density

AS_IN_FILE, PER_WAVELENGTH, PER_FREQUENCY = "file", "per_wavelength", "per_frequency"
NORMALISED = "normalised"
QUANTITIES = (AS_IN_FILE, PER_WAVELENGTH, PER_FREQUENCY, NORMALISED)
LIGHT_A_PER_S = LIGHT_KMS * 1e13
FLOOR = 0.05  # least continuum, as a fraction of its median, that a flux is divided by


def can_show(spectrum: Spectrum, quantity: str) -> bool:
    is_density = quantity in (PER_WAVELENGTH, PER_FREQUENCY)
    return not is_density or flux_density(spectrum.flux_unit) is not None


def conversion(spectrum: Spectrum, quantity: str) -> FloatArray | None:
    """What each pixel's flux is multiplied by; None where it stays as it is in the file."""
    if quantity == AS_IN_FILE or not can_show(spectrum, quantity):
        return None
    if quantity == NORMALISED:
        return inverse_continuum(spectrum)
    known = flux_density(spectrum.flux_unit)
    assert known is not None
    kind, size = known
    if kind == quantity:
        return np.full_like(spectrum.wavelength, size)
    square = spectrum.wavelength**2
    return size * (square / LIGHT_A_PER_S if quantity == PER_FREQUENCY else LIGHT_A_PER_S / square)


def inverse_continuum(spectrum: Spectrum) -> FloatArray | None:
    """1 over the running continuum, which is that of our measurements; None without one."""
    grid = pixel_grid(spectrum)
    if not grid.is_usable:
        return None
    continuum = continuum_of(grid)
    typical = float(np.median(np.abs(continuum)))
    if not typical > 0:
        return None
    return np.asarray(1.0 / (np.maximum(continuum, FLOOR * typical) * grid.scale))


def converted(spectrum: Spectrum, quantity: str, factor: FloatArray | None) -> Spectrum:
    """The spectrum with fluxes, errors and unit of a quantity, by its `conversion`."""
    if factor is None:
        return spectrum
    ivar = spectrum.ivar
    with np.errstate(all="ignore"):
        flux = spectrum.flux * factor
        ivar = None if ivar is None else ivar / factor / factor
    unit = "" if quantity == NORMALISED else CGS[quantity]
    return replace(spectrum, flux=flux, ivar=ivar, flux_unit=unit)
