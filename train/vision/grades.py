"""Words for what the eye sees: a phrase for each quantity and each of a few grades of it."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from agent.evidence.feature_numbers import BOTH
from agent.evidence.features import CLEAR_STEP, FEATURES
from agent.evidence.kinds import builtin_kinds, feature_row
from agent.evidence.measurements import SpectrumMeasurements
from agent.evidence.star_velocity import StarVelocity
from agent.evidence.window_numbers import WINDOW_FEATURES, rest_window
from agent.spectra.measure.index_definitions import builtin_indices
from agent.spectra.pixel_grid import doppler
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum, Window
from agent.tasks.task import Task
from train.simulate.sky import LABELS

# What the eye is asked of a picture: the measured quantities within it, and the kind of object.
FILLED = 0.4  # share of a feature's range; where pixels grow with wavelength, half of them hold 0.6
EDGE = 4.0  # angstrom by which a picture must reach beyond a quantity's own range


@cache
def asked_features() -> tuple[str, ...]:
    """The features that have one place in the spectrum, in the order of the fitted kinds."""
    composite = {*BOTH, "bend"}
    return tuple(name for name in builtin_kinds().features if name not in composite)


@cache
def feature_windows() -> FloatArray:
    """(features, 2) rest-frame ranges, angstrom."""
    line_of = [name.removesuffix("_abs_fwhm").removesuffix("_peak") for name in asked_features()]
    return np.array([rest_window(name) for name in line_of])


@cache
def knots() -> FloatArray:
    """(features, steps): values between which a quantity is ranked."""
    kinds = builtin_kinds()
    return kinds.knots[[kinds.features.index(name) for name in asked_features()]]


def measured_values(spectrum: Spectrum, velocity_kms: float) -> FloatArray:
    """Features of a (nearly) noiseless spectrum at its true velocity; NaN where not measured."""
    velocity = StarVelocity(velocity_kms, 0.0, "simulation")
    values, errors = feature_row(SpectrumMeasurements(spectrum, velocity), asked_features())
    return np.where(np.isfinite(errors), values, np.nan)


def ranks(values: FloatArray) -> FloatArray:
    """Each value between -1 and 1 by its rank among all kinds of objects."""
    own_knots = knots()
    places = np.linspace(-1.0, 1.0, own_knots.shape[1])
    ranked = [np.interp(value, own, places) for value, own in zip(values, own_knots, strict=True)]
    return np.where(np.isfinite(values), np.array(ranked), np.nan)


def within(window: Window, velocity_kms: float) -> BoolArray:
    """Which features a picture of this window shows whole."""
    low, high = (feature_windows() * doppler(velocity_kms)).T
    return (low - EDGE >= window[0]) & (high + EDGE <= window[1])


def has_data(spectrum: Spectrum, velocity_kms: float) -> BoolArray:
    """Which features have good pixels to measure, and lie in no gap of the spectrum."""
    good = spectrum.wavelength[spectrum.good]
    low, high = (feature_windows() * doppler(velocity_kms)).T
    pixels = np.searchsorted(good, high) - np.searchsorted(good, low)
    return pixels * np.median(np.diff(good)) > FILLED * (high - low)


def kind_number(label: str) -> int:
    """Index of a kind of object; -1 for labels that are none, such as OTHER."""
    return LABELS.index(label) if label in LABELS else -1


Climate = Literal["cool", "hot", "neither"]
Phrases = tuple[tuple[float, ...], tuple[str, ...]]
"""Borders in the quantity's own unit, rising, and one phrase more than borders."""


class Readings(NamedTuple):
    """What the eye reads of some pictures, or of one."""

    ranks: FloatArray
    errors: FloatArray  # typical
    above: FloatArray  # probabilities that the value is above each border of its grades


MOST_BORDERS = 6
PER_WINDOW, ASKED = 6, 3
"""Quantities that are told of a window, and of how many the task is told that they are not there,
or that it cannot be known."""
SURE = 0.9  # probability from which on something is said
WHOLE = ("colour_4200_5400", "colour_6600_7500", "Dn4000", "TiO5", "TiO5_excess", "C2_5165_edge",
         "EW_H_alpha")  # fmt: skip
