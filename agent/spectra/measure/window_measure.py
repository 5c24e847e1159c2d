"""What is measured in a zoomed window: shown beside the picture, and used to check claims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agent.spectra.instrument import unsafe_regions
from agent.spectra.lines import Line, LineLists, builtin_lines
from agent.spectra.measure.index_definitions import Index, edge_windows
from agent.spectra.measure.indices import measure_index
from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.measure.line_search import NO_PROFILE, measure_feature
from agent.spectra.measure.measurement import Measurement
from agent.spectra.measure.noise import signal_to_noise
from agent.spectra.sampling import LIGHT_KMS, doppler
from agent.spectra.spectrum import Spectrum, Window

MAX_LINES = 12
MAX_EDGES = 12
MAX_NEAREST = 3
NEAREST_A = 6.0
WIDEST_KMS = 5500.0
EDGE_SIGMA = 4.0
MIN_EDGE = 0.05


@dataclass(frozen=True)
class NearLine:
    """A known line near a feature; `offset` is feature minus line at its velocity, angstrom."""

    line: Line
    offset: float


@dataclass(frozen=True)
class WindowMeasurement:
    """Numbers of one window of a spectrum, [lo, hi] in observed vacuum angstrom.

    `feature` is its strongest line of either sign, `nearest` the known lines at its place, `lines`
    the known lines found in the window, `edges` the band heads whose step stands out.
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


def measure_window(
    spectrum: Spectrum,
    lo: float,
    hi: float,
    velocity_kms: float = 0.0,
    lists: LineLists | None = None,
) -> WindowMeasurement:
    """Measure what a window shows; known lines are looked for at the star's velocity."""
    lists = lists or builtin_lines()
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
    unsafe = unsafe_regions(spectrum, first, last, lists)
    widest = min(0.5 * (last - first), 0.5 * (first + last) * WIDEST_KMS / LIGHT_KMS)
    feature = measure_feature(spectrum, (first, last), "strongest", max_fwhm=widest)
    reason = feature.reason
    if feature.centroid is None:
        reason = reason or "nothing above 3 sigma"
    elif not first <= feature.centroid <= last:
        reason = NO_PROFILE
    if reason == NO_PROFILE:
        reason = "no line stands apart from the bands"
    found = None if reason else feature
    lines = _known_lines(spectrum, first, last, velocity_kms, lists)
    return WindowMeasurement(
        lo,
        hi,
        snr,
        n_pixels,
        n_bad,
        feature=found,
        nearest=() if found is None else _nearest(found, shift, lists),
        lines=lines,
        edges=_edges(spectrum, first, last, velocity_kms, lists, (found, *lines)),
        unsafe=unsafe,
        reason=reason,
    )


def _nearest(feature: LineMeasurement, shift: float, lists: LineLists) -> tuple[NearLine, ...]:
    assert feature.centroid is not None and feature.fwhm is not None
    within = max(NEAREST_A, 0.5 * feature.fwhm)
    stellar = lists.nearest(feature.centroid / shift, within / shift, ("line",))
    found = [NearLine(line, feature.centroid - line.wavelength * shift) for line in stellar]
    terrestrial = lists.nearest(feature.centroid, within, ("sky", "telluric"))
    found += [NearLine(line, feature.centroid - line.wavelength) for line in terrestrial]
    # A line with windows of its own is a common one: it wins over rarities half a pixel nearer.
    found.sort(key=lambda near: abs(near.offset) + (0.0 if near.line.window else 1.5))
    return tuple(found[:MAX_NEAREST])


def _known_lines(
    spectrum: Spectrum, lo: float, hi: float, velocity_kms: float, lists: LineLists
) -> tuple[LineMeasurement, ...]:
    shift = doppler(velocity_kms)
    common = [
        line for line in lists.between(lo / shift, hi / shift, ("line",)) if line.window is not None
    ]
    found = [measure_line(spectrum, line, velocity_kms) for line in common[:MAX_LINES]]
    return tuple(line for line in found if line.is_detected)


def _edges(
    spectrum: Spectrum,
    lo: float,
    hi: float,
    velocity_kms: float,
    lists: LineLists,
    features: Sequence[LineMeasurement | None],
) -> tuple[Measurement, ...]:
    shift = doppler(velocity_kms)
    heads = lists.between(lo / shift, hi / shift, ("band_head",))
    for feature in features:
        if feature is not None and feature.kind == "emission" and feature.window is not None:
            # The flank of an emission line is a step, too.
            start, end = _with_flanks(feature.window)
            heads = tuple(head for head in heads if not start < head.wavelength * shift < end)
    found = [measure_index(spectrum, head_edge(head), velocity_kms) for head in heads]
    clear = [edge for edge in found if edge.significance > EDGE_SIGMA and edge.number > MIN_EDGE]
    clear.sort(key=lambda edge: -edge.number)
    return tuple(clear[:MAX_EDGES])


def _with_flanks(window: Window) -> Window:
    """The line and as much again to either side: wings, and where an edge looks from its head."""
    start, end = window
    return start - (end - start), end + (end - start)


def head_edge(head: Line) -> Index:
    """The edge index of any band head: positive where the flux drops to its shaded side."""
    feature, continuum = edge_windows(head)
    return Index(f"{head.id}_edge", "edge", feature, continuum, head=head)
