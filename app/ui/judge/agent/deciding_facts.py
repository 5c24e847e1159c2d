"""The two or three facts that decide an answer, each with the look that shows it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.inspection.built_in import MEASURED, MEMBER, built_in
from agent.spectra.spectrum import Window
from agent.trajectory.trajectory import Step, Trajectory
from app.ui.base.translation.measured_texts import translate_measured_text
from app.ui.judge.agent.card_content import MAX_TEXT
from app.ui.judge.agent.claims import Claim, claims, covers

MOST = 3
NUMBERS = "①②③"
APART_A = 20.0  # facts at nearer places are of one feature
AROUND_A = 150.0  # shown on each side of a feature that no look shows
CLAUSE = re.compile(r"(?<=[.;])\s+")
ENDS = ("On the other side", "Not testable", "Confidence is low")
"""How the sentences begin that follow the reasons."""


@dataclass(frozen=True, kw_only=True)
class DecidingFact:
    text: str
    by: str  # the member that says it and its verdict, where it contradicts the answer
    index: int  # of the step that looked there; -1: none did
    window: Window  # to show, observed angstrom
    place: float  # observed wavelength of the feature


def deciding_facts(record: Trajectory) -> tuple[DecidingFact, ...]:
    """The first reasons of the answer that name a place; of a panel, those of both members."""
    if record.stopped_by != "answer" or record.verdict is None:
        return ()
    found: list[DecidingFact] = []
    said = _said(record)
    for place, (by, is_measured, reasons) in enumerate(said):
        left = MOST - len(found)
        if by == "" and any(other for other, _, _ in said[place + 1 :]):
            left -= 1  # what speaks against it is told, too
        for fact in _facts(record, by, reasons, is_measured=is_measured):
            if left > 0 and all(
                abs(fact.place - each.place) > APART_A or each.by != fact.by for each in found
            ):
                found.append(fact)
                left -= 1
    return tuple(found)


def _said(record: Trajectory) -> list[tuple[str, bool, str]]:
    """Who says it if against the answer, whether it was measured, and the reasons.

    Of a panel, the members that decided come first, and of these the one with numbers.
    """
    text = record.plain_reasons[:MAX_TEXT]
    own = built_in(record.model.engine)
    if own is None or not own.quotes:
        return [("", record.model.name == MEASURED, text)]
    members = [
        found for found in map(MEMBER.fullmatch, text.splitlines()) if found and found["why"]
    ]
    ranked = sorted(members, key=lambda found: found["name"] != MEASURED)
    said = []
    for found in ranked:
        by = "" if found["verdict"] == record.verdict else f"{found['name']} {found['verdict']}"
        said.append((by, found["name"] == MEASURED, found["why"]))
    return sorted(said, key=lambda each: each[0] != "")


def _facts(
    record: Trajectory, by: str, reasons: str, *, is_measured: bool
) -> Iterator[DecidingFact]:
    shift = 1.0 + (record.spectrum.z or 0.0)
    looks = [(index, step) for index, step in enumerate(record.steps) if step.is_look]
    for clause in CLAUSE.split(reasons):
        if clause.startswith(ENDS):
            return
        for claim in claims(clause):
            place = 0.5 * sum(claim.range)
            index, window = _look_at(claim, looks)
            if index < 0 and not is_measured:
                continue  # a claim that no picture supports decides nothing
            window = window or (place - AROUND_A, place + AROUND_A)
            low, high = window
            yield DecidingFact(
                text=_sentence(clause),
                by=by,
                index=index,
                window=(low * shift, high * shift),
                place=place * shift,
            )
            break


def _look_at(claim: Claim, looks: list[tuple[int, Step]]) -> tuple[int, Window | None]:
    """The look with the narrowest window that shows the claim."""
    shown = [
        (step.range[1] - step.range[0], index, step.range)
        for index, step in looks
        if step.range is not None and covers(step.range, claim.range)
    ]
    _, index, window = min(shown, default=(0.0, -1, None))
    return index, window


def _sentence(clause: str) -> str:
    """A clause as a sentence of the window's language, without its end."""
    text = clause.strip().rstrip(".;")
    return translate_measured_text(f"{text[:1].upper()}{text[1:]}.").rstrip(".。")