"""Quantities that are told of the whole spectrum, where only broad or strong features are seen."""
STRONG_LINE = -12.0  # equivalent width, in angstrom, of emission that is seen in the whole spectrum
UNTOLD = ("TiO5_excess", "ZrO_6474", "ZrO_6345", "CN_7872", "MK_carbon", "Ba_4554", "H_11",
          "EW_Pa_12", "H_gamma_depth", "TiO_4940", "EW_FeI_5270", "EW_LiI_6708")  # fmt: skip
"""Quantities that are not told of a window: they have no words that an astronomer would use, are
told by a band head, or are read better from the whole spectrum."""

LINES = ("strong emission", "clear emission", "weak emission", "", "weak absorption",
         "clear absorption", "strong absorption")  # fmt: skip
EMITTED = ("EW_OIII", "EW_SII", "EW_Bowen", "EW_CIV")
"""Lines that no star has in absorption: what looks so is another's."""
BALMER, HELIUM, METAL = (1.0, 3.0, 12.0), (0.35, 1.2, 4.0), (0.6, 1.2, 3.0)
"""Angstrom from which a line is seen, is more than weak, and is strong."""
COLOURS = ("very red", "red", "rather red", "flat", "rather blue", "blue", "very blue")
FLAT = (0.35, 0.6, 0.85, 1.1, 1.35, 1.7)
STRENGTHS = {
    "CH_G4300": (1.5, 4.0, 6.0), "NaI_8190": (1.0, 2.0, 4.0), "CaT": (2.0, 5.0, 8.0),
    "Mg_b": (1.0, 2.5, 4.0), "Na_D": (1.0, 3.0, 6.0), "Dn4000": (1.1, 1.3, 1.6),
    "Balmer_jump_3720": (1.08, 1.3, 1.7), "VO1": (1.06, 1.12, 1.25),
}  # fmt: skip
"""Borders of none, weak, clear and strong, where more is stronger."""
DEPTHS = {
    "TiO5": ("TiO 7126", (0.45, 0.7, 0.92)), "CaH1": ("CaH 6385", (0.85, 0.91, 0.97)),
    "CaH2": ("CaH 6830", (0.5, 0.7, 0.92)), "CaH3": ("CaH 6975", (0.72, 0.82, 0.94)),
}  # fmt: skip
"""Ratios of flux in the band to beside it: less is stronger."""
CAH_AT_TIO = (0.1, 0.16), ("CaH strong for its TiO", "CaH as its TiO", "CaH weak for its TiO")
"""What tells a dwarf from a giant: the depth of CaH where TiO is as deep as it is."""
TIO_SEEN = 0.85  # TiO5 below which TiO is clear
NAMES = {"Balmer_jump_3720": "Balmer jump", "VO1": "VO 7450"}
"""What is said instead of the label, where that names a ratio."""
KMS, ANGSTROM = (350.0, 900.0, 1700.0), (10.0, 20.0, 40.0)
"""Borders of the widths of emission and of absorption lines."""
WIDTH_WORDS = ("narrow", "of medium width", "broad", "very broad")
LINE_OF_WIDTH = {
    "H_alpha_em_fwhm": "EW_H_alpha", "H_beta_em_fwhm": "EW_H_beta", "H_beta_D2": "EW_H_beta",
    "H_gamma_D2": "EW_H_gamma", "H_delta_D2": "EW_H_delta",
}  # fmt: skip
"""Widths are told only of a line that is told as emission or absorption, as its name says."""

AT_MOST, UNCLEAR = "weak at most", "unclear"

COOL_STARTS = ("TiO", "CaH", "ZrO", "YO", "LaO", "VO", "CN", "C2", "NaI_8190", "EW_BaII", "MgH",
               "Mg_b", "CaT")  # fmt: skip
"""Quantities that say nothing about a hot star unless its task asks for them."""
HIDDEN_BY_BANDS = ("EW_HeI", "HeII", "EW_Bowen", "EW_SII", "EW_MgII", "CIV")
"""Lines that are not told of a star with deep bands, where dips between bands look like lines."""
HOT_STARTS = (*HIDDEN_BY_BANDS, "EW_OIII", "EW_Pa", "EW_OI", "EW_CaII_8542", "EW_H_beta",
              "EW_H_gamma", "EW_H_delta", "H_", "Balmer")  # fmt: skip
"""Quantities that say nothing about such a star unless its task asks for them."""


