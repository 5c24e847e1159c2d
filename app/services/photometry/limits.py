"""Magnitudes that are limits and no measurements, by the quality letters of infrared surveys."""

from __future__ import annotations

from collections.abc import Mapping

from app.services.catalogues.answer import Value

BANDS_OF_LETTERS = {"twomass": ("j", "h", "k"), "allwise": ("w1", "w2", "w3", "w4")}
"""The column `quality` has a letter for each of these."""
NOT_MEASURED = ("U", "X")
"""U: fainter than that; X: no brightness could be measured. So the explanatory supplements of
2MASS (column ph_qual) and AllWISE (ph_qual)."""


def is_limit(service: str, column: str, values: Mapping[str, Value]) -> bool:
    """Whether the magnitude in this column only says that the star is fainter."""
    columns, letters = BANDS_OF_LETTERS.get(service, ()), values.get("quality")
    if column not in columns or not isinstance(letters, str):
        return False
    at = columns.index(column)
    return letters[at : at + 1] in NOT_MEASURED
