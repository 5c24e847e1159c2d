"""Selection and labels of the stars of two published packages.

sdss-mangadap contains MILES (985 stars with effective temperature and gravity) and STELIB (255 with
a spectral type). aspired contains the spectrophotometric standards of several observatories, many
of which are well-known white dwarfs and hot subdwarfs.
"""

from __future__ import annotations

from dataclasses import dataclass

AMONG_THE_LABELLED = {
    "0009", "0012", "0030", "0099", "0156", "0177", "0183", "0186", "0210", "0234", "0236",
    "0251", "0252", "0321", "0343", "0399", "0400", "0447", "0481", "0487", "0508", "0531",
    "0554", "0555", "0591", "0608", "0614", "0669", "0685", "0690", "0705", "0720", "0782",
    "0816", "0838", "0871", "0884", "0890", "HD188209", "HD093250", "HD086161",
}  # fmt: skip
"""MILES numbers and STELIB names of the 135 labelled spectra, on 47 of which the simulator's bands
were measured."""
ZIRCONIUM = {"0053", "0164", "0279", "0484", "0781"}
"""MILES numbers of giants in which ZrO 6474 is as deep as in S stars, identified by eye."""
DOUBTFUL = {"0220", "0593", "0407", "0443", "0445", "HD112300", "HD048682B"}
"""Stars without TiO at the temperature of an M star, without parameters, or half covered."""
KNOWN = {"Feige110": "OTHER", "LTT4364": "WD"}
"""Stars of STELIB whose type is marked as doubtful there but is certain in the literature."""

WHITE_DWARFS = {
    "esookestan": "g138_31 g193_74 g24_9 g60_54 gd248 gd50 grw70d5824 hz21 hz4 ltt9491",
    "esowdstan": "gd71 g93_48_004 hz2_005 lds749b_005",
    "esohststan": "bpm16274",
    "esoxshooter": "EG274 GD153 LTT3218 LTT7987",
}
HOT_SUBDWARFS = {
    "esookestan": "bd25d4655 bd28d4211 feige110 feige34 feige66 feige67 hz44 bd75d325 gd108"
}
AT_MOST = {"K": 20, "A": 12, "B": 12, "F": 8, "G": 8}
"""Most stars of a label from one library, evenly spaced in its list."""


@dataclass(frozen=True)
class Star:
    name: str
    library: str
    label: str
    notes: str


def label_from_parameters(number: str, kelvin: float, log_g: float) -> str | None:
    """The label of a MILES star; None where it is between two labels."""
    if number in AMONG_THE_LABELLED | DOUBTFUL:
        return None
    if number in ZIRCONIUM:
        return "SS"
    giant, dwarf = log_g < 2.6, 4 < log_g < 6
    for label, low, high, fits in (
        ("MG", 2000, 3820, giant), ("M_DWARF", 2000, 3850, dwarf), ("K", 4050, 5000, True),
        ("G", 5300, 5850, True), ("F", 6150, 7100, True), ("A", 7700, 9500, log_g < 4.8),
        ("B", 11000, 28000, log_g < 4.8), ("O", 30500, 60000, log_g < 4.6),
        ("OTHER", 20000, 90000, 5 < log_g < 7),
    ):  # fmt: skip
        if fits and low <= kelvin <= high:
            return label
    return None


def label_from_spectral_type(name: str, spectral_type: str) -> str | None:
    """The label of a STELIB star; None for borderline, peculiar and missing types."""
    if name in AMONG_THE_LABELLED | DOUBTFUL:
        return None
    if name in KNOWN:
        return KNOWN[name]
    if spectral_type.startswith(("WN", "WC")):
        return "OTHER"
    if spectral_type.startswith("M"):
        return "M_DWARF" if spectral_type.endswith("V") else "MG"
    if spectral_type.startswith(("B9.5", "A9", "F0", "K5", "K7")):
        return None
    return spectral_type[0] if spectral_type[:1] in set("OBAFGK") else None


def thinned(stars: list[Star]) -> list[Star]:
    """At most AT_MOST stars of each label and library."""
    groups: dict[tuple[str, str], list[Star]] = {}
    for star in stars:
        groups.setdefault((star.library, star.label), []).append(star)
    return [
        group[round(index * len(group) / kept)]
        for (_, label), group in sorted(groups.items())
        for kept in (min(len(group), AT_MOST.get(label, len(group))),)
        for index in range(kept)
    ]
