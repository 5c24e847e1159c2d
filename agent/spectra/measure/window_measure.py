"""Measurements of a zoomed window: shown beside the picture and used to check claims."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from agent.spectra.instrument import unsafe_regions
from agent.spectra.lines import Line, builtin_lines
from agent.spectra.measure.index_definitions import Index, builtin_indices, edge_windows
from agent.spectra.measure.indices import IndexSet, measure_index_set
from agent.spectra.measure.line_measure import max_fwhm, measure_line
from agent.spectra.measure.line_search import (
    MAX_FWHM_KMS,
    NO_PROFILE,
    ON_HUMP,
    measure_feature,
)
from agent.spectra.measure.measurement import LineMeasurement, Measurement
from agent.spectra.measure.noise import signal_to_noise
from agent.spectra.pixel_grid import LIGHT_KMS, doppler
from agent.spectra.rebinning import measurable
from agent.spectra.spectrum import Spectrum

MAX_LINES = 12
MAX_EDGES = 12
MAX_NEAREST = 3
NEAREST_A = 6.0
LEAST_SIGMA = 2.0  # of the profile: a fainter one is no line
SAME = 0.3  # FWHM between the centres of what is one feature
SAME_FIT = 0.2  # the same where the strongest feature takes the known line's numbers: stricter
NEVER_EMIT = ("Ca I", "Fe I", "Mg I")
METALS = (*NEVER_EMIT, "Ba II", "Ca II", "Fe II", "N III")
WIDEST_METAL_KMS = 1200.0  # in absorption; those of the real cool stars with such widths are bands
BETWEEN_BANDS = "no line stands apart from the bands"
EDGE_SIGMA = 4.0
MIN_EDGE = 0.05


@dataclass(frozen=True)
class NearLine:
    """A known line near a feature; `offset` is feature minus shifted line, angstrom."""

    line: Line
    offset: float


@dataclass(frozen=True)
class WindowMeasurement:
    """Measurements of one window of a spectrum, [lo, hi] in observed vacuum angstrom.

    `feature` is its strongest emission or absorption line, `nearest` the known lines near it,
    `lines` the known lines detected in the window, `edges` the band heads with a clear step.
    """

    lo: float
    hi: float
    snr: Measurement
    n_pixels: int
    n_bad: int
    feature: LineMeasurement | None = None
    nearest: tuple[NearLine, ...] = ()
    lines: tuple[LineMeasurement, ...] = ()
    edges: tuple[Measurement, ...] = ()
    unsafe: tuple[str, ...] = ()
    reason: str = ""


MeasureLine = Callable[[str], LineMeasurement]


def measure_window(
    spectrum: Spectrum,
    lo: float,
    hi: float,
    velocity_kms: float = 0.0,
    line: MeasureLine | None = None,
) -> WindowMeasurement:
    """Measure a window; known lines are expected at the star's velocity.

    `line` measures one of them there, if the caller remembers those measured before.
    """
    line = line or partial(measure_line, spectrum, velocity_kms=velocity_kms)
    snr = signal_to_noise(spectrum, lo, hi)
    inside = (spectrum.wavelength >= lo) & (spectrum.wavelength <= hi)
    n_pixels = int(inside.sum())
    n_bad = n_pixels - int(spectrum.good[inside].sum())
    first, last = max(lo, spectrum.range[0]), min(hi, spectrum.range[1])
    shift = doppler(velocity_kms)
    if not (math.isfinite(lo) and math.isfinite(hi) and math.isfinite(shift)) or shift <= 0:
        return WindowMeasurement(lo, hi, snr, n_pixels, n_bad, reason="no such window")
    if not first < last:
        return WindowMeasurement(lo, hi, snr, n_pixels, n_bad, reason="outside the spectrum")
    widest = min(0.5 * (last - first), 0.5 * (first + last) * MAX_FWHM_KMS / LIGHT_KMS)
    feature = measure_feature(spectrum, (first, last), "strongest", widest)
    reason = feature.reason
    if feature.centroid is None:
        reason = reason or "nothing above 3 sigma"
    elif not first <= feature.centroid <= last:
        reason = NO_PROFILE
    if reason == NO_PROFILE:
        reason = BETWEEN_BANDS
    lines = _known_lines(line, first, last, shift)
    on_hump = [each for each in lines if ON_HUMP in each.flags]
    if reason and on_hump:
        strongest = max(on_hump, key=lambda each: each.significance)
        feature, reason = replace(strongest, line=feature.line), ""
    feature = _as_known_line(feature, lines)
    detected, seen = (None, lines) if reason else (feature, (feature, *lines))
    return WindowMeasurement(
        lo, hi, snr, n_pixels, n_bad, feature=detected,
        nearest=() if detected is None else _nearest(detected, shift), lines=lines,
        edges=_edges(spectrum, first, last, velocity_kms, seen),
        unsafe=unsafe_regions(spectrum, first, last), reason=reason,
    )  # fmt: skip


def _as_known_line(feature: LineMeasurement, lines: Sequence[LineMeasurement]) -> LineMeasurement:
    """The strongest feature as the known line that it is was measured: one line, one number."""
    for line in lines:
        if feature.centroid is None or line.centroid is None or line.fwhm is None:
            continue
        offset = abs(line.centroid - feature.centroid)
        if line.kind == feature.kind and offset < SAME_FIT * line.fwhm:
            return replace(line, line=feature.line)
    return feature


def _nearest(feature: LineMeasurement, shift: float) -> tuple[NearLine, ...]:
    lists = builtin_lines()
    assert feature.centroid is not None and feature.fwhm is not None
    within = max(NEAREST_A, 0.5 * feature.fwhm)
    stellar = lists.nearest(feature.centroid / shift, within / shift, ("line",))
    near = [
        NearLine(line, feature.centroid - line.wavelength * shift)
        for line in stellar
        if _can_be(line, feature) and feature.fwhm <= max_fwhm(line, shift)
    ]
    kinds = ("sky", "telluric") if feature.kind == "absorption" else ("sky",)  # air absorbs
    terrestrial = lists.nearest(feature.centroid, within, kinds)
    near += [
        NearLine(line, feature.centroid - line.wavelength)
        for line in terrestrial
        if line.kind == "telluric" or feature.fwhm <= max_fwhm(line, 1.0)
    ]
    # A line with windows of its own is common: it goes before rare ones up to 1.5 A nearer.
    near.sort(key=lambda each: abs(each.offset) + (0.0 if each.line.window else 1.5))
    return tuple(near[:MAX_NEAREST])


def _known_lines(
    line: MeasureLine, lo: float, hi: float, shift: float
) -> tuple[LineMeasurement, ...]:
    inside = builtin_lines().between(lo / shift, hi / shift, ("line",))
    common = [each.id for each in inside if each.window is not None]
    results = [line(name) for name in common[:MAX_LINES]]
    return tuple(
        result
        for result in results
        if is_line(result) and not belongs_to_nearer_line(result, results, shift)
    )


def is_line(result: LineMeasurement) -> bool:
    """Whether there is a feature at the line that can be it."""
    return (
        result.centroid is not None
        and result.significance >= LEAST_SIGMA
        and _can_be(builtin_lines()[result.line], result)
    )


def belongs_to_nearer_line(
    result: LineMeasurement, others: Iterable[LineMeasurement], shift: float
) -> bool:
    """Whether another line was measured in the same feature and lies nearer to it."""

    def offset(of: LineMeasurement) -> float:
        assert of.centroid is not None
        return abs(of.centroid - builtin_lines()[of.line].wavelength * shift)

    def is_same(other: LineMeasurement) -> bool:
        assert other.centroid is not None and result.centroid is not None
        assert result.fwhm is not None
        return abs(other.centroid - result.centroid) < SAME * result.fwhm

    return any(
        is_line(other) and is_same(other) and offset(other) < offset(result) for other in others
    )


def _can_be(line: Line, result: LineMeasurement) -> bool:
    """Whether a feature can be this line: a dip is no forbidden line."""
    return not (line.is_forbidden and result.kind == "absorption")


def _edges(
    spectrum: Spectrum, lo: float, hi: float, velocity_kms: float, lines: Sequence[LineMeasurement]
) -> tuple[Measurement, ...]:
    shift = doppler(velocity_kms)
    heads = builtin_lines().between(lo / shift, hi / shift, ("band_head",))
    for line in lines:
        if line.kind == "emission" and line.window is not None:
            # The flank of an emission line is a step as well: its wings reach edge windows.
            start, end = line.window
            start, end = start - (end - start), end + (end - start)
            heads = tuple(head for head in heads if not start < head.wavelength * shift < end)
    together = IndexSet.of(tuple(map(edge_index, heads)))
    edges = measure_index_set(spectrum, together, velocity_kms).values()
    clear = [edge for edge in edges if edge.significance > EDGE_SIGMA and edge.number > MIN_EDGE]
    clear.sort(key=lambda edge: -edge.number)
    return tuple(clear[:MAX_EDGES])


def edge_index(head: Line) -> Index:
    """The edge index of a band head: positive if the flux drops towards its shaded side.

    A published one, with windows of its own, goes before ours, so that a head has one number.
    """
    known = builtin_indices().get(f"{head.id}_edge")
    if known is not None and known.head == head:
        return known
    feature, continuum = edge_windows(head)
    return Index(f"{head.id}_edge", "edge", feature, continuum, head=head)


# Measurements of a window that the agent zooms into, to check the lines it claims to see.
def zoom_numbers(
    spectrum: Spectrum,
    lo: float,
    hi: float,
    z: float | None = None,
    velocity_kms: float | None = None,
    line: MeasureLine | None = None,
) -> dict[str, Any]:
    """S/N, the strongest feature, known lines and band heads between `lo` and `hi`, as JSON.

    The window and the returned wavelengths are in the frame of the pictures, which is at rest if
    `z` is given. Lines are expected at `velocity_kms` in the frame of the file, or at that of `z`.
    """
    spectrum = measurable(spectrum)
    shift = 1.0 + (z or 0.0)
    if velocity_kms is None:
        velocity_kms = LIGHT_KMS * (z or 0.0)
    window = measure_window(spectrum, lo * shift, hi * shift, velocity_kms, line)
    numbers: dict[str, Any] = {"n_pixels": window.n_pixels, "n_bad": window.n_bad}
    if window.snr.value is not None:
        numbers["snr"] = rounded(window.snr.value)
    if window.feature is not None:
        numbers["feature"] = line_row(window.feature, shift)
        if window.nearest:
            numbers["feature"]["nearest"] = [near.line.label for near in window.nearest]
    if window.lines:
        numbers["lines"] = [line_row(line, shift) for line in window.lines]
    if window.edges:
        numbers["edges"] = [
            {"name": edge.name, "drop": rounded(edge.number), "sigma": rounded(edge.significance)}
            for edge in window.edges
        ]
    if window.unsafe:
        numbers["unsafe"] = list(window.unsafe)
    if window.reason:
        numbers["reason"] = window.reason
    return numbers


def line_row(line: LineMeasurement, shift: float) -> dict[str, Any]:
    """A line as JSON; `shift` divides its wavelength into the frame of the pictures.

    A forbidden line has no kind where there is a dip: something else absorbs there. Nor has a metal
    where a band does, or where the flux between bands is higher, nor a line whose peak and
    equivalent width have opposite signs, such as an emission core in broad wings.
    """
    # What the instrument does not resolve has no width of its own.
    is_wide = bool(line.fwhm_kms) and "unresolved" not in line.flags
    values: dict[str, float | None] = {
        "centroid": None if line.centroid is None else line.centroid / shift,
        "ew": line.ew,
        "ew_error": line.ew_error,
        "fwhm_kms": line.fwhm_kms if is_wide else None,
        "fwhm_error": line.fwhm_kms_error if is_wide else None,
        "sigma": significance_of(line),
    }
    known = {
        key: rounded(value, 6 if key == "centroid" else 3)
        for key, value in values.items()
        if value is not None and math.isfinite(value)
    }
    lists = builtin_lines()
    species = lists[line.line].species if line.line in lists else ""
    is_dip = line.kind == "absorption" and line.line in lists and lists[line.line].is_forbidden
    is_band = (line.kind == "emission" and species in NEVER_EMIT) or (
        line.kind == "absorption"
        and species in METALS
        and known.get("fwhm_kms", 0.0) >= WIDEST_METAL_KMS
    )
    is_mixed = line.ew is not None and (
        (line.kind == "emission" and line.ew > 0) or (line.kind == "absorption" and line.ew < 0)
    )
    return {"name": line.line, "kind": "" if is_dip or is_band or is_mixed else line.kind, **known}


def significance_of(line: LineMeasurement) -> float | None:
    """That of the profile, or that of the equivalent width where no profile was found.

    There `line.significance` is that of the highest noise around, which is no line.
    """
    if line.is_detected:
        return line.significance
    if line.ew is None or not line.ew_error:
        return None
    return abs(line.ew) / line.ew_error


def rounded(value: float, digits: int = 3) -> float:
    """Rounded to significant digits, since the numbers are stored with every step."""
    return float(f"{value:.{digits}g}")
