"""Random sources by label."""

from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from train.simulate.sky.carbon import barium, cs
from train.simulate.sky.cataclysmic import cv
from train.simulate.sky.cool import l_dwarf, m_dwarf, mg, ss, sunlike
from train.simulate.sky.extragalactic import galaxy, qso
from train.simulate.sky.hot import a_star, b_star, o_star, subdwarf
from train.simulate.sky.oddities import artefact, nebular, symbiotic, young_star
from train.simulate.sky.physics import chance
from train.simulate.sky.white_dwarf import wd
from train.simulate.sky.wolf_rayet import wolf_rayet
from train.simulate.source import Rng, Source

DRAWN = 500
RAREST = 0.01  # share of a class below which a subtype is ignored


def _k_star(rng: Rng) -> Source:
    return barium(rng) if chance(rng, 0.05) else sunlike("K", rng)


DRAWS: dict[str, Callable[[Rng], Source]] = {
    "CV": cv, "CS": cs, "SS": ss, "MG": mg, "WD": wd, "O": o_star, "B": b_star, "A": a_star,
    "F": partial(sunlike, "F"), "G": partial(sunlike, "G"), "K": _k_star, "M_DWARF": m_dwarf,
    "SDB": subdwarf, "QSO": qso, "GALAXY": galaxy, "NEBULA": nebular, "SYMBIOTIC": symbiotic,
    "WR": wolf_rayet, "YSO": young_star, "ARTEFACT": artefact, "L_DWARF": l_dwarf,
}  # fmt: skip
LABELS: tuple[str, ...] = tuple(DRAWS)


def draw_source(label: str, rng: Rng) -> Source:
    """A random noiseless source of one class, with its parameters."""
    source = DRAWS[label](rng)
    if not (np.isfinite(source.flux).all() and (source.flux >= 0).all()):
        raise ValueError(f"the draw of a {source.subtype} has bad flux: {source.parameters}")
    return source


# Draws of a class in which its rare subtypes are as frequent as its common ones.
def draw_balanced_kind(label: str, rng: Rng) -> Source:
    """Draw the subtype with equal odds, then sources until one has that subtype."""
    subtypes = subtypes_of(label)
    wanted = subtypes[int(rng.integers(len(subtypes)))]
    while (source := draw_source(label, rng)).subtype != wanted:
        pass
    return source


@lru_cache
def subtypes_of(label: str) -> tuple[str, ...]:
    """The subtypes of a class that occur in a fixed number of draws."""
    rng = np.random.default_rng(0)
    seen = Counter(draw_source(label, rng).subtype for _ in range(DRAWN))
    return tuple(sorted(kind for kind, count in seen.items() if count >= RAREST * DRAWN))
