"""The measured inspector's sentences, on which models were trained: they must not change."""

from __future__ import annotations

from agent.evidence.assessment import Assessment
from agent.evidence.findings import Finding
from agent.evidence.gates import GATES
from agent.evidence.kinds import KindJudgement, builtin_kinds

KIND_NAMES = {
    "CV": "a cataclysmic variable",
    "CS": "a carbon star",
    "SS": "an S star",
    "MG": "an M giant",
    "WD": "a white dwarf",
    "O": "an O star",
    "B": "a B star",
    "A": "an A star",
    "F": "an F star",
    "G": "a G star",
    "K": "a K star",
    "M_DWARF": "an M dwarf",
    "L_DWARF": "an L dwarf",
    "SDB": "a hot subdwarf",
    "QSO": "a quasar",
    "GALAXY": "a galaxy",
    "NEBULA": "an object in nebular light",
    "SYMBIOTIC": "a symbiotic star",
    "WR": "a Wolf-Rayet star",
    "YSO": "a young star with accretion",
    "ARTEFACT": "an artefact or a spectrum without features",
}
COLOURS = (
    (1.5, "rises to the blue"),
    (0.8, "is flat"),
    (0.35, "falls to the blue"),
    (-100.0, "is very red"),
)
MIN_NATS = 0.4  # gates with less are not mentioned


def kind_name(label: str) -> str:
    return KIND_NAMES.get(label, label.replace("_", " ").lower())


def overview(assessment: Assessment) -> str:
    """Describe the whole spectrum, before any zoom."""
    spectrum = assessment.numbers.spectrum
    low, high = spectrum.range
    parts = [
        f"The spectrum covers {low:.0f} to {high:.0f} Å with a median S/N of "
        f"{assessment.snr:.0f} per pixel."
    ]
    parts += [f"Caution: {warning}." for warning in assessment.quality.warnings]
    velocity = assessment.numbers.velocity
    if velocity.source:
        parts.append(f"The velocity is {velocity.kms:+.0f} km/s (from {velocity.source}).")
    parts += _colour(assessment)
    parts.append(_first_impression(assessment.kinds))
    return " ".join(parts)


def _colour(assessment: Assessment) -> list[str]:
    """Describe the slope of the continuum."""
    bluer = assessment.numbers.index("colour_4200_5400").value
    redder = assessment.numbers.index("colour_5400_6600").value
    if bluer is None or redder is None:
        return []
    ratio = bluer * redder
    for least, words in COLOURS:
        if ratio > least:
            return [f"The continuum {words}: the flux at 4240 is {ratio:.2f} of that at 6630."]
    return []


def _first_impression(kinds: KindJudgement) -> str:
    (first, chance), (second, other_chance) = kinds.ranked()[:2]
    if chance < 0.3:
        return "At first sight no kind of object stands out."
    signs = kind_signs(kinds, first, second, 3)
    because = f": {'; '.join(signs)}" if signs else ""
    rival = f", rather than {kind_name(second)}" if other_chance > 0.05 or signs else ""
    return f"At first sight it looks like {kind_name(first)}{rival}{because}."


def kind_signs(kinds: KindJudgement, label: str, other: str, at_most: int) -> list[str]:
    """Describe the gates that favour one kind over another most."""
    model = builtin_kinds()
    signs: list[str] = []
    for gate, nats in kinds.telling(label, other):
        if nats < MIN_NATS:
            continue
        middle = float(model.knots[model.gates.index(gate)].mean())
        text = GATES[gate].text(kinds.value(gate), middle)
        if text:
            signs.append(text)
        if len(signs) == at_most:
            break
    return signs


def finding_text(finding: Finding) -> str:
    """A claim with its value and significance: in sigma for lines and edges, else its error."""
    text, kind = finding.text, finding.evidence.kind
    if kind == "quality" or "sigma" in text or not finding.error > 0:
        return text
    if kind not in ("line", "edge"):
        error = f"{finding.error:.0f}" if finding.error >= 10 else f"{finding.error:.2g}"
        return f"{text}, error {error}"
    if finding.significance < 2.0:
        return f"{text}, within the noise"
    return f"{text}, at {min(finding.significance, 999.0):.0f} sigma"


def chance_text(p_yes: float) -> str:
    if p_yes > 0.99:
        return "above 99 per cent"
    return "below 1 per cent" if p_yes < 0.01 else f"at {100 * p_yes:.0f} per cent"
