"""What is told of a spectrum: header facts, quality, lines and indices with their errors."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.checked_toml import near_miss, printable, shown
from agent.evidence.measurements import measurements_at_velocity, window_table
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.index_definitions import builtin_indices
from agent.spectra.measure.measurement import LineMeasurement, Measurement
from agent.spectra.measure.noise import quality, signal_to_noise
from agent.spectra.measure.window_measure import rounded, significance_of
from agent.spectra.rebinning import measurable
from agent.spectra.spectrum import Spectrum, finite, summary
from app.mcp.sources import SourceError

MAX_NAMES = 40
MAX_KEYS = 100
MAX_TEXT = 200
DIGITS = 5
OF_LINES = (
    *("ew", "ew_error", "centroid", "centroid_error", "velocity_kms", "velocity_error_kms"),
    *("fwhm", "fwhm_error", "fwhm_kms", "fwhm_kms_error", "peak", "peak_error"),
)
UPPER_LIMIT = "not detected: ew and ew_error limit a hidden line"


def facts(spectrum: Spectrum) -> dict[str, Any]:
    """The header's facts, and the signal-to-noise as we measure it."""
    header = {printable(str(key), MAX_TEXT): plain(value) for key, value in spectrum.meta.items()}
    told = {key: plain(value) for key, value in summary(spectrum).items()}
    coarse = measurable(spectrum)
    state = quality(coarse)
    whole = signal_to_noise(coarse)
    told["measured_snr"] = {
        name: _value(found)
        for name, found in (("whole", whole), ("blue", state.snr_blue), ("red", state.snr_red))
    }
    told["bad_fraction"] = rounded(state.bad_fraction)
    told["warnings"] = [printable(each, MAX_TEXT) for each in spectrum.warnings[:MAX_NAMES]]
    told["warnings"] += list(state.warnings)
    told["header"] = dict(list(header.items())[:MAX_KEYS])
    return told


def measurements(
    spectrum: Spectrum,
    window: tuple[float, float] | None,
    lines: Sequence[str],
    indices: Sequence[str],
    velocity_kms: float | None,
) -> dict[str, Any]:
    """Lines and indices by name; without names, the lines that are seen and all indices.

    A `window` is measured as one that the agent zooms into.
    """
    _refuse_unknown(lines, builtin_lines().by_id, "line")
    _refuse_unknown(indices, builtin_indices(), "index")
    numbers = measurements_at_velocity(spectrum, velocity_kms)
    told: dict[str, Any] = {
        "simulated": spectrum.simulated,
        "velocity_kms": rounded(numbers.velocity_kms),
        "velocity_from": numbers.velocity.source
        or ("unknown" if velocity_kms is None else "the call"),
    }
    if window is not None:
        told["window"] = window_table(numbers.spectrum, *window, numbers=numbers)
    if lines or not (indices or window):
        between = builtin_lines().between(*numbers.spectrum.range, ("line",))
        common = [line.id for line in between if line.window]
        found = [numbers.line(name) for name in lines or common]
        told["lines"] = [_line(each) for each in found if lines or each.is_detected]
    if indices or not (lines or window):
        values = numbers.indices
        # Those of lines are among the lines already.
        names = indices or [name for name in values if not name.startswith("EW_")]
        told["indices"] = {
            name: _value(values[name])
            for name in names
            if indices or values[name].value is not None
        }
    told["convention"] = (
        "wavelengths are observed vacuum angstrom; ew in angstrom at rest, absorption positive"
    )
    return told


def plain(value: Any) -> Any:
    """A value for JSON: short printable text, finite numbers."""
    if isinstance(value, bool | int) or value is None:
        return value
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, list | tuple):
        return [plain(each) for each in value[:MAX_NAMES]]
    return printable(str(value), MAX_TEXT)


def prose(text: str, longest: int) -> str:
    """Text of several lines, without other control characters."""
    lines = text[:longest].splitlines()
    return "\n".join(printable(line, longest) for line in lines)


def _refuse_unknown(names: Sequence[str], known: Mapping[str, Any], what: str) -> None:
    for name in names:
        if name not in known:
            raise SourceError(f"there is no {what} {shown(name)}{near_miss(name, known)}")


def _line(line: LineMeasurement) -> dict[str, Any]:
    numbers = {name: getattr(line, name) for name in OF_LINES}
    numbers["significance"] = significance_of(line)
    known = {
        name: rounded(value, 7 if name == "centroid" else DIGITS)
        for name, value in numbers.items()
        if finite(value) is not None
    }
    told = {"name": line.line, "kind": line.kind, **known}
    if line.flags or line.unsafe:
        told["flags"] = [*line.flags, *line.unsafe]
    if line.reason or not line.is_detected:
        told["note"] = line.reason or UPPER_LIMIT
    return told


def _value(found: Measurement) -> dict[str, Any]:
    if found.value is None:
        return {"value": None, "reason": found.reason}
    error = finite(found.error)
    error = None if error is None else rounded(error)
    told = {"value": rounded(found.value, DIGITS), "error": error}
    return {**told, "unit": found.unit} if found.unit else told
