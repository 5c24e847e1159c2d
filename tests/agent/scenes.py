"""Spectra and replies that tests of the inspector share."""

import json

import numpy as np

from agent.spectra.spectrum import Spectrum


def star(seed: int = 1, **named) -> Spectrum:
    """A blue continuum with a broad H alpha in emission, 3800 to 9000 Å."""
    rng = np.random.default_rng(seed)
    wavelength = np.linspace(3800.0, 9000.0, 2600)
    line = 3.0 * np.exp(-0.5 * ((wavelength - 6564.6) / 12.0) ** 2)
    flux = (wavelength / 5500.0) ** -1.5 + line + 0.03 * rng.standard_normal(wavelength.size)
    values = {"object_id": "J0001+0002", "path": "star.fits", **named}
    return Spectrum(wavelength=wavelength, flux=flux, ivar=np.full(flux.shape, 1111.0), **values)


def call(low: object, high: object, label: str | None = "Hα", thought: str = "Look closer.") -> str:
    arguments: dict[str, object] = {"wavelength_range": [low, high]}
    if label is not None:
        arguments["label"] = label
    body = json.dumps({"name": "spectral_visualization_tool", "arguments": arguments})
    return f"<think>{thought}</think>\n<tool_call>\n{body}\n</tool_call>"


def answer(verdict: str = "YES", reasons: str = "Broad Hα at 6565 Å.") -> str:
    return f"<think>Enough.</think>\n<answer>\\boxed{{{verdict}}} {reasons}</answer>"
