"""Ten kinds of odd spectra that no class names, to be planted in a simulated survey."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from agent.spectra.spectrum import Spectrum
from train.simulate.sky import draw_source
from train.simulate.sky.oddities import nebular
from train.simulate.sky.physics import value_at
from train.simulate.source import STEP_KMS, Rng, Source
from train.simulate.telescope.observation import Observation, log_uniform, to_spectrum
from train.simulate.telescope.telescope import observe

JOIN_AT = 5900.0


def _of(label: str) -> Callable[[Rng], Source]:
    return lambda rng: draw_source(label, rng)


def double_lined(rng: Rng) -> Source:
    """Two stars of the same kind, 200 to 500 km/s apart."""
    label = str(rng.choice(["F", "G", "K", "A"]))
    first = draw_source(label, rng)
    apart = round(float(rng.uniform(200.0, 500.0)) / STEP_KMS)
    second = np.roll(draw_source(label, rng).flux, apart)
    share = rng.uniform(0.6, 1.0) * value_at(first.flux, 5500.0) / value_at(second, 5500.0)
    return replace(first, flux=first.flux + share * second)


def white_dwarf_and_m_dwarf(rng: Rng) -> Source:
    white, red = draw_source("WD", rng), draw_source("M_DWARF", rng)
    share = rng.uniform(0.5, 1.5) * value_at(white.flux, 6800.0) / value_at(red.flux, 6800.0)
    return replace(white, flux=white.flux + share * red.flux)


def planetary_nebula(rng: Rng) -> Source:
    while (source := nebular(rng)).subtype != "compact nebula":
        pass
    return source


def _with_join(observed: Observation, rng: Rng) -> Observation:
    """The red arm is too high or too low by a third or more: two in a hundred of LAMOST's own
    spectra have a step of 0.3."""
    factor = float(np.exp(rng.choice([-1.0, 1.0]) * rng.uniform(0.35, 0.8)))
    red = observed.wavelength > JOIN_AT
    flux, ivar = observed.flux.copy(), observed.ivar.copy()
    flux[red] *= factor
    ivar[red] /= factor**2
    return replace(observed, flux=flux, ivar=ivar)


ODD_LABELS = ("QSO", "GALAXY", "NEBULA", "SYMBIOTIC", "WR", "YSO", "L_DWARF")
"""Kinds of the simulator that are among these ten: none of them is a false alarm."""
Change = Callable[[Observation, Rng], Observation]
KINDS: dict[str, tuple[Callable[[Rng], Source], Change | None]] = {
    "double-lined binary": (double_lined, None),
    "wrong join": (_of("G"), _with_join),
    "quasar": (_of("QSO"), None),
    "galaxy": (_of("GALAXY"), None),
    "planetary nebula": (planetary_nebula, None),
    "white dwarf + M dwarf": (white_dwarf_and_m_dwarf, None),
    "symbiotic star": (_of("SYMBIOTIC"), None),
    "Wolf-Rayet star": (_of("WR"), None),
    "young star": (_of("YSO"), None),
    "L dwarf": (_of("L_DWARF"), None),
}


def odd_spectrum(kind: str, rng: Rng, snr: tuple[float, float]) -> Spectrum:
    draw, change = KINDS[kind]
    observed = observe(draw(rng), "LAMOST", rng, snr=log_uniform(rng, snr))
    return to_spectrum(observed if change is None else change(observed, rng))
