"""Differences of two wordings as rich text: what is gone is struck out, what is new underlined."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QCoreApplication

from app.ui.theme.theme import Theme
from train.review.differences import word_differences
from train.review.revision import DraftTurn

translate = QCoreApplication.translate


def difference_html(before: DraftTurn | None, after: DraftTurn, theme: Theme) -> str:
    """What changed in a turn; `before` is None for a new one."""
    if before is None:
        return escape(translate("curation", "This turn is new."))
    parts = []
    if before.range != after.range or before.label != after.label:
        parts.append(words_html(_call_text(before), _call_text(after), theme))
    for old, new in ((before.thought, after.thought), (before.reasons, after.reasons)):
        if old != new:
            parts.append(words_html(old, new, theme))
    if not parts:
        return escape(translate("curation", "As it was."))
    return "<br>".join(parts)


def words_html(before: str, after: str, theme: Theme) -> str:
    styles = {
        "same": f"color:{theme.text}",
        "gone": f"color:{theme.reject}; text-decoration:line-through",
        "new": f"color:{theme.accent}; text-decoration:underline",
    }
    return "".join(
        f'<span style="{styles[piece.kind]}">{escape(piece.text)}</span>'
        + (" " if piece.kind == "gone" and not piece.text.endswith(" ") else "")
        for piece in word_differences(before, after)
    )


def _call_text(turn: DraftTurn) -> str:
    if turn.range is None:
        return ""
    low, high = turn.range
    return f"{low:g} – {high:g} Å {turn.label}"
