"""The measured inspector's sentences; the names of kinds must not change: models speak them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from agent.evidence.assessment import Assessment
from agent.evidence.feature_words import feature_words
from agent.evidence.findings import Finding
from agent.evidence.kinds import KindJudgement, builtin_kinds
from agent.evidence.line_words import LineWords, line_of, line_words, merged
from agent.evidence.said_numbers import SaidNumbers
from agent.spectra.measure.index_definitions import builtin_indices
from agent.tasks.task import Evidence, Task

KIND_NAMES = {
    "CV": "a cataclysmic variable", "CS": "a carbon star", "SS": "an S star", "MG": "an M giant",
    "WD": "a white dwarf", "O": "an O star", "B": "a B star", "A": "an A star", "F": "an F star",
    "G": "a G star", "K": "a K star", "M_DWARF": "an M dwarf", "L_DWARF": "an L dwarf",
    "SDB": "a hot subdwarf", "QSO": "a quasar", "GALAXY": "a galaxy",
    "NEBULA": "an object in nebular light", "SYMBIOTIC": "a symbiotic star",
    "WR": "a Wolf-Rayet star", "YSO": "a young star with accretion",
    "ARTEFACT": "an artefact or a spectrum without features",
}  # fmt: skip
COLOURS = (
    (1.5, "rises to the blue"), (0.8, "is flat"), (0.35, "falls to the blue"),
    (-100.0, "is very red"),
)  # fmt: skip
MIN_NATS = 0.4  # features with less are not mentioned
COLOUR_LABEL = "flux at 4240 over 6630"
SHORT_NAMES = {"CV": "a CV"}
UNITS = {"line": "Å", "width": "km/s"}
VALUE = re.compile(r"\{value(?::(\+?\.\d+f))?\}")


def kind_name(label: str) -> str:
    return KIND_NAMES.get(label, label.replace("_", " ").lower())


def class_name(task: Task) -> str:
    """What a member of the class is called in a remark: "narrow for a CV"."""
    return SHORT_NAMES.get(task.id) or KIND_NAMES.get(task.id, "the class")


def overview(assessment: Assessment, said: SaidNumbers, findings: Sequence[Finding] = ()) -> str:
    """Describe the whole spectrum, before any zoom; its numbers are noted in `said`.

    `findings` are claims that no window shows.
    """
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
    refuted = assessment.numbers.refuted_redshift
    if refuted:
        said.value("redshift of the header", spectrum.z or 0.0)
        parts.append(f"{refuted[0].upper()}{refuted[1:]}.")
    parts += _colour(assessment, said)
    parts.append(_first_impression(assessment.kinds, said))
    claims = finding_texts(findings, said, assessment.task)
    if claims:
        parts.append(f"Measured in the whole spectrum: {'; '.join(claims)}.")
    return " ".join(parts)


def _colour(assessment: Assessment, said: SaidNumbers) -> list[str]:
    """Describe the slope of the continuum."""
    colour = assessment.numbers.colour
    if colour is None:
        return []
    ratio = said.value(COLOUR_LABEL, colour)["value"]
    for least, words in COLOURS:
        if ratio > least:
            return [f"The continuum {words}: the flux at 4240 is {ratio:.2f} of that at 6630."]
    return []


def _first_impression(kinds: KindJudgement, said: SaidNumbers) -> str:
    (first, chance), (second, other_chance) = kinds.ranked()[:2]
    if chance < 0.3:
        return "At first sight no kind of object stands out."
    signs = kind_signs(kinds, first, second, 3, said)
    because = f": {'; '.join(signs)}" if signs else ""
    rival = f", rather than {kind_name(second)}" if other_chance > 0.05 or signs else ""
    return f"At first sight it looks like {kind_name(first)}{rival}{because}."


def kind_signs(
    kinds: KindJudgement,
    label: str,
    other: str,
    at_most: int,
    said: SaidNumbers,
    shown: Callable[[str], bool] = lambda feature: True,
) -> list[str]:
    """Describe the features that favour one kind over another most, and note their numbers.

    Only those that are `shown`, by the windows opened or at first sight, are spoken of.
    """
    model = builtin_kinds()
    signs: list[LineWords | str] = []
    for feature, nats in kinds.telling(label, other):
        if nats < MIN_NATS or not shown(feature):
            continue
        middle = float(model.knots[model.features.index(feature)].mean())
        words = feature_words(feature, kinds.value(feature), kinds.error(feature), middle, said)
        if words:
            signs.append(words)
        if len(merged(signs)) == at_most:
            break
    return merged(signs)


def finding_words(finding: Finding, said: SaidNumbers, task: Task) -> LineWords | str:
    """A claim with what was measured, its numbers noted in `said`; empty if it cannot be said."""
    line = line_of(finding, said.numbers)
    if line and finding.evidence.kind != "ratio":
        return line_words(finding, line, said, class_name(task)) or ""
    # A claim about a number that is no line, with its error.
    evidence = finding.evidence
    index = builtin_indices().get(evidence.target[0])
    unit = index.unit if index is not None else UNITS.get(evidence.kind, "")
    row = said.value(evidence.label, finding.value, finding.error, unit)
    error = row.get("error", 0.0)
    text = _with_error(evidence, error).text(row["value"], error=error, snr=finding.snr)
    in_noise = evidence.kind in ("line", "edge") and 0 < finding.significance < 2.0
    return f"{text}, within the noise" if in_noise else text


def _with_error(evidence: Evidence, error: float) -> Evidence:
    """The claim with "± error" behind its value, if it shows at the value's digits."""

    def widened(template: str) -> str:
        match = VALUE.search(template)
        if match is None or not error > 0 or "{error" in template or "{sigma" in template:
            return template
        form = match.group(1) or ".2f"
        if float(format(error, form)) == 0:
            return template
        return f"{template[: match.end()]} ± {{error:{form}}}{template[match.end() :]}"

    found, absent = widened(evidence.text_found), widened(evidence.text_absent)
    return replace(evidence, text_found=found, text_absent=absent)


def finding_texts(findings: Sequence[Finding], said: SaidNumbers, task: Task) -> list[str]:
    """Claims in words; several about one line are said together, and some cannot be said."""
    parts = [finding_words(finding, said, task) for finding in findings]
    return merged([part for part in parts if part])


def chance_text(p_yes: float) -> str:
    if p_yes > 0.99:
        return "above 99 per cent"
    return "below 1 per cent" if p_yes < 0.01 else f"at {100 * p_yes:.0f} per cent"
