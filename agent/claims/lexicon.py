"""Names of lines, band heads and indices in a text, and the features they can mean."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from agent.claims.features import Feature
from agent.evidence.features import FEATURES
from agent.spectra.air import air_to_vacuum
from agent.spectra.lines import Line, builtin_lines
from agent.spectra.measure.index_definitions import builtin_indices

# Angstrom between a wavelength in a text and the feature it means. Texts round, and give
# wavelengths in air or in vacuum.
TOLERANCE_WITH_SPECIES = 6.0
TOLERANCE_BARE = 3.0
WORDS_BETWEEN = r"(?:\s*(?:λ|band|edge|head|step|line|at|near|of|Å|around)){0,4}"
SPELLINGS = (
    (re.compile(r"\bH[- ]?(?:alpha|α)", re.IGNORECASE), "Hα"),
    (re.compile(r"\bH[- ]?(?:beta|β)", re.IGNORECASE), "Hβ"),
    (re.compile(r"\bH[- ]?(?:gamma|γ)", re.IGNORECASE), "Hγ"),
    (re.compile(r"\bH[- ]?(?:delta|δ)", re.IGNORECASE), "Hδ"),
    (re.compile(r"\bH[- ]?(?:epsilon|ε)", re.IGNORECASE), "Hε"),
    (re.compile(r"\b(He|Ca|Na|Mg|Si|Fe|Ba|Sr|Li)(I{1,3}V?)\b"), r"\1 \2"),
    (re.compile(r"\[([A-Z][a-z]?)(I{1,3}V?)\]"), r"[\1 \2]"),
    (re.compile("₂"), "2"),
    (re.compile("₃"), "3"),
    (re.compile("[−–](?=\\d)"), "-"),
    (re.compile(r"\s*(?:\b[Aa]ngstroms?\b|(?<=\d)A\b|(?<=\d )A\b)"), " Å"),
    (re.compile(r"\bkm s\^?-1|\bkm s⁻¹"), "km/s"),
)
ALIASES: Mapping[str, str] = {
    "D4000": "Dn4000", "4000 break": "Dn4000", "G-band": "CH_G4300", "CH band": "CH_G4300",
    "Na I doublet": "NaI_8190", "Ca triplet": "CaT", "Mg triplet": "Mg_b",
}  # fmt: skip


@dataclass(frozen=True)
class Mention:
    """A name in a text from `start` to `end`, and the features it may mean."""

    start: int
    end: int
    features: tuple[Feature, ...]


def normalize_spelling(text: str) -> str:
    """The text with one spelling for each name and unit."""
    for pattern, usual in SPELLINGS:
        text = pattern.sub(usual, text)
    return text


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Every feature that a normalized text names, in order; the longest name wins."""
    found: list[Mention] = []
    for mention in (*_by_name(text), *_by_species(text), *_by_wavelength(text)):
        if all(mention.end <= other.start or other.end <= mention.start for other in found):
            found.append(mention)
    return tuple(sorted(found, key=lambda mention: mention.start))


def _by_name(text: str) -> Iterator[Mention]:
    names, pattern = _names()
    for match in pattern.finditer(text):
        yield Mention(match.start(), match.end(), names[match.group().casefold()])


def _by_species(text: str) -> Iterator[Mention]:
    """`ZrO edge at 6475.5`, `He I 6680`, `[O III] λ5007`, `CN 7873 and 8067`."""
    for match in _species_pattern().finditer(text):
        start = match.start()
        for number in WAVELENGTH.finditer(text, match.start("number"), match.end()):
            near = _features_near(float(number.group()), TOLERANCE_WITH_SPECIES, match["species"])
            if near:
                yield Mention(start, number.end(), near)
            start = number.end()


WAVELENGTH = re.compile(r"\d{4,5}(?:\.\d+)?")
_BARE = re.compile(
    r"\b(?:edge|head|step|line|feature|peak|band)s?\s+(?:at|near)\s+(?P<number>\d{4,5}(?:\.\d+)?)"
)


def _by_wavelength(text: str) -> Iterator[Mention]:
    for match in _BARE.finditer(text):
        near = _features_near(float(match["number"]), TOLERANCE_BARE, "")
        if near:
            yield Mention(match.start(), match.end(), near)


def _features_near(wavelength: float, within: float, species: str) -> tuple[Feature, ...]:
    """Lines and band heads at a wavelength in vacuum or in air, nearest first."""
    found: dict[str, tuple[float, Line]] = {}
    for center in (wavelength, float(air_to_vacuum(wavelength))):
        for line in builtin_lines().nearest(center, within, ("line", "band_head", "band")):
            distance = abs(line.wavelength - center)
            if (not species or line.species == species) and (
                line.id not in found or distance < found[line.id][0]
            ):
                found[line.id] = distance, line
    ranked = [line for _, line in sorted(found.values(), key=lambda pair: pair[0])]
    best = ranked[:2] if species else ranked[:3]
    return tuple(
        Feature(f"{line.id}_edge") if line.kind == "band_head" else Feature(line.id, is_line=True)
        for line in best
    )


@cache
def _species_pattern() -> re.Pattern[str]:
    species = {line.species for line in builtin_lines().sorted_lines if line.species} - {"H I"}
    options = "|".join(map(re.escape, sorted(species, key=len, reverse=True)))
    number = r"\d{4,5}(?:\.\d+)?(?!\s*(?:Å|km/s|to\b|per\b)|\d|\.\d)"
    return re.compile(
        rf"(?<![\w\[])(?P<species>{options}){WORDS_BETWEEN}\s*(?P<number>{number})"
        rf"(?:\s*(?:,|and|or|to)\s*{number})*"
    )


@cache
def _names() -> tuple[Mapping[str, tuple[Feature, ...]], re.Pattern[str]]:
    """Features by their case-folded name, and the pattern that finds these names."""
    names: dict[str, set[Feature]] = {}

    def add(name: str, feature: Feature) -> None:
        names.setdefault(normalize_spelling(name).casefold(), set()).add(feature)

    for line in builtin_lines().sorted_lines:
        if line.moves_with_star and line.kind != "band_head":
            add(line.label, Feature(line.id, is_line=True))
    for index in builtin_indices().values():
        if index.kind != "edge" and not index.name.startswith("EW_"):
            add(Feature(index.name).name, Feature(index.name))
            add(index.name, Feature(index.name))
    for feature in FEATURES.values():
        if feature.name in builtin_indices() and not feature.name.startswith(("EW_", "colour_")):
            add(feature.label, Feature(feature.name))
    for alias, name in ALIASES.items():
        add(alias, Feature(name))
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    options = "|".join(map(re.escape, longest_first))
    pattern = re.compile(rf"(?<![\w\[])(?:{options})(?!\w|\.\d)", re.IGNORECASE)
    ordered = {name: tuple(sorted(each, key=repr)) for name, each in names.items()}
    return ordered, pattern
