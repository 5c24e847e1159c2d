"""Lazy, cached measurements of one spectrum at the star's velocity."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import Any

from agent.evidence.star_velocity import StarVelocity, against_redshift, star_velocity
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.indices import measure_indices
from agent.spectra.measure.line_measure import STRONGER_BESIDE, measure_line
from agent.spectra.measure.line_search import NO_PROFILE
from agent.spectra.measure.measurement import LineMeasurement, Measurement, measured, refused
from agent.spectra.measure.noise import Quality, quality, signal_to_noise
from agent.spectra.measure.window_measure import (
    BETWEEN_BANDS,
    SAME,
    WIDEST_METAL_KMS,
    belongs_to_nearer_line,
    zoom_numbers,
)
from agent.spectra.pixel_grid import LIGHT_KMS, doppler
from agent.spectra.rebinning import measurable
from agent.spectra.spectrum import FASTEST_STAR_Z, Spectrum, Window, frame_z

MIN_LINE_SIGMA = 3.0
COOL_BREAK, BREAK_ERROR, COOL_TIO5 = 1.5, 0.15, 0.75
# Mg b in angstrom, of which A stars have up to 1.1, and MgH, which is 1.0 or more in hot stars.
COOL_MG_B, COOL_MGH = 1.5, 0.95
BANDS_TIO5 = 0.85  # some discs with an M star beside them are below it, too
HOT_SPECIES = ("He I", "He II", "C III", "C IV", "N III", "Si III", "Si IV")


@lru_cache(maxsize=4)
def measurements_of(spectrum: Spectrum) -> SpectrumMeasurements:
    """Shared measurements of a spectrum; the last few are cached."""
    return SpectrumMeasurements(measurable(spectrum))


def window_table(
    spectrum: Spectrum,
    lo: float,
    hi: float,
    z: float | None = None,
    numbers: SpectrumMeasurements | None = None,
) -> dict[str, Any]:
    """Measurements of a window in the rest frame of `z`, as every part of the program shows them.

    Lines are expected at the star's velocity, or at that of a `z` that a person has set. `numbers`
    are those of the spectrum, if the caller has them.
    """
    numbers = numbers or measurements_of(spectrum)
    if (z or 0.0) in (0.0, frame_z(spectrum)):
        table = zoom_numbers(numbers.spectrum, lo, hi, z, numbers.velocity_kms, numbers.line)
    else:
        table = zoom_numbers(spectrum, lo, hi, z)
    if numbers.is_late_type:
        _remove_false_lines(table, numbers)
    feature = table.get("feature", {})
    is_wide = feature.get("fwhm_kms", 0.0) >= WIDEST_METAL_KMS and not feature.get("nearest")
    if is_wide and (numbers.has_deep_bands or (numbers.is_cool and feature["kind"] == "emission")):
        # A band, or the flux between two.
        del table["feature"]
        table["reason"] = BETWEEN_BANDS
    return table


def _remove_false_lines(table: dict[str, Any], numbers: SpectrumMeasurements) -> None:
    """Remove metals and bands of a cool star that look like hot gas or like wide hydrogen lines.

    Lines that emit stay where Hα does, too, or is not covered, or where He I 5876 does: He I 7065
    of an AM CVn star looks like a head of TiO.
    """
    halpha, helium = numbers.line("H_alpha"), numbers.line("HeI_5876")
    is_measured = halpha.reason in ("", BETWEEN_BANDS)
    is_quiet = is_measured and "emission" not in (halpha.kind, helium.kind)

    def is_false(name: str, row: dict[str, Any]) -> bool:
        if name == "H_alpha" or not _is_gas_line(name):
            return False
        if row["kind"] != "absorption":
            return is_quiet
        # A hot star beside one with deep bands, such as a white dwarf, absorbs both.
        is_wide = row.get("fwhm_kms", 0.0) >= WIDEST_METAL_KMS
        return numbers.is_cool and (is_hot_line(name) or is_wide)

    if "lines" in table:
        table["lines"] = [row for row in table["lines"] if not is_false(row["name"], row)]
    feature = table.get("feature", {})
    if "nearest" in feature:
        known = builtin_lines().by_id.items()
        false = {line.label for name, line in known if is_false(name, feature)}
        feature["nearest"] = [label for label in feature["nearest"] if label not in false]


def is_hot_line(name: str) -> bool:
    """Whether this is a line of hot gas, which no star with TiO bands absorbs."""
    lines = builtin_lines()
    return name in lines and lines[name].kind == "line" and lines[name].species in HOT_SPECIES


def _is_gas_line(name: str) -> bool:
    lines = builtin_lines()
    return is_hot_line(name) or (name in lines and lines[name].species == "H I")


def measurements_at(spectrum: Spectrum, z: float) -> SpectrumMeasurements:
    """The measurements that agree with those of windows at the `z` of a person."""
    return measurements_at_velocity(
        spectrum, None if z in (0.0, frame_z(spectrum)) else LIGHT_KMS * z
    )


def measurements_at_velocity(spectrum: Spectrum, kms: float | None) -> SpectrumMeasurements:
    """The measurements at a velocity in the frame of the file, or at the star's own."""
    if kms is None:
        return measurements_of(spectrum)
    return SpectrumMeasurements(measurable(spectrum), StarVelocity(kms))