@cache
def words(feature: str) -> Phrases:
    """The borders of a quantity's grades and what is said at each, such as "Hα in emission"."""
    label = NAMES.get(feature, FEATURES[feature].label)
    if feature.endswith("_edge"):
        name = feature.removesuffix("_edge").replace("_", " ")
        clear = FEATURES[feature].high_from or CLEAR_STEP
        said = f"no {name}", f"trace of {name}", f"{name} clear", f"{name} strong"
        return (CLEAR_STEP, clear, 0.5 * (clear + float(_knots(feature)[-1]))), said
    if feature == "TiO5_excess":
        return CAH_AT_TIO
    if feature in DEPTHS:
        name, borders = DEPTHS[feature]
        return borders, (f"{name} strong", f"{name} clear", f"{name} weak", f"no {name}")
    if feature in LINE_OF_WIDTH:
        name = f"{FEATURES[LINE_OF_WIDTH[feature]].label} {_sign(feature)}"
        borders = KMS if _sign(feature) == "emission" else ANGSTROM
        return borders, tuple(f"{name} {width}" for width in WIDTH_WORDS)
    if feature in STRENGTHS:
        said = f"no {label}", f"{label} weak", f"{label} clear", f"{label} strong"
        return STRENGTHS[feature], said
    if feature.startswith("colour_"):
        _, bluer, redder = feature.split("_")
        return FLAT, tuple(f"{colour} from {bluer} to {redder} Å" for colour in COLOURS)
    seen, more, strong = _line_borders(feature)
    if feature.startswith(EMITTED):
        emitted = tuple(f"{label} in {each}" for each in LINES[:3])
        return (-strong, -more, -seen), (*emitted, f"{label} not seen")
    of_line = tuple(f"{label} in {each}" if each else f"{label} not seen" for each in LINES)
    return (-strong, -more, -seen, seen, more, strong), of_line


def _line_borders(feature: str) -> tuple[float, float, float]:
    name = feature.removeprefix("EW_")
    if name.startswith("H_"):
        return BALMER
    return HELIUM if name.startswith(("He", "Bowen", "OIII", "CIV")) else METAL


@cache
def _knots(feature: str) -> FloatArray:
    return knots()[asked_features().index(feature)]


def sure_readings(ranks: FloatArray) -> Readings:
    """Readings (pictures, quantities) without any doubt."""
    above = (ranks[..., None] > border_ranks()).astype(np.float64)
    return Readings(ranks, np.full_like(ranks, 0.05), above)


def value_of(feature: str, rank: float) -> float:
    """The value of a quantity of this rank between -1 and 1."""
    own = _knots(feature)
    return float(np.interp(rank, np.linspace(-1.0, 1.0, own.size), own))


@cache
def border_ranks() -> FloatArray:
    """(features, borders): the ranks of the borders; NaN for what is not told, and at the end."""
    ranks = np.full((len(asked_features()), MOST_BORDERS), np.nan)
    for row, feature in enumerate(asked_features()):
        if feature in told_quantities():
            borders, _ = words(feature)
            own = _knots(feature)
            places = np.linspace(-1.0, 1.0, own.size)
            ranks[row, : len(borders)] = np.interp(borders, own, places)
    return ranks


class GradePhrase(NamedTuple):
    """What may be said of a quantity, and the first and last of the grades of which it is true."""

    text: str
    first: int
    last: int


@cache
def grade_phrases(feature: str) -> tuple[GradePhrase, ...]:
    """One for each grade, and those for several: a sign without a strength, weak at most."""
    said, absent = words(feature)[1], absent_grade(feature)
    last = len(said) - 1
    if feature.startswith("colour_"):
        near = ((each, max(0, at - 1), min(last, at + 1)) for at, each in enumerate(said))
        return tuple(GradePhrase(*each) for each in near)
    found = [GradePhrase(each, at, at) for at, each in enumerate(said)]
    if feature in LINE_OF_WIDTH:
        name = said[0].removesuffix(WIDTH_WORDS[0])
        found += [GradePhrase(f"{name}not broad", 0, 1), GradePhrase(f"{name}broad at least", 2, 3)]
    elif absent is not None:
        name = _subject(said[absent])
        found.append(GradePhrase(f"{name} {AT_MOST}", max(absent - 1, 0), min(absent + 1, last)))
        if absent > 0:
            clear, seen = _by_sign(name, said[0])
            found += [GradePhrase(clear, 0, absent - 2), GradePhrase(seen, 0, absent - 1)]
        if absent < last:
            clear, seen = _by_sign(name, said[last])
            found += [GradePhrase(clear, absent + 2, last), GradePhrase(seen, absent + 1, last)]
    return tuple(found)


