"""Checks single claims against the measurements."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from agent.claims.claims import Claim
from agent.claims.features import Feature
from agent.spectra.measure.measurement import Measurement
from agent.spectra.spectrum import Window
from train.meter import Meter, contains

# A number agrees within its rounding, this fraction of the measured value, or this many errors. The
# errors count up to 0.4 of the value: two ways of measuring one line differ by that much.
RELATIVE_TOLERANCE = 0.15
SIGMA_TOLERANCE = 1.5
MAX_RELATIVE_ERROR = 0.4
FEATURE_SLACK = 6.0
"""Angstrom that a feature may reach past the edge of its picture."""
WINDOW_SLACK = 25.0
SEEN_SIGMA, CLEAR_SIGMA = 2.0, 4.0
LEAST_STEP, CLEAR_STEP = 0.02, 0.06
COLOURS = {1.0: (1.2, math.inf), 0.0: (0.6, 1.9), -1.0: (-math.inf, 1.0)}
"""Flux at 4240 Å over that at 6630 Å of a blue, flat or red continuum; the ranges overlap."""


@dataclass(frozen=True)
class TurnContext:
    """Everything the author could know in one turn: windows shown so far, and those requested."""

    meter: Meter
    shown: tuple[Window, ...]
    requested: tuple[Window, ...]
    guideline: str = ""
    printed: frozenset[str] = frozenset()
    """Single numbers that the tool printed beside its pictures."""


def find_fault(claim: Claim, context: TurnContext) -> str:
    """The reason why a claim is wrong; empty where it is confirmed."""
    match claim.quantity:
        case "window":
            return _window_fault(claim, context)
        case "coverage":
            ends = context.meter.range
            close = any(abs(claim.value - end) <= WINDOW_SLACK for end in ends)
            return "" if close else f"the data end at {ends[0]:.0f} and {ends[1]:.0f} Å"
        case "snr":
            return _snr_fault(claim, context)
        case "colour":
            return _colour_fault(claim, context.meter)
        case "velocity":
            known = context.meter.numbers.velocity
            close = abs(claim.value - known.kms) <= max(50.0, 3 * known.error_kms)
            return "" if close else f"the velocity is {known.kms:.0f} km/s"
        case "quote":
            return "" if claim.quote in context.printed else "the tool did not print this"
        case "unknown":
            return "the number belongs to no feature"
    if not claim.features:
        return "the number belongs to no feature"
    is_shown = any(_is_shown(feature, context) for feature in claim.features)
    if not is_shown and not _is_guideline_limit(claim, context):
        return f"{claim.features[0].name} was in no window that was shown"
    if claim.quantity == "state":
        return _state_fault(claim, context.meter)
    return _value_fault(claim, context)


def is_same_window(first: Window, second: Window) -> bool:
    """Whether two windows are the same apart from rounding."""
    return all(abs(a - b) <= WINDOW_SLACK for a, b in zip(first, second, strict=True))


def _is_shown(feature: Feature, context: TurnContext) -> bool:
    needed = context.meter.window_of(feature)
    if needed is None:
        return True
    return any(contains(window, needed, FEATURE_SLACK) for window in context.shown)


def _is_guideline_limit(claim: Claim, context: TurnContext) -> bool:
    """Whether a claim repeats a limit of the guideline, which is not a measurement."""
    return claim.compare != "is" and f"{claim.value:g}" in context.guideline


def _window_fault(claim: Claim, context: TurnContext) -> str:
    assert claim.window is not None
    low, high = claim.window
    if is_same_window(claim.window, context.meter.range):
        return ""
    known = (*context.requested, *context.shown)
    if any(contains(window, claim.window, WINDOW_SLACK) for window in known):
        return ""
    if f"{low:g} to {high:g}" in context.guideline:
        return ""
    return f"{low:g} to {high:g} Å was not shown"


def _snr_fault(claim: Claim, context: TurnContext) -> str:
    meter = context.meter
    measured = [meter.numbers.overall_snr, *(meter.snr(window) for window in context.shown)]
    if any(_agrees(claim, value, 0.0) for value in measured):
        return ""
    return f"the S/N is {measured[0]:.0f}"


def _colour_fault(claim: Claim, meter: Meter) -> str:
    low, high = COLOURS[claim.value]
    if meter.colour is None or low <= meter.colour <= high:
        return ""
    return f"the flux at 4240 Å is {meter.colour:.2f} of that at 6630 Å"


def _value_fault(claim: Claim, context: TurnContext) -> str:
    found = [one for one in _measurements(claim, context.meter) if one.value is not None]
    if any(_agrees(claim, one.number, one.error or 0.0) for one in found):
        return ""
    name = claim.features[0].name
    if not found:
        return f"{name} cannot be measured"
    values = " or ".join(f"{one.number:.3g}" for one in found[:2])
    return f"{name}: measured {values}, not {claim.value:g}"


def _measurements(claim: Claim, meter: Meter) -> Iterator[Measurement]:
    """All measurements that the number may refer to."""
    if claim.quantity == "ratio":
        yield from _ratios(claim, meter)
        return
    for feature in claim.features:
        match claim.quantity:
            case "strength":
                found = meter.strength(feature)
                yield _unsigned(found) if feature.is_line else found
                if feature.is_line:
                    yield _unsigned(meter.numbers.index(f"EW_{feature.id}"))
            case "step":
                if feature.is_edge or not feature.is_line:
                    yield meter.strength(feature)
            case "width_kms" if feature.is_line:
                yield meter.width_kms(feature)
            case "width" if feature.is_line:
                line = meter.numbers.line(feature.id)
                yield Measurement(feature.id, line.fwhm, line.fwhm_error)
            case "separation" if feature.is_line:
                line = meter.numbers.line(feature.id)
                yield Measurement(feature.id, line.separation_kms, None)
            case "sigma":
                found = meter.strength(feature)
                yield Measurement(feature.id, found.significance, 0.3 * found.significance)
            case _:
                continue


def _ratios(claim: Claim, meter: Meter) -> Iterator[Measurement]:
    """Ratios of all pairs of features, because the sentence does not say which pair it means."""
    values = [meter.strength(feature).value for feature in claim.features]
    for top in values:
        for bottom in values:
            if top is not None and bottom:
                yield Measurement("ratio", top / bottom, None)


def _unsigned(measured: Measurement) -> Measurement:
    value = None if measured.value is None else abs(measured.value)
    return Measurement(measured.name, value, measured.error)


def _agrees(claim: Claim, measured: float, error: float) -> bool:
    errors = min(SIGMA_TOLERANCE * error, MAX_RELATIVE_ERROR * abs(measured))
    tolerance = max(RELATIVE_TOLERANCE * abs(measured), errors, 1.01 * claim.rounding)
    if claim.compare == "above":
        return measured > claim.value - tolerance
    if claim.compare == "below":
        return measured < claim.value + tolerance
    return abs(claim.value - measured) <= tolerance


def _state_fault(claim: Claim, meter: Meter) -> str:
    """Check a state of lines and band heads; an index has no state."""
    features = [feature for feature in claim.features if feature.is_line or feature.is_edge]
    reasons = [_feature_fault(feature, claim, meter) for feature in features]
    return "" if not reasons or "" in reasons else reasons[0]


def _feature_fault(feature: Feature, claim: Claim, meter: Meter) -> str:
    found = meter.strength(feature)
    if found.value is None:
        return "" if claim.state == "absent" else f"{feature.name} cannot be measured"
    seen = _edge_states(found) if feature.is_edge else _line_states(found)
    return "" if claim.state in seen else f"{feature.name}: {found.value:.2g} is not {claim.state}"


def _line_states(found: Measurement) -> set[str]:
    """The states that a line may be said to have; a doubtful line has several."""
    value, sigma = found.number, found.significance
    may: set[str] = set()
    if sigma >= SEEN_SIGMA:
        may |= {"present", "emission" if value < 0 else "absorption"}
    if sigma < CLEAR_SIGMA:
        may |= {"absent", "no emission", "no absorption"}
    return may | {"no emission" if value > 0 else "no absorption"}


def _edge_states(found: Measurement) -> set[str]:
    value, sigma = found.number, found.significance
    may = {"emission", "absorption", "no emission", "no absorption"}
    if value >= LEAST_STEP and sigma >= SEEN_SIGMA:
        may.add("present")
    if value < CLEAR_STEP or sigma < CLEAR_SIGMA:
        may.add("absent")
    return may