class SpectrumMeasurements:
    """Measurements at the star's velocity, each made once, on first use."""

    def __init__(
        self,
        spectrum: Spectrum,
        velocity: StarVelocity | None = None,
        index_names: frozenset[str] | None = None,
    ) -> None:
        """Of the indices only those of `index_names` are measured, or all."""
        self.spectrum = spectrum
        self._index_names = index_names
        self.velocity = star_velocity(spectrum) if velocity is None else velocity
        self.velocity_kms = self.velocity.kms
        self._lines: dict[str, LineMeasurement] = {}
        self._snr: dict[Window, float] = {}

    @cached_property
    def indices(self) -> dict[str, Measurement]:
        return measure_indices(self.spectrum, self.velocity_kms, self._index_names)

    @cached_property
    def quality(self) -> Quality:
        return quality(self.spectrum)

    def line(self, name: str) -> LineMeasurement:
        if name not in self._lines:
            found = measure_line(self.spectrum, name, self.velocity_kms)
            no_line = found.reason in (NO_PROFILE, STRONGER_BESIDE) and _is_gas_line(name)
            if no_line and self.is_late_type:
                # What its windows hold is the flux between bands.
                found = LineMeasurement(name, significance=found.significance, reason=BETWEEN_BANDS)
            self._lines[name] = found
        return self._lines[name]

    def belongs_to_another(self, name: str) -> bool:
        """Whether another line, which lies nearer, was measured in the same feature."""
        result, shift = self.line(name), doppler(self.velocity_kms)
        if result.centroid is None or result.fwhm is None:
            return False
        offset = abs(result.centroid / shift - builtin_lines()[name].wavelength)
        # One whose own measurement lies as near cannot be farther away than this.
        within = min(result.fwhm / shift, offset + SAME * result.fwhm / shift)
        near = builtin_lines().nearest(result.centroid / shift, within)
        others = (self.line(line.id) for line in near if line.window is not None)
        return belongs_to_nearer_line(result, others, shift)

    @cached_property
    def refuted_redshift(self) -> str:
        """The header's redshift and why the lines refute it; empty if they do not."""
        z = self.spectrum.z or 0.0
        if not FASTEST_STAR_Z < z < math.inf:
            return ""
        against = against_redshift(self.spectrum, self.velocity, z)
        return against and f"the header gives z = {z:.4f}, {against}"

    @property
    def colour(self) -> float | None:
        """Flux at 4240 Å over that at 6630 Å; None where one of them cannot be measured."""
        bluer, redder = self.index("colour_4200_5400"), self.index("colour_5400_6600")
        return None if bluer.value is None or redder.value is None else bluer.value * redder.value

    def index(self, name: str) -> Measurement:
        return self.indices.get(name) or refused(name, "no index has this name")

    @cached_property
    def cool_indicator(self) -> str:
        """What shows that the star is cool; empty if nothing does.

        The 4000 Å break decides where it is measured well enough, else bands of TiO or magnesium.
        """
        height, mg_b, mgh = (self.index(name) for name in ("Dn4000", "Mg_b", "MgH_5211"))
        if height.value is not None and (height.error or 0.0) < BREAK_ERROR:
            return "break" if height.value > COOL_BREAK else ""
        if self.index("TiO5").number < COOL_TIO5:
            return "TiO"
        has_mg_b = mg_b.number - MIN_LINE_SIGMA * (mg_b.error or 0.0) > COOL_MG_B
        has_mgh = mgh.number + MIN_LINE_SIGMA * (mgh.error or 0.0) < COOL_MGH
        return "magnesium" if has_mg_b or has_mgh else ""

    @property
    def is_cool(self) -> bool:
        return self.cool_indicator != ""

    @property
    def is_late_type(self) -> bool:
        """Whether there is a cool star, alone or beside another: its bands may look like lines."""
        return self.is_cool or self.has_deep_bands

    @property
    def has_deep_bands(self) -> bool:
        """Whether bands of TiO are deep enough to look like lines between them."""
        return self.index("TiO5").number < BANDS_TIO5

    def snr(self, window: Window) -> float:
        """Median S/N per pixel in a rest-frame window; 0 if it cannot be measured."""
        if window not in self._snr:
            shift = doppler(self.velocity_kms)
            result = signal_to_noise(self.spectrum, window[0] * shift, window[1] * shift)
            self._snr[window] = max(result.value or 0.0, 0.0)
        return self._snr[window]

    @cached_property
    def overall_snr(self) -> float:
        return max(signal_to_noise(self.spectrum).value or 0.0, 0.0)

    def line_strength(self, name: str) -> Measurement:
        """Equivalent width (absorption positive) from the line fit, else from its index."""
        result = self.line(name)
        if result.ew is not None and result.ew_error is not None:
            return measured(name, result.ew, result.ew_error, "Å", result.window, result.n_pixels)
        plain = self.indices.get(f"EW_{name}")
        if plain is not None and plain.value is not None and result.reason != BETWEEN_BANDS:
            return plain
        return refused(name, result.reason or "not measurable", "Å", result.window)

    def line_width(self, name: str) -> Measurement:
        """FWHM in km/s, corrected for the instrument; 0 if unresolved."""
        result = self.line(name)
        error = result.fwhm_kms_error
        if result.fwhm_kms is None or error is None:
            return refused(name, result.reason or "no line above 3 sigma", "km/s", result.window)
        if result.significance < MIN_LINE_SIGMA:
            return refused(name, "no line above 3 sigma", "km/s", result.window)
        return measured(name, result.fwhm_kms, error, "km/s", result.window, result.n_pixels)

    def whole_spectrum(self, name: str) -> Measurement:
        """A number about the whole spectrum, by its name in evidence of kind quality."""
        match name:
            case "z":
                z = self.spectrum.z
                if z is None or not math.isfinite(z) or z < -0.1:
                    return refused("z", "the file states no redshift")
                if self.refuted_redshift:
                    return refused("z", self.refuted_redshift)
                return measured("z", z, 0.0)
            case "snr":
                return measured("snr", self.overall_snr, 0.0)
            case "join_step":
                return self.quality.join_step
            case _:  # bad_fraction or negative_fraction
                return measured(name, getattr(self.quality, name), 0.0)
