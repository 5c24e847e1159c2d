"""Turns the steps of an inspection into the contents of the timeline's cards."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QCoreApplication

from agent.claims.against_table import Conflict, conflicts
from agent.ellipsis import shortened
from agent.inspection.built_in import built_in
from agent.protocol.reply import Verdict
from agent.spectra.lines import label_of
from agent.spectra.spectrum import Window
from agent.trajectory.trajectory import Step, tables_of_thoughts
from app.ui.base.translation.data_texts import task_text
from app.ui.base.translation.measured_texts import translate_measured_text, translate_panel_text
from app.ui.judge.agent.claims import unsupported
from app.ui.judge.agent.measured_rows import (
    MeasuredRow,
    measured_rows,
    measurement_notes,
    observed_range,
    window_text,
)

translate = QCoreApplication.translate
CardKind = Literal["thought", "look", "answer", "remark", "fault", "partial"]
# A record may come from a stranger and be of any size, so all that is shown has a limit.
MAX_PARTIAL_TEXT = 4_000
MAX_STEPS = 400
MAX_TEXT = 20_000  # characters of a card
MAX_CHECKED = 60_000  # characters of a record that are searched for unsupported claims
MAX_NAMED_CLAIMS = 6

_TAG = re.compile(r"</?(?:think|tool_call|answer|tool_response)>")
_HALF_TAG = re.compile(r"</?[a-z_]{0,13}$")
_CALL = "<tool_call>"


def visible_text(raw: str) -> tuple[str, bool]:
    """Return the end of an unfinished turn without tags, and whether a tool call has begun."""
    text, call, _ = raw.partition(_CALL)
    text = _TAG.sub(" ", _HALF_TAG.sub("", text)).strip()
    if len(text) > MAX_PARTIAL_TEXT:
        text = "… " + text[-MAX_PARTIAL_TEXT:]
    return text, bool(call)


@dataclass(frozen=True, kw_only=True)
class CardContent:
    """The content of one card; `index` is that of its step, -1 if it shows no step."""

    index: int
    kind: CardKind
    title: str
    aside: str = ""  # to the right of the title
    label: str = ""
    text: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    """Start and end in `text` of claims that no picture supports."""
    numbers: str = ""
    rows: tuple[MeasuredRow, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    verdict: Verdict | None = None
    picture: str = ""  # hash of the picture that belongs to the step

    @property
    def full_text(self) -> str:
        """All text of the card, for the clipboard and screen readers."""
        first = " ".join(part for part in (self.title, self.aside, self.label) if part)
        table = map(" ".join, self.rows)
        parts = (first, self.text, self.numbers, *table, *self.notes, *self.warnings)
        return "\n".join(filter(None, parts))


def card_contents(
    steps: Sequence[Step], *, is_over: bool = True, z: float | None = None
) -> list[CardContent]:
    """Return a card for each step; `is_over` means no later look can still support a claim.

    The wavelengths of the steps are in the rest frame of `z`, those of the cards are observed.
    """
    shift = 1.0 + (z or 0.0)
    looked_at = [step.range for step in steps if step.is_look and step.range is not None]
    cards, look, checked = [], 0, 0
    tables = tables_of_thoughts(steps[:MAX_STEPS])
    thoughts = against = 0
    for index, step in enumerate(steps[:MAX_STEPS]):
        look += step.is_look
        # Before its first look the agent describes the picture of the whole spectrum.
        may_claim = step.kind in ("think", "answer", "text") and look > 0
        is_checked = may_claim and is_over and step.by == "agent" and checked < MAX_CHECKED
        windows = looked_at if is_checked else None
        checked += min(len(step.text), MAX_TEXT) if is_checked else 0
        card = _card(index, step, look, windows, shift)
        if is_checked and index in tables:
            found = conflicts(step.text[:MAX_TEXT], tables[index])
            thoughts, against = thoughts + 1, against + bool(found)
            card = replace(card, warnings=(*card.warnings, *map(_measured_otherwise, found)))
        if step.kind == "answer" and against:
            text = translate("agent", "{count} of {total} thoughts: measured otherwise")
            text = text.replace("{count}", str(against)).replace("{total}", str(thoughts))
            card = replace(card, warnings=(*card.warnings, text))
        cards.append(card)
    return cards


def _measured_otherwise(conflict: Conflict) -> str:
    line = conflict.line
    kinds = {
        "emission": translate("agent", "in emission"),
        "absorption": translate("agent", "in absorption"),
    }
    ew = f"{line.ew:.3g}".replace("-", "\N{MINUS SIGN}")
    what = f"{label_of(line.name)} {kinds[line.kind]}, EW {ew} Å, {line.sigma:.0f} σ"
    return translate("agent", "Measured otherwise: {what}").replace("{what}", what)


def overview_card(text: str) -> CardContent:
    """Return the card of the overview text, which the model read before its first turn."""
    title = translate("agent", "The whole spectrum")
    return CardContent(index=-1, kind="thought", title=title, text=shortened(text, MAX_TEXT))


def partial_turn_card(raw: str) -> CardContent:
    text, is_calling = visible_text(raw)
    title, calling = translate("agent", "Writing"), translate("agent", "requests a picture")
    aside = calling if is_calling else ""
    return CardContent(index=-1, kind="partial", title=title, aside=aside, text=text)


def _card(
    index: int, step: Step, look: int, looked_at: Sequence[Window] | None, shift: float
) -> CardContent:
    if step.kind == "zoom" and not step.error:
        return _look(index, step, look, shift)
    if step.error:
        return _fault(index, step, shift)
    kind, title = _kind_and_title(step)
    text = shortened(step.plain_text, MAX_TEXT)
    # Of a panel, only the member that looked, whose line is the first, says what it saw.
    seen = text.partition("\n")[0] if is_of_panel(step) else text
    claims = () if looked_at is None else unsupported(seen, looked_at)
    shown = text
    if step.by == "agent":
        shown = translate_panel_text(text) if is_of_panel(step) else translate_measured_text(text)
    is_as_written = shown == text
    # A network begins in lower case; a panel with the name of its member.
    if step.by == "agent" and shown[:1].isascii() and not is_of_panel(step):
        shown = shown[:1].upper() + shown[1:]
    names = ", ".join(claim.text for claim in claims[:MAX_NAMED_CLAIMS])
    warning = translate("agent", "Unsupported, window not viewed: {what}")
    return CardContent(
        index=index,
        kind=kind,
        title=title,
        aside=(step.verdict or "") if step.kind == "answer" else "",
        label=step.label if is_of_panel(step) else "",
        text=shown,
        marks=tuple((claim.start, claim.end) for claim in claims) if is_as_written else (),
        rows=measured_rows(step.measured, shift),
        notes=measurement_notes(step.measured),
        warnings=(warning.replace("{what}", names),) if claims else (),
        verdict=step.verdict,
    )


def is_of_panel(step: Step) -> bool:
    inspector = built_in(step.label) if step.kind == "answer" else None
    return inspector is not None and inspector.quotes


def _look(index: int, step: Step, number: int, shift: float) -> CardContent:
    assert step.range is not None
    title = translate("agent", "Look {n}")
    if step.by == "person":
        title = translate("agent", "Look {n} (yours)")
    return CardContent(
        index=index,
        kind="look",
        title=title.replace("{n}", str(number)),
        aside=observed_range(step.range, shift),
        label=task_text(step.label),
        text=shortened(step.text, MAX_TEXT) if step.by == "person" else "",
        numbers=window_text(step.measured),
        rows=measured_rows(step.measured, shift),
        notes=measurement_notes(step.measured),
        picture=step.picture,
    )


def _fault(index: int, step: Step, shift: float) -> CardContent:
    title = translate("agent", "Could not be shown")
    if step.by == "agent":
        title = translate("agent", "Agent error")
    return CardContent(
        index=index,
        kind="fault",
        title=title,
        aside="" if step.range is None else observed_range(step.range, shift),
        label=step.label,
        text=shortened(step.text, MAX_TEXT),
        warnings=(translate_measured_text(shortened(step.error, MAX_TEXT)),),
    )


def _kind_and_title(step: Step) -> tuple[CardKind, str]:
    if step.by == "person":
        return "remark", translate("agent", "You")
    if step.kind == "answer":
        return "answer", translate("agent", "Answer")
    if step.kind == "think":
        return "thought", translate("agent", "Thought")
    return "thought", translate("agent", "Text")
