"""Where claims and features lie in the spectrum, so that each is said of a window that shows it."""

from collections.abc import Sequence

from agent.evidence.feature_numbers import BOTH
from agent.evidence.findings import Finding
from agent.evidence.line_words import line_of
from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.index_definitions import builtin_indices
from agent.spectra.spectrum import Window
from agent.tasks.task import DiagnosticWindow, Task

SLACK_A = 15.0  # by which a feature may reach beyond the window that shows it
WIDE_A = 400.0  # features that span more, such as colours, are seen in the whole spectrum
PROFILE_PARTS = ("_em_fwhm", "_abs_fwhm", "_peak")


def window_of(
    finding: Finding, task: Task, numbers: SpectrumMeasurements
) -> DiagnosticWindow | None:
    """The task's window that shows the claim, its own one first; None for the whole spectrum."""
    own = task.window(finding.evidence.window)
    place = finding_place(finding, own.range, numbers)
    if place is None:
        return None
    return next((each for each in (own, *task.windows) if contains(each.range, place)), None)


def finding_place(finding: Finding, own: Window, numbers: SpectrumMeasurements) -> Window | None:
    """The rest-frame range of the feature that decides a claim; None if it has no place."""
    evidence = finding.evidence
    if evidence.kind == "quality":
        return None
    line = line_of(finding, numbers)
    names = (line,) if line else deciding_targets(finding, numbers)
    places = [place for name in names if (place := feature_range(name)) is not None]
    inside = [place for place in places if contains(own, place)]
    # A mean of three lines belongs to the window that shows two of them.
    shown = inside if len(inside) > 0.5 * len(places) else places
    return _hull(shown) if shown else None


def deciding_targets(finding: Finding, numbers: SpectrumMeasurements) -> tuple[str, ...]:
    """The targets that the claim's value comes from: one of several, or all of a mean."""
    evidence = finding.evidence
    if evidence.combine in ("mean", "sum") or evidence.kind not in ("index", "edge", "colour"):
        return evidence.target
    deciding = [name for name in evidence.target if numbers.index(name).value == finding.value]
    return tuple(deciding[:1]) or evidence.target


def feature_places(feature: str) -> tuple[Window, ...]:
    """The rest-frame ranges of a feature's features; empty if it describes the whole spectrum."""
    if feature in BOTH:
        return tuple(place for part in BOTH[feature][1:] for place in feature_places(part))
    for part in PROFILE_PARTS:
        feature = feature.removesuffix(part)
    place = feature_range(feature.removeprefix("EW_"), feature)
    return () if place is None else (place,)


def feature_range(*names: str) -> Window | None:
    """The range of the first line or index that has one of these names."""
    lines, indices = builtin_lines(), builtin_indices()
    for name in names:
        if name in indices:
            # Of an index that is so wide that the whole spectrum shows it there is none.
            index = indices[name]
            if index.head is not None:
                return index.head.wavelength, index.head.wavelength
            parts = [indices[term] for term in index.terms] or [index]
            spans = [span for part in parts for span in part.feature]
            low, high = _hull(spans)
            if len(parts) == 1 and len(index.continuum) == 1:
                start, end = index.continuum[0]
                if not (start <= high and low <= end):
                    # A break or a colour is seen between the two parts that it compares.
                    middle = 0.5 * (min(high, end) + max(low, start))
                    low, high, wide = middle, middle, abs(max(low, start) - min(high, end))
                    return None if wide > WIDE_A else (low, high)
            return (low, high) if high - low <= WIDE_A else None
        if name in lines:
            return lines[name].wavelength, lines[name].wavelength
    return None


def contains(window: Window, place: Window, slack: float = SLACK_A) -> bool:
    return window[0] - slack <= place[0] and place[1] <= window[1] + slack


def _hull(places: Sequence[Window]) -> Window:
    return min(low for low, _ in places), max(high for _, high in places)