def _by_sign(name: str, strongest: str) -> tuple[str, str]:
    """What is said of a quantity that is clear or strong, and of one that is there at all."""
    _, is_line, sign = strongest.rpartition(" in strong ")
    if is_line:
        return f"{name} in clear or strong {sign}", f"{name} in {sign}"
    return f"{name} clear or strong", f"{name} seen"


@cache
def absent_grade(feature: str) -> int | None:
    """The grade that means that nothing is there; None of a colour or a width."""
    return next((at for at, said in enumerate(words(feature)[1]) if is_absence(said)), None)


def sure_phrase(feature: str, above: FloatArray) -> str:
    """The most exact thing that is sure to be true of a quantity; "" if none is."""
    borders = len(words(feature)[0])
    odds = np.minimum.accumulate(np.concatenate([[1.0], above[:borders], [0.0]]))
    sure = []
    for each in grade_phrases(feature):
        true = float(odds[each.first] - odds[each.last + 1])
        if true >= SURE:
            sure.append((each.last - each.first, -true, each.text))
    return min(sure)[2] if sure else ""


def unclear(feature: str) -> str:
    """What is said where nothing is sure; "" of a colour or a width, which are not asked for."""
    absent = absent_grade(feature)
    return "" if absent is None else f"{_subject(words(feature)[1][absent])} {UNCLEAR}"


def is_unclear(said: str) -> bool:
    return said.endswith(UNCLEAR)


def _subject(absence: str) -> str:
    return absence.removeprefix("no ").removesuffix(" not seen")


def is_absence(said: str) -> bool:
    return said.startswith("no ") or said.endswith(("not seen", AT_MOST))


@cache
def own_features(task: Task) -> tuple[str, ...]:
    """The quantities that the task's own criteria name, in their order."""
    targets = [target for each in task.evidence for target in each.target]
    known = {*WINDOW_FEATURES, *WHOLE} & set(asked_features()) - set(UNTOLD)
    names = (name for each in targets for name in (each, f"EW_{each}", f"{each}_em_fwhm"))
    return tuple(dict.fromkeys(name for name in names if name in known))


def climate(ranks: FloatArray, window: Window) -> Climate:
    """Whether the whole spectrum has deep bands, or the look of a hot star."""
    rank = dict(zip(asked_features(), ranks.tolist(), strict=True))
    shown = set(_shown(window))
    value = {feature: value_of(feature, rank[feature]) for feature in WHOLE if feature in shown}
    if value.get("TiO5", 1.0) < TIO_SEEN or value.get("C2_5165_edge", 0.0) > 0.15:
        return "cool"
    is_blue = value.get("colour_4200_5400", 0.0) > 1.1 and value.get("Dn4000", 1.0) < 1.3
    return "hot" if is_blue else "neither"


@cache
def _shown(window: Window) -> tuple[str, ...]:
    """The quantities whose features and what they are compared with lie within a picture."""
    inside = np.array(asked_features())[within(window, 0.0)].tolist()
    return tuple(feature for feature in inside if _other_side_is_in(feature, window))


def _other_side_is_in(feature: str, window: Window) -> bool:
    """Whether the continuum of a break or a colour, which may lie far off, is in the picture."""
    index = builtin_indices().get(feature)
    if index is None or index.head is not None or not index.continuum:
        return True
    low = min(start for start, _ in index.continuum)
    high = max(end for _, end in index.continuum)
    return window[0] <= low and high <= window[1]


def told_features(
    window: Window, task: Task, kind: Climate, before: Collection[str] = (), *, is_whole: bool
) -> tuple[str, ...]:
    """The quantities that are told of a picture: those of the task first, none twice."""
    shown, own = set(_shown(window)), own_features(task)
    if is_whole:
        return tuple(feature for feature in WHOLE if feature in shown and _fits(feature, kind, own))
    order = (*own, *(feature for feature in WINDOW_FEATURES if feature not in own))
    left = shown.difference(before, UNTOLD)
    return tuple(feature for feature in order if feature in left and _fits(feature, kind, own))


