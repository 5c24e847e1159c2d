"""What stands on each card of the agent's timeline, step by step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

from agent.protocol.reply import Verdict
from agent.trajectory.trajectory import Step
from app.ui.agent.claims import unsupported
from app.ui.agent.measured_rows import MeasuredRow, measured_rows, remarks, window_words
from app.ui.agent.measured_words import measured_words
from app.ui.translation.text_pairs import task_words

MAX_SHOWN = 4_000

_TAG = re.compile(r"</?(?:think|tool_call|answer|tool_response)>")
_HALF_TAG = re.compile(r"</?[a-z_]{0,13}$")
_CALL = "<tool_call>"


def half_said(raw: str) -> tuple[str, bool]:
    """The words so far, their end where they are many, and whether it is asking for a picture."""
    words, found, _ = raw.partition(_CALL)
    shown = _TAG.sub(" ", _HALF_TAG.sub("", words)).strip()
    if len(shown) > MAX_SHOWN:
        shown = "… " + shown[-MAX_SHOWN:]
    return shown, bool(found)


translate = QCoreApplication.translate
CardKind = Literal["thought", "look", "answer", "remark", "fault", "speaking"]
MAX_NAMED = 6
MOST_STEPS = 400
MOST_TEXT = 20_000
"""Characters of a card."""
MOST_CHECKED = 60_000
"""Characters of one record in which claims are looked for: a stranger's may have millions."""


@dataclass(frozen=True, kw_only=True)
class CardContent:
    """Of one step; `place` is its number among the steps, -1 for what is none."""

    place: int
    kind: CardKind
    title: str
    aside: str = ""
    """On the right of the title."""
    label: str = ""
    text: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    """Stretches of `text` that claim what no picture bears."""
    numbers: str = ""
    rows: tuple[MeasuredRow, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    verdict: Verdict | None = None
    picture: str = ""
    """Hash of the one that belongs here."""

    @property
    def words(self) -> str:
        """All of it, for the clipboard and for those who listen to the screen."""
        first = " ".join(part for part in (self.title, self.aside, self.label) if part)
        table = [" ".join(row.cells) for row in self.rows]
        parts = (first, self.text, self.numbers, *table, *self.notes, *self.warnings)
        return "\n".join(part for part in parts if part)


def contents(steps: Sequence[Step], *, is_over: bool = True) -> list[CardContent]:
    """`is_over`: no look can follow that would bear what was claimed."""
    looked_at = [step.range for step in steps if step.is_look and step.range is not None]
    cards, look, checked = [], 0, 0
    for place, step in enumerate(steps[:MOST_STEPS]):
        look += step.is_look
        # Before its first look an agent describes the picture of the whole spectrum.
        may_claim = step.kind in ("think", "answer", "text") and look > 0
        is_checked = may_claim and is_over and step.by == "agent" and checked < MOST_CHECKED
        claimed = looked_at if is_checked else None
        checked += min(len(step.text), MOST_TEXT) if is_checked else 0
        cards.append(_card(place, step, look, claimed))
    return cards


def whole(told: str) -> CardContent:
    """What a model was told of the whole spectrum before it began."""
    title = translate("agent", "The whole spectrum")
    return CardContent(place=-1, kind="thought", title=title, text=shortened(told))


def speaking(said: str) -> CardContent:
    """The turn that is being said."""
    words, is_asking = half_said(said)
    asks = translate("agent", "asks for a picture")
    return CardContent(
        place=-1,
        kind="speaking",
        title=translate("agent", "Speaking"),
        aside=asks if is_asking else "",
        text=words,
    )


def _card(
    place: int, step: Step, look: int, looked_at: Sequence[tuple[float, float]] | None
) -> CardContent:
    if step.kind == "zoom":
        return _fault(place, step) if step.error else _look(place, step, look)
    if step.error:
        return _fault(place, step)
    text = shortened(without_box(step.text) if step.kind == "answer" else step.text)
    bare = () if looked_at is None else unsupported(text, looked_at)
    said = measured_words(text) if step.by == "agent" else text
    names = ", ".join(claim.words for claim in bare[:MAX_NAMED])
    warning = translate("agent", "Unsupported, no window was looked at: {what}")
    return CardContent(
        place=place,
        kind=_kind(step),
        title=_title(step),
        aside=(step.verdict or "") if step.kind == "answer" else "",
        text=said,
        marks=tuple((claim.start, claim.end) for claim in bare) if said == text else (),
        warnings=(warning.replace("{what}", names),) if bare else (),
        verdict=step.verdict,
    )


def _look(place: int, step: Step, number: int) -> CardContent:
    assert step.range is not None
    who = translate("agent", "Look {n}")
    if step.by == "person":
        who = translate("agent", "Look {n}, yours")
    return CardContent(
        place=place,
        kind="look",
        title=who.replace("{n}", str(number)),
        aside=f"{step.range[0]:.6g} – {step.range[1]:.6g} Å",
        label=task_words(step.label),
        text=shortened(step.text) if step.by == "person" else "",
        numbers=window_words(step.measured),
        rows=measured_rows(step.measured),
        notes=remarks(step.measured),
        picture=step.picture,
    )


def _fault(place: int, step: Step) -> CardContent:
    asked = "" if step.range is None else f"{step.range[0]:.6g} – {step.range[1]:.6g} Å"
    return CardContent(
        place=place,
        kind="fault",
        title=translate("agent", "A slip of the agent")
        if step.by == "agent"
        else translate("agent", "Could not be shown"),
        aside=asked,
        label=step.label,
        text=shortened(step.text),
        warnings=(shortened(step.error),),
    )


def _kind(step: Step) -> CardKind:
    if step.by == "person":
        return "remark"
    return "answer" if step.kind == "answer" else "thought"


def _title(step: Step) -> str:
    if step.by == "person":
        return translate("agent", "You")
    if step.kind == "answer":
        return translate("agent", "Answer")
    return translate("agent", "Thought") if step.kind == "think" else translate("agent", "Says")


def shortened(text: str) -> str:
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + " …"


def without_box(text: str) -> str:
    """The verdict stands beside the title."""
    for box in ("\\boxed{YES}", "\\boxed{NO}"):
        if text.startswith(box):
            return text[len(box) :].lstrip(" .:")
    return text
