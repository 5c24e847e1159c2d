"""Which measurements mean what their name says in a spectrum, and which another feature imitates.

They all count as evidence, whose weights were fitted with them; only words depend on this.
"""

from functools import lru_cache

from agent.evidence.feature_numbers import ABSORBED_ONLY
from agent.evidence.features import NAMED_STEP
from agent.evidence.findings import Finding
from agent.evidence.measurements import SpectrumMeasurements

TIO_PRESENT, TIO_ABSENT = 0.80, 0.90  # TiO5
CAH1_OF_GIANTS = 0.94  # and higher
CLEAR_SIGMA = 3.0
BALMER_LINES = ("H_alpha", "H_beta", "H_gamma")
BLUE_BALMER_LINES = ("H_beta", "H_gamma")  # a red companion emits Hα beside a white dwarf
# The flux of a line in emission fills their windows or raises their side windows.
HYDROGEN_INDICES = frozenset({"HdA", "HdF", "HgA", "HgF", "CH_G4300"})
HYDROGEN_WIDTHS = ABSORBED_ONLY - {"H_beta_abs_fwhm"}  # a fitted profile has no side windows
GRAVITY = frozenset(
    {"CaH1", "CaH2", "CaH3", "TiO5_excess", "NaI_8190", "MgH_5211_edge", "CaT", "Na_D"}
)
HYDRIDE = frozenset({"TiO5_excess", "CaH2", "CaH3"})
"""Measures of CaH that depend on temperature, too, so that CaH1 decides between them."""
# Beside TiO5, which decides whether there is TiO: hydrogen, MgH and Paschen lines imitate the rest.
TIO = frozenset({"TiO_4940", "TiO_4955_edge"})
TIO_REDDEST = frozenset({"TiO_both", "TiO_6158_edge", "TiO_8860_edge"})
TIO_STRONGEST = frozenset({"TiO5", "TiO_7054_edge"})  # seen first, also beside a blue star
BANDS = {"ZrO_6474": "ZrO_6474_edge", "ZrO_6345": "ZrO_6345_edge", "CN_7872": "CN_7873_edge"}
"""Indices of bands, and the steps at their heads."""


def is_plausible(name: str, says_there: bool, numbers: SpectrumMeasurements) -> bool:
    """Whether an index or band head can be spoken of by its name.

    `says_there` is what would be said: that the feature is there, or that it is not.
    """
    if name in TIO:
        head = _step_agrees("TiO_7054_edge", False, numbers)
        return has_tio(numbers) is says_there and (says_there or head)
    if name in TIO_REDDEST:
        return has_tio(numbers) in (None, says_there)
    if name in TIO_STRONGEST:
        return says_there or has_tio(numbers) is not True
    if name in BANDS:
        return _step_agrees(BANDS[name], says_there, numbers)
    if name in HYDROGEN_WIDTHS:
        return not has_balmer_emission(numbers, BLUE_BALMER_LINES)
    return name not in HYDROGEN_INDICES or not has_balmer_emission(numbers)


def has_deep_hydride(numbers: SpectrumMeasurements) -> bool | None:
    """Whether CaH is as deep as in a dwarf, by the index that least depends on temperature."""
    index = numbers.index("CaH1").value
    return None if index is None else index < CAH1_OF_GIANTS


def _step_agrees(head: str, says_there: bool, numbers: SpectrumMeasurements) -> bool:
    step, named = numbers.index(head).value, NAMED_STEP[head.removesuffix("_edge")]
    return step is not None and (step > named if says_there else step < 0.5 * named)


def tells_gravity(name: str, numbers: SpectrumMeasurements) -> bool:
    """Whether the number tells a giant from a dwarf: only in a star with TiO bands."""
    if name == "MgH_5211_edge":
        return has_tio(numbers) is False  # TiO 5167 ends there as well
    return has_tio(numbers) is True


@lru_cache(maxsize=4)
def has_tio(numbers: SpectrumMeasurements) -> bool | None:
    """Whether the star has TiO bands by its TiO5 index; None if that is not clear."""
    ratio = numbers.index("TiO5")
    if ratio.value is None:
        return None
    error = ratio.error or 0.0
    if ratio.value < TIO_PRESENT and 1.0 - ratio.value > CLEAR_SIGMA * error:
        return True
    return False if ratio.value > TIO_ABSENT else None


def has_balmer_emission(
    numbers: SpectrumMeasurements, lines: tuple[str, ...] = BALMER_LINES
) -> bool:
    strengths = [numbers.line_strength(name) for name in lines]
    known = ((each.value, each.error or 0.0) for each in strengths if each.value is not None)
    return any(value < -CLEAR_SIGMA * error for value, error in known)


def is_contradicted(finding: Finding, numbers: SpectrumMeasurements) -> bool:
    """Whether the words of a claim would say what another measurement shows to be wrong."""
    names = (name for name in finding.evidence.target if name not in BANDS)
    return not all(is_plausible(name, finding.is_found, numbers) for name in names)
