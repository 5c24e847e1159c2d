"""The class that a survey pipeline would give a spectrum: often wrong for the rare classes."""

from dataclasses import dataclass

from train.simulate.source import LIGHT_KMS, Rng, Source


@dataclass(frozen=True)
class PipelineClass:
    """CLASS, SUBCLASS and Z in the header of a file."""

    class_name: str
    subclass: str
    z: float


_A = (("STAR", "A{2-9}V"), ("STAR", "A1IV"), ("STAR", "A0"))
_B = (("STAR", "B6"), ("STAR", "B9"), ("STAR", "OB"))
_F = (("STAR", "F{0-9}"),)
_G = (("STAR", "G{0-9}"),)
_K = (("STAR", "K{0-7}"),)
_M = (("STAR", "M{0-6}"),)
_MG = (("STAR", "gM{0-6}"), ("STAR", "M{0-5}"))
_WD = (("STAR", "WD"), ("STAR", "WDMagnetic"), ("STAR", "WD"))
_QSO = (("QSO", ""), ("QSO", "BROADLINE"))
_GALAXY = (("GALAXY", ""), ("GALAXY", "STARFORMING"), ("GALAXY", "STARBURST"))
_CARBON = (("STAR", "Carbon"), ("STAR", "Carbon"), ("STAR", "Carbon_lines"))
_CV = (("STAR", "CV"),)
_UNKNOWN = (("Unknown", "Non"), ("UNKNOWN", ""))

# (possible pipeline classes, weight) of each label of the simulated sky.
_CONFUSION: dict[str, tuple[tuple[tuple[tuple[str, str], ...], float], ...]] = {
    "CV": ((_CV, 0.3), (_QSO, 0.2), (_A, 0.2), (_WD, 0.1), (_GALAXY, 0.1), (_UNKNOWN, 0.1)),
    "CS": ((_CARBON, 0.5), (_K, 0.25), (_G, 0.15), (_MG, 0.1)),
    "SS": ((_MG, 0.6), (_M, 0.25), (_K, 0.1), (_CARBON, 0.05)),
    "MG": ((_MG, 0.65), (_M, 0.25), (_K, 0.1)),
    "WD": ((_WD, 0.55), (_A, 0.2), (_B, 0.1), (_QSO, 0.1), (_UNKNOWN, 0.05)),
    "O": ((_B, 0.5), (_A, 0.25), ((("STAR", "O"), ("STAR", "O9")), 0.15), (_UNKNOWN, 0.1)),
    "B": ((_B, 0.5), (_A, 0.45), (_F, 0.05)),
    "A": ((_A, 0.85), (_F, 0.1), (_B, 0.05)),
    "F": ((_F, 0.85), (_A, 0.05), (_G, 0.1)),
    "G": ((_G, 0.85), (_F, 0.1), (_K, 0.05)),
    "K": ((_K, 0.85), (_G, 0.1), (_M, 0.05)),
    "M_DWARF": ((_M, 0.9), (_MG, 0.03), (_K, 0.07)),
    "L_DWARF": (((("STAR", "L{0-5}"),), 0.3), (_M, 0.55), (_UNKNOWN, 0.1), (_QSO, 0.05)),
    "SDB": ((_B, 0.35), (_A, 0.35), (_WD, 0.25), (_F, 0.05)),
    "QSO": ((_QSO, 0.75), (_GALAXY, 0.1), (_UNKNOWN, 0.08), (_CV, 0.03), (_A, 0.04)),
    "GALAXY": ((_GALAXY, 0.8), (_K, 0.08), (_G, 0.07), (_UNKNOWN, 0.05)),
    "NEBULA": ((_GALAXY, 0.4), (_UNKNOWN, 0.3), (_CV, 0.1), (_QSO, 0.1), (_A, 0.1)),
    "SYMBIOTIC": ((_MG, 0.5), (_M, 0.2), (_CV, 0.15), (_GALAXY, 0.15)),
    "WR": ((_CV, 0.25), (_QSO, 0.3), (_UNKNOWN, 0.25), (_B, 0.2)),
    "YSO": ((_M, 0.4), (_K, 0.3), (_CV, 0.15), (_GALAXY, 0.15)),
    "ARTEFACT": ((_UNKNOWN, 0.3), (_A, 0.15), (_F, 0.2), (_K, 0.15), (_QSO, 0.1), (_CV, 0.1)),
}


def draw_pipeline_class(source: Source, snr: float, rng: Rng) -> PipelineClass:
    """Class of the pipeline; below S/N 8 it fails more and more often."""
    table = _CONFUSION[source.label]
    if rng.random() < 0.5 * max(0.0, 1.0 - snr / 8.0):
        table = ((_UNKNOWN, 1.0),)
    names = _pick(table, rng)
    class_name, subclass = names[int(rng.integers(len(names)))]
    return PipelineClass(class_name, _numbered(subclass, rng), _redshift(source, class_name, rng))


def _pick(
    table: tuple[tuple[tuple[tuple[str, str], ...], float], ...], rng: Rng
) -> tuple[tuple[str, str], ...]:
    left = rng.random() * sum(weight for _, weight in table)
    for names, weight in table:
        left -= weight
        if left <= 0:
            return names
    return table[-1][0]


def _numbered(subclass: str, rng: Rng) -> str:
    """Replace a range of subtypes, written {low-high}, by one of them."""
    before, brace, rest = subclass.partition("{")
    if not brace:
        return subclass
    limits, _, after = rest.partition("}")
    low, high = limits.split("-")
    return f"{before}{int(rng.integers(int(low), int(high) + 1))}{after}"


def _redshift(source: Source, class_name: str, rng: Rng) -> float:
    """Correct where the kind of object is right; a wrong kind gets an unrelated redshift."""
    star = source.z == 0.0
    if class_name == "STAR":
        measured = source.velocity_kms if star else float(rng.normal(0.0, 150.0))
        return (measured + float(rng.normal(0.0, 12.0))) / LIGHT_KMS
    if class_name.upper() == "UNKNOWN":
        return -9999.0
    if star:
        return float(rng.uniform(0.0, 0.8) if class_name == "GALAXY" else rng.uniform(0.3, 3.5))
    return source.z + float(rng.normal(0.0, 3e-4)) * (1.0 + source.z)
