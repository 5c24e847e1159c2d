"""Measurements that rule each kind of contaminant in or out.

The fitted kinds of the measured inspector also use chance alignments, such as He I windows that
hold TiO. An expert would never name those, so the signs a draft may name are listed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from agent.claims.features import Feature
from train.meter import Meter

RIVAL_NATS = 0.6
"""Weight of one sign of a rival for or against the class."""
CLEAR_SIGMA = 3.0
MARGIN = 0.08
"""Fraction of the border within which a value is on neither side."""


@dataclass(frozen=True)
class Sign:
    """A kind's objects are on this `side` of the border; absorption has positive width."""

    feature: Feature
    side: Literal["above", "below"]
    border: float
    meaning: str = ""

    @property
    def absorbs(self) -> bool:
        """Whether it is an absorption line; a missing one is never called emission."""
        return self.feature.is_line and self.side == "above"

    def holds(self, value: float) -> bool:
        return value > self.border if self.side == "above" else value < self.border

    def is_clear(self, value: float, error: float) -> bool:
        """Whether a value is far enough from the border to be stated."""
        distance = abs(value - self.border)
        return distance > MARGIN * abs(self.border) and distance > CLEAR_SIGMA * error


def _index(name: str, side: Literal["above", "below"], border: float, meaning: str = "") -> Sign:
    return Sign(Feature(name), side, border, meaning)


def _emits(name: str, angstrom: float) -> Sign:
    return Sign(Feature(name, is_line=True), "below", -angstrom)


def _absorbs(name: str, angstrom: float) -> Sign:
    return Sign(Feature(name, is_line=True), "above", angstrom)


_TIO = _index("TiO5", "below", 0.8, "TiO bands")
_NO_TIO = _index("TiO5", "above", 0.88, "no TiO bands")
_COOL = _index("Dn4000", "above", 1.35, "a cool star")
_HOT = _index("Dn4000", "below", 1.2, "a hot star")
_NARROW = _index("H_gamma_D2", "below", 24.0)

SIGNS: Mapping[str, tuple[Sign, ...]] = MappingProxyType(
    {
        "M_DWARF": (_TIO, _index("NaI_8190", "above", 1.8), _index("CaH1", "below", 0.87)),
        "MG": (_TIO, _index("NaI_8190", "below", 1.3)),
        "K": (_NO_TIO, _COOL, _index("Mg_b", "above", 2.0)),
        "G": (_NO_TIO, _index("CH_G4300", "above", 3.5), _index("Mg_b", "above", 1.5)),
        "F": (_NO_TIO, _index("CH_G4300", "above", 0.8), _index("Dn4000", "below", 1.5)),
        "A": (_HOT, _NARROW, _index("HdA", "above", 6.0)),
        "B": (_HOT, _NARROW, _absorbs("HeI_4471", 0.3)),
        "O": (_HOT, _index("HeII_4542", "above", 0.25), _index("HeII_5411", "above", 0.3)),
        "SDB": (_HOT, _index("H_gamma_D2", "below", 26.0)),
        "WD": (_HOT, _index("H_gamma_D2", "above", 27.0), _index("H_delta_D2", "above", 27.0)),
        "CS": (
            _index("C2_5165_edge", "above", 0.1),
            _index("C2_5636_edge", "above", 0.1),
            _index("CN_7873_edge", "above", 0.06),
        ),
        "SS": (_index("ZrO_6474_edge", "above", 0.16), _index("ZrO_6345_edge", "above", 0.1)),
        "CV": (_emits("H_alpha", 8.0), _emits("H_beta", 4.0), _emits("HeI_6678", 1.0)),
        "SYMBIOTIC": (_emits("H_alpha", 15.0), _TIO, _emits("HeII_4686", 2.0)),
        "WR": (_emits("HeII_4686", 8.0),),
        "NEBULA": (_emits("OIII_5007", 3.0), _emits("SII_6716", 1.0)),
        "YSO": (_emits("H_alpha", 5.0), _absorbs("LiI_6708", 0.2)),
    }
)
"""Signs by label of the kind; quasars and galaxies have none because their lines are redshifted."""


def clear_signs(kind: str, meter: Meter, *, present: bool) -> Iterator[Sign]:
    """Signs of a kind that are clearly present, or clearly missing."""
    for sign in SIGNS.get(kind, ()):
        value = meter.strength(sign.feature)
        if value.value is None or not sign.is_clear(value.value, value.error or 0.0):
            continue
        if sign.holds(value.value) == present:
            yield sign
