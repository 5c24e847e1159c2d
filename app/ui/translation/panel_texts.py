"""Translates a panel's answer: a line with verdict and reasons for each member, then the sum."""

from __future__ import annotations

import re

from app.ui.translation.data_texts import window_table
from app.ui.translation.measured_texts import translate_measured_text

MAX_TEXT = 20_000
MEMBER = re.compile(r"(?P<name>\S{1,80}): (?P<said>(?:YES|NO)(?:, p [<>]? ?[\d.]+)?): (?P<why>.+)")


def translate_panel_text(text: str) -> str:
    """Translate what is known of it; a member's own words that are not stay as they are."""
    if not window_table("measured") or len(text) > MAX_TEXT:
        return text
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    found = MEMBER.fullmatch(line)
    if found is None:
        return translate_measured_text(line)
    name, said, why = found.group("name", "said", "why")
    return f"{name}：{said.replace(', ', '，')}：{translate_measured_text(why)}"
