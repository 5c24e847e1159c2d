"""Writes the measured inspector's turns: where to look, in which order, and the sentences."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.evidence.assessment import Assessment
from agent.evidence.findings import MEANING, Finding
from agent.evidence.measurements import SpectrumMeasurements
from agent.evidence.places import contains, feature_places, window_of
from agent.evidence.plausible import BANDS, GRAVITY, is_contradicted, tells_gravity
from agent.evidence.said_numbers import SaidNumbers
from agent.evidence.words import chance_text, finding_texts, kind_name, kind_signs, overview
from agent.protocol.reply import answer_reply, call_reply
from agent.spectra.pixel_grid import doppler
from agent.spectra.spectrum import covers, frame_z
from agent.tasks.task import DiagnosticWindow, Evidence

FEWEST, MOST = 3, 6
MIN_NATS = 0.15  # looks with less evidence are left out once there are enough
NOTICEABLE = 0.04  # fraction of its width by which a Doppler shift must move a window to count
MAX_FINDINGS = 4
MAX_REASONS = 4
NOTHING = "nothing that stands out"
RUNNER_UP = 0.1  # probability from which the second most likely kind is named

NEAR = 0.5  # times the claim's scale; a value so near its threshold proves nothing
Windows = Sequence[DiagnosticWindow]
GIANT_OR_DWARF = re.compile(r"\b(?:giant|dwarf)\b")


@dataclass(frozen=True, kw_only=True)
class Look:
    """A zoom: the window, its range in the frame of the pictures, and the claims checked there."""

    window: DiagnosticWindow
    range: tuple[int, int]
    findings: tuple[Finding, ...]

    @property
    def nats(self) -> float:
        return sum(abs(finding.log_odds) for finding in self.findings)


@dataclass(frozen=True)
class WrittenTurns:
    """All turns; each ends with a tool call or the answer.

    The numbers that they name, as tables: of the opening thought, of each look, and those that only
    the answer names.
    """

    texts: tuple[str, ...]
    opening: SaidNumbers
    looks: tuple[SaidNumbers, ...]
    answer: SaidNumbers


def write_turns(assessment: Assessment) -> WrittenTurns:
    assessment = replace(assessment, findings=speakable(assessment))
    # The windows with the most evidence, between FEWEST and MOST of them.
    all_looks = [_look(window, assessment) for window in assessment.task.windows]
    usable = [look for look in all_looks if look is not None]
    ranked = sorted(usable, key=lambda look: -look.nats)
    chosen = [look for look in ranked[:MOST] if look.nats >= MIN_NATS]
    chosen += [look for look in ranked if look not in chosen][: max(0, FEWEST - len(chosen))]
    looks = tuple(chosen)
    opening, answer = SaidNumbers(assessment.numbers), SaidNumbers(assessment.numbers)
    said = tuple(SaidNumbers(assessment.numbers) for _ in looks)
    thought = overview(assessment, opening, _of_the_whole(assessment))
    turns = []
    for number, (look, numbers) in enumerate(zip(looks, said, strict=True)):
        begin = "Next I look at" if number else "First I look at"
        low, high = look.range
        frame = " at rest" if frame_z(assessment.numbers.spectrum) else ""
        why = f"{begin} {look.window.label}, {low} to {high} Å{frame}. {look.window.look}"
        turns.append(_call(f"{thought} {why}", look))
        thought = _measured(look, assessment, numbers)
    likely = f"All in all I put the chance of YES {chance_text(assessment.p_yes)}."
    reasons = " ".join(_reasons(assessment, answer, [look.window for look in looks]))
    turns.append(answer_reply(f"{thought} {likely}", assessment.verdict, reasons))
    return WrittenTurns(tuple(turns), opening, said, answer)


def _of_the_whole(assessment: Assessment) -> list[Finding]:
    """The strongest testable claims that no window of the task shows."""
    testable = (each for each in assessment.findings if each.is_testable)
    found = [each for each in testable if _window_of(each, assessment) is None]
    ranked = sorted(found, key=lambda finding: -abs(finding.log_odds))
    return [each for each in ranked if abs(each.log_odds) > MIN_NATS][:MAX_FINDINGS]


def _window_of(finding: Finding, assessment: Assessment) -> DiagnosticWindow | None:
    return window_of(finding, assessment.task, assessment.numbers)


def _look(window: DiagnosticWindow, assessment: Assessment) -> Look | None:
    """A look at one window, or None if it has too little data or no testable claim."""
    testable = (each for each in assessment.findings if each.is_testable)
    findings = tuple(each for each in testable if _window_of(each, assessment) is window)
    if not findings:
        return None
    shown = shown_range(window.range, assessment)
    spectrum = assessment.numbers.spectrum
    z = frame_z(spectrum) or 0.0
    if not covers(spectrum, *(end * (1 + z) for end in shown)):
        return None
    return Look(window=window, range=shown, findings=findings)


def shown_range(rest: tuple[float, float], assessment: Assessment) -> tuple[int, int]:
    """A rest-frame window in the frame of the pictures, Doppler-shifted if the shift shows."""
    z = frame_z(assessment.numbers.spectrum) or 0.0
    shift = doppler(assessment.numbers.velocity_kms) / (1.0 + z)
    moved = 0.5 * (rest[0] + rest[1]) * abs(shift - 1.0)
    if moved < NOTICEABLE * (rest[1] - rest[0]):
        shift = 1.0
    return round(rest[0] * shift), round(rest[1] * shift)


def _call(thought: str, look: Look) -> str:
    arguments = {"wavelength_range": list(look.range), "label": look.window.label}
    return call_reply(thought, arguments)


def _measured(look: Look, assessment: Assessment, said: SaidNumbers) -> str:
    """The sentence on what was measured in a window, strongest evidence first."""
    ranked = sorted(look.findings, key=lambda finding: -abs(finding.log_odds))
    parts = finding_texts(ranked, said, assessment.task)[:MAX_FINDINGS] or [NOTHING]
    total = sum(finding.log_odds for finding in look.findings)
    verdict = "This decides little."
    if abs(total) > MIN_NATS:
        verdict = f"This speaks {'for' if total > 0 else 'against'} the class."
    return f"Measured in {look.window.label}: {'; '.join(parts)}. {verdict}"


def _reasons(assessment: Assessment, said: SaidNumbers, opened: Windows) -> list[str]:
    """Reasons from the windows that were opened and the whole spectrum."""
    sign = 1.0 if assessment.verdict == "YES" else -1.0
    seen = [
        finding
        for finding in assessment.findings
        if _window_of(finding, assessment) in (None, *opened)
    ]
    ranked = sorted(seen, key=lambda finding: -sign * finding.log_odds)
    reasons = [finding for finding in ranked if sign * finding.log_odds > MIN_NATS]
    sentences = []
    texts = finding_texts(reasons, said, assessment.task)[:MAX_REASONS]
    if texts:
        sentences.append(_sentence(texts))
    sentences += _kind_sentences(assessment, said, opened)
    against = [finding for finding in reversed(ranked) if sign * finding.log_odds < -MIN_NATS]
    others = finding_texts(against, said, assessment.task)[:1]
    if others:
        sentences.append("On the other side: " + _sentence(others))
    evidence = (each.evidence for each in assessment.untestable)
    untested = [one.label for one in evidence if not one.needs and one.kind != "quality"]
    if untested:
        sentences.append(f"Not testable here: {', '.join(dict.fromkeys(untested))}.")
    if abs(assessment.log_odds) < 1.0:
        sentences.append("Confidence is low.")
    return sentences


def _kind_sentences(assessment: Assessment, said: SaidNumbers, opened: Windows) -> list[str]:
    """Sentences on the kind it is instead, or the runner-up."""
    if not assessment.kind_log_odds:
        return []

    def shown(feature: str) -> bool:
        return all(
            any(contains(each.range, place) for each in opened) for place in feature_places(feature)
        )

    label = assessment.task.id
    others = [pair for pair in assessment.kinds.ranked() if pair[0] != label]
    rival, chance = others[0]
    if assessment.verdict == "NO" and assessment.kinds.ranked()[0][0] == label:
        return [f"As a whole it resembles {kind_name(label)}, but this is not borne out."]
    if assessment.verdict == "NO":
        signs = kind_signs(assessment.kinds, rival, label, 2, said, shown)
        because = f": {'; '.join(signs)}" if signs else ""
        return [f"It looks more like {kind_name(rival)}{because}."]
    signs = kind_signs(assessment.kinds, label, rival, 2, said, shown)
    sentences = [_sentence(signs)] if signs else []
    if chance > RUNNER_UP:
        sentences.append(f"The runner-up is {kind_name(rival)}.")
    return sentences


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


# The claims as they are put into words: what cannot be meant is not said. The verdict does not
# depend on this: every claim has counted before.
def speakable(assessment: Assessment) -> tuple[Finding, ...]:
    """The findings without those that another measurement contradicts.

    Numbers that tell giants from dwarfs lead to one conclusion: those on the other side of their
    sum, and those of stars without TiO bands, are given without one.
    """
    all_found, numbers = assessment.findings, assessment.numbers
    # The index of a band leads to no conclusion where the step at its head says the opposite.
    findings = [
        each for each in all_found if not (each.is_testable and is_contradicted(each, numbers))
    ]
    testable = (each for each in findings if each.is_testable)
    found = {name: each.is_found for each in testable for name in each.evidence.target}
    known = ((index, head) for index, head in BANDS.items() if index in found)
    against = {(index,) for index, head in known if found.get(head, found[index]) != found[index]}
    kept = [_inconclusive(each) if each.evidence.target in against else each for each in findings]
    total = math.fsum(finding.log_odds for finding in kept if _tells(finding, numbers))
    return tuple(_concluded(finding, numbers, total) for finding in kept)


def _concluded(finding: Finding, numbers: SpectrumMeasurements, total: float) -> Finding:
    evidence = finding.evidence
    if not finding.is_testable:
        return finding
    near = abs(evidence.excess(finding.value)) < NEAR * evidence.scale
    if near or finding.is_borderline:
        return _inconclusive(finding)
    agrees = finding.log_odds * total > 0
    if not _names_gravity(finding) or (_tells(finding, numbers) and agrees):
        return finding
    return _inconclusive(finding)


def _inconclusive(finding: Finding) -> Finding:
    return replace(finding, evidence=without_meaning(finding.evidence))


def _tells(finding: Finding, numbers: SpectrumMeasurements) -> bool:
    return _names_gravity(finding) and all(
        tells_gravity(name, numbers) for name in finding.evidence.target
    )


def _names_gravity(finding: Finding) -> bool:
    evidence = finding.evidence
    words = f"{evidence.text_found} {evidence.text_absent}"
    return bool(GRAVITY & {*evidence.target}) and bool(GIANT_OR_DWARF.search(words))


def without_meaning(evidence: Evidence) -> Evidence:
    def cut(text: str) -> str:
        match = MEANING.search(text)
        return text if match is None or "{" in match.group(1) else text[: match.start()]

    found, absent = cut(evidence.text_found), cut(evidence.text_absent)
    return replace(evidence, text_found=found, text_absent=absent)
