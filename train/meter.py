"""The measurements of one spectrum, and where in its pictures each can be seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from agent.claims.features import Feature
from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.spectra.measure.indices import measure_index
from agent.spectra.measure.measurement import Measurement
from agent.spectra.measure.noise import signal_to_noise
from agent.spectra.pixel_grid import doppler
from agent.spectra.spectrum import Spectrum, Window, covers, frame_z


@dataclass(frozen=True, eq=False)
class Meter:
    """Measurements of a spectrum, with wavelengths in the frame of its pictures' axis."""

    numbers: SpectrumMeasurements

    @classmethod
    def of(cls, spectrum: Spectrum) -> Meter:
        return cls(measurements_of(spectrum))

    @property
    def spectrum(self) -> Spectrum:
        return self.numbers.spectrum

    @cached_property
    def z(self) -> float:
        return frame_z(self.spectrum) or 0.0

    @cached_property
    def shift(self) -> float:
        """Factor from rest wavelengths to the frame of the pictures."""
        return doppler(self.numbers.velocity_kms) / (1.0 + self.z)

    @cached_property
    def range(self) -> Window:
        low, high = self.spectrum.range
        return low / (1.0 + self.z), high / (1.0 + self.z)

    def window_of(self, feature: Feature) -> Window | None:
        """The range that shows a feature; None where only the whole spectrum does."""
        window = feature.window
        return None if window is None else (window[0] * self.shift, window[1] * self.shift)

    def strength(self, feature: Feature) -> Measurement:
        """Equivalent width of a line (absorption positive), or the value of an index."""
        if feature.is_line:
            return self.numbers.line_strength(feature.id)
        known = self.numbers.indices.get(feature.id)
        if known is None and feature.is_edge:
            return measure_index(self.spectrum, feature.index, self.numbers.velocity_kms)
        return known or self.numbers.index(feature.id)

    def width_kms(self, feature: Feature) -> Measurement:
        return self.numbers.line_width(feature.id)

    def snr(self, window: Window) -> float:
        """Median S/N per pixel; 0 where it cannot be measured."""
        low, high = (edge * (1.0 + self.z) for edge in window)
        return max(signal_to_noise(self.spectrum, low, high).value or 0.0, 0.0)

    def is_covered(self, window: Window) -> bool:
        """Whether most of a window holds good pixels."""
        return covers(self.spectrum, *(edge * (1.0 + self.z) for edge in window))

    @cached_property
    def is_cool(self) -> bool:
        return self.numbers.is_cool
