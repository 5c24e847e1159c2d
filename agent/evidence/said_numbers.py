"""The numbers that the measured inspector's sentences name, as rows of the record's tables.

A sentence takes its numbers from here, rounded as they are stored, so that it cannot differ from
the table beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.window_measure import LEAST_SIGMA, SAME_FIT, line_row, rounded
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import frame_z

Row = dict[str, Any]


class SaidNumbers:
    """The rows that a text has named so far: lines by id, other numbers by their label."""

    def __init__(self, numbers: SpectrumMeasurements) -> None:
        self.numbers = numbers
        self.lines: dict[str, Row] = {}
        self.values: dict[str, Row] = {}

    def line(self, name: str) -> Row:
        """The row of a line; without `ew` if it cannot be measured."""
        if name not in self.lines:
            frame = 1.0 + (frame_z(self.numbers.spectrum) or 0.0)
            row = self.lines[name] = line_row(self.numbers.line(name), frame)
            # A line that no profile fits has the equivalent width of its fixed windows.
            strength = self.numbers.line_strength(name)
            if strength.value is not None and strength.error is not None:
                ew = {"ew": rounded(strength.value), "ew_error": rounded(strength.error)}
                row |= ew
                is_noise = row.get("sigma", 0.0) < LEAST_SIGMA or not strength_state(row)
                if is_noise or self.numbers.belongs_to_another(name):
                    # Noise, or another feature: this line has no place and no width there.
                    for key in ("centroid", "fwhm_kms", "fwhm_error"):
                        row.pop(key, None)
                if "centroid" not in row:
                    row["sigma"] = rounded(strength.significance)
        return self.lines[name]

    def value(self, label: str, value: float, error: float = 0.0, unit: str = "") -> Row:
        """The row of any other number, noted under its label."""
        row: Row = {"name": label, "value": rounded(value, 6)}
        if math.isfinite(error) and error > 0:
            row["error"] = rounded(error)
        if unit:
            row["unit"] = unit
        return self.values.setdefault(label, row)

    def table(self, known: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The table `known` of a look with the rows that it lacks added, lines by wavelength."""
        table: dict[str, Any] = dict(known or {})
        listed = list(table.get("lines", ()))
        names = {row["name"] for row in listed}
        listed += [row for name, row in self.lines.items() if name not in names and "ew" in row]
        if listed:
            table["lines"] = sorted(listed, key=lambda row: builtin_lines()[row["name"]].wavelength)
        if "feature" in table:
            table["feature"] = _as_listed(table["feature"], listed)
        if self.values:
            table["values"] = [*table.get("values", ()), *self.values.values()]
        return table

    def without(self, *tables: Mapping[str, Any]) -> SaidNumbers:
        """What none of these tables lists."""
        rest = SaidNumbers(self.numbers)
        listed = {row["name"] for table in tables for row in table.get("lines", ())}
        noted = {row["name"] for table in tables for row in table.get("values", ())}
        rest.lines = {name: row for name, row in self.lines.items() if name not in listed}
        rest.values = {name: row for name, row in self.values.items() if name not in noted}
        return rest


def _as_listed(feature: Row, lines: list[Row]) -> Row:
    """The strongest feature with the numbers of the line that it is: one line, one number."""
    for row in lines:
        width = SAME_FIT * row.get("fwhm_kms", 0.0) / LIGHT_KMS * row.get("centroid", 0.0)
        is_same = abs(feature.get("centroid", 0.0) - row.get("centroid", 0.0)) < width
        if is_same and row["kind"] == feature["kind"]:
            return {**feature, **row, "name": feature["name"]}
    return feature


CLEAR_SIGMA = 3.0


def strength_state(row: Mapping[str, Any]) -> str:
    """'emission' or 'absorption' of a line that is clearly there, '' in the noise.

    'unclear' if profile and area disagree, or if only the profile stands out. A forbidden line is
    never in absorption.
    """
    ew, error = row.get("ew"), row.get("ew_error", 0.0)
    if ew is None:
        return ""
    side = "emission" if ew < 0 else "absorption"
    line = builtin_lines().by_id.get(str(row.get("name", "")))
    if side == "absorption" and line is not None and line.is_forbidden:
        return ""
    is_clear = abs(ew) >= CLEAR_SIGMA * error
    if row.get("kind") and not (is_clear and row["kind"] == side):
        return "unclear"
    return side if is_clear else ""
