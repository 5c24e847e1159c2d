"""One claim against the measurements: borne out, or why not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from agent.spectra.measure.measurement import Measurement
from agent.spectra.spectrum import Window
from train.curate.claims import Claim
from train.draft.features import Feature
from train.draft.meter import Meter, holds

RELATIVE = 0.15
SIGMAS = 1.5
MOST_OF_VALUE = 0.4
"""A number agrees within its rounding, this part of what is measured, or so many errors, which
count up to this part of it: two ways of measuring one line differ by that much."""
SLACK = 6.0
"""Angstrom that a feature may reach past the edge of the picture it was seen in."""
WINDOW_SLACK = 25.0
SEEN_SIGMA, CLEAR_SIGMA = 2.0, 4.0
LEAST_STEP, CLEAR_STEP = 0.02, 0.06
COLOURS = {1.0: (1.2, math.inf), 0.0: (0.6, 1.9), -1.0: (-math.inf, 1.0)}
"""Flux at 4240 over that at 6630 for a continuum called blue, flat or red; they overlap."""


@dataclass(frozen=True)
class Scene:
    """What the author had before their eyes: the windows shown so far, and those asked for."""

    meter: Meter
    shown: tuple[Window, ...]
    asked: tuple[Window, ...]
    guideline: str = ""
    told: frozenset[str] = frozenset()
    """What the tool said beside its pictures, number by number."""


def fault_of(claim: Claim, scene: Scene) -> str:
    """Why the claim may not stand; empty where it is borne out."""
    match claim.quantity:
        case "window":
            return _window(claim, scene)
        case "coverage":
            ends = scene.meter.range
            close = any(abs(claim.value - end) <= WINDOW_SLACK for end in ends)
            return "" if close else f"the data end at {ends[0]:.0f} and {ends[1]:.0f} Å"
        case "snr":
            return _snr(claim, scene)
        case "colour":
            return _colour(claim, scene.meter)
        case "velocity":
            known = scene.meter.numbers.velocity
            close = abs(claim.value - known.kms) <= max(50.0, 3 * known.error_kms)
            return "" if close else f"the velocity is {known.kms:.0f} km/s"
        case "quote":
            return "" if claim.quote in scene.told else "the tool has said no such thing"
        case "unknown":
            return "the number belongs to no feature"
    if not claim.features:
        return "the number belongs to no feature"
    if not _is_quoted(claim, scene) and not any(_is_shown(each, scene) for each in claim.features):
        return f"{claim.features[0].name} was in no window that was looked at"
    return _state(claim, scene.meter) if claim.quantity == "state" else _value(claim, scene)


def near(first: Window, second: Window) -> bool:
    """Whether two windows are the same but for rounding."""
    return all(abs(a - b) <= WINDOW_SLACK for a, b in zip(first, second, strict=True))


def _is_shown(feature: Feature, scene: Scene) -> bool:
    place = scene.meter.place(feature)
    return place is None or any(holds(window, place, SLACK) for window in scene.shown)


def _is_quoted(claim: Claim, scene: Scene) -> bool:
    """A limit that the guideline names is no measurement."""
    return claim.compare != "is" and f"{claim.value:g}" in scene.guideline


def _window(claim: Claim, scene: Scene) -> str:
    assert claim.window is not None
    low, high = claim.window
    if near(claim.window, scene.meter.range):
        return ""
    if any(holds(known, claim.window, WINDOW_SLACK) for known in (*scene.asked, *scene.shown)):
        return ""  # the window, or a part of it
    if f"{low:g} to {high:g}" in scene.guideline:
        return ""
    return f"{low:g} to {high:g} Å was not looked at"


def _snr(claim: Claim, scene: Scene) -> str:
    meter = scene.meter
    measured = [meter.numbers.overall_snr, *(meter.snr(window) for window in scene.shown)]
    if any(_agree(claim, value, 0.0) for value in measured):
        return ""
    return f"the S/N is {measured[0]:.0f}"


def _colour(claim: Claim, meter: Meter) -> str:
    low, high = COLOURS[claim.value]
    if meter.colour is None or low <= meter.colour <= high:
        return ""
    return f"the flux at 4240 is {meter.colour:.2f} of that at 6630"


def _value(claim: Claim, scene: Scene) -> str:
    found = [one for one in _measurements(claim, scene.meter) if one.value is not None]
    if any(_agree(claim, one.number, one.error or 0.0) for one in found):
        return ""
    name = claim.features[0].name
    if not found:
        return f"{name}: nothing can be measured"
    values = " or ".join(f"{one.number:.3g}" for one in found[:2])
    return f"{name}: measured {values}, not {claim.value:g}"


def _measurements(claim: Claim, meter: Meter) -> Iterator[Measurement]:
    """Every way in which the number may have been got."""
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
    """Of the last feature before the number to any other: the text says which, we try all."""
    values = [meter.strength(feature).value for feature in claim.features]
    for top in values:
        for bottom in values:
            if top is not None and bottom:
                yield Measurement("ratio", top / bottom, None)


def _unsigned(found: Measurement) -> Measurement:
    value = None if found.value is None else abs(found.value)
    return Measurement(found.name, value, found.error)


def _agree(claim: Claim, measured: float, error: float) -> bool:
    room = max(RELATIVE * abs(measured), min(SIGMAS * error, MOST_OF_VALUE * abs(measured)))
    room = max(room, 1.01 * claim.rounding)
    if claim.compare == "above":
        return measured > claim.value - room
    if claim.compare == "below":
        return measured < claim.value + room
    return abs(claim.value - measured) <= room


def _state(claim: Claim, meter: Meter) -> str:
    """Lines and band heads alone: of an index no one says that it is there."""
    told = [each for each in claim.features if each.is_line or each.is_edge]
    reasons = [_state_of(each, claim, meter) for each in told]
    return "" if not reasons or "" in reasons else reasons[0]


def _state_of(feature: Feature, claim: Claim, meter: Meter) -> str:
    found = meter.strength(feature)
    if found.value is None:
        return "" if claim.state == "absent" else f"{feature.name}: nothing can be measured"
    seen = _edge_seen(found) if feature.is_edge else _line_seen(found)
    return "" if claim.state in seen else f"{feature.name}: {found.value:.2g} is not {claim.state}"


def _line_seen(found: Measurement) -> set[str]:
    """What may be said of a line: more than one thing where it is doubtful."""
    value, sigma = found.number, found.significance
    may: set[str] = set()
    if sigma >= SEEN_SIGMA:
        may |= {"present", "emission" if value < 0 else "absorption"}
    if sigma < CLEAR_SIGMA:
        may |= {"absent", "no emission", "no absorption"}
    return may | {"no emission" if value > 0 else "no absorption"}


def _edge_seen(found: Measurement) -> set[str]:
    value, sigma = found.number, found.significance
    may = {"emission", "absorption", "no emission", "no absorption"}
    if value >= LEAST_STEP and sigma >= SEEN_SIGMA:
        may.add("present")
    if value < CLEAR_STEP or sigma < CLEAR_SIGMA:
        may.add("absent")
    return may