def _fits(feature: str, kind: Climate, own: Sequence[str]) -> bool:
    if kind == "cool" and feature.startswith(HIDDEN_BY_BANDS):
        return False
    if feature in own:
        return True
    starts = {"cool": HOT_STARTS, "hot": COOL_STARTS, "neither": ()}[kind]
    return not feature.startswith(starts) or feature == "EW_H_alpha"


def told(
    window: Window,
    read: Readings,
    task: Task,
    kind: Climate,
    before: Collection[str] = (),
    *,
    label: str,
) -> dict[str, str]:
    """What is said of a picture, by quantity, and nothing of which the eye is unsure.

    `label` says what the look is for; it is "" of the whole spectrum.
    """
    is_whole = not label
    rank = dict(zip(asked_features(), read.ranks.tolist(), strict=True))
    above = dict(zip(asked_features(), read.above, strict=True))
    own = own_features(task)
    found = dict[str, str]()
    for feature in told_features(window, task, kind, before, is_whole=is_whole):
        text = sure_phrase(feature, above[feature])
        if feature == "CH_G4300" and value_of("EW_H_gamma", rank["EW_H_gamma"]) < -BALMER[0]:
            continue  # The emission beside it raises what the G band is compared with.
        if is_whole and feature == "EW_H_alpha" and value_of(feature, rank[feature]) > STRONG_LINE:
            continue
        if feature == "TiO5_excess" and value_of("TiO5", rank["TiO5"]) >= TIO_SEEN:
            continue
        if (line := LINE_OF_WIDTH.get(feature)) is not None:
            of_line = sure_phrase(line, above[line])
            if not text or not of_line.endswith(_sign(feature)):
                continue
            if line not in before:
                found[line] = of_line
        if not text and feature in own and _is_named(feature, label):
            text = unclear(feature)
        if text:
            found[feature] = text
    chosen = _most_telling(found, own, label)
    if is_whole:
        return {feature: found[feature] for feature in chosen}
    return {feature: found[feature] for feature in sorted(chosen, key=_place)}


def _most_telling(found: Mapping[str, str], own: Sequence[str], label: str) -> list[str]:
    """What is there, the task's own before others; then what the look is for in vain."""
    there = [name for name, text in found.items() if not (is_absence(text) or is_unclear(text))]
    missing = [feature for feature in found if is_absence(found[feature])]
    asked = [feature for feature in missing if feature in own]
    if not label:
        return [feature for feature in found if feature in there or feature in asked]
    others = [each for each in asked if not _is_named(each, label) and not each.startswith(EMITTED)]
    unsure = [feature for feature in found if is_unclear(found[feature])]
    asked = [*(each for each in asked if _is_named(each, label)), *unsure, *others[:1]][:ASKED]
    wanted = [feature for feature in there if feature in own or LINE_OF_WIDTH.get(feature) in own]
    rest = [feature for feature in there if feature not in wanted]
    chosen = [*wanted, *rest][: PER_WINDOW - len(asked)] + asked
    # Where nothing else is sure, that a line is not there is better than a silent look.
    return chosen or missing[:ASKED]


def _is_named(feature: str, label: str) -> bool:
    """Whether a look with this label is for the quantity: "Hα and He I 6678"."""
    name = unclear(feature).removesuffix(f" {UNCLEAR}")
    number = name.rpartition(" ")[2]
    return bool(name) and (name in label or (number.isdigit() and number in label))


@cache
def _place(feature: str) -> tuple[float, bool]:
    """By wavelength, a line before its width."""
    low, high = feature_windows()[asked_features().index(LINE_OF_WIDTH.get(feature, feature))]
    return 0.5 * (low + high), feature in LINE_OF_WIDTH


def _sign(width: str) -> str:
    """Whether a width is that of emission or of absorption."""
    return "emission" if width.endswith("em_fwhm") else "absorption"


@cache
def told_quantities() -> frozenset[str]:
    return frozenset({*WHOLE, *(set(WINDOW_FEATURES) & set(asked_features()) - set(UNTOLD))})


def all_phrases() -> set[str]:
    every = told_quantities()
    said = {each.text for name in every for each in grade_phrases(name)}
    return said | {*map(unclear, every)} - {""}
