"""Finds verdicts that contradict what the agent said: "like a Wolf-Rayet star", then YES."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from PySide6.QtCore import QCoreApplication

from agent.evidence.words import KIND_NAMES
from agent.inspection.built_in import built_in
from agent.trajectory.trajectory import Trajectory
from app.ui.translation.measured_texts import translate_measured_name

translate = QCoreApplication.translate
MAX_TEXT = 60_000
"""Characters of a record that are searched."""


def contradiction(record: Trajectory) -> str:
    """A sentence about a verdict that goes against the kind named last; empty if none does.

    A panel's answer quotes both members, who may disagree: their own records tell.
    """
    own, inspector = KIND_NAMES.get(record.task), built_in(record.model.engine)
    quotes = inspector is not None and inspector.quotes
    if own is None or record.verdict is None or quotes:
        return ""
    named = named_kinds(record)
    if not named:
        return ""
    last = named[-1]
    if (last == own) == (record.verdict == "YES"):
        return ""
    often = Counter(named)[last]
    text = translate("agent", "It said “like {kind}”, then {verdict}.")
    if often > 1:
        text = translate("agent", "It said “like {kind}” {n} times, then {verdict}.")
    text = text.replace("{n}", str(often))
    return text.replace("{kind}", translate_measured_name(last)).replace(
        "{verdict}", record.verdict
    )


def named_kinds(record: Trajectory) -> list[str]:
    """The kinds that the agent likened the object to after its first look, in their order."""
    looked, found, searched = False, [], 0
    for step in record.steps:
        looked = looked or step.is_look
        if step.by != "agent" or not looked or searched > MAX_TEXT:
            continue
        if step.kind in ("think", "text", "answer"):
            text = step.text[:MAX_TEXT]
            searched += len(text)
            found += [_kind_name(match) for match in _likened().finditer(text)]
    return found


def _kind_name(match: re.Match[str]) -> str:
    return next(name for name in KIND_NAMES.values() if name.casefold() == match["kind"].casefold())


@cache
def _likened() -> re.Pattern[str]:
    kinds = "|".join(re.escape(name) for name in sorted(KIND_NAMES.values(), key=len, reverse=True))
    return re.compile(
        rf"(?<!not )(?<!n't )\b(?:more )?like (?P<kind>{kinds})(?=[.:;]|$)", re.IGNORECASE
    )
