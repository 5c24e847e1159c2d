"""What a feature says of a spectrum, in words whose numbers stand in the record's table."""

from agent.evidence.feature_numbers import BOTH, PROFILES
from agent.evidence.features import CLEAR_STEP, FEATURES
from agent.evidence.line_words import LineWords, is_line, line_text
from agent.evidence.measurements import SpectrumMeasurements, is_hot_line
from agent.evidence.plausible import (
    GRAVITY,
    HYDRIDE,
    has_deep_hydride,
    has_tio,
    is_plausible,
    tells_gravity,
)
from agent.evidence.said_numbers import SaidNumbers, strength_state

MIN_SIGMA = 3.0  # Of a sign that is there or not, such as a step or an emission: less is noise.
# Two indices of a line: weak or strong is said where both are.
WIDE_AND_NARROW = {"HdA": "HdF", "HdF": "HdA", "HgA": "HgF", "HgF": "HgA"}
REMARKS = ("strong", "weak", "narrow", "wide")


def feature_words(
    name: str, value: float, error: float, middle: float, said: SaidNumbers
) -> LineWords | str:
    """What a feature's value says; empty if it says little or contradicts the line itself."""
    feature = FEATURES[name]
    words = feature.words(value, middle)
    if not words or not _is_meant(name, words, said.numbers):
        return ""
    lines = lines_of(name)
    if lines:
        return _line_words(words, lines, said)
    if feature.border in (0.0, CLEAR_STEP) and abs(value) < MIN_SIGMA * error:
        return ""
    row = said.value(feature.label, value, error, feature.unit)
    return feature.text(row["value"], middle, row.get("error", 0.0))


def _is_meant(name: str, words: str, numbers: SpectrumMeasurements) -> bool:
    """Whether the number means what the words say in this spectrum."""
    if name in GRAVITY and not tells_gravity(name, numbers):
        return False
    if name in HYDRIDE and has_deep_hydride(numbers) is not words.endswith(("dwarf", "deep")):
        return False
    other = WIDE_AND_NARROW.get(name)
    if other is not None:
        said = FEATURES[other].words(numbers.index(other).number, 0.0)
        if said.partition(" ")[0] != words.partition(" ")[0]:
            return False
    if name == "TiO_7054_edge" and has_tio(numbers) is False:
        return False
    says_there = not words.startswith("no ")
    return all(is_plausible(part, says_there, numbers) for part in (name, *BOTH.get(name, ())[1:]))


def lines_of(feature: str) -> tuple[str, ...]:
    """The lines that a feature describes; empty if it describes something else."""
    if feature in BOTH:
        parts = [lines_of(part) for part in BOTH[feature][1:]]
        return tuple(line for part in parts for line in part) if all(parts) else ()
    if feature.startswith("EW_"):
        return (feature.removeprefix("EW_"),)
    for line in PROFILES:
        if feature in (f"{line}_em_fwhm", f"{line}_abs_fwhm", f"{line}_peak"):
            return (line,)
    return (feature,) if is_line(feature) else ()


def _line_words(words: str, lines: tuple[str, ...], said: SaidNumbers) -> LineWords | str:
    """The line's own measurement, if it shows what the feature says; the weaker one of two."""
    claimed = _claimed_state(words)
    rows = {line: said.numbers.line_strength(line) for line in lines}
    if any(row.value is None for row in rows.values()):
        return ""
    line = min(rows, key=lambda name: abs(rows[name].number))
    look = SaidNumbers(said.numbers)
    states = {strength_state(look.line(name)) for name in lines}
    if claimed not in ("", "absent") and states != {claimed}:
        return ""
    if claimed == "absent" and states & {"emission", "absorption", "unclear"}:
        return ""
    if states & {"absorption", "unclear"} and is_hot_line(line) and said.numbers.has_deep_bands:
        return ""
    missing = "emission" if "emission" in words else "absorption"
    remark = next((remark for remark in REMARKS if words.endswith(remark)), "")
    if remark in ("strong", "weak") and states != {"absorption"}:
        remark = ""
    return LineWords(line_text(line, said.line(line), missing), remark)


def _claimed_state(words: str) -> str:
    """The state that the words claim; 'absent' if nothing is there, empty if they leave it open."""
    if words.startswith("no ") or "not seen" in words:
        return "absent"
    if "emission" in words or "rises" in words:
        return "emission"
    is_absorbed = words.endswith(("absorbed", "strong", "seen", "dips")) or "absorption" in words
    return "absorption" if is_absorbed else ""
