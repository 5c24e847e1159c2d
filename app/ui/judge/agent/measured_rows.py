"""Formats our measurements in a window the agent looked at as rows of a small table.

They come from a record that a stranger may have written, so values of a wrong type are skipped.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication

from agent.evidence.line_words import ew_text, sigma_text, width_text
from agent.spectra.lines import label_of
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Window
from app.ui.base.translation.measured_texts import translate_measured_name, translate_reason

translate = QCoreApplication.translate
MAX_ROWS = 12
MAX_NAMES = 3
MAX_NAME = 24
MAX_VALUE_NAME = 60
WIDTH_SHARE = 0.5  # of its width, within which the strongest feature is the line that is there


class MeasuredRow(NamedTuple):
    """A detected line; values that were not measured are empty.

    Centroid and EW are in angstrom, FWHM in km/s, sigma is the significance.
    """

    name: str
    centroid: str
    ew: str
    fwhm: str
    sigma: str


def header_row() -> MeasuredRow:
    return MeasuredRow(translate("agent", "measured"), "Å", "EW Å", "km/s", "σ")


def measured_rows(measured: Mapping[str, Any], shift: float = 1.0) -> tuple[MeasuredRow, ...]:
    """Return the measured known lines, and the strongest feature if it is none of them.

    `shift` is 1 + z of the record, whose centroids are at rest; those of the rows are observed.
    """
    lines = [row for each in _list(measured, "lines") if (row := _row(each, shift)) is not None]
    strongest = measured.get("feature")
    if isinstance(strongest, Mapping) and not _is_among(strongest, _list(measured, "lines")):
        row = _row(strongest, shift, _feature_name(strongest))
        lines = [*([] if row is None else [row]), *lines]
    return tuple(lines[:MAX_ROWS])


def window_text(measured: Mapping[str, Any]) -> str:
    """Return S/N and pixel counts of the window, and the frame of the wavelengths beside it.

    Empty if nothing was measured.
    """
    parts = []
    snr, pixels, bad = (_number(measured.get(key)) for key in ("snr", "n_pixels", "n_bad"))
    if snr is not None:
        parts.append(f"S/N {_minus(f'{snr:.1f}')}")
    if pixels is not None:
        parts.append(translate("agent", "{n} px").replace("{n}", f"{pixels:.0f}"))
    if bad:
        parts.append(translate("agent", "{n} bad").replace("{n}", f"{bad:.0f}"))
    if parts:
        parts.append(translate("agent", "λ observed, vacuum"))
    return " · ".join(parts)


def observed_range(window: Window, shift: float) -> str:
    """A window of the record as the plot shows it."""
    low, high = (f"{end * shift:.6g}" if shift == 1.0 else f"{end * shift:.1f}" for end in window)
    return f"{low} – {high} Å"


def measurement_notes(measured: Mapping[str, Any]) -> tuple[str, ...]:
    """List other numbers, band heads, contamination, and the reason if nothing was measured."""
    notes = []
    values = [text for each in _list(measured, "values") if (text := _value_text(each))]
    if values:
        notes.append(" · ".join(values[:MAX_ROWS]))
    edges = [
        f"{label_of(_text(edge.get('name')))} {100.0 * drop:.0f} %"
        for edge in _list(measured, "edges")
        if (drop := _number(edge.get("drop"))) is not None
    ]
    if edges:
        heads = translate("agent", "Band heads, drop: {which}")
        notes.append(heads.replace("{which}", ", ".join(edges[:MAX_NAMES])))
    reason = measured.get("reason")
    if isinstance(reason, str) and reason:
        why = translate_reason(reason[:120])
        notes.append(translate("agent", "Not measured: {why}").replace("{why}", why))
    unsafe = [translate_measured_name(_text(each)) for each in _items(measured, "unsafe")]
    if unsafe:
        text = translate("agent", "Contaminated by: {what}")
        notes.append(text.replace("{what}", ", ".join(unsafe[:MAX_NAMES])))
    return tuple(notes)


def _row(line: Mapping[str, Any], shift: float, name: str = "") -> MeasuredRow | None:
    centroid = _number(line.get("centroid"))
    ew, error = _number(line.get("ew")), _number(line.get("ew_error"))
    if centroid is None and ew is None:
        return None
    fwhm, sigma = _number(line.get("fwhm_kms")), _number(line.get("sigma"))
    return MeasuredRow(
        name=name or translate_measured_name(label_of(_text(line.get("name")))),
        centroid="" if centroid is None else f"{centroid * shift:.1f}",
        ew="" if ew is None else _minus(ew_text(ew, error)),
        fwhm="" if not fwhm else width_text(fwhm, _number(line.get("fwhm_error"))),
        sigma="" if sigma is None else sigma_text(sigma),
    )


def _value_text(row: Mapping[str, Any]) -> str:
    """A number that is no line, such as "TiO5 0.75 ± 0.01"; empty if it is not readable."""
    name, value = _text(row.get("name"), MAX_VALUE_NAME), _number(row.get("value"))
    if not name or value is None:
        return ""
    error, unit = _number(row.get("error")), _text(row.get("unit"))
    text = f"{translate_measured_name(name)} {_minus(f'{value:.3g}')}"
    text += "" if error is None else f" ± {error:.2g}"
    return f"{text} {unit}" if unit else text


def _feature_name(feature: Mapping[str, Any]) -> str:
    """Return the nearest known line with a question mark, else emission or absorption."""
    names = [_text(each) for each in _items(feature, "nearest")]
    if names:
        return names[0] + "?"
    kind = translate("agent", "emission"), translate("agent", "absorption")
    return kind[0] if feature.get("kind") == "emission" else kind[1]


def _is_among(feature: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> bool:
    centre, width = _number(feature.get("centroid")), _number(feature.get("fwhm_kms")) or 0.0
    if centre is None:
        return True
    reach = max(2.0, WIDTH_SHARE * width / LIGHT_KMS * centre)
    centroids = [_number(line.get("centroid")) for line in lines]
    return any(other is not None and abs(other - centre) < reach for other in centroids)


def _minus(number: str) -> str:
    return number.replace("-", "−")


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e9 else None  # also rejects NaN


def _text(value: object, at_most: int = MAX_NAME) -> str:
    return value[:at_most] if isinstance(value, str) else ""


def _items(table: Mapping[str, Any], key: str) -> list[Any]:
    value = table.get(key)
    return list(value) if isinstance(value, list | tuple) else []


def _list(table: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    return [each for each in _items(table, key) if isinstance(each, Mapping)]
